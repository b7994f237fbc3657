//! `bakeoff show`: a stored run and its answer, computed from its events as if it had just ended.

use bakeoff_core::analyse::{analyse, is_answered};
use bakeoff_core::report::runs::State;

use super::stored;
use crate::cli::{Format, Global, OneRun};
use crate::fault::{Fault, Outcome};
use crate::ui::answer;

/// Runs the command. Its exit code is the one the run deserves.
pub fn run(global: &Global, args: &OneRun) -> Result<Outcome, Fault> {
    if let Some(format @ (Format::Jsonl | Format::Bundle)) = global.format {
        return Err(stored::no_format(format, "show", "text, json, csv or markdown"));
    }
    let (store, id) = stored::find(global, &args.run)?;
    let run = stored::read(&store, &id)?;
    let state = stored::state(&store, &id, &run)?;
    stored::say_state(state, &store, &id)?;
    let analysis = analyse(&run);
    answer::print(global, &run, &analysis)?;
    let is_over = state == State::Stopped;
    Ok(if is_over && is_answered(&run, &analysis) { Outcome::Done } else { Outcome::Open })
}
