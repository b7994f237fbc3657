//! A stored run as a whole: its events, folded.

use bakeoff_core::model::run::Run;

use super::{Records, RunId, read_events};
use crate::fault::Fault;

/// Reads the run from its events.
pub fn read(store: &dyn Records, id: &RunId) -> Result<Run, Fault> {
    fold(id, &store.lines(id)?)
}

/// The run that these lines are.
pub fn fold(id: &RunId, lines: &[String]) -> Result<Run, Fault> {
    let events = read_events(id, lines)?;
    Run::fold(&events).map_err(|error| {
        let advice = format!(
            "`bakeoff export {id} --format jsonl --no-redact` saves its readable part, and"
        );
        Fault::environment(format!("run {id}: {error}; {advice} Remove it: bakeoff rm {id}"))
    })
}
