//! A stored run as a whole: its events, folded.

use bakeoff_model::run::{FoldError, Run};

use super::error::read_event;
use super::{Records, RunId, StoreError};

pub fn read(store: &dyn Records, id: &RunId) -> Result<Run, StoreError> {
    fold(id, &store.lines(id)?)
}

pub fn fold(id: &RunId, lines: &[String]) -> Result<Run, StoreError> {
    let unsound = |error| {
        StoreError::environment(format!("run {id}: {error}. Remove it: bakeoff runs rm {id}"))
    };
    // One event at a time: all of them take a multiple of their text.
    let mut run: Option<Run> = None;
    for (seq, line) in lines.iter().enumerate() {
        let event = read_event(id, seq, lines, line)?;
        match &mut run {
            None => run = Some(Run::begin(&event).map_err(unsound)?),
            Some(run) => run.apply(&event).map_err(unsound)?,
        }
    }
    run.ok_or_else(|| unsound(FoldError::Empty))
}
