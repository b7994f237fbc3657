//! Rules over a whole run: is there enough, in no fixed order, and what do its intervals say?

pub mod autocorrelation;
pub mod below_noise;
pub mod carry_over;
pub mod ceiling;
pub mod contradiction;
pub mod control_found;
pub mod control_missed;
mod course;
pub mod drift;
pub mod durability_mismatch;
pub mod fast_cache;
pub mod fixed_order;
pub mod fresh_fs_only;
pub mod implementation;
pub mod methods_disagree;
pub mod no_replication;
pub mod not_steady;
mod pieces;
pub mod rank_flip;
pub mod slow_start;
pub mod stalls;
pub mod thermal_trend;
pub mod tiny_block;
pub mod two_speeds;
pub mod unmeasured;
pub mod unsettled;
pub mod untested_cause;

#[cfg(test)]
mod tests;

use crate::decide::compare::{Comparison, Outcome};
use crate::decide::lead::{Lead, Reading};
use crate::decide::table::Table;
use crate::evidence::rule::{Check, Rule};
use crate::model::finding::Finding;
use crate::model::index::{CandidateIx, WorkloadIx};
use crate::model::protocol::Rules;
use crate::model::run::Run;
use crate::stats::paired::Paired;

/// Fewest blocks about whose course anything is said.
const FEWEST: usize = 5;
const ALPHA: f64 = 0.05;

/// A rule with what it checks of a run and its comparisons.
#[derive(Clone, Copy, Debug)]
pub struct RunRule {
    pub rule: &'static Rule,
    pub checks: &'static [RunCheck],
}

#[derive(Clone, Copy, Debug)]
pub enum RunCheck {
    Whole(fn(&Run, &Table) -> Option<Finding>),
    PerWorkload(fn(&Run, &Table, WorkloadIx) -> Option<Finding>),
    Workload(fn(&Run, &Table, WorkloadIx, &Comparison) -> Option<Finding>),
    /// One workload, for its answer; a finding for each candidate or pair.
    Each(fn(&Run, &Table, WorkloadIx, &Comparison) -> Vec<Finding>),
}

pub static OVER_RUNS: [&RunRule; 15] = [
    &tiny_block::OVER_RUN,
    &fixed_order::OVER_RUN,
    &drift::OVER_RUN,
    &autocorrelation::OVER_RUN,
    &below_noise::OVER_RUN,
    &ceiling::OVER_RUN,
    &rank_flip::OVER_RUN,
    &contradiction::OVER_RUN,
    &thermal_trend::OVER_RUN,
    &carry_over::OVER_RUN,
    &control_found::OVER_RUN,
    &control_missed::OVER_RUN,
    &methods_disagree::OVER_RUN,
    &unmeasured::OVER_RUN,
    &unsettled::OVER_RUN,
];

pub static RULES: [&Rule; 10] = [
    &fast_cache::RULE,
    &durability_mismatch::RULE,
    &no_replication::RULE,
    &not_steady::RULE,
    &untested_cause::RULE,
    &implementation::RULE,
    &fresh_fs_only::RULE,
    &slow_start::RULE,
    &stalls::RULE,
    &two_speeds::RULE,
];

pub fn rules() -> impl Iterator<Item = &'static Rule> {
    RULES.into_iter().chain(OVER_RUNS.iter().map(|of| of.rule))
}

/// Findings that hold for every workload alike, or come from the course of cells.
pub fn whole(run: &Run, table: &Table) -> Vec<Finding> {
    let own = super::all_rules().flat_map(|rule| rule.checks).flat_map(|check| {
        if let Check::Run(check) = check {
            return check(run);
        }
        let Check::Course(check) = check else { return Vec::new() };
        course::findings(run, *check)
    });
    let checks = OVER_RUNS.iter().flat_map(|rule| rule.checks);
    let workloads = WorkloadIx::all(run.header.workloads.len());
    let compared = checks.flat_map(|check| match check {
        RunCheck::Whole(check) => check(run, table).into_iter().collect(),
        RunCheck::PerWorkload(check) => {
            workloads.clone().filter_map(|workload| check(run, table, workload)).collect()
        }
        RunCheck::Workload(_) | RunCheck::Each(_) => Vec::new(),
    });
    own.chain(compared).collect()
}

pub fn workload(
    run: &Run,
    table: &Table,
    workload: WorkloadIx,
    compared: &Comparison,
) -> Vec<Finding> {
    let checks = OVER_RUNS.iter().flat_map(|rule| rule.checks);
    let mut found: Vec<Finding> = checks
        .flat_map(|check| match check {
            RunCheck::Workload(check) => {
                check(run, table, workload, compared).into_iter().collect()
            }
            RunCheck::Each(check) => check(run, table, workload, compared),
            RunCheck::Whole(_) | RunCheck::PerWorkload(_) => Vec::new(),
        })
        .collect();
    let name = &run.header.workloads[workload].name;
    found.iter_mut().for_each(|f| f.workload = Some(name.clone()));
    found
}

/// The winner of a workload, and its differences to the next best.
fn winner(
    run: &Run,
    table: &Table,
    compared: &Comparison,
) -> Option<(CandidateIx, Option<Paired>)> {
    if run.header.protocol.rules == Rules::Lead {
        let lead = Lead::new(run, table, compared, 1);
        let is_winner = lead.reading(run.header.protocol.tie_margin) == Reading::Fastest;
        let closest = lead.closest().and_then(|against| against.paired);
        return lead.leader.filter(|_| is_winner).map(|leader| (leader, closest));
    }
    let winner =
        compared.decision.top.first().filter(|_| compared.decision.outcome == Outcome::Beats);
    let ahead = compared.pairs.iter().find(|p| p.interval.is_some_and(|i| i.low > 0.0));
    Some((*winner?, ahead.and_then(|pair| pair.paired)))
}

fn name(run: &Run, candidate: CandidateIx) -> &str {
    &run.header.candidates[candidate].name
}
