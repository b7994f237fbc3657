//! Mode characterise: what follows a round, and what a series of rounds shows.
//!
//! A workload is measured round after round on what was prepared once, until five rounds in a row
//! are steady, or 25 are made. Every workload has its series, in the order of the plan and from the
//! same preparation, so that none meets what another left. A series that was interrupted is begun
//! anew: what the drive did meanwhile, nobody saw.
//!
//! Source: SNIA, "Solid State Storage (SSS) Performance Test Specification (PTS)" 2.0.2, 2020,
//! definition 2.1.24, and its flow: purge, then rounds of the workload itself without a pause.

use super::limits::RunCost;
use super::{Clock, Next, Stop, budget, order};
use crate::evidence;
use bakeoff_model::event::{Cell, FlashState};
use bakeoff_model::index::{CandidateIx, WorkloadIx};
use bakeoff_model::protocol::Mode;
use bakeoff_model::round::Round;
use bakeoff_model::run::{Block, BlockState, Run};
use bakeoff_stats::steady_state::{self, MOST_ROUNDS, ROUNDS, Steadiness};

/// So many rounds in a row without a number end a series: the cell does not work here.
const MOST_EMPTY: usize = 2;

pub fn is_of_rounds(run: &Run) -> bool {
    run.header.protocol.mode == Mode::Characterise
}

/// Workloads that are measured together have one series.
pub type Key = Vec<WorkloadIx>;

fn is_of(key: &[WorkloadIx], block: &Block) -> bool {
    block.round.map(|round| round.workload) == key.first().copied()
}

pub fn keys(run: &Run) -> Vec<Key> {
    order::groups(&run.header.workloads)
}

/// The series of `key`, each with its rounds in order: the last one counts.
pub fn series<'r>(run: &'r Run, key: &[WorkloadIx]) -> Vec<Vec<&'r Block>> {
    let mut all: Vec<Vec<&Block>> = Vec::new();
    for block in run.blocks.iter().filter(|block| is_of(key, block)) {
        let number = block.round.map_or(0, |round| round.round as usize);
        match (block.state, all.last_mut()) {
            (BlockState::Complete, Some(last)) if number == last.len() => last.push(block),
            (BlockState::Complete, _) => all.push(vec![block]),
            (BlockState::Open | BlockState::Superseded, _) => {}
        }
    }
    all
}

/// The rounds a figure is taken from: the last five, or all while there are fewer.
pub fn window(run: &Run, workload: WorkloadIx) -> Vec<&Block> {
    let key = keys(run).into_iter().find(|key| key.contains(&workload));
    let mut rounds = key.and_then(|key| series(run, &key).pop()).unwrap_or_default();
    rounds.split_off(rounds.len().saturating_sub(ROUNDS))
}

pub fn counts(run: &Run, cell: &Cell) -> bool {
    let is_it = |round: &&Block| round.block == cell.block;
    !is_of_rounds(run) || window(run, cell.workload).iter().any(is_it)
}

pub fn figure(run: &Run, round: &Block, workload: WorkloadIx) -> Option<f64> {
    let metric = workload.get(&run.header.workloads)?.metric;
    let mut cells = round.cells.iter().filter(|cell| cell.workload == workload);
    let valid = cells.rfind(|cell| !evidence::is_invalid(&run.header, cell))?;
    super::figure::of_cell(metric, valid).filter(|figure| *figure > 0.0 && figure.is_finite())
}

