//! Every workload on the candidates that are prepared: in rounds of slices, or, where it cannot be
//! cut into slices, in one piece on one candidate after the other.

use bakeoff_judge::decide;
use bakeoff_model::event::What;
use bakeoff_model::index::{CandidateIx, WorkloadIx};
use bakeoff_model::protocol::Isolation;

use super::block::{BlockEnd, CurrentBlock};
use super::calibration::Ended;
use super::cell;
use super::member::RoundsId;
use super::rounds;
use crate::fault::Fault;
use crate::places::target_set::TargetSet;
use crate::steps::session::Session;

const TRIES: u32 = 3;

impl Session<'_> {
    pub fn workloads(
        &mut self,
        target_set: &mut TargetSet,
        block: CurrentBlock,
        standing: &[CandidateIx],
    ) -> Result<BlockEnd, Fault> {
        for group in decide::workload_order(self.journal.run(), block.number) {
            self.show_progress();
            let header = &self.journal.run().header;
            let is_sliced = header.protocol.isolation == Isolation::Slices
                && header.workloads[group[0]].can_be_sliced();
            let apart: Vec<&[CandidateIx]> =
                if is_sliced { vec![standing] } else { standing.chunks(1).collect() };
            for together in apart {
                let end = if is_sliced {
                    self.in_rounds(target_set, block, group[0], together)?
                } else {
                    self.with_settings(target_set, block, together[0], &group)?
                };
                if !matches!(end, BlockEnd::Complete) {
                    return Ok(end);
                }
            }
        }
        Ok(BlockEnd::Complete)
    }

    fn in_rounds(
        &mut self,
        target_set: &mut TargetSet,
        current: CurrentBlock,
        workload: WorkloadIx,
        standing: &[CandidateIx],
    ) -> Result<BlockEnd, Fault> {
        let CurrentBlock { number: block, idle, .. } = current;
        let name = &self.journal.run().header.workloads[workload].name;
        let what = format!("block {} · {name}, alternating candidates", block.number() + 1);
        self.progress.doing(&what);
        let which = RoundsId { block, workload, standing, idle };
        let measured = match rounds::measure(self, target_set, which) {
            Ok(cells) => Ok(cells),
            Err(Ended::Run(fault)) => return Err(fault),
            Err(ended) => Err(ended),
        };
        if let Some(end) = self.settings_back(target_set)? {
            return Ok(end);
        }
        match measured {
            Ok(cells) => self.record_all(cells),
            Err(Ended::Block(failed)) => Ok(self.ended_by(failed)),
            Err(Ended::Settings(error)) => self.step_failed("settings", error),
            Err(Ended::Run(fault)) => Err(fault),
        }
    }

    fn settings_back(&mut self, target_set: &mut TargetSet) -> Result<Option<BlockEnd>, Fault> {
        let Some(regions) = target_set.regions() else { return Ok(None) };
        match regions.reset(&mut self.journal) {
            Ok(()) => Ok(None),
            Err(error) => self.step_failed("settings", error).map(Some),
        }
    }

    /// In one piece, with the candidate's settings of the disk. A visit has made them before.
    fn with_settings(
        &mut self,
        target_set: &mut TargetSet,
        current: CurrentBlock,
        candidate: CandidateIx,
        group: &[WorkloadIx],
    ) -> Result<BlockEnd, Fault> {
        let is_beside = self.journal.run().header.protocol.isolation == Isolation::Slices;
        if is_beside
            && let Some(regions) = target_set.regions()
            && let Err(error) = regions.set(self, &[candidate])
        {
            return self.step_failed("settings", error);
        }
        let end = self.in_one_piece(target_set, current, candidate, group)?;
        let back = if is_beside { self.settings_back(target_set)? } else { None };
        Ok(back.unwrap_or(end))
    }

    fn in_one_piece(
        &mut self,
        target_set: &mut TargetSet,
        current: CurrentBlock,
        candidate: CandidateIx,
        group: &[WorkloadIx],
    ) -> Result<BlockEnd, Fault> {
        let (block, workload) = (current.number, group[0]);
        let hung = self.hung.iter().find(|(c, w, _)| (*c, *w) == (candidate, workload));
        if let Some((_, _, why)) = hung {
            let reason = format!("{why}; it was not restarted");
            return self.record_all(vec![What::CellInvalid { block, candidate, workload, reason }]);
        }
        for _ in 0..TRIES {
            self.show_group(current, candidate, group);
            let site = target_set.site(candidate);
            let site = site.ok_or_else(|| Fault::bug("the candidate has no location"))?;
            match cell::measure(self, site, current, candidate, group) {
                Ok(cells) => return self.record_all(cells),
                Err((_, why))
                    if why.ends_block(&self.journal.run().header.candidates[candidate]) =>
                {
                    return Ok(self.ended_by((candidate, why)));
                }
                Err((workload, why)) => {
                    let reason = why.reason();
                    if why.recurs() {
                        self.hung.push((candidate, group[0], reason.clone()));
                    }
                    self.journal.record(What::CellInvalid {
                        block,
                        candidate,
                        workload,
                        reason,
                    })?;
                    if why.recurs() {
                        break;
                    }
                }
            }
        }
        Ok(BlockEnd::Complete)
    }

    fn show_group(&self, current: CurrentBlock, candidate: CandidateIx, group: &[WorkloadIx]) {
        let header = &self.journal.run().header;
        let first = &header.workloads[group[0]];
        let what = match first.profile {
            Some(part) if group.len() > 1 => part.profile.name(),
            _ => &first.name,
        };
        let name = &header.candidates[candidate].name;
        let which = match current.round {
            Some(round) => format!("round {}", round.round + 1),
            None => format!("block {}", current.number.number() + 1),
        };
        self.progress.doing(&format!("{which} · {name} · {what}"));
    }

    fn record_all(&mut self, cells: Vec<What>) -> Result<BlockEnd, Fault> {
        cells.into_iter().try_for_each(|cell| self.journal.record(cell))?;
        Ok(BlockEnd::Complete)
    }
}
