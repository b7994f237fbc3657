//! What quick, demo, run and resume share: recover, begin, rehearse, measure, answer.

use std::path::{Path, PathBuf};

use bakeoff_judge::analyse::analyse;
use bakeoff_judge::decide::stop;
use bakeoff_model::candidate::{Candidate, Kind};
use bakeoff_model::event::{Header, StopReason};
use bakeoff_model::path::RawPath;
use bakeoff_model::run::Run;
use bakeoff_model::verb::Verb;
use bakeoff_model::verdict::Analysis;

use super::answer::{self, AnswerDetail};
use super::{notify, show, stored};
use crate::cli::{BesideArgs, Global};
use crate::fault::{self, Fault, Outcome};
use crate::measuring::run;
use crate::places::target_set::TargetSet;
use crate::signals::Cancel;
use crate::steps::error::StepError;
use crate::steps::journal::Journal;
use crate::steps::own_mounts::{self, OwnMounts};
use crate::steps::recover;
use crate::steps::session::Session;
use crate::steps::stepper;
use crate::store::Sqlite;
use crate::ui::progress::Progress;
use crate::ui::{announce, say};

#[derive(Clone, Debug)]
pub struct Ending {
    pub output: Option<PathBuf>,
    pub beside: BesideArgs,
    pub remains: Remains,
}

/// Whether dead runs left changes that could not be undone, which every command that tries ends
/// with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Remains(bool);

impl Remains {
    pub fn end(self, ended: Result<Outcome, Fault>) -> Result<Outcome, Fault> {
        if !self.0 {
            return ended;
        }
        let said = say::typed(
            "changes of earlier runs remain (see above). Undo them with `sudo bakeoff clean`",
        );
        let remains = Fault::environment(said);
        Err(match ended {
            Ok(_) => remains,
            Err(fault) => fault.with(remains),
        })
    }
}

impl Ending {
    /// A file with the result, and whatever was asked for beside it.
    ///
    /// # Errors
    /// The file cannot be written or has no known ending.
    pub fn new(output: Option<PathBuf>, beside: &BesideArgs) -> Result<Ending, Fault> {
        if let Some(path) = &output {
            show::check_ending(path)?;
            stored::check_output(path)?;
        }
        Ok(Ending { output, beside: beside.clone(), remains: Remains::default() })
    }
}

/// Puts back what dead runs left, so that nothing of theirs is in the way.
pub fn recover(global: &Global) -> Result<Remains, Fault> {
    let mut store = Sqlite::open(&crate::store::place::path(global.store.as_deref())?)?;
    let recovered = recover::recover(&mut store)?;
    say_recovered(&recovered, global.quiet);
    Ok(Remains(!recovered.failures.is_empty()))
}

/// Begins a run, prepares its target set, measures it and answers.
pub fn run(
    global: &Global,
    header: Header,
    ending: Ending,
    prepare: impl FnOnce(&mut Session) -> Result<TargetSet, StepError>,
) -> Result<Outcome, Fault> {
    let mut store = Sqlite::open(&crate::store::place::path(global.store.as_deref())?)?;
    let cancel = Cancel::listen().map_err(Fault::environment)?;
    let mounts = own_mounts(&header)?;
    let journal = Journal::begin(&mut store, header)?;
    let mut session = Session::new(journal, mounts, cancel, Progress::new(global.quiet));
    let target_set = prepare(&mut session);
    go_on(global, session, target_set, ending)
}

/// Mounts that only the run sees, where its candidates are mounted by it.
///
/// # Errors
/// The kernel refuses a mount namespace.
pub fn own_mounts(header: &Header) -> Result<Option<OwnMounts>, Fault> {
    let is_stack = |candidate: &Candidate| matches!(candidate.kind, Kind::Stack(_));
    header.candidates.iter().any(is_stack).then(own_mounts::enter).transpose()
}

/// Measures on a prepared target set until the run stops, and answers.
pub fn go_on(
    global: &Global,
    mut session: Session,
    target_set: Result<TargetSet, StepError>,
    ending: Ending,
) -> Result<Outcome, Fault> {
    let remains = ending.remains;
    let mut target_set = match target_set {
        Ok(target_set) => target_set,
        Err(error) => {
            return remains.end(Err(give_up(session, error, ending.beside.notify.as_deref())));
        }
    };
    let page = ending.output.clone().filter(|path| show::is_page(path));
    announce(&session, global.quiet);
    let measured = run::measure(&mut session, &mut target_set, page);
    drop(target_set);
    let run = session.journal.run().clone();
    // The lock and the store are let go before anything slow is written.
    drop(session);
    let analysis = analyse(&run);
    let answered = answer_run(global, &run, &analysis, ending);
    remains.end(measured.and(answered))
}

