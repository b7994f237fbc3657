//! Workloads that belong together on one candidate, in one piece: what cannot be cut into slices.

use bakeoff_core::decide;
use bakeoff_core::model::event::What;
use bakeoff_core::model::index::{CandidateIx, WorkloadIx};

use super::block::{BlockEnd, CurrentBlock};
use super::cell::{self, CellId, CellOutcome};
use crate::fault::Fault;
use crate::places::target_set::TargetSet;
use crate::steps::session::Session;

/// How often a cell whose number cannot stand is tried again.
const TRIES: u32 = 3;

impl Session<'_> {
    /// Every workload on the candidate that stands alone.
    pub fn cells(
        &mut self,
        target_set: &mut TargetSet,
        block: CurrentBlock,
        candidate: CandidateIx,
    ) -> Result<BlockEnd, Fault> {
        for group in decide::workload_order(self.journal.run(), block.number) {
            let end = self.group(target_set, block, candidate, &group)?;
            if !matches!(end, BlockEnd::Complete) {
                return Ok(end);
            }
        }
        Ok(BlockEnd::Complete)
    }

    /// Workloads that belong together on one candidate, in one piece.
    pub fn group(
        &mut self,
        target_set: &mut TargetSet,
        current: CurrentBlock,
        candidate: CandidateIx,
        group: &[WorkloadIx],
    ) -> Result<BlockEnd, Fault> {
        let block = current.number;
        let workload = group[0];
        let hung = self.hung.iter().find(|(c, w, _)| (*c, *w) == (candidate, workload));
        if let Some((_, _, why)) = hung {
            let reason = format!("{why}; it was not restarted");
            self.journal.record(What::CellInvalid { block, candidate, workload, reason })?;
            return Ok(BlockEnd::Complete);
        }
        for _ in 0..TRIES {
            match self.try_group(target_set, current, candidate, group)? {
                CellOutcome::Valid(cells, missing) => {
                    for cell in cells {
                        self.journal.record(What::CellDone(Box::new(cell)))?;
                    }
                    for (workload, reason) in missing {
                        let what = What::CellInvalid { block, candidate, workload, reason };
                        self.journal.record(what)?;
                    }
                    break;
                }
                CellOutcome::Interrupted => return Ok(BlockEnd::Interrupted),
                CellOutcome::Hopeless(why) => {
                    let header = &self.journal.run().header;
                    let name = &header.candidates[candidate].name;
                    return Ok(BlockEnd::Failed(format!("{name}: {}", why.explained())));
                }
                CellOutcome::Invalid { workload, reason, again } => {
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
        target_set: &mut TargetSet,
        current: CurrentBlock,
        candidate: CandidateIx,
        group: &[WorkloadIx],
    ) -> Result<CellOutcome, Fault> {
        let header = &self.journal.run().header;
        let first = &header.workloads[group[0]];
        let what = match first.profile {
            Some(part) if group.len() > 1 => part.profile.name(),
            _ => &first.name,
        };
        let name = &header.candidates[candidate].name;
        let block = current.number;
        let which = match current.round {
            Some(round) => format!("round {}", round.round + 1),
            None => format!("block {}", block.number() + 1),
        };
        self.progress.doing(&format!("{which} · {name} · {what}"));
        let site = target_set
            .site(candidate)
            .ok_or_else(|| Fault::bug("the candidate has no location"))?;
        let which = CellId { block, candidate, group, began_ns: self.journal.elapsed_ns() };
        let watch = cell::Watch {
            idle: current.idle,
            sampler: self.sampler.as_ref(),
            cancel: &self.cancel,
            tick: &mut |live| self.progress.live(live),
        };
        Ok(cell::measure(site, header, which, watch))
    }
}
