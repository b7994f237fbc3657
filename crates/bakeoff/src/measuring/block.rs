//! One block: the sentinel, then every candidate, side by side or one after the other, with every
//! workload on it: in rounds of slices, or, where it cannot be cut into slices, in one piece.
//!
//! An interrupted block is superseded and repeated whole.

use bakeoff_judge::decide::{self, places};
use bakeoff_machine::prepare::recipe;
use bakeoff_model::candidate::Candidate;
use bakeoff_model::event::{Header, What};
use bakeoff_model::index::{BlockIx, CandidateIx, PlaceIx, WorkloadIx};
use bakeoff_model::protocol::Isolation;
use bakeoff_model::round::Round;
use bakeoff_model::run::Run;

use super::cell::{self, CellError};
use super::drive_bytes::IdleRate;
use super::member::RoundsId;
use super::rounds::Rounds;
use super::run::Measuring;
use crate::fault::Fault;
use crate::load::LoadError;
use crate::steps::error::StepError;
use crate::steps::stepper;

const TRIES: u32 = 3;

#[derive(Clone, Copy)]
pub struct CurrentBlock {
    pub number: BlockIx,
    /// Its place among rounds of blocks that share a preparation.
    pub round: Option<Round>,
    pub idle: IdleRate,
}

/// Why a block ends before it is complete.
pub enum Ended {
    Interrupted,
    Failed(String),
    /// The run ends with it.
    Run(Fault),
}

impl From<Fault> for Ended {
    fn from(fault: Fault) -> Ended {
        Ended::Run(fault)
    }
}

impl Ended {
    pub fn by_step(name: &str, error: StepError) -> Ended {
        match error {
            StepError::Fault(fault) => Ended::Run(fault),
            StepError::Interrupted => Ended::Interrupted,
            error => Ended::Failed(format!("{name}: {error}")),
        }
    }

    pub fn by_cell(candidate: &Candidate, error: &CellError) -> Ended {
        match error {
            CellError::Load(LoadError::Interrupted) => Ended::Interrupted,
            error => Ended::Failed(format!("{}: {}", candidate.name, error.explained())),
        }
    }
}

impl Measuring<'_, '_> {
    pub fn block(&mut self, order: &[CandidateIx], round: Option<Round>) -> Result<(), Ended> {
        let block = BlockIx::new(self.session.journal.run().blocks.len());
        self.session.journal.record(What::BlockStarted { block, order: order.to_vec(), round })?;
        let mut measured = self.visits(block, order, round);
        if let Err(Ended::Failed(why)) = &mut measured
            && let Err(lost) = stepper::check_targets(self.session)
        {
            // A drive that is gone is why everything else failed.
            *why = lost.to_string();
        }
        let reason = match &measured {
            Ok(()) => return Ok(self.session.journal.record(What::BlockDone { block })?),
            Err(Ended::Run(_)) => return measured,
            Err(Ended::Interrupted) => "interrupted".to_string(),
            Err(Ended::Failed(why)) => why.clone(),
        };
        self.session.journal.record(What::BlockSuperseded { block, reason })?;
        measured
    }

    fn visits(
        &mut self,
        number: BlockIx,
        order: &[CandidateIx],
        round: Option<Round>,
    ) -> Result<(), Ended> {
        // Between rounds the drive gets neither a rest nor other work.
        if !follows(round) {
            self.end_rounds()?;
            self.sentinel(number)?;
        }
        let idle = IdleRate::watch(&self.target_set.disks());
        let current = CurrentBlock { number, round, idle };
        let together = if self.is_alone() { 1 } else { order.len().max(1) };
        order.chunks(together).try_for_each(|together| self.visit(current, together))
    }

    fn is_alone(&self) -> bool {
        self.session.journal.run().header.protocol.isolation == Isolation::Visit
    }

    fn sentinel(&mut self, block: BlockIx) -> Result<(), Ended> {
        self.session.progress.doing("measuring the raw read speed");
        match self.target_set.sentinel(&self.session.cancel) {
            Ok(Some(bytes_per_s)) => {
                Ok(self.session.journal.record(What::Sentinel { block, bytes_per_s })?)
            }
            Ok(None) => Ok(()),
            Err(LoadError::Interrupted) => Err(Ended::Interrupted),
            Err(error) => Err(Ended::Failed(format!("cannot measure the raw read speed: {error}"))),
        }
    }

    /// Prepares candidates side by side, or one alone, measures every workload on them, and removes
    /// them again.
    fn visit(&mut self, block: CurrentBlock, together: &[CandidateIx]) -> Result<(), Ended> {
        let measured = self.prepare(block, together).and_then(|()| self.workloads(block, together));
        match &measured {
            Err(Ended::Run(_)) => return measured,
            // The next round continues here.
            Ok(()) if block.round.is_some() => return measured,
            Ok(()) | Err(_) => {}
        }
        self.target_set.leave(&mut self.session.journal).map_err(|error| {
            let first = &self.session.journal.run().header.candidates[together[0]];
            Ended::by_step(if self.is_alone() { &first.name } else { "cleaning up" }, error)
        })?;
        measured
    }

