//! Workloads that belong together on one candidate, in one piece: what cannot be cut into slices.

use bakeoff_model::event::What;
use bakeoff_model::index::{CandidateIx, WorkloadIx};

use super::block::{BlockEnd, CurrentBlock};
use super::cell::{self, CellOutcome};
use crate::fault::Fault;
use crate::places::target_set::TargetSet;
use crate::steps::session::Session;

/// How often a cell whose number cannot stand is tried again.
const TRIES: u32 = 3;

impl Session<'_> {
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
                CellOutcome::Valid(cells) => {
                    for cell in cells {
                        self.journal.record(match cell {
                            Ok(cell) => What::CellDone(Box::new(cell)),
                            Err((workload, reason)) => {
                                What::CellInvalid { block, candidate, workload, reason }
                            }
                        })?;
                    }
                    break;
                }
                CellOutcome::Ended(why) => return Ok(self.ended_by((candidate, why))),
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
        Ok(cell::measure(self, site, current, candidate, group))
    }
}
