//! The loop of a run: ask what comes next, do it, record it, until there is an answer.
//!
//! Everything that decides lives in `core::decide`; here blocks are measured and recorded. An
//! interrupted block is superseded and repeated whole.

use bakeoff_core::analyse::analyse;
use bakeoff_core::decide::pace::Pace;
use bakeoff_core::decide::{self, Clock, Next};
use bakeoff_core::model::candidate::{Kind, Skipped};
use bakeoff_core::model::event::{StopReason, What};
use bakeoff_core::model::health::DriveTold;
use bakeoff_core::model::host::Layer;
use bakeoff_core::model::run::{BlockState, Run};
use bakeoff_core::model::telemetry::Watching;
use bakeoff_core::report::live;

use super::block::BlockEnd;
use super::calibration::Lengths;
use super::ceilings;
use super::cost;
use super::journal::Journal;
use super::locked_target::LockedTarget;
use super::prove;
use super::stepper::{self, StepError};
use super::target_set::TargetSet;
use crate::fault::Fault;
use crate::host;
use crate::sampler::Sampler;
use crate::signals::Cancel;
use crate::ui::progress::Progress;
use crate::ui::say;

/// A run in hand.
pub struct Session<'s> {
    /// Its record.
    pub journal: Journal<'s>,
    /// Whether to stop.
    pub cancel: Cancel,
    /// What people see.
    pub progress: Progress,
    /// Watches the machine during cells, once there is something to measure.
    pub sampler: Option<Sampler>,
    /// The targets it has for itself; each is looked at again before every step.
    pub held: Vec<LockedTarget>,
    /// Candidates, the first workload of each group that hung or found no memory on them, and what
    /// was said.
    pub hung: Vec<(u16, u16, String)>,
    /// Slice lengths that calibration chose.
    pub lengths: Lengths,
    /// How many rounds, and how long slices may be.
    pub pace: Pace,
}

/// The disks below everything that is measured, each once.
fn drives_of(run: &Run) -> Vec<Layer> {
    let header = &run.header;
    let directories = header.candidates.iter().filter_map(|candidate| match &candidate.kind {
        Kind::Directory { place, .. } => Some(place.as_ref()),
        Kind::Stack(_) => None,
    });
    let regions = header.regions().map(|region| &region.place);
    let mut disks: Vec<Layer> = Vec::new();
    for disk in directories.chain(regions).flat_map(|place| place.disks()) {
        if !disks.iter().any(|known| known.dev == disk.dev) {
            disks.push(disk.clone());
        }
    }
    disks
}

