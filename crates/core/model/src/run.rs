//! A run as the fold of its events.
//!
//! [`Run::apply`] is the only way a run changes, live or from the store. It accepts every order a
//! crash can leave behind; what it refuses is damage (a gap in the sequence, an index out of
//! range).

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::application::{self, FitSamples};
use super::calibration::{Calibration, Tried};
use super::candidate::Candidate;
use super::ceiling::Ceilings;
use super::event::{
    Cell, Event, Header, Owner, Position, Rehearsal, Step, StepDone, StopReason, What,
};
use super::finding::Finding;
use super::health::DriveTold;
use super::index::{self, BlockIx, CandidateIx, RegionIx, WorkloadIx};
use super::mark::Mark;
use super::protocol::Protocol;
use super::round::Round;
use super::telemetry::Watching;
use super::use_state::Filled;
use super::workload::Workload;

/// Most candidates of a run; all pairs are compared.
pub const MOST_CANDIDATES: usize = 128;
pub const MOST_WORKLOADS: usize = 64;
const MOST_LOOKS: usize = 32;

#[derive(Debug, Error, PartialEq, Eq)]
pub enum FoldError {
    #[error("the record does not begin with its header")]
    NoHeader,
    #[error("event {expected} is missing from the record (found {found})")]
    Gap { expected: u64, found: u64 },
    /// An event names a candidate, workload, block or step that does not exist.
    #[error("event {seq} names a {what} that does not exist")]
    OutOfRange { seq: u64, what: &'static str },
    #[error("event {seq} repeats {what}, which would count it twice")]
    Twice { seq: u64, what: &'static str },
    /// A header that asks for more than anybody compares: comparing all pairs would take for ever.
    #[error("the record has {found} {what}; a run may have at most {most}")]
    TooMany { what: &'static str, found: usize, most: usize },
    #[error("the record is empty")]
    Empty,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BlockState {
    Open,
    /// Every visit is done; its cells count.
    Complete,
    Superseded,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    pub block: BlockIx,
    pub order: Vec<CandidateIx>,
    pub round: Option<Round>,
    pub state: BlockState,
    pub began_ns: u64,
    /// Active time of the run when it was completed; `None` = it was not.
    pub done_ns: Option<u64>,
    /// The raw read at its start, bytes a second.
    pub sentinel: Option<f64>,
    pub cells: Vec<Cell>,
}

index::list_of!(Block, BlockIx);

#[derive(Clone, Debug, PartialEq)]
pub struct StepRecord {
    pub step: Step,
    pub done: Option<StepDone>,
    pub undone: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    pub header: Header,
    /// When it started, nanoseconds since 1970.
    pub started_unix_ns: i64,
    pub last_unix_ns: i64,
    pub elapsed_ns: u64,
    pub next_seq: u64,
    /// The plan as it stood before the first block; `None` when the run died before that.
    pub rehearsal: Option<Rehearsal>,
    pub owner: Option<Owner>,
    /// Number of the first block of the last owner; what was mounted for those before it is gone.
    pub owned_from: BlockIx,
    pub blocks: Vec<Block>,
    pub filled: Vec<Filled>,
    pub calibrations: Vec<Calibration>,
    pub findings: Vec<Finding>,
    pub steps: Vec<StepRecord>,
    pub dropped: Vec<(CandidateIx, u32)>,
    pub last_look: u32,
    /// Complete blocks at every look so far, in order: each uses up one look of the protocol.
    pub looks: Vec<u32>,
    pub surveys: Vec<(RegionIx, Vec<Position>)>,
    /// What was written in full and read back: (region, bytes compared, bytes of the device).
    pub verified: Vec<(RegionIx, u64, u64)>,
    pub marks: Vec<(RegionIx, Mark)>,
    /// Cells that were tried and thrown away: (block, candidate, workload, reason).
    pub invalid: Vec<(BlockIx, CandidateIx, WorkloadIx, String)>,
    pub watching: Option<Watching>,
    pub told_before: Vec<DriveTold>,
    pub told_after: Vec<DriveTold>,
    /// What lower layers reach; measured last.
    pub ceilings: Ceilings,
    /// What a `fit` run measured, by workload.
    pub fit: Vec<FitSamples>,
    /// How it ended, if it did since the last owner took it.
    pub stopped: Option<(StopReason, String)>,
}

impl Run {
    pub fn fold<'a>(events: impl IntoIterator<Item = &'a Event>) -> Result<Run, FoldError> {
        let mut events = events.into_iter();
        let first = events.next().ok_or(FoldError::Empty)?;
        let mut run = Run::begin(first)?;
        for event in events {
            run.apply(event)?;
        }
        Ok(run)
    }

    pub fn begin(event: &Event) -> Result<Run, FoldError> {
        let What::Started(header) = &event.what else { return Err(FoldError::NoHeader) };
        if event.seq != 0 {
            return Err(FoldError::Gap { expected: 0, found: event.seq });
        }
        bounded(&header.candidates, &header.workloads, &header.protocol)?;
        application::bounded(&header.applications)?;
        Ok(Run {
            header: (**header).clone(),
            started_unix_ns: event.unix_ns,
            last_unix_ns: event.unix_ns,
            elapsed_ns: event.elapsed_ns,
            next_seq: 1,
            rehearsal: None,
            owner: None,
            owned_from: BlockIx::FIRST,
            blocks: Vec::new(),
            filled: Vec::new(),
            calibrations: Vec::new(),
            findings: Vec::new(),
            steps: Vec::new(),
            dropped: Vec::new(),
            last_look: 0,
            looks: Vec::new(),
            surveys: Vec::new(),
            marks: Vec::new(),
            verified: Vec::new(),
            invalid: Vec::new(),
            watching: None,
            told_before: Vec::new(),
            told_after: Vec::new(),
            ceilings: Ceilings::default(),
            fit: Vec::new(),
            stopped: None,
        })
    }

    pub fn apply(&mut self, event: &Event) -> Result<(), FoldError> {
        if event.seq != self.next_seq {
            return Err(FoldError::Gap { expected: self.next_seq, found: event.seq });
        }
        self.apply_what(event)?;
        self.next_seq += 1;
        self.last_unix_ns = event.unix_ns;
        self.elapsed_ns = self.elapsed_ns.max(event.elapsed_ns);
        Ok(())
    }

    fn apply_what(&mut self, event: &Event) -> Result<(), FoldError> {
        let out = |what| FoldError::OutOfRange { seq: event.seq, what };
        match &event.what {
            What::Started(_) => return Err(out("second header")),
            What::Rehearsed(rehearsal) => {
                bounded(&rehearsal.candidates, &rehearsal.workloads, &rehearsal.protocol)?;
                self.rehearsed(rehearsal).ok_or(out("late rehearsal"))?;
            }
            What::Extended { time_ns, max_write_bytes } => {
                let protocol = &mut self.header.protocol;
                protocol.time_ns = *time_ns;
                protocol.max_write_bytes = max_write_bytes.or(protocol.max_write_bytes);
            }
            What::Owned(owner) => self.owned(owner),
            What::Watching(watching) => self.watching = Some((**watching).clone()),
            What::DrivesTold { after, drives } => self.drives_told(*after, drives),
            What::Calibrated(found) => self.calibrated(found).ok_or(out("calibrated cell"))?,
            What::Ceilings(ceilings) => self.ceilings = (**ceilings).clone(),
            What::Found(finding) => self.found(finding),
            What::Surveyed { region, positions } => {
                replace(&mut self.surveys, (*region, positions.clone()), |survey| survey.0);
            }
            What::Marked { region, mark } => {
                replace(&mut self.marks, (*region, mark.clone()), |mark| mark.0);
            }
            What::Verified { region, verified_bytes, device_bytes } => {
                let verified = (*region, *verified_bytes, *device_bytes);
                replace(&mut self.verified, verified, |verified| verified.0);
            }
            What::StepPlanned(step) => self.step_planned(step).ok_or(out("step out of order"))?,
            What::StepDone(done) => {
                self.step_mut(done.step).ok_or(out("step"))?.done = Some(done.clone());
            }
            What::StepUndone { step } => {
                self.step_mut(*step).ok_or(out("step"))?.undone = true;
            }
            What::BlockStarted { block, order, round } => {
                self.block_started(*block, order, *round, event)?;
            }
            What::Sentinel { block, bytes_per_s } => {
                self.block_mut(*block).ok_or(out("block"))?.sentinel = Some(*bytes_per_s);
            }
            What::VisitStarted { block, candidate, .. } => {
                let block = self.block_mut(*block).ok_or(out("block"))?;
                block.order.contains(candidate).then_some(()).ok_or(out("candidate"))?;
            }
            What::Filled(filled) => self.filled(filled).ok_or(out("block or candidate"))?,
            What::CellDone(cell) => self.cell_done(cell, event.seq)?,
            What::CellInvalid { block, candidate, workload, reason } => {
                self.invalid.push((*block, *candidate, *workload, reason.clone()));
            }
            What::FitMeasured(of) => self.fit_measured(of).ok_or(out("workload"))?,
            What::BlockDone { block } => {
                self.block_done(*block, event.elapsed_ns).ok_or(out("block"))?;
            }
            What::BlockSuperseded { block, .. } => {
                self.block_mut(*block).ok_or(out("block"))?.state = BlockState::Superseded;
            }
            What::Looked { blocks, dropped } => self.looked(*blocks, dropped),
            What::Stopped { reason, note } => self.stopped = Some((*reason, note.clone())),
        }
        Ok(())
    }

    fn fit_measured(&mut self, measured: &FitSamples) -> Option<()> {
        measured.workload.get(&self.header.workloads).map(|_| self.fit.push(measured.clone()))
    }

    fn owned(&mut self, owner: &Owner) {
        self.owner = Some(owner.clone());
        self.owned_from = BlockIx::new(self.blocks.len());
        self.stopped = None;
    }

    fn drives_told(&mut self, after: bool, drives: &[DriveTold]) {
        if after {
            self.told_after = drives.to_vec();
        } else if self.told_before.is_empty() {
            // After a resume what was told first is still the beginning.
            self.told_before = drives.to_vec();
        }
    }

    fn filled(&mut self, filled: &Filled) -> Option<()> {
        let block = self.block_mut(filled.block)?;
        block.order.contains(&filled.candidate).then(|| self.filled.push(filled.clone()))
    }

    fn found(&mut self, finding: &Finding) {
        if !self.findings.contains(finding) {
            self.findings.push(finding.clone());
        }
    }

    fn step_planned(&mut self, step: &Step) -> Option<()> {
        let follows = step.step as usize == self.steps.len();
        let record = StepRecord { step: step.clone(), done: None, undone: false };
        follows.then(|| self.steps.push(record))
    }

    fn step_mut(&mut self, step: u32) -> Option<&mut StepRecord> {
        self.steps.get_mut(step as usize)
    }

    fn block_done(&mut self, block: BlockIx, elapsed_ns: u64) -> Option<()> {
        let block = self.block_mut(block)?;
        block.state = BlockState::Complete;
        block.done_ns = Some(elapsed_ns);
        Some(())
    }

    fn looked(&mut self, blocks: u32, dropped: &[CandidateIx]) {
        self.last_look = blocks;
        self.looks.push(blocks);
        self.dropped.extend(dropped.iter().map(|candidate| (*candidate, blocks)));
    }

    fn rehearsed(&mut self, rehearsal: &Rehearsal) -> Option<()> {
        let first = self.blocks.iter().all(|b| b.state == BlockState::Superseded);
        if !first || self.rehearsal.is_some() {
            return None;
        }
        let header = &mut self.header;
        header.protocol = rehearsal.protocol.clone();
        header.candidates = rehearsal.candidates.clone();
        header.workloads = rehearsal.workloads.clone();
        header.skipped = rehearsal.skipped.clone();
        header.dropped_workloads = rehearsal.dropped_workloads.clone();
        header.region = rehearsal.region.clone();
        header.more_regions = rehearsal.more_regions.clone();
        header.expected_write_bytes = rehearsal.expected_write_bytes;
        self.rehearsal = Some(rehearsal.clone());
        Some(())
    }

    fn block_started(
        &mut self,
        block: BlockIx,
        order: &[CandidateIx],
        round: Option<Round>,
        event: &Event,
    ) -> Result<(), FoldError> {
        let out = |what| FoldError::OutOfRange { seq: event.seq, what };
        if usize::from(block) != self.blocks.len() {
            return Err(out("block out of order"));
        }
        if order.iter().any(|c| c.get(&self.header.candidates).is_none()) {
            return Err(out("candidate"));
        }
        if (0..order.len()).any(|at| order[..at].contains(&order[at])) {
            return Err(FoldError::Twice { seq: event.seq, what: "a candidate of a block" });
        }
        let has = |round: Round| round.workload.get(&self.header.workloads).is_some();
        if round.is_some_and(|round| !has(round) || order.len() != 1) {
            return Err(out("round"));
        }
        self.blocks.push(Block {
            block,
            order: order.to_vec(),
            round,
            state: BlockState::Open,
            began_ns: event.elapsed_ns,
            done_ns: None,
            sentinel: None,
            cells: Vec::new(),
        });
        Ok(())
    }

    fn calibrated(&mut self, found: &Calibration) -> Option<()> {
        found.workload.get(&self.header.workloads)?;
        let is_known = |tried: &Tried| tried.candidate.get(&self.header.candidates).is_some();
        found.tried.iter().all(is_known).then_some(())?;
        replace(&mut self.calibrations, found.clone(), |known| known.workload);
        Some(())
    }

    pub fn calibration(&self, workload: WorkloadIx) -> Option<&Calibration> {
        self.calibrations.iter().find(|known| known.workload == workload)
    }

    fn cell_done(&mut self, cell: &Cell, seq: u64) -> Result<(), FoldError> {
        let out = |what| FoldError::OutOfRange { seq, what };
        if cell.workload.get(&self.header.workloads).is_none() {
            return Err(out("workload"));
        }
        let block = self.block_mut(cell.block).ok_or(out("block"))?;
        if !block.order.contains(&cell.candidate) {
            return Err(out("candidate"));
        }
        // Of a superseded block nothing counts, so nothing there can be counted twice.
        let same = |c: &Cell| (c.candidate, c.workload) == (cell.candidate, cell.workload);
        if block.state != BlockState::Superseded && block.cells.iter().any(same) {
            return Err(FoldError::Twice { seq, what: "the result of a cell" });
        }
        block.cells.push(cell.clone());
        Ok(())
    }

    fn block_mut(&mut self, block: BlockIx) -> Option<&mut Block> {
        self.blocks.get_mut(usize::from(block))
    }

    /// The survey of the region a candidate is on, as far as it lies inside what was used of it.
    /// Where in an image a byte lies says nothing about where on the drive it is.
    pub fn positions(&self, candidate: CandidateIx) -> Vec<Position> {
        let index = candidate.get(&self.header.candidates).map_or(RegionIx::FIRST, |c| c.region);
        let Some(region) = self.header.regions().nth(usize::from(index)) else { return Vec::new() };
        let end_bytes = region.start_bytes.saturating_add(region.size_bytes);
        let is_inside = |p: &&Position| (region.start_bytes..end_bytes).contains(&p.offset_bytes);
        let survey = self.surveys.iter().find(|s| s.0 == index && !region.is_image);
        survey.map_or(Vec::new(), |(_, all)| all.iter().filter(is_inside).cloned().collect())
    }

    pub fn complete_blocks(&self) -> impl Iterator<Item = &Block> {
        self.blocks.iter().filter(|b| b.state == BlockState::Complete)
    }

    pub fn complete_cells(&self) -> impl Iterator<Item = &Cell> {
        self.complete_blocks().flat_map(|block| &block.cells)
    }

    pub fn survivors(&self) -> Vec<CandidateIx> {
        CandidateIx::all(self.header.candidates.len())
            .filter(|c| !self.dropped.iter().any(|(d, _)| d == c))
            .collect()
    }

    /// Steps whose effect may still be on the system, latest first: the way back.
    pub fn steps_to_undo(&self) -> impl Iterator<Item = &Step> {
        self.steps.iter().rev().filter(|s| !s.undone && s.step.undo.is_some()).map(|s| &s.step)
    }
}

/// Puts `entry` in the place of an earlier one of the same region.
fn replace<T, K: PartialEq>(all: &mut Vec<T>, entry: T, key: impl Fn(&T) -> K) {
    all.retain(|earlier| key(earlier) != key(&entry));
    all.push(entry);
}

fn bounded(
    candidates: &[Candidate],
    workloads: &[Workload],
    protocol: &Protocol,
) -> Result<(), FoldError> {
    let sizes = [
        ("candidates", candidates.len(), MOST_CANDIDATES),
        ("workloads", workloads.len(), MOST_WORKLOADS),
        ("looks", protocol.looks.len(), MOST_LOOKS),
    ];
    match sizes.into_iter().find(|(_, found, most)| found > most) {
        Some((what, found, most)) => Err(FoldError::TooMany { what, found, most }),
        None => Ok(()),
    }
}
