//! A run in hand, and how it ends. The loop is in `measuring`.

use std::collections::BTreeMap;

use bakeoff_judge::decide::cell_trial::Natural;
use bakeoff_judge::decide::pace::MeasuredPace;
use bakeoff_judge::decide::stop;
use bakeoff_model::event::{StopReason, What};
use bakeoff_model::index::{BlockIx, WorkloadIx};
use bakeoff_model::run::BlockState;

use super::journal::Journal;
use super::limits::{Spent, Watchdog};
use super::locked_target::LockedTarget;
use super::own_mounts::OwnMounts;
use super::unwind;
use crate::fault::Fault;
use crate::sampler::Sampler;
use crate::signals::{Cancel, Limit};
use crate::ui::progress::Progress;
use crate::ui::say;

/// A run in hand: what it is, what it holds on the machine, and what it shows.
pub struct Session<'s> {
    pub journal: Journal<'s>,
    /// What trying the candidates has shown.
    pub pace: MeasuredPace,
    pub natural: BTreeMap<WorkloadIx, Natural>,
    pub spent: Spent,
    pub cancel: Cancel,
    pub held: Held,
    pub progress: Progress,
}

/// What a run holds on the machine while it lasts.
pub struct Held {
    pub targets: Vec<LockedTarget>,
    /// Watches the machine during cells, once there is something to measure.
    pub sampler: Option<Sampler>,
    limits: Option<Watchdog>,
    pub mounts: Option<OwnMounts>,
}

impl<'s> Session<'s> {
    pub fn new(
        journal: Journal<'s>,
        mounts: Option<OwnMounts>,
        cancel: Cancel,
        progress: Progress,
    ) -> Session<'s> {
        let spent = Spent::begin(journal.run());
        let limits = Watchdog::start(journal.run(), journal.elapsed_ns(), &spent, &cancel);
        Session {
            journal,
            pace: MeasuredPace::default(),
            natural: BTreeMap::new(),
            spent,
            cancel,
            held: Held { targets: Vec::new(), sampler: None, limits, mounts },
            progress,
        }
    }

    pub fn watch_limits(&mut self) {
        self.held.limits = None;
        let (run, elapsed_ns) = (self.journal.run(), self.journal.elapsed_ns());
        self.held.limits = Watchdog::start(run, elapsed_ns, &self.spent, &self.cancel);
    }

    /// Ends the limit of time: all blocks are done, and experiments after them have their own.
    pub fn lift_time_limit(&mut self) {
        self.held.limits = None;
        self.cancel.forget_time();
    }

    /// Why work was cut off: a limit, or somebody asked.
    pub fn why_cut_off(&self) -> (StopReason, String) {
        let protocol = &self.journal.run().header.protocol;
        match self.cancel.limit() {
            Some(Limit::Time) => {
                let note = stop::time_reached(protocol.time_ns.unwrap_or_default());
                (StopReason::TimeUp, note)
            }
            Some(Limit::Bytes) => {
                let note = stop::bytes_reached(protocol.max_write_bytes.unwrap_or_default());
                (StopReason::WriteBudget, note)
            }
            None => (StopReason::Interrupted, String::new()),
        }
    }

    /// Puts everything back when the record cannot be kept any more, for want of space or because
    /// of a bug. What cannot be written down is done all the same: undoing twice does no harm.
    pub fn abandon(&mut self, fault: Fault) -> Fault {
        self.held.limits = None;
        self.progress.doing("undoing all changes");
        // Removing our files may have made the room that the record lacked.
        let undone = unwind::undo_all(&mut self.journal);
        let stopped = What::Stopped { reason: StopReason::Failed, note: fault.to_string() };
        let _ = self.journal.record(stopped);
        self.progress.clear();
        match undone {
            Ok(failures) => failures.iter().fold(fault, |fault, failure| fault.and(failure)),
            // Most likely the same fault again, with the changes that could not be undone.
            Err(also) if also.to_string() == fault.to_string() => fault,
            Err(also) => fault.with(also),
        }
    }

    /// Undoes everything and records the end. What cannot be undone is reported and stays in the
    /// record for `clean`.
    pub fn finish(&mut self, reason: StopReason, note: String) -> Result<(), Fault> {
        self.held.limits = None;
        self.progress.doing("undoing all changes");
        let failures = unwind::undo_all(&mut self.journal)?;
        self.journal.record(What::Stopped { reason, note })?;
        self.progress.clear();
        for failure in &failures {
            say::line(format_args!("bakeoff: cannot undo a change: {failure}"));
        }
        if failures.is_empty() {
            Ok(())
        } else {
            Err(Fault::environment("some changes remain. Try again with `bakeoff clean`"))
        }
    }
}

pub fn supersede_open(journal: &mut Journal) -> Result<(), Fault> {
    let open: Vec<BlockIx> = journal
        .run()
        .blocks
        .iter()
        .filter(|b| b.state == BlockState::Open)
        .map(|b| b.block)
        .collect();
    for block in open {
        let reason = "bakeoff ended unexpectedly during this block".to_string();
        journal.record(What::BlockSuperseded { block, reason })?;
    }
    Ok(())
}
