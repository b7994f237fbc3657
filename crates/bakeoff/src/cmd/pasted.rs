//! Runs on the command line that somebody pasted: a line, or a file with lines of ours.

use std::io::Read;
use std::path::Path;

use bakeoff_judge::import::pasted::runs_of;
use bakeoff_judge::levels::RunLevels;
use bakeoff_judge::levels::line::PREFIX;
use bakeoff_model::path::RawPath;

use crate::fault::Fault;
use crate::ui::say;

/// Most bytes read of a text; results of tools are far shorter.
const MOST_BYTES: u64 = 256 << 20;

/// The runs that a word stands for; `None` for one that names a stored run. The path of a file has
/// a `/` or a `.`, which the ID of a run does not have.
pub fn named(word: &str) -> Result<Option<Vec<RunLevels>>, Fault> {
    if word.trim_start().starts_with(PREFIX) {
        return found("the pasted line", word.as_bytes()).map(Some);
    }
    let (name, input): (String, Box<dyn Read>) = if word == "-" {
        ("standard input".to_string(), Box::new(std::io::stdin().lock()))
    } else if word.contains(['/', '.']) && Path::new(word).is_file() {
        let name = RawPath::new(word).to_string();
        let opened = std::fs::File::open(word);
        (name.clone(), Box::new(opened.map_err(|error| unread(&name, &error))?))
    } else {
        return Ok(None);
    };
    let mut text = Vec::new();
    input.take(MOST_BYTES).read_to_end(&mut text).map_err(|error| unread(&name, &error))?;
    found(&name, &text).map(Some)
}

fn unread(name: &str, error: &std::io::Error) -> Fault {
    Fault::usage(format!("cannot read {name}: {error}"))
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