    fn prepare(&mut self, block: CurrentBlock, together: &[CandidateIx]) -> Result<(), Ended> {
        let (is_alone, number) = (self.is_alone(), block.number);
        self.show_progress();
        let stands = self.session.journal.run().header.stands(together);
        for shared in stand_up_order(self.session.journal.run(), stands) {
            let header = &self.session.journal.run().header;
            let what = header.candidates[shared[0]].clone();
            let doing = format!("block {} · preparing {}", number.number() + 1, what.name);
            self.session.progress.doing(&doing);
            let region = part_of(header, shared[0], number, self.target_set.parts());
            let part = (!is_alone && self.target_set.parts() > 1).then_some(region);
            for &candidate in &shared {
                let started = What::VisitStarted { block: number, candidate, part };
                self.session.journal.record(started)?;
            }
            let prepared = match self.target_set.regions() {
                None => Ok(()),
                Some(_) if is_alone && follows(block.round) => Ok(()),
                Some(regions) if is_alone => regions.enter(self.session, &what),
                Some(regions) => regions.stand(self.session, &shared, usize::from(region)),
            };
            prepared.map_err(|error| Ended::by_step(&what.name, error))?;
        }
        Ok(())
    }

    fn workloads(&mut self, block: CurrentBlock, standing: &[CandidateIx]) -> Result<(), Ended> {
        for group in decide::workload_order(self.session.journal.run(), block.number) {
            self.show_progress();
            let header = &self.session.journal.run().header;
            let takes_turns = header.protocol.isolation == Isolation::Slices;
            if takes_turns && header.workloads[group[0]].can_be_sliced() {
                self.in_rounds(block, group[0], standing)?;
                continue;
            }
            for &candidate in standing {
                // A visit has made the candidate's settings of the disk before.
                if takes_turns && let Some(regions) = self.target_set.regions() {
                    let set = regions.set(self.session, &[candidate]);
                    set.map_err(|error| Ended::by_step("settings", error))?;
                }
                let measured = self.in_one_piece(block, candidate, &group);
                if takes_turns && !matches!(measured, Err(Ended::Run(_))) {
                    self.reset_settings()?;
                }
                measured?;
            }
        }
        Ok(())
    }

    fn in_rounds(
        &mut self,
        current: CurrentBlock,
        workload: WorkloadIx,
        standing: &[CandidateIx],
    ) -> Result<(), Ended> {
        let CurrentBlock { number: block, idle, .. } = current;
        let name = &self.session.journal.run().header.workloads[workload].name;
        let what = format!("block {} · {name}, alternating candidates", block.number() + 1);
        self.session.progress.doing(&what);
        let which = RoundsId { block, workload, standing, idle };
        let measured = Rounds::new(self.session, self.target_set, which).measure();
        if !matches!(measured, Err(Ended::Run(_))) {
            self.reset_settings()?;
        }
        self.record_all(measured?)
    }

    fn reset_settings(&mut self) -> Result<(), Ended> {
        let Some(regions) = self.target_set.regions() else { return Ok(()) };
        let reset = regions.reset(&mut self.session.journal);
        reset.map_err(|error| Ended::by_step("settings", error))
    }

    fn in_one_piece(
        &mut self,
        current: CurrentBlock,
        candidate: CandidateIx,
        group: &[WorkloadIx],
    ) -> Result<(), Ended> {
        let (block, workload) = (current.number, group[0]);
        let hung = self.hung.iter().find(|(c, w, _)| (*c, *w) == (candidate, workload));
        if let Some((_, _, why)) = hung {
            let reason = format!("{why}; it was not restarted");
            return self.record_all(vec![What::CellInvalid { block, candidate, workload, reason }]);
        }
        for _ in 0..TRIES {
            self.show_group(current, candidate, group);
            let site = self.target_set.site(candidate);
            let site = site.ok_or_else(|| Fault::bug("the candidate has no location"))?;
            let (workload, why) = match cell::measure(self.session, site, current, candidate, group)
            {
                Ok(cells) => return self.record_all(cells),
                Err(failed) => failed,
            };
            let header = &self.session.journal.run().header;
            if why.ends_block(&header.candidates[candidate]) {
                return Err(Ended::by_cell(&header.candidates[candidate], &why));
            }
            let reason = why.reason();
            if why.recurs() {
                self.hung.push((candidate, group[0], reason.clone()));
            }
            let invalid = What::CellInvalid { block, candidate, workload, reason };
            self.session.journal.record(invalid)?;
            if why.recurs() {
                break;
            }
        }
        Ok(())
    }

    fn show_group(&self, current: CurrentBlock, candidate: CandidateIx, group: &[WorkloadIx]) {
        let header = &self.session.journal.run().header;
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
        self.session.progress.doing(&format!("{which} · {name} · {what}"));
    }

    fn record_all(&mut self, cells: Vec<What>) -> Result<(), Ended> {
        Ok(cells.into_iter().try_for_each(|cell| self.session.journal.record(cell))?)
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
