//! One block: the sentinel, then every candidate, one after the other or side by side.
//!
//! An interrupted block is superseded and repeated whole.

use bakeoff_judge::decide::{cost, eta, places};
use bakeoff_machine::prepare::recipe;
use bakeoff_model::event::{Header, What};
use bakeoff_model::index::{BlockIx, CandidateIx, PlaceIx};
use bakeoff_model::protocol::Isolation;
use bakeoff_model::round::Round;
use bakeoff_model::run::Run;

use super::cell::CellError;
use super::idle;
use super::member::Failed;
use crate::fault::Fault;
use crate::load::LoadError;
use crate::places::target_set::TargetSet;
use crate::steps::action_error::ActionError;
use crate::steps::session::Session;
use crate::steps::step_error::StepError;
use crate::steps::stepper;

#[derive(Clone, Copy)]
pub struct CurrentBlock {
    pub number: BlockIx,
    /// Its place among rounds of blocks that share a preparation.
    pub round: Option<Round>,
    pub idle: idle::Rate,
}

pub enum BlockEnd {
    Complete,
    Interrupted,
    Failed(String),
}

impl Session<'_> {
    pub fn block(
        &mut self,
        target_set: &mut TargetSet,
        order: Vec<CandidateIx>,
        round: Option<Round>,
    ) -> Result<BlockEnd, Fault> {
        let block = BlockIx::new(self.journal.run().blocks.len());
        self.journal.record(What::BlockStarted { block, order: order.clone(), round })?;
        // Between rounds the drive gets neither a rest nor other work.
        let mut end = if follows(round) {
            BlockEnd::Complete
        } else {
            self.end_rounds(target_set).and_then(|()| self.sentinel(target_set, block))?
        };
        let idle = idle::Rate::watch(&target_set.disks());
        let current = CurrentBlock { number: block, round, idle };
        for together in order.chunks(if self.is_alone() { 1 } else { order.len().max(1) }) {
            if matches!(end, BlockEnd::Complete) {
                end = self.visit(target_set, current, together)?;
            }
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

    fn is_alone(&self) -> bool {
        self.journal.run().header.protocol.isolation == Isolation::Visit
    }

    fn supersede(&mut self, block: BlockIx, why: &str) -> Result<(), Fault> {
        let reason = why.to_string();
        self.journal.record(What::BlockSuperseded { block, reason })
    }

    fn sentinel(&mut self, target_set: &TargetSet, block: BlockIx) -> Result<BlockEnd, Fault> {
        self.progress.doing("measuring the raw read speed");
        match target_set.sentinel(&self.cancel) {
            Ok(Some(bytes_per_s)) => {
                self.journal.record(What::Sentinel { block, bytes_per_s })?;
                Ok(BlockEnd::Complete)
            }
            Ok(None) => Ok(BlockEnd::Complete),
            Err(LoadError::Interrupted) => Ok(BlockEnd::Interrupted),
            Err(error) => {
                Ok(BlockEnd::Failed(format!("cannot measure the raw read speed: {error}")))
            }
        }
    }

    /// Prepares candidates side by side, or one alone, measures every workload on them, and takes
    /// them away again.
    fn visit(
        &mut self,
        target_set: &mut TargetSet,
        block: CurrentBlock,
        together: &[CandidateIx],
    ) -> Result<BlockEnd, Fault> {
        let mut end = self.prepare(target_set, block, together)?;
        if matches!(end, BlockEnd::Complete) {
            end = self.workloads(target_set, block, together)?;
        }
        if block.round.is_some() && matches!(end, BlockEnd::Complete) {
            // The next round continues here.
            return Ok(end);
        }
        match target_set.leave(&mut self.journal) {
            Ok(()) => Ok(end),
            Err(error) if self.is_alone() => {
                let name = self.journal.run().header.candidates[together[0]].name.clone();
                self.step_failed(&name, error)
            }
            Err(error) => self.step_failed("cleaning up", error),
        }
    }

    fn prepare(
        &mut self,
        target_set: &mut TargetSet,
        block: CurrentBlock,
        together: &[CandidateIx],
    ) -> Result<BlockEnd, Fault> {
        let is_alone = self.is_alone();
        self.show_progress();
        let stands = self.journal.run().header.stands(together);
        for shared in stand_up_order(self.journal.run(), stands) {
            let header = &self.journal.run().header;
            let what = header.candidates[shared[0]].clone();
            let number = block.number;
            self.progress.doing(&format!(
                "block {} · preparing {}",
                number.number() + 1,
                what.name
            ));
            let region = part_of(header, shared[0], number, target_set.parts());
            let part = (!is_alone && target_set.parts() > 1).then_some(region);
            for &candidate in &shared {
                self.journal.record(What::VisitStarted { block: number, candidate, part })?;
            }
            let prepared = match target_set.regions() {
                None => Ok(()),
                Some(_) if is_alone && follows(block.round) => Ok(()),
                Some(regions) if is_alone => regions.enter(self, &what),
                Some(regions) => regions.stand(self, &shared, usize::from(region)),
            };
            if let Err(error) = prepared {
                return self.step_failed(&what.name, error);
            }
        }
        Ok(BlockEnd::Complete)
    }

    pub fn step_failed(&self, name: &str, error: StepError) -> Result<BlockEnd, Fault> {
        match error {
            StepError::Fault(fault) => Err(fault),
            StepError::Failed(ActionError::Interrupted) => Ok(BlockEnd::Interrupted),
            StepError::Failed(error) => Ok(BlockEnd::Failed(format!("{name}: {error}"))),
        }
    }

    pub fn ended_by(&self, (candidate, why): Failed) -> BlockEnd {
        if let CellError::Load(LoadError::Interrupted) = why {
            return BlockEnd::Interrupted;
        }
        let name = &self.journal.run().header.candidates[candidate].name;
        BlockEnd::Failed(format!("{name}: {}", why.explained()))
    }

    pub fn show_progress(&self) {
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

fn follows(round: Option<Round>) -> bool {
    round.is_some_and(|round| round.round > 0)
}

/// mkfs.btrfs asks for the file behind a loop device, and refuses where another part of it is
/// mounted: btrfs stands up first.
fn stand_up_order(run: &Run, stands: Vec<Vec<CandidateIx>>) -> Vec<Vec<CandidateIx>> {
    let is_btrfs = |shared: &Vec<CandidateIx>| {
        run.header.candidates[shared[0]].stack().is_some_and(|stack| stack.fs == recipe::BTRFS)
    };
    let (first, then): (Vec<_>, Vec<_>) = stands.into_iter().partition(is_btrfs);
    [first, then].concat()
}

/// The region a candidate is on in a block: the filesystems of one target rotate over its regions.
fn part_of(header: &Header, candidate: CandidateIx, block: BlockIx, parts: usize) -> PlaceIx {
    let region = header.candidates[candidate].region;
    let mut stands = header.all_stands();
    stands.retain(|shared| header.candidates[shared[0]].region == region);
    let position = stands.iter().position(|shared| shared.contains(&candidate));
    places::place_of(position.unwrap_or(0), block, parts)
}