/// A run that could not even be prepared: everything is put back, the record says why.
fn give_up(mut session: Session, error: StepError, notify: Option<&str>) -> Fault {
    let id: String = session.journal.run().header.short_id();
    let cut_off = session.why_cut_off();
    let (reason, note, fault) = match error {
        StepError::Interrupted if cut_off.0 != StopReason::Interrupted => {
            let (reason, note) = cut_off;
            let said = match reason {
                StopReason::WriteBudget => Fault::refused(format!(
                    "{note}, before the first measurement. bakeoff has undone all changes. \
                     Continue with: {}",
                    stop::write_more(session.journal.run())
                )),
                _ => Fault::failed(format!(
                    "{note}, before the first measurement. bakeoff has undone all changes. \
                     Continue with: bakeoff resume {id} --time 5m"
                )),
            };
            (reason, note, said)
        }
        StepError::Interrupted => {
            let said = format!(
                "interrupted before the first measurement. bakeoff has undone all changes. \
                 Continue with: bakeoff resume {id}"
            );
            (StopReason::Interrupted, String::new(), Fault::interrupted(said))
        }
        StepError::Fault(fault) => (StopReason::Failed, fault.to_string(), fault),
        error => {
            // Without its drive everything fails, in words of its own.
            let error = stepper::check_targets(&session).err().unwrap_or(error);
            let fault = error.into_fault();
            (StopReason::Failed, fault.to_string(), fault)
        }
    };
    let finished = session.finish(reason, note);
    if let Some(to) = notify {
        let run = session.journal.run();
        tell(to, run, &analyse(run));
    }
    match finished {
        Ok(()) => fault,
        Err(also) if also.to_string() == fault.to_string() => fault,
        Err(also) => fault.with(also),
    }
}

fn announce(session: &Session, quiet: bool) {
    let run = session.journal.run();
    if let Some(rehearsal) = run.rehearsal.as_ref().filter(|_| !quiet) {
        for line in announce::plan(&run.header, rehearsal, session.journal.elapsed_ns()) {
            session.progress.say(&line);
        }
        if session.held.mounts.is_some() {
            let pid = std::process::id();
            session.progress.say(&format!(
                "Only this run sees its filesystems. To look inside:\n  sudo nsenter --mount \
                 --target {pid}"
            ));
        }
    }
}

fn answer_run(
    global: &Global,
    run: &Run,
    analysis: &Analysis,
    ending: Ending,
) -> Result<Outcome, Fault> {
    // The file comes first, so that the answer can name it.
    let path = &ending.output;
    let output = match path {
        Some(path) if show::is_page(path) => answer::write_page(run, analysis, path),
        Some(path) => show::write_file(global, run, path),
        None => Ok(()),
    };
    let written = path.as_deref().filter(|_| output.is_ok());
    let printed = print_answer(global, run, analysis, written);
    if let Some(path) = written.filter(|_| !answer::names_report(global, run)) {
        say::note(global.quiet, format_args!("Report: {}", RawPath::new(path)));
    }
    if matches!(run.header.verb, Verb::Quick | Verb::Demo) && analysis.blocks > 0 {
        let id = run.header.short_id();
        say::note(global.quiet, format_args!("Block to paste: bakeoff show {id} --paste"));
    }
    if let Some(to) = &ending.beside.notify {
        tell(to, run, analysis);
    }
    let ended = match &run.stopped {
        Some((StopReason::Failed, why)) => Err(Fault::environment(format!(
            "the run stopped: {why}. Fix this, then continue with `bakeoff resume`"
        ))),
        Some(_) | None => answer::outcome(run, analysis),
    };
    fault::after_printing(printed, fault::after_printing(output, ended))
}

/// Sends the result; that it arrives nowhere takes nothing from it.
fn tell(to: &str, run: &Run, analysis: &Analysis) {
    if let Err(why) = notify::send(to, run, analysis) {
        say::line(format_args!("bakeoff: {why}"));
    }
}

/// A reader that went away is no fault; a stdout that cannot be written loses nothing stored.
fn print_answer(
    global: &Global,
    run: &Run,
    analysis: &Analysis,
    written: Option<&Path>,
) -> Result<(), Fault> {
    answer::print(global, run, analysis, &AnswerDetail::Screen(written)).map_err(|fault| {
        if fault.is_silent() {
            fault
        } else {
            fault.and(format!("the run is saved. Show it with `bakeoff show {}`", run.header.run))
        }
    })
}

pub fn say_recovered(recovered: &recover::Recovered, quiet: bool) {
    for (run, undone) in &recovered.runs {
        let undone = undone.join("; ");
        say::note(quiet, format_args!("Undid the changes that run {run} left: {undone}"));
    }
    for failure in &recovered.failures {
        say::line(format_args!("bakeoff: cannot undo a change: {failure}"));
    }
    for (run, why) in &recovered.set_aside {
        say::line(format_args!(
            "bakeoff: skipped run {run}: {why}\n  Show its record and remove it: bakeoff clean \
             --force {}",
            &run.as_str()[..8]
        ));
    }
}
