//! One block: the sentinel, then every candidate, one after the other or side by side.
//!
//! An interrupted block is superseded and repeated whole.

use bakeoff_judge::decide::eta;
use bakeoff_model::event::What;
use bakeoff_model::index::{BlockIx, CandidateIx};
use bakeoff_model::protocol::Isolation;
use bakeoff_model::round::Round;

use super::cell::CellError;
use super::cooling;
use super::idle;
use super::member::Failed;
use crate::fault::Fault;
use crate::host;
use crate::load::LoadError;
use crate::places::target_set::TargetSet;
use crate::steps::action_error::ActionError;
use crate::steps::session::Session;
use crate::steps::step_error::StepError;
use crate::steps::stepper;
use bakeoff_judge::decide::cost;

#[derive(Clone, Copy)]
pub struct CurrentBlock {
    pub number: BlockIx,
    /// Its place among rounds of blocks that share a preparation.
    pub round: Option<Round>,
    pub idle: idle::Rate,
}

pub enum BlockEnd {
    /// Every cell is there, or known to be missing.
    Complete,
    Interrupted,
    /// Nothing more can be measured, in the words of the error.
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
        let own_before = self.spent.own_bytes();
        self.journal.record(What::BlockStarted { block, order: order.clone(), round })?;
        // Between rounds the drive gets neither a rest nor other work.
        let follows = round.is_some_and(|round| round.round > 0);
        let mut end = match follows {
            true => BlockEnd::Complete,
            false => self.end_rounds(target_set).and_then(|()| self.sentinel(target_set, block))?,
        };
        let idle = idle::Rate::watch(&target_set.disks());
        let current = CurrentBlock { number: block, round, idle };
        if matches!(end, BlockEnd::Complete) {
            end = match self.journal.run().header.protocol.isolation {
                Isolation::Visit => self.visits(target_set, current, &order)?,
                Isolation::Slices => self.side_by_side(target_set, current, &order)?,
            };
        }
        if let BlockEnd::Failed(why) = &mut end
            && let Err(lost) = stepper::check_targets(self)
        {
            // Whatever failed then failed for that.
            *why = lost.to_string();
        }
        match &end {
            BlockEnd::Complete => {
                self.spent.count_block(own_before);
                self.journal.record(What::BlockDone { block })?;
            }
            BlockEnd::Interrupted => self.supersede(block, "interrupted")?,
            BlockEnd::Failed(why) => self.supersede(block, why)?,
        }
        Ok(end)
    }

    fn visits(
        &mut self,
        target_set: &mut TargetSet,
        block: CurrentBlock,
        order: &[CandidateIx],
    ) -> Result<BlockEnd, Fault> {
        let began_mc = host::hottest_mc();
        for &candidate in order {
            let cooled = cooling::wait(self, began_mc);
            self.journal.record(What::VisitStarted {
                block: block.number,
                candidate,
                cooled,
                part: None,
            })?;
            let end = self.visit(target_set, block, candidate)?;
            if !matches!(end, BlockEnd::Complete) {
                return Ok(end);
            }
        }
        Ok(BlockEnd::Complete)
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

    fn visit(
        &mut self,
        target_set: &mut TargetSet,
        block: CurrentBlock,
        candidate: CandidateIx,
    ) -> Result<BlockEnd, Fault> {
        self.show_progress();
        let header = &self.journal.run().header;
        let what = header.candidates[candidate].clone();
        let entered = match block.round {
            Some(round) if round.round > 0 => Ok(()),
            _ => target_set.enter(self, &what),
        };
        let end = match entered {
            Ok(()) => self.workloads(target_set, block, &[candidate])?,
            Err(error) => self.step_failed(&what.name, error)?,
        };
        if block.round.is_some() && matches!(end, BlockEnd::Complete) {
            // The next round goes on here.
            return Ok(end);
        }
        match target_set.leave(&mut self.journal) {
            Ok(()) => Ok(end),
            Err(error) => self.step_failed(&what.name, error),
        }
    }

    pub fn step_failed(&self, name: &str, error: StepError) -> Result<BlockEnd, Fault> {
        match error {
            StepError::Fault(fault) => Err(fault),
            StepError::Failed(ActionError::Interrupted) => Ok(BlockEnd::Interrupted),
            StepError::Failed(error) => Ok(BlockEnd::Failed(format!("{name}: {error}"))),
        }
    }

    /// How a block ends in which a candidate cannot be measured.
    pub fn ended_by(&self, (candidate, why): Failed) -> BlockEnd {
        if let CellError::Load(LoadError::Interrupted) = why {
            return BlockEnd::Interrupted;
        }
        let name = &self.journal.run().header.candidates[candidate].name;
        BlockEnd::Failed(format!("{name}: {}", why.explained()))
    }

    /// Says how long it may still take.
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
