//! A run that leaves no record behind, and whose changes to the system are recorded while it goes
//! on, so that `clean` finds them after a kill: a bench's scratch directory, a probe's originals.

use bakeoff_model::protocol::{Mode, Protocol};
use bakeoff_model::verb::Verb;

use crate::cli::Global;
use crate::fault::Fault;
use crate::planning::new_run;
use crate::signals::Cancel;
use crate::steps::journal::Journal;
use crate::steps::session::Session;
use crate::steps::unwind;
use crate::store::{Records, Sqlite};
use crate::ui::progress::Progress;

/// Begins such a run, has `work` done, undoes every step it took and forgets it.
pub fn run<T>(
    global: &Global,
    verb: Verb,
    title: String,
    work: impl FnOnce(&mut Session) -> Result<T, Fault>,
) -> Result<T, Fault> {
    let mut store = Sqlite::open(&crate::store::place::path(global.store.as_deref())?)?;
    let protocol = Protocol { time_ns: None, ..Protocol::for_mode(Mode::Quick, 0) };
    let header = new_run::header(global, verb, title, protocol);
    let journal = Journal::begin(&mut store, header)?;
    let run = journal.run().header.run.clone();
    // Signals are noticed by the caller's listener; a step here is over in an instant.
    let mut session = Session::new(journal, None, Cancel::default(), Progress::new(true));
    let result = work(&mut session);
    let failures = unwind::undo_all(&mut session.journal)?;
    drop(session);
    if !failures.is_empty() {
        return Err(Fault::environment(failures.join("; ")));
    }
    store.remove(&store.find(&run)?)?;
    result
}
