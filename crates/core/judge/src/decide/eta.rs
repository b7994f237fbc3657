//! How long certainty will take, if effects and noise stay as they are.
//!
//! The interval of a pair narrows as `t / sqrt(n)`; the first look at which every question would
//! be settled by today's means and standard deviations is the forecast. It is an estimate, and
//! "never" is an answer: some noise is too large for the blocks a mode allows.

use super::compare::Comparison;
use super::lead::{Against, DecidedLead};
use super::table::ScoreTable;
use super::{rounds, schedule};
use bakeoff_model::index::WorkloadIx;
use bakeoff_model::run::Run;
use bakeoff_stats::paired::{Interval, half_width};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Forecast {
    /// Complete blocks at which every question is expected to be settled; before the first look
    /// that look; `None` = not within the blocks of this mode.
    pub blocks: Option<u32>,
    /// Blocks still to measure until then, or until the mode's last block.
    pub blocks_left: u32,
    pub left_ns: u64,
}

/// How long the run will go on, at `block_ns` a block, its time limit aside.
pub fn forecast(run: &Run, block_ns: u64) -> Forecast {
    let protocol = &run.header.protocol;
    let complete = schedule::complete(run);
    if rounds::is_of_rounds(run) {
        let left_ns = rounds::least_left_ns(run);
        return Forecast { blocks: None, blocks_left: 0, left_ns };
    }
    let blocks = if !schedule::has_question(run) || complete < protocol.first_look() {
        Some(protocol.first_look())
    } else {
        let table = ScoreTable::from_evidence(run);
        let all = WorkloadIx::all(run.header.workloads.len());
        all.map(|w| decided_at(run, &table, w)).try_fold(complete, |most, at| Some(most.max(at?)))
    };
    let blocks_left = blocks.unwrap_or(protocol.last_block()).saturating_sub(complete);
    Forecast { blocks, blocks_left, left_ns: block_ns.saturating_mul(u64::from(blocks_left)) }
}

/// Complete blocks at which `workload` is expected to be settled; `None` = not within the mode's.
pub fn decided_at(run: &Run, table: &ScoreTable, workload: WorkloadIx) -> Option<u32> {
    let protocol = &run.header.protocol;
    let now = Comparison::new(run, table, workload, schedule::alpha_pair(run));
    let blocks = table.blocks().len() as u32;
    let workloads = run.header.workloads.len().max(1);
    // As it has to be for the statement over all workloads.
    let lead = DecidedLead::new(run, table, &now, workloads);
    if now.ranked.len() < 2 || lead.is_decided(protocol.tie_margin) {
        return Some(blocks.max(protocol.first_look()));
    }
    if lead.value().is_none() {
        let have = lead.against.iter().map(|a| a.paired.map_or(0, |p| p.blocks)).min();
        let needed = blocks + protocol.first_look().saturating_sub(have.unwrap_or(0));
        return schedule::looks_ahead(run).into_iter().find(|look| *look >= needed);
    }
    let looks = (run.looks.len()..).zip(schedule::looks_ahead(run));
    let settles = |(number, look): &(usize, u32)| {
        let alpha = protocol.alpha_at(*number) / workloads as f64;
        let then = |against: &Against| match against.paired {
            Some(p) if !run.dropped.iter().any(|d| d.0 == against.other) => {
                let half = half_width(alpha, p.blocks + look.saturating_sub(blocks)) * p.sd;
                let interval = Interval { low: p.mean - half, high: p.mean + half };
                Against { interval, ..*against }
            }
            _ => *against,
        };
        let against = lead.against.iter().map(then).collect();
        DecidedLead { leader: lead.leader, against }.is_decided(protocol.tie_margin)
    };
    looks.into_iter().find(settles).map(|(_, look)| look)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::RunBuilder;

    /// Candidate `b` is `gap` faster; differences alternate by `noise` around it.
    fn rate(gap: f64, noise: f64) -> impl Fn(u32, u16, u16) -> f64 {
        move |block, candidate, _| {
            let wave = if block.is_multiple_of(2) { noise } else { -noise };
            if candidate == 1 { 1000.0 * libm::exp(gap + wave) } else { 1000.0 }
        }
    }

    #[test]
    fn a_wide_interval_needs_the_look_that_narrows_it_enough() {
        let run = RunBuilder::stacks(&["a", "b"]).play(5, rate(0.03, 0.02)).build();
        let forecast = forecast(&run, 10);
        assert_eq!((forecast.blocks, forecast.blocks_left, forecast.left_ns), (Some(7), 2, 20));
    }

    #[test]
    fn noise_too_large_for_the_mode_is_never_settled() {
        let run = RunBuilder::stacks(&["a", "b"]).play(5, rate(0.0, 0.2)).build();
        assert_eq!(forecast(&run, 10).blocks, None);
        assert_eq!(forecast(&run, 10).blocks_left, 22);
    }

    #[test]
    fn before_the_first_look_it_is_the_first_look() {
        let run = RunBuilder::stacks(&["a", "b"]).play(2, rate(0.0, 0.2)).build();
        assert_eq!(forecast(&run, 7), Forecast { blocks: Some(3), blocks_left: 1, left_ns: 7 });
    }
}
