//! What a run does next: another block, a look at the results, or the end.
//!
//! Pure: the runner gives the run so far and the clock, does what comes back, records it as an
//! event and asks again. The rules are in [`bakeoff_model::looks`], who is visited when in
//! [`order`], the arithmetic of the answer in [`table`] and [`compare`].

// A new variant of an enum is looked at wherever the enum decides something.
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

pub mod autocorrelation;
pub mod beside;
pub mod cell_trial;
pub mod compare;
pub mod cost;
pub mod eta;
pub mod exclude;
pub mod figure;
pub mod lead;
pub mod limits;
pub mod order;
pub mod pace;
pub mod places;
pub mod rounds;
pub mod schedule;
pub mod search;
pub mod setting_groups;
pub mod settled;
pub mod size;
pub mod stop;
pub mod table;
pub mod turns;
pub mod twin;
pub mod used;
pub mod write_limit;

use crate::factors;
use bakeoff_model::candidate::Candidate;
use bakeoff_model::event::StopReason;
use bakeoff_model::index::{CandidateIx, WorkloadIx};
use bakeoff_model::round::Round;
use bakeoff_model::run::Run;
use compare::Comparison;
use lead::DecidedLead;
use limits::RunCost;
use table::ScoreTable;

pub use order::{groups, workload_order};
pub use stop::Stop;

/// What the runner knows and the run does not. Limits are those of the header's protocol; a
/// resumed run with more time has it changed there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    pub elapsed_ns: u64,
    pub estimated_block_ns: u64,
    pub written_bytes: u64,
    pub estimated_block_write_bytes: u64,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Next {
    Look { blocks: u32, dropped: Vec<CandidateIx> },
    Block { order: Vec<CandidateIx>, round: Option<Round> },
    Stop(Stop),
}

pub fn next(run: &Run, now: Clock) -> Next {
    if rounds::is_of_rounds(run) {
        return rounds::next(run, now);
    }
    let protocol = &run.header.protocol;
    let complete = schedule::complete(run);
    let enough = complete >= protocol.first_look();
    if !schedule::has_question(run) {
        if enough {
            return Next::Stop(Stop::nothing_to_compare(complete));
        }
    } else if schedule::next_look(run).is_some_and(|due| complete >= due) {
        return look(run, complete);
    } else if run.last_look == complete && enough && is_decided(run) {
        return Next::Stop(Stop::answered(run.last_look));
    } else if complete >= protocol.last_block() && !goes_on(run) {
        return Next::Stop(Stop::last_block(complete));
    }
    let cost =
        RunCost { time_ns: now.estimated_block_ns, write_bytes: now.estimated_block_write_bytes };
    match budget(run, now, cost, enough) {
        None => Next::Block { order: order::visit_order(run, complete), round: None },
        Some(_) if schedule::may_look_early(run) => look(run, complete),
        Some(stop) => Next::Stop(stop),
    }
}

/// The budget that what comes next would break; `None` = it may start. The first blocks, without
/// which nothing can be said, start where there is time for half of what they are expected to
/// take, which may be too much; the runner ends them at the limit.
fn budget(run: &Run, now: Clock, cost: RunCost, enough: bool) -> Option<Stop> {
    let protocol = &run.header.protocol;
    let next = if rounds::is_of_rounds(run) { "the next round" } else { "another block" };
    let least_ns = if enough { cost.time_ns } else { cost.time_ns / 2 };
    let needed_ns = now.elapsed_ns.saturating_add(least_ns);
    if let Some(limit_ns) = protocol.time_ns
        && needed_ns > limit_ns
    {
        return Some(Stop::time(next, cost, limit_ns));
    }
    let needed_bytes = now.written_bytes.saturating_add(cost.write_bytes);
    let limit_bytes = protocol.max_write_bytes.filter(|limit| needed_bytes > *limit)?;
    Some(Stop::bytes(next, cost, now.written_bytes, limit_bytes))
}

fn look(run: &Run, blocks: u32) -> Next {
    Next::Look { blocks, dropped: losers(run, blocks) }
}

fn comparisons(run: &Run, table: &ScoreTable) -> Vec<Comparison> {
    // Who is dropped has to be behind in the statement over all workloads as well.
    let pairs = run.header.protocol.pairs() as f64;
    let alpha = schedule::alpha(run) / pairs.max(run.header.workloads.len() as f64);
    WorkloadIx::all(run.header.workloads.len())
        .map(|w| Comparison::new(run, table, w, alpha))
        .collect()
}

/// At a look: whether every workload with something to compare has its answer, from blocks that
/// are independent as far as can be seen, and it is known what use changes.
pub fn is_decided(run: &Run) -> bool {
    let table = ScoreTable::from_evidence(run);
    WorkloadIx::each(&comparisons(run, &table)).all(|(w, c)| has_lead(run, &table, w, c))
        && used::is_told(run, &table)
}

/// Whether the lead on a workload is certain in the statement over all workloads, and no wave of
/// one candidate could have made it.
fn has_lead(run: &Run, table: &ScoreTable, workload: WorkloadIx, compared: &Comparison) -> bool {
    let margin = run.header.protocol.tie_margin;
    let lead = DecidedLead::new(run, table, compared, run.header.workloads.len());
    compared.ranked.len() < 2
        || lead.is_decided(margin)
            && autocorrelation::of_lead(run, table, workload, &lead).is_empty()
}

/// Whether `resume` may go on with a stopped run. One that measured all blocks of its mode may, for
/// as long as is asked for.
pub fn is_resumable(run: &Run) -> bool {
    run.stopped.as_ref().is_none_or(|(reason, _)| {
        reason.is_resumable() || *reason == StopReason::LastBlock && schedule::has_question(run)
    })
}

/// Whether a run measures on after the last block of its mode: as long as the time that it was
/// given.
fn goes_on(run: &Run) -> bool {
    run.header.protocol.time_ns.is_some()
}

/// Survivors that lose to one and the same survivor on every workload; an A/A twin goes with the
/// candidate it repeats, and so does the same one in a state that is not ranked.
fn losers(run: &Run, blocks: u32) -> Vec<CandidateIx> {
    if factors::are_crossed(&run.header) {
        return Vec::new();
    }
    let table = ScoreTable::from_run(run, blocks);
    let comparisons = comparisons(run, &table);
    let survivors = run.survivors();
    let loses_to = |loser: CandidateIx, winner: CandidateIx| {
        let mut measured = comparisons.iter().filter(|c| c.ranked.contains(&loser)).peekable();
        measured.peek().is_some() && measured.all(|c| c.is_before(winner, loser))
    };
    let candidates = &run.header.candidates;
    let mut out: Vec<CandidateIx> = survivors
        .iter()
        .filter(|c| survivors.iter().any(|s| s != *c && loses_to(**c, *s)))
        .copied()
        .collect();
    let twins = survivors.iter().filter(|c| {
        let own = &candidates[**c];
        let is_beside = |of: &Candidate| {
            own.twin_of.as_ref() == Some(&of.name)
                || !own.competes(candidates) && own.is_same_stack(of)
        };
        !out.contains(c) && out.iter().any(|o| is_beside(&candidates[*o]))
    });
    let twins: Vec<CandidateIx> = twins.copied().collect();
    out.extend(twins);
    out.sort_unstable();
    out
}

#[cfg(test)]
mod tests;
