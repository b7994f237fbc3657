//! The loop of a run: ask what comes next, do it, record it, until there is an answer.
//!
//! Everything that decides lives in `core::decide`; here blocks are measured and recorded. An
//! interrupted block is superseded and repeated whole.

use bakeoff_core::decide::pace::Pace;
use bakeoff_core::decide::{self, Clock, Next, eta, places};
use bakeoff_core::model::candidate::{Candidate, Kind, Skipped};
use bakeoff_core::model::event::{StopReason, What};
use bakeoff_core::model::health::DriveTold;
use bakeoff_core::model::host::Layer;
use bakeoff_core::model::protocol::Isolation;
use bakeoff_core::model::round::Round;
use bakeoff_core::model::run::{BlockState, Run};
use bakeoff_core::model::telemetry::Watching;

use super::ceilings;
use super::cell::{self, Tried, Which};
use super::cooling;
use super::cost;
use super::ground::Ground;
use super::held::Held;
use super::idle;
use super::journal::Journal;
use super::load::LoadError;
use super::prove;
use super::rounds::{self, Lengths, Measured};
use super::stepper::{self, StepError};
use crate::fault::Fault;
use crate::host;
use crate::sampler::Sampler;
use crate::signals::Cancel;
use crate::ui::progress::Progress;
use crate::ui::say;

/// How often a cell whose number cannot stand is tried again.
const TRIES: u32 = 3;

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
    pub held: Vec<Held>,
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

