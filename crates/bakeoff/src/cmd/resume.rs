//! `bakeoff resume [RUN]`: go on after a crash, a power cut or the time limit.

use bakeoff_judge::decide;
use bakeoff_judge::decide::stop;
use bakeoff_machine::prepare::words;
use bakeoff_model::candidate::Kind;
use bakeoff_model::event::{StopReason, What};
use bakeoff_model::mark::Mark;
use bakeoff_model::run::Run;
use bakeoff_model::verb::Verb;

use super::{consent, lifecycle};
use crate::cli::{Global, Resume};
use crate::fault::{Fault, Outcome};
use crate::host;
use crate::places::target_set::TargetSet;
use crate::places::targets::{self, Wanted};
use crate::places::{directories, image, marks};
use crate::signals::Cancel;
use crate::steps::error::StepError;
use crate::steps::journal::Journal;
use crate::steps::session::{self, Session};
use crate::steps::unwind;
use crate::store::{Records, Sqlite, trust};
use crate::ui::progress::Progress;
use crate::ui::say;

pub fn run(global: &Global, args: &Resume) -> Result<Outcome, Fault> {
    if args.time == Some(0) {
        return Err(Fault::usage("--time 0 leaves no time to measure. Try --time 3m"));
    }
    let ending = lifecycle::Ending::new(args.output.clone(), &args.beside)?;
    let mut store = Sqlite::open(&crate::store::place::path(global.store.as_deref())?)?;
    trust::check(&store)?;
    let id = store.find(&args.run)?;
    if store.is_imported(&id)? {
        return Err(Fault::usage(format!(
            "cannot resume run {id}: it was measured on another \
                                         machine. Resume it there"
        )));
    }
    let cancel = Cancel::listen().map_err(Fault::environment)?;
    let mut journal = Journal::take(&mut store, &id)?;
    let time_ns = check(journal.run(), args)?;
    for (_, stack) in journal.run().header.stacks() {
        words::check(stack).map_err(Fault::refused)?;
    }
    // Before the run is ours: what can still be there depends on when its last owner lived.
    let failures = unwind::undo_all(&mut journal)?;
    if !failures.is_empty() {
        return Err(Fault::environment(format!(
            "cannot undo the changes that the run left: {}. Try again with `sudo bakeoff clean`",
            failures.join("; ")
        )));
    }
    journal.own()?;
    if time_ns != journal.run().header.protocol.time_ns || args.max_write.is_some() {
        journal.record(What::Extended { time_ns, max_write_bytes: args.max_write })?;
    }
    session::supersede_open(&mut journal)?;
    let mounts = lifecycle::own_mounts(&journal.run().header)?;
    let _awake = host::awake::stay_awake();
    let mut session = Session::new(journal, mounts, cancel, Progress::new(global.quiet));
    let target_set = prepare(&mut session, &args.erase);
    lifecycle::go_on(global, session, target_set, ending)
}

fn check(run: &Run, args: &Resume) -> Result<Option<u64>, Fault> {
    let id = run.header.short_id();
    if matches!(run.header.verb, Verb::Bench | Verb::Fit) {
        return Err(Fault::usage(format!(
            "cannot resume {id}: it was measured with `bakeoff {}`. Start it again",
            run.header.verb
        )));
    }
    if let Some((reason, _)) = run.stopped.as_ref().filter(|_| !decide::is_resumable(run)) {
        let why = match reason {
            StopReason::Decided => "every workload has an answer",
            _ => "all its blocks are complete",
        };
        return Err(Fault::usage(format!(
            "nothing to resume: {why}. Show the result with `bakeoff show {id}`"
        )));
    }
    let is_over_budget = matches!(run.stopped, Some((StopReason::WriteBudget, _)));
    if is_over_budget && args.max_write.is_none() {
        return Err(Fault::usage(format!(
            "Write limit of run {id} reached. Continue with: {}",
            stop::write_more(run)
        )));
    }
    if let Some(more) = args.time {
        return Ok(Some(run.elapsed_ns.saturating_add(more)));
    }
    match run.header.protocol.time_ns {
        Some(limit) if limit <= run.elapsed_ns => Err(Fault::usage(format!(
            "Time limit of run {id} reached. Continue with: bakeoff resume {id} --time 5m"
        ))),
        limit => Ok(limit),
    }
}

/// Prepares the target set again as the record describes it; a run that died before its rehearsal
/// ended is rehearsed from the start.
fn prepare(session: &mut Session, given: &[String]) -> Result<TargetSet, StepError> {
    let run = session.journal.run();
    if run.header.verb == Verb::Run {
        return prepare_targets(session, given);
    }
    let first = run.header.candidates.first();
    let on_image = matches!(first.map(|c| &c.kind), Some(Kind::Stack(_)));
    match (on_image, run.rehearsal.clone()) {
        (false, Some(rehearsal)) => directories::prepare_again(session, rehearsal.file_bytes),
        (false, None) => directories::prepare(session),
        (true, Some(rehearsal)) => {
            let region = rehearsal.region.ok_or_else(|| Fault::bug("the image has no region"))?;
            image::prepare_again(session, &region, rehearsal.file_bytes)
        }
        (true, None) => {
            let parent = image::parent_of(run).ok_or_else(|| {
                Fault::environment("the run ended before it did anything. Start it again")
            })?;
            let place = host::place(parent.as_path()).map_err(Fault::environment)?;
            image::prepare(session, &parent, place)
        }
    }
}

/// The targets of a run of a plan: the same drives, wherever they are now, for themselves again.
fn prepare_targets(session: &mut Session, given: &[String]) -> Result<TargetSet, StepError> {
    let run = session.journal.run().clone();
    let shares = run.header.command.iter().any(|word| word == "--shares-disk-with-root");
    let wanted = run
        .header
        .regions()
        .enumerate()
        .map(|(index, region)| Wanted::again(region, mark_of(&run, index), shares))
        .collect::<Result<Vec<Wanted>, Fault>>()?;
    if wanted.is_empty() {
        return Err(Fault::bug("the run has no region").into());
    }
    consent_again(&run, &wanted, given)?;
    for wanted in &wanted {
        session.held.targets.push(wanted.target.take(shares)?);
    }
    match run.rehearsal {
        Some(rehearsal) => targets::prepare_again(session, &wanted, rehearsal.file_bytes),
        None => targets::prepare(session, &wanted),
    }
}

fn mark_of(run: &Run, index: usize) -> Option<&Mark> {
    run.marks.iter().find(|(region, _)| usize::from(*region) == index).map(|(_, mark)| mark)
}

/// Asks for the token of every target: the consent given to the run was to another drive, or to
/// other contents, and what the record says of them may be wrong.
fn consent_again(run: &Run, wanted: &[Wanted], given: &[String]) -> Result<(), Fault> {
    for (index, Wanted { target, span, .. }) in wanted.iter().enumerate() {
        let differences = marks::compare(mark_of(run, index), target, *span);
        if differences.is_empty() {
            continue;
        }
        let note = format!(
            "Cannot confirm that {} is unchanged since run {}: {}.",
            target.describe(),
            run.header.short_id(),
            differences.join("; ")
        );
        say::note(false, format_args!("{note}"));
    }
    let targets: Vec<_> = wanted.iter().map(|wanted| &wanted.target).collect();
    consent::to_erase(&targets, given)
}