/// What the last five rounds show; `None` for fewer, or where one of them has no figure.
pub fn steadiness(run: &Run, rounds: &[&Block], workload: WorkloadIx) -> Option<Steadiness> {
    let last = rounds.get(rounds.len().checked_sub(ROUNDS)?..)?;
    let figures: Option<Vec<f64>> = last.iter().map(|b| figure(run, b, workload)).collect();
    steady_state::steadiness(&figures?)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoundEnd {
    Steady,
    Rounds,
    Empty,
}

/// Why no further round follows these; `None` = one does.
pub fn ended(run: &Run, rounds: &[&Block], group: &[WorkloadIx]) -> Option<RoundEnd> {
    let is_steady = |w: &WorkloadIx| steadiness(run, rounds, *w).is_some_and(Steadiness::is_steady);
    let is_empty = |b: &&Block| group.iter().all(|w| figure(run, b, *w).is_none());
    let empty = rounds.iter().rev().take_while(|b| is_empty(b)).count();
    if group.iter().all(is_steady) {
        Some(RoundEnd::Steady)
    } else if rounds.len() >= MOST_ROUNDS {
        Some(RoundEnd::Rounds)
    } else {
        (empty >= MOST_EMPTY).then_some(RoundEnd::Empty)
    }
}

fn end_of(run: &Run, key: &[WorkloadIx]) -> Option<RoundEnd> {
    let all = series(run, key);
    all.last().and_then(|rounds| ended(run, rounds, key))
}

pub fn next(run: &Run, now: Clock) -> Next {
    let (keys, bytes) = (keys(run), now.estimated_block_write_bytes);
    let own = run.blocks.get(usize::from(run.owned_from)..).unwrap_or_default();
    let is_begun = |key: &&Key| own.iter().any(|block| is_of(key, block));
    let is_to_come = |key: &&Key| !is_begun(key) && end_of(run, key).is_none();
    let to_come: Vec<&Key> = keys.iter().filter(is_to_come).collect();
    let has_answer = keys.iter().any(|k| series(run, k).iter().any(|s| s.len() >= ROUNDS));
    let current = own.last().and_then(|last| keys.iter().find(|key| is_of(key, last)));
    if let Some(key) = current.filter(|key| end_of(run, key).is_none()) {
        let rounds = series(run, key).pop().unwrap_or_default();
        let is_enough = rounds.len() >= ROUNDS;
        // Five rounds of each of the others come before more than five of this one.
        let kept = to_come.iter().filter(|_| is_enough).map(|key| beginning(run, key, bytes));
        let cost = kept.fold(round_cost(run, key, bytes), RunCost::plus);
        match budget(run, now, cost, has_answer) {
            None => return block(key, rounds.len() as u32),
            Some(stop) if !is_enough || to_come.is_empty() => return Next::Stop(stop),
            Some(_) => {}
        }
    }
    match to_come.first() {
        Some(key) => match budget(run, now, beginning(run, key, bytes), has_answer) {
            None => block(key, 0),
            Some(stop) => Next::Stop(stop),
        },
        None => over(run, &keys),
    }
}

fn block(key: &[WorkloadIx], round: u32) -> Next {
    let workload = key.first().copied().unwrap_or_default();
    Next::Block { order: vec![CandidateIx::FIRST], round: Some(Round { workload, round }) }
}

fn over(run: &Run, keys: &[Key]) -> Next {
    let ends: Vec<Option<RoundEnd>> = keys.iter().map(|key| end_of(run, key)).collect();
    let left = ends.iter().filter(|end| end.is_none()).count() as u32;
    Next::Stop(if left > 0 {
        let has_time_limit = run.header.protocol.time_ns.is_some();
        Stop::rounds_cut(left, has_time_limit)
    } else if ends.iter().all(|end| *end == Some(RoundEnd::Steady)) {
        Stop::steady()
    } else {
        Stop::last_round()
    })
}

/// What a round of `key` is expected to cost: as its last one did; before that, as rehearsed.
fn round_cost(run: &Run, key: &[WorkloadIx], write_bytes: u64) -> RunCost {
    let rounds = series(run, key).pop().unwrap_or_default();
    // The first one has the preparation in it.
    let last = rounds.last().filter(|b| b.round.is_some_and(|r| r.round > 0));
    let measured = last.and_then(|b| b.done_ns?.checked_sub(b.began_ns));
    let time_ns = measured.unwrap_or_else(|| planned_ns(run, key));
    RunCost { time_ns, write_bytes }
}

fn planned_ns(run: &Run, key: &[WorkloadIx]) -> u64 {
    let one = run.rehearsal.as_ref().map_or(0, |rehearsed| rehearsed.block_ns);
    one.saturating_mul(key.len() as u64)
}

/// What a series costs at least: the preparation and five rounds of so many bytes.
fn beginning(run: &Run, key: &[WorkloadIx], write_bytes: u64) -> RunCost {
    let Some(rehearsed) = &run.rehearsal else { return RunCost::default() };
    let region = run.header.region.as_ref();
    let restored = region.filter(|region| region.flash_state == FlashState::Overwritten);
    let prepared = RunCost {
        time_ns: rehearsed.visit_ns,
        write_bytes: rehearsed.file_bytes + restored.map_or(0, |region| region.size_bytes),
    };
    prepared.plus(RunCost { time_ns: planned_ns(run, key), write_bytes }.times(ROUNDS as u32))
}

/// How long the run will go on at least, its time limit aside.
pub fn least_left_ns(run: &Run) -> u64 {
    let left = |key: &Key| match series(run, key).pop() {
        None => beginning(run, key, 0).time_ns,
        Some(rounds) if ended(run, &rounds, key).is_some() => 0,
        Some(rounds) => {
            let more = ROUNDS.saturating_sub(rounds.len()).max(1) as u32;
            round_cost(run, key, 0).times(more).time_ns
        }
    };
    keys(run).iter().map(left).fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests;
