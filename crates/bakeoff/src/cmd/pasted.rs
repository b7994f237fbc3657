//! Runs on the command line that somebody pasted: a line, or a file with lines of ours.

use std::io::Read;
use std::path::Path;

use bakeoff_judge::import::pasted::runs_of;
use bakeoff_judge::levels::RunLevels;
use bakeoff_judge::levels::line::PREFIX;
use bakeoff_model::path::RawPath;

use crate::fault::Fault;
use crate::ui::say;

/// Bytes read of standard input: a page, and no image of a disk.
const INPUT_BYTES: u64 = 16 << 20;
/// Most bytes read of a text; results of tools are far shorter.
const MOST_BYTES: u64 = 256 << 20;

/// The runs that a word stands for; `None` for one that names a stored run. The path of a file has
/// a `/` or a `.`, which the ID of a run does not have.
pub fn named(word: &str) -> Result<Option<Vec<RunLevels>>, Fault> {
    if word.trim_start().starts_with(PREFIX) {
        return found("the pasted line", word.as_bytes()).map(Some);
    }
    if word == "-" {
        let mut text = Vec::new();
        let read = std::io::stdin().lock().take(INPUT_BYTES).read_to_end(&mut text);
        read.map_err(Fault::environment)?;
        return found("standard input", &text).map(Some);
    }
    let is_file = word.contains(['/', '.']) && Path::new(word).is_file();
    is_file.then(|| of_file(Path::new(word))).transpose()
}

pub fn of_file(path: &Path) -> Result<Vec<RunLevels>, Fault> {
    found(&RawPath::new(path).to_string(), &read(path)?)
}

pub fn read(path: &Path) -> Result<Vec<u8>, Fault> {
    let fail = |error: std::io::Error| {
        Fault::usage(format!("cannot read {}: {error}", RawPath::new(path)))
    };
    let mut text = Vec::new();
    let file = std::fs::File::open(path).map_err(fail)?;
    file.take(MOST_BYTES).read_to_end(&mut text).map_err(fail)?;
    Ok(text)
}

fn found(name: &str, text: &[u8]) -> Result<Vec<RunLevels>, Fault> {
    let (runs, unread) = runs_of(text);
    for (line, why) in &unread {
        say::line(format_args!("bakeoff: {name}, line {line}: {why}"));
    }
    if runs.is_empty() {
        return Err(Fault::usage(format!(
            "no pasted run in {name}. A pasted run is a line that begins with {PREFIX}, made by \
             `bakeoff show RUN --paste`"
        )));
    }
    Ok(runs)
}
