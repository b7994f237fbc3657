//! A block whose candidates stand side by side: each on a region of its own, measured in turns.

use bakeoff_judge::decide::{self, places};
use bakeoff_machine::prepare::recipe;
use bakeoff_model::candidate::Candidate;
use bakeoff_model::event::What;
use bakeoff_model::index::{BlockIx, CandidateIx, PlaceIx, WorkloadIx};
use bakeoff_model::protocol::Isolation;
use bakeoff_model::run::Run;

use super::block::{BlockEnd, CurrentBlock};
use super::calibration::Ended;
use super::member::RoundsId;
use super::rounds;
use crate::fault::Fault;
use crate::places::target_set::TargetSet;
use crate::steps::session::Session;

impl Session<'_> {
    /// Prepares all candidates side by side and measures them in rounds of slices.
    pub fn side_by_side(
        &mut self,
        target_set: &mut TargetSet,
        block: CurrentBlock,
        order: &[CandidateIx],
    ) -> Result<BlockEnd, Fault> {
        let mut end = self.all_stand(target_set, block.number, order)?;
        if matches!(end, BlockEnd::Complete) {
            end = self.workloads(target_set, block, order)?;
        }
        match target_set.leave(&mut self.journal) {
            Ok(()) => Ok(end),
            Err(error) => self.step_failed("cleaning up", error),
        }
    }

    fn all_stand(
        &mut self,
        target_set: &mut TargetSet,
        block: BlockIx,
        order: &[CandidateIx],
    ) -> Result<BlockEnd, Fault> {
        self.show_progress();
        for candidate in stand_up_order(self.journal.run(), order) {
            let header = &self.journal.run().header;
            let what = header.candidates[candidate].clone();
            self.progress.doing(&format!("block {} · preparing {}", block.number() + 1, what.name));
            let part = part_of(&header.candidates, candidate, block, target_set.parts());
            let stands_apart = (target_set.parts() > 1).then_some(part);
            self.journal.record(What::VisitStarted {
                block,
                candidate,
                cooled: None,
                part: stands_apart,
            })?;
            if let Some(regions) = target_set.regions()
                && let Err(error) = regions.stand(self, candidate, &what, usize::from(part))
            {
                return self.step_failed(&what.name, error);
            }
        }
        Ok(BlockEnd::Complete)
    }

    /// Every workload on everything that stands: in rounds where it is sliced, otherwise one
    /// candidate after the other.
    pub fn workloads(
        &mut self,
        target_set: &mut TargetSet,
        block: CurrentBlock,
        order: &[CandidateIx],
    ) -> Result<BlockEnd, Fault> {
        for group in decide::workload_order(self.journal.run(), block.number) {
            self.show_progress();
            let header = &self.journal.run().header;
            let is_sliced = header.protocol.isolation == Isolation::Slices
                && header.workloads[group[0]].can_be_sliced();
            let end = match is_sliced {
                true => self.in_rounds(target_set, block, group[0], order)?,
                false => self.one_by_one(target_set, block, &group, order)?,
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
        target_set: &mut TargetSet,
        block: CurrentBlock,
        group: &[WorkloadIx],
        order: &[CandidateIx],
    ) -> Result<BlockEnd, Fault> {
        for &candidate in order {
            let end = self.group(target_set, block, candidate, group)?;
            if !matches!(end, BlockEnd::Complete) {
                return Ok(end);
            }
        }
        Ok(BlockEnd::Complete)
    }

    /// A workload in rounds of slices; candidates with settings of the kernel of their own are a
    /// group of rounds each.
    fn in_rounds(
        &mut self,
        target_set: &mut TargetSet,
        current: CurrentBlock,
        workload: WorkloadIx,
        order: &[CandidateIx],
    ) -> Result<BlockEnd, Fault> {
        let CurrentBlock { number: block, idle, .. } = current;
        for standing in by_settings(self.journal.run(), order) {
            if let Some(regions) = target_set.regions()
                && let Err(error) = regions.set(self, standing[0])
            {
                return self.step_failed("settings", error);
            }
            let name = &self.journal.run().header.workloads[workload].name;
            self.progress
                .doing(&format!("block {} · {name}, alternating candidates", block.number() + 1));
            let which = RoundsId { block, workload, standing: &standing, idle };
            let measured = match rounds::measure(self, target_set, which) {
                Ok(cells) => Ok(cells),
                Err(Ended::Block(failed)) => Err(failed),
                Err(Ended::Run(fault)) => return Err(fault),
            };
            if let Some(regions) = target_set.regions()
                && let Err(error) = regions.reset(&mut self.journal)
            {
                return self.step_failed("settings", error);
            }
            let cells = match measured {
                Ok(cells) => cells,
                Err(failed) => return Ok(self.ended_by(failed)),
            };
            for (candidate, cell) in cells {
                self.journal.record(match cell {
                    Ok(cell) => What::CellDone(Box::new(cell)),
                    Err(reason) => What::CellInvalid { block, candidate, workload, reason },
                })?;
            }
        }
        Ok(BlockEnd::Complete)
    }
}

/// mkfs.btrfs asks for the file behind a loop device, and refuses where another part of it is
/// mounted: btrfs stands up first.
fn stand_up_order(run: &Run, order: &[CandidateIx]) -> Vec<CandidateIx> {
    let is_btrfs = |candidate: &CandidateIx| {
        run.header.candidates[*candidate].stack().is_some_and(|stack| stack.fs == recipe::BTRFS)
    };
    let (first, then): (Vec<CandidateIx>, Vec<CandidateIx>) =
        order.iter().copied().partition(is_btrfs);
    [first, then].concat()
}

/// The region a candidate is on in a block: those of one target rotate over its regions.
fn part_of(
    candidates: &[Candidate],
    candidate: CandidateIx,
    block: BlockIx,
    parts: usize,
) -> PlaceIx {
    let own = usize::from(candidate);
    let region = candidates[own].region;
    let position = candidates[..own].iter().filter(|other| other.region == region).count();
    places::place_of(position, block, parts)
}

/// Candidates that stand, in groups of those that want the same settings of the kernel.
fn by_settings(run: &Run, order: &[CandidateIx]) -> Vec<Vec<CandidateIx>> {
    let knobs =
        |candidate: CandidateIx| run.header.candidates[candidate].stack().map(|stack| &stack.knobs);
    let mut groups: Vec<Vec<CandidateIx>> = Vec::new();
    for &candidate in order {
        match groups.iter_mut().find(|group| knobs(group[0]) == knobs(candidate)) {
            Some(group) => group.push(candidate),
            None => groups.push(vec![candidate]),
        }
    }
    groups
}
