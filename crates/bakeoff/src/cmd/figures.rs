//! `bakeoff show FILE`: the figures that are in a text, from output of other tools or from pasted
//! runs. A text is read in pieces and kept nowhere.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use bakeoff_judge::import::pasted::runs_of;
use bakeoff_judge::import::{self, Imported};
use bakeoff_model::json;
use bakeoff_model::path::RawPath;
use bakeoff_report as report;

use super::{add, answer, stored};
use crate::cli::{Format, Global, Show};
use crate::fault::{Fault, Outcome};
use crate::store::StoreError;
use crate::store::import::unreadable;

/// How much of a text is searched for pasted runs, and holds the head of a bundle.
const HEAD_BYTES: u64 = 1 << 20;
const PIECE_BYTES: usize = 256 << 10;

/// Whether a word names a file. Its path has a `/` or a `.`, which the ID of a run does not have.
pub fn is_file(word: &str) -> bool {
    word == "-" || word.contains(['/', '.']) && Path::new(word).exists()
}

pub fn run(global: &Global, args: &Show) -> Result<Outcome, Fault> {
    let format = format(global, args)?;
    let mut outcome = Outcome::Done;
    let mut failures = Vec::new();
    for word in args.words() {
        let name = RawPath::new(word);
        match show(format, word, &name) {
            Ok(true) => {}
            Ok(false) => outcome = Outcome::Open,
            Err(error) => failures.push(error),
        }
    }
    failures.into_iter().reduce(Fault::with).map_or(Ok(outcome), Err)
}

/// The format for something that is not a stored run.
pub fn format(global: &Global, args: &Show) -> Result<Format, Fault> {
    if args.paste || !args.output.is_empty() {
        return Err(Fault::usage("--paste and -o need a stored run"));
    }
    stored::format_among(global, "show FILE", &[Format::Text, Format::Json, Format::Markdown])
}

/// Prints what is in a file; false where there are no figures.
fn show(format: Format, word: &str, name: &RawPath) -> Result<bool, Fault> {
    let fail = |error: io::Error| add::named(name, unreadable(error));
    let mut input: Box<dyn Read> = if word == "-" {
        Box::new(io::stdin().lock())
    } else {
        Box::new(File::open(word).map_err(fail)?)
    };
    let mut head = Vec::new();
    input.by_ref().take(HEAD_BYTES).read_to_end(&mut head).map_err(fail)?;
    if is_bundle(&head) {
        let why = format!("this is an exported run. Add it first: bakeoff runs add {name}");
        return Err(add::named(name, StoreError::usage(why)));
    }
    let found = read(&head, &mut input).map_err(fail)?;
    let (runs, _) = runs_of(&head);
    if !runs.is_empty() {
        let json = || report::paste::pasted_json(&runs) + "\n";
        answer::print_either(format, json, || report::paste::pasted_document(&runs))?;
        if found.results.is_empty() && found.unread.is_empty() {
            return Ok(true);
        }
    }
    let source = name.to_string();
    let json = || report::figures_json(&source, &found) + "\n";
    answer::print_either(format, json, || report::figures_document(&source, &found))?;
    Ok(!runs.is_empty() || !found.results.is_empty())
}

fn is_bundle(head: &[u8]) -> bool {
    let line = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let value: Result<serde_json::Value, _> = json::read(line);
    let schema = value.ok().and_then(|value| value["schema"].as_str().map(str::to_string));
    schema.is_some_and(|schema| schema.starts_with("bakeoff/bundle/"))
}

fn read(head: &[u8], input: &mut impl Read) -> io::Result<Imported> {
    let mut finder = import::finder();
    finder.push(head);
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        match input.read(&mut piece) {
            Ok(0) => return Ok(finder.finish()),
            Ok(count) => finder.push(&piece[..count]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
