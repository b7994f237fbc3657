//! `bakeoff show`: a stored run and its answer, computed from its events as if it had just ended.

use bakeoff_core::analyse::{analyse, is_answered};
use bakeoff_core::report::runs::State;

use super::answer::{self, Extent};
use super::stored;
use crate::cli::{Global, Show};
use crate::fault::{self, Fault, Outcome};
use crate::store::folded;

/// Runs the command. Its exit code is the one the run deserves.
pub fn run(global: &Global, args: &Show) -> Result<Outcome, Fault> {
    stored::format(global, "show")?;
    let (store, id) = stored::find(global, &args.run)?;
    let run = folded::read(&*store, &id)?;
    let state = store.state(&id, run.stopped.is_some())?;
    stored::say_state(state, &*store, &id)?;
    let analysis = analyse(&run);
    let extent = if args.details { Extent::Details } else { Extent::Screen(None) };
    let printed = answer::print(global, &run, &analysis, &extent);
    if let Some(service) = answer::service(global, &run, &analysis) {
        return fault::after_printing(printed, Ok(Outcome::Service(service)));
    }
    let is_answered = state == State::Stopped && is_answered(&run, &analysis);
    fault::after_printing(printed, Ok(if is_answered { Outcome::Done } else { Outcome::Open }))
}