/// How a block ended.
enum BlockEnd {
    Complete,
    Interrupted,
    Failed(String),
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
    pub fn measure(&mut self, ground: &mut Ground) -> Result<(), Fault> {
        let measured = self
            .watch()
            .and_then(|()| self.ask_drives(false))
            .and_then(|()| ceilings::measure(self, ground))
            .and_then(|()| self.until_stopped(ground))
            .and_then(|ended| self.end_rounds(ground).map(|()| ended))
            .and_then(|stopped| prove::measure(self, ground).map(|()| stopped))
            .and_then(|ended| self.ask_drives(true).map(|()| ended));
        self.sampler = None;
        match measured {
            Ok((reason, note)) => {
                for failure in ground.close(self) {
                    say::line(format_args!("bakeoff: {failure}"));
                }
                self.finish(reason, note)
            }
            Err(fault) => {
                ground.let_go();
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
                let reason = format!("no thread could be started for it: {error}");
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

    fn until_stopped(&mut self, ground: &mut Ground) -> Result<(StopReason, String), Fault> {
        loop {
            if self.cancel.is_set() {
                return Ok((StopReason::Interrupted, String::new()));
            }
            match decide::next(self.journal.run(), self.clock()) {
                Next::Look { blocks, dropped } => {
                    self.journal.record(What::Looked { blocks, dropped })?;
                }
                Next::Stop { reason, note } => return Ok((reason, note)),
                Next::Block { order, round } => match self.block(ground, order, round)? {
                    BlockEnd::Complete => {}
                    BlockEnd::Interrupted => return Ok((StopReason::Interrupted, String::new())),
                    BlockEnd::Failed(why) => return Ok((StopReason::Failed, why)),
                },
            }
        }
    }

    /// Ends the visit that rounds were made on; where there is none, nothing happens.
    fn end_rounds(&mut self, ground: &mut Ground) -> Result<(), Fault> {
        // What cannot be put back now is tried again with everything else, and said there.
        match ground.leave(&mut self.journal) {
            Ok(()) | Err(StepError::Failed(_)) => Ok(()),
            Err(StepError::Fault(fault)) => Err(fault),
        }
    }

    /// Puts everything back when the record cannot be kept any more, for want of space or because
    /// of a bug. What cannot be written down is done all the same: undoing twice does no harm.
    pub fn abandon(&mut self, fault: Fault) -> Fault {
        self.progress.doing("putting everything back");
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
        self.progress.doing("putting everything back");
        let failures = stepper::undo_all(&mut self.journal)?;
        self.journal.record(What::Stopped { reason, note })?;
        self.progress.clear();
        for failure in &failures {
            say::line(format_args!("bakeoff: not put back: {failure}"));
        }
        match failures.is_empty() {
            true => Ok(()),
            false => Err(Fault::environment("some changes remain; `bakeoff clean` tries again")),
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

    fn block(
        &mut self,
        ground: &mut Ground,
        order: Vec<u16>,
        round: Option<Round>,
    ) -> Result<BlockEnd, Fault> {
        let block = u32::try_from(self.journal.run().blocks.len()).map_err(Fault::bug)?;
        self.journal.record(What::BlockStarted { block, order: order.clone(), round })?;
        // Between rounds the drive gets neither a rest nor other work.
        let follows = round.is_some_and(|round| round.round > 0);
        let mut end = match follows {
            true => BlockEnd::Complete,
            false => self.end_rounds(ground).and_then(|()| self.sentinel(ground, block))?,
        };
        let idle = idle::Rate::watch(&ground.disks());
        if matches!(end, BlockEnd::Complete) {
            end = match self.journal.run().header.protocol.isolation {
                Isolation::Visit => self.visits(ground, block, &order, idle)?,
                Isolation::Slices => self.side_by_side(ground, block, &order, idle)?,
            };
        }
        if let BlockEnd::Failed(why) = &mut end
            && let Err(lost) = stepper::check_targets(self)
        {
            // Whatever failed then failed for that.
            *why = lost.to_string();
        }
        match &end {
            BlockEnd::Complete => self.journal.record(What::BlockDone { block })?,
            BlockEnd::Interrupted => self.supersede(block, "interrupted")?,
            BlockEnd::Failed(why) => self.supersede(block, why)?,
        }
        Ok(end)
    }

    /// Prepares and measures one candidate after the other.
    fn visits(
        &mut self,
        ground: &mut Ground,
        block: u32,
        order: &[u16],
        idle: idle::Rate,
    ) -> Result<BlockEnd, Fault> {
        let round = self.journal.run().blocks.get(block as usize).and_then(|block| block.round);
        let began_mc = host::hottest_mc();
        for &candidate in order {
            let cooled = cooling::wait(self, began_mc);
            self.journal.record(What::VisitStarted { block, candidate, cooled, part: None })?;
            match self.visit(ground, block, candidate, round, idle)? {
                BlockEnd::Complete => {}
                other => return Ok(other),
            }
        }
        Ok(BlockEnd::Complete)
    }

    /// Prepares all candidates side by side and measures them in rounds of slices.
    fn side_by_side(
        &mut self,
        ground: &mut Ground,
        block: u32,
        order: &[u16],
        idle: idle::Rate,
    ) -> Result<BlockEnd, Fault> {
        let mut end = self.all_stand(ground, block, order)?;
        if matches!(end, BlockEnd::Complete) {
            end = self.workloads(ground, block, order, idle)?;
        }
        match ground.leave(&mut self.journal) {
            Ok(()) => Ok(end),
            Err(error) => self.step_failed("cleaning up", error),
        }
    }

    fn all_stand(
        &mut self,
        ground: &mut Ground,
        block: u32,
        order: &[u16],
    ) -> Result<BlockEnd, Fault> {
        self.show_progress();
        for &candidate in order {
            let header = &self.journal.run().header;
            let what = header.candidates[usize::from(candidate)].clone();
            let part = part_of(&header.candidates, candidate, block, ground.parts());
            let stands_apart = (ground.parts() > 1).then_some(part);
            self.journal.record(What::VisitStarted {
                block,
                candidate,
                cooled: None,
                part: stands_apart,
            })?;
            if let Err(error) = ground.stand(self, candidate, &what, usize::from(part)) {
                return self.step_failed(&what.name, error);
            }
        }
        Ok(BlockEnd::Complete)
    }

    /// Every workload on everything that stands: in rounds where it can be sliced, otherwise one
    /// candidate after the other.
    fn workloads(
        &mut self,
        ground: &mut Ground,
        block: u32,
        order: &[u16],
        idle: idle::Rate,
    ) -> Result<BlockEnd, Fault> {
        for group in decide::workload_order(self.journal.run(), block) {
            self.show_progress();
            let is_sliced = match group.as_slice() {
                [one] => self.journal.run().header.workloads[usize::from(*one)].can_be_sliced(),
                _ => false,
            };
            let end = match is_sliced {
                true => self.in_rounds(ground, block, group[0], order, idle)?,
                false => self.one_by_one(ground, block, &group, order, idle)?,
            };
            if !matches!(end, BlockEnd::Complete) {
                return Ok(end);
            }
        }
        Ok(BlockEnd::Complete)
    }

    /// A workload that cannot be cut into slices, on everything that stands.
    fn one_by_one(
        &mut self,
        ground: &mut Ground,
        block: u32,
        group: &[u16],
        order: &[u16],
        idle: idle::Rate,
    ) -> Result<BlockEnd, Fault> {
        for &candidate in order {
            match self.group(ground, block, candidate, group, idle)? {
                BlockEnd::Complete => {}
                other => return Ok(other),
            }
        }
        Ok(BlockEnd::Complete)
    }

    /// A workload in rounds of slices; candidates with settings of the kernel of their own are a
    /// group of rounds each.
    fn in_rounds(
        &mut self,
        ground: &mut Ground,
        block: u32,
        workload: u16,
        order: &[u16],
        idle: idle::Rate,
    ) -> Result<BlockEnd, Fault> {
        for standing in by_settings(self.journal.run(), order) {
            if let Err(error) = ground.set(self, standing[0]) {
                return self.step_failed("settings", error);
            }
            let which = rounds::Which { block, workload, standing: &standing, idle };
            let measured = rounds::measure(self, ground, which)?;
            if let Err(error) = ground.reset(&mut self.journal) {
                return self.step_failed("settings", error);
            }
            match measured {
                Measured::Interrupted => return Ok(BlockEnd::Interrupted),
                Measured::Hopeless(candidate, why) => {
                    let header = &self.journal.run().header;
                    let name = &header.candidates[usize::from(candidate)].name;
                    return Ok(BlockEnd::Failed(format!("{name}: {why}")));
                }
                Measured::Cells(cells) => {
                    for (candidate, cell) in cells {
                        self.journal.record(match cell {
                            Ok(cell) => What::CellDone(Box::new(cell)),
                            Err(reason) => What::CellInvalid { block, candidate, workload, reason },
                        })?;
                    }
                }
            }
        }
        Ok(BlockEnd::Complete)
    }

    fn supersede(&mut self, block: u32, reason: &str) -> Result<(), Fault> {
        self.journal.record(What::BlockSuperseded { block, reason: reason.to_string() })
    }

    fn sentinel(&mut self, ground: &Ground, block: u32) -> Result<BlockEnd, Fault> {
        self.progress.doing("reading the sentinel");
        match ground.sentinel(&self.cancel) {
            Ok(Some(bytes_per_s)) => {
                self.journal.record(What::Sentinel { block, bytes_per_s })?;
                Ok(BlockEnd::Complete)
            }
            Ok(None) => Ok(BlockEnd::Complete),
            Err(LoadError::Interrupted) => Ok(BlockEnd::Interrupted),
            Err(error) => Ok(BlockEnd::Failed(format!("the sentinel cannot be read: {error}"))),
        }
    }

    fn visit(
        &mut self,
        ground: &mut Ground,
        block: u32,
        candidate: u16,
        round: Option<Round>,
        idle: idle::Rate,
    ) -> Result<BlockEnd, Fault> {
        self.show_progress();
        let header = &self.journal.run().header;
        let what = header.candidates[usize::from(candidate)].clone();
        let entered = match round {
            Some(round) if round.round > 0 => Ok(()),
            _ => ground.enter(self, &what),
        };
        let end = match entered {
            Ok(()) => self.cells(ground, block, candidate, idle)?,
            Err(error) => self.step_failed(&what.name, error)?,
        };
        if round.is_some() && matches!(end, BlockEnd::Complete) {
            // The next round goes on here.
            return Ok(end);
        }
        match ground.leave(&mut self.journal) {
            Ok(()) => Ok(end),
            Err(error) => self.step_failed(&what.name, error),
        }
    }

    fn step_failed(&self, name: &str, error: StepError) -> Result<BlockEnd, Fault> {
        match error {
            StepError::Fault(fault) => Err(fault),
            StepError::Failed(super::action::ActionError::Interrupted) => Ok(BlockEnd::Interrupted),
            StepError::Failed(error) => Ok(BlockEnd::Failed(format!("{name}: {error}"))),
        }
    }

    fn cells(
        &mut self,
        ground: &mut Ground,
        block: u32,
        candidate: u16,
        idle: idle::Rate,
    ) -> Result<BlockEnd, Fault> {
        for group in decide::workload_order(self.journal.run(), block) {
            match self.group(ground, block, candidate, &group, idle)? {
                BlockEnd::Complete => {}
                other => return Ok(other),
            }
        }
        Ok(BlockEnd::Complete)
    }

    /// Workloads that belong together on one candidate, in one piece.
    fn group(
        &mut self,
        ground: &mut Ground,
        block: u32,
        candidate: u16,
        group: &[u16],
        idle: idle::Rate,
    ) -> Result<BlockEnd, Fault> {
        let workload = group[0];
        let hung = self.hung.iter().find(|(c, w, _)| (*c, *w) == (candidate, workload));
        if let Some((_, _, why)) = hung {
            let reason = format!("{why}; since then it was not started again");
            self.journal.record(What::CellInvalid { block, candidate, workload, reason })?;
            return Ok(BlockEnd::Complete);
        }
        for _ in 0..TRIES {
            match self.try_group(ground, block, candidate, group, idle)? {
                Tried::Valid(cells, missing) => {
                    for cell in cells {
                        self.journal.record(What::CellDone(Box::new(cell)))?;
                    }
                    for (workload, reason) in missing {
                        let what = What::CellInvalid { block, candidate, workload, reason };
                        self.journal.record(what)?;
                    }
                    break;
                }
                Tried::Interrupted => return Ok(BlockEnd::Interrupted),
                Tried::Hopeless(why) => {
                    let header = &self.journal.run().header;
                    let name = &header.candidates[usize::from(candidate)].name;
                    return Ok(BlockEnd::Failed(format!("{name}: {why}")));
                }
                Tried::Invalid { workload, reason, again } => {
                    let why = reason.clone();
                    let what = What::CellInvalid { block, candidate, workload, reason };
                    self.journal.record(what)?;
                    if !again {
                        self.hung.push((candidate, group[0], why));
                        break;
                    }
                }
            }
        }
        Ok(BlockEnd::Complete)
    }

    fn try_group(
        &mut self,
        ground: &mut Ground,
        block: u32,
        candidate: u16,
        group: &[u16],
        idle: idle::Rate,
    ) -> Result<Tried, Fault> {
        let header = &self.journal.run().header;
        let first = &header.workloads[usize::from(group[0])];
        let what = match first.profile {
            Some(part) if group.len() > 1 => part.profile.name(),
            _ => &first.name,
        };
        let name = &header.candidates[usize::from(candidate)].name;
        let round = self.journal.run().blocks.get(block as usize).and_then(|block| block.round);
        let which = match round {
            Some(round) => format!("round {}", round.round + 1),
            None => format!("block {}", block + 1),
        };
        self.progress.doing(&format!("{which} · {name} · {what}"));
        let site = ground.site(candidate).ok_or_else(|| Fault::bug("the candidate has no site"))?;
        let which = Which { block, candidate, group, began_ns: self.journal.elapsed_ns() };
        let mut tick = |live| self.progress.live(live);
        let sampler = self.sampler.as_ref();
        Ok(cell::measure(site, header, which, idle, sampler, &self.cancel, &mut tick))
    }

    fn show_progress(&self) {
        let run = self.journal.run();
        let elapsed_ns = self.journal.elapsed_ns();
        let left_ns = eta::forecast(run, cost::of_block(run).0).left_ns;
        let left_ns = match run.header.protocol.time_ns {
            Some(limit) => left_ns.min(limit.saturating_sub(elapsed_ns)),
            None => left_ns,
        };
        self.progress.expect(elapsed_ns, left_ns);
    }
}

/// The region a candidate is on in a block: those of one target rotate over its regions.
fn part_of(candidates: &[Candidate], candidate: u16, block: u32, parts: usize) -> u16 {
    let own = usize::from(candidate);
    let region = candidates[own].region;
    let position = candidates[..own].iter().filter(|other| other.region == region).count();
    let number = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
    places::place_of(number(position), block, number(parts))
}

/// Candidates that stand, in groups of those that want the same settings of the kernel.
fn by_settings(run: &Run, order: &[u16]) -> Vec<Vec<u16>> {
    let knobs = |candidate: u16| match &run.header.candidates[usize::from(candidate)].kind {
        Kind::Stack(stack) => Some(&stack.knobs),
        Kind::Directory { .. } => None,
    };
    let mut groups: Vec<Vec<u16>> = Vec::new();
    for &candidate in order {
        match groups.iter_mut().find(|group| knobs(group[0]) == knobs(candidate)) {
            Some(group) => group.push(candidate),
            None => groups.push(vec![candidate]),
        }
    }
    groups
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