impl<'s> Session<'s> {
    /// A run in hand, before anything is measured.
    pub fn new(journal: Journal<'s>, cancel: Cancel, progress: Progress) -> Session<'s> {
        Session {
            journal,
            cancel,
            progress,
            sampler: None,
            held: Vec::new(),
            hung: Vec::new(),
            lengths: Lengths::new(),
            pace: Pace::default(),
        }
    }

    /// Measures until the decision machinery says stop, then puts everything back.
    pub fn measure(&mut self, target_set: &mut TargetSet) -> Result<(), Fault> {
        let measured = self
            .watch()
            .and_then(|()| self.ask_drives(false))
            .and_then(|()| ceilings::measure(self, target_set))
            .and_then(|()| self.until_stopped(target_set))
            .and_then(|ended| self.end_rounds(target_set).map(|()| ended))
            .and_then(|stopped| prove::measure(self, target_set).map(|()| stopped))
            .and_then(|ended| self.ask_drives(true).map(|()| ended));
        self.sampler = None;
        match measured {
            Ok((reason, note)) => {
                for failure in target_set.close(self) {
                    say::line(format_args!("bakeoff: {failure}"));
                }
                self.finish(reason, note)
            }
            Err(fault) => {
                target_set.detach();
                Err(self.abandon(fault))
            }
        }
    }

    /// Starts to watch the machine. One that cannot be watched can be measured all the same.
    fn watch(&mut self) -> Result<(), Fault> {
        match Sampler::start() {
            Ok(sampler) => {
                let watching = sampler.watching();
                self.sampler = Some(sampler);
                self.journal.record(What::Watching(Box::new(watching)))
            }
            Err(error) => {
                let reason = format!("cannot start a thread for it: {error}");
                let missing = vec![Skipped { name: "everything".to_string(), reason }];
                let watching = Watching { missing, ..Watching::default() };
                self.journal.record(What::Watching(Box::new(watching)))
            }
        }
    }

    /// Has every disk of the run tell its wear and errors. Virtual disks and most cards tell none.
    fn ask_drives(&mut self, after: bool) -> Result<(), Fault> {
        let disks = drives_of(self.journal.run());
        let told = |disk: &Layer| {
            let told = host::drive_health(disk, &self.cancel)?;
            let (health, why) = match told {
                Ok(health) => (Some(health), None),
                Err(why) => (None, Some(why)),
            };
            Some(DriveTold { disk: disk.name.clone(), health, why })
        };
        let drives: Vec<DriveTold> = disks.iter().filter_map(told).collect();
        match drives.is_empty() {
            true => Ok(()),
            false => self.journal.record(What::DrivesTold { after, drives }),
        }
    }

    fn until_stopped(&mut self, target_set: &mut TargetSet) -> Result<(StopReason, String), Fault> {
        loop {
            if self.cancel.is_set() {
                return Ok((StopReason::Interrupted, String::new()));
            }
            match decide::next(self.journal.run(), self.clock()) {
                Next::Look { blocks, dropped } => {
                    self.journal.record(What::Looked { blocks, dropped })?;
                }
                Next::Stop { reason, note } => return Ok((reason, note)),
                Next::Block { order, round } => match self.block(target_set, order, round)? {
                    BlockEnd::Complete => self.show_so_far(),
                    BlockEnd::Interrupted => return Ok((StopReason::Interrupted, String::new())),
                    BlockEnd::Failed(why) => return Ok((StopReason::Failed, why)),
                },
            }
        }
    }

    /// The answer so far, for who watches a terminal.
    fn show_so_far(&self) {
        let run = self.journal.run();
        self.progress.so_far(|width, color| live(run, &analyse(run), width, color));
    }

    /// Ends the visit that rounds were made on; where there is none, nothing happens.
    pub fn end_rounds(&mut self, target_set: &mut TargetSet) -> Result<(), Fault> {
        // What cannot be put back now is tried again with everything else, and said there.
        match target_set.leave(&mut self.journal) {
            Ok(()) | Err(StepError::Failed(_)) => Ok(()),
            Err(StepError::Fault(fault)) => Err(fault),
        }
    }

    /// Puts everything back when the record cannot be kept any more, for want of space or because
    /// of a bug. What cannot be written down is done all the same: undoing twice does no harm.
    pub fn abandon(&mut self, fault: Fault) -> Fault {
        self.progress.doing("restoring all changes");
        // Removing our files may have made the room that the record lacked.
        let undone = stepper::undo_all(&mut self.journal);
        let stopped = What::Stopped { reason: StopReason::Failed, note: fault.to_string() };
        let _ = self.journal.record(stopped);
        self.progress.clear();
        match undone {
            Ok(failures) => failures.iter().fold(fault, |fault, failure| fault.and(failure)),
            // Most likely the same fault again; what could not be put back stands in it.
            Err(also) if also.to_string() == fault.to_string() => fault,
            Err(also) => fault.and(also),
        }
    }

    /// Puts everything back and records the end. What cannot be put back is said and stays in the
    /// record for `clean`.
    pub fn finish(&mut self, reason: StopReason, note: String) -> Result<(), Fault> {
        self.progress.doing("restoring all changes");
        let failures = stepper::undo_all(&mut self.journal)?;
        self.journal.record(What::Stopped { reason, note })?;
        self.progress.clear();
        for failure in &failures {
            say::line(format_args!("bakeoff: not restored: {failure}"));
        }
        match failures.is_empty() {
            true => Ok(()),
            false => Err(Fault::environment("some changes remain. Try again with `bakeoff clean`")),
        }
    }

    fn clock(&self) -> Clock {
        let run = self.journal.run();
        let (estimated_block_ns, estimated_block_write_bytes) = cost::of_block(run);
        Clock {
            elapsed_ns: self.journal.elapsed_ns(),
            estimated_block_ns,
            written_bytes: cost::written_bytes(run),
            estimated_block_write_bytes,
        }
    }
}

/// Takes an open block of a dead owner out of the count.
pub fn supersede_open(journal: &mut Journal) -> Result<(), Fault> {
    let open: Vec<u32> = journal
        .run()
        .blocks
        .iter()
        .filter(|b| b.state == BlockState::Open)
        .map(|b| b.block)
        .collect();
    for block in open {
        let reason = "bakeoff died in this block".to_string();
        journal.record(What::BlockSuperseded { block, reason })?;
    }
    Ok(())
}
