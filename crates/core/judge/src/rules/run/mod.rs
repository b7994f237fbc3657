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
pub(super) mod tests;

use crate::decide::compare::Comparison;
use crate::decide::lead::Lead;
use crate::decide::schedule;
use crate::decide::table::Table;
use crate::evidence::observation::Observing;
use crate::evidence::rule::{Checks, Hit};
use crate::rules::place::zone_gradient;
use bakeoff_model::event::{Cell, Header};
use bakeoff_model::finding::Finding;
use bakeoff_model::index::{CandidateIx, WorkloadIx};
use bakeoff_model::run::Run;
use bakeoff_stats::paired::Paired;

/// Fewest blocks about whose course anything is said.
const FEWEST: usize = 5;
const ALPHA: f64 = 0.05;

/// A run, with its blocks as a table and its workloads compared.
pub struct ComparedRun<'a> {
    pub run: &'a Run,
    pub table: &'a Table,
    pub compared: Vec<Comparison>,
}

pub static OF_WORKLOADS: Checks<Observing> = &[("L22", tiny_block::hit)];

pub static CHECKS: Checks<fn(&ComparedRun) -> Vec<Hit>> = &[
    ("L22", |of| Vec::from_iter(tiny_block::calls(of))),
    ("L34", |of| Vec::from_iter(fixed_order::always_first(of))),
    ("L35", |of| Vec::from_iter(drift::sentinel(of))),
    ("L35", |of| of.each(drift::twins)),
    (autocorrelation::ID, |of| of.each(autocorrelation::in_run)),
    ("L40", |of| of.each(below_noise::of_winner)),
    ("L41", |of| of.each(ceiling::at_the_link)),
    (rank_flip::ID, |of| Vec::from_iter(rank_flip::winners(of))),
    ("L43", |of| of.each(contradiction::in_pairs)),
    (thermal_trend::ID, |of| Vec::from_iter(thermal_trend::thermal(of))),
    ("carry-over", |of| of.each(carry_over::of_workload)),
    ("control-found", |of| of.each(control_found::in_run)),
    ("control-missed", |of| of.each(control_missed::in_run)),
    ("methods-disagree", |of| of.each(methods_disagree::methods)),
    ("unmeasured", |of| of.each(unmeasured::unmeasured)),
    (unsettled::ID, |of| of.each(unsettled::of_workload)),
    ("L07", |of| of.courses(fast_cache::in_course)),
    (no_replication::ID, |of| Vec::from_iter(no_replication::in_run(of.run))),
    ("L37", |of| not_steady::in_run(of.run)),
    ("L37", |of| of.courses(not_steady::in_course)),
    ("L67", |of| Vec::from_iter(fresh_fs_only::in_run(of.run))),
    ("slow-start", |of| slow_start::check(of.run)),
    ("stalls", |of| stalls::check(of.run)),
    ("two-speeds", |of| two_speeds::check(of.run)),
    ("L02", |of| zone_gradient::in_run(of.run)),
];

impl<'a> ComparedRun<'a> {
    pub fn new(run: &'a Run, table: &'a Table) -> ComparedRun<'a> {
        let alpha = schedule::alpha_pair(run);
        let workloads = WorkloadIx::all(run.header.workloads.len());
        let compared = workloads.map(|w| Comparison::new(run, table, w, alpha)).collect();
        ComparedRun { run, table, compared }
    }

    /// What all rules over runs find.
    pub fn findings(&self) -> Vec<Finding> {
        let mut found = Vec::new();
        for (rule, check) in CHECKS {
            found.extend(check(self).into_iter().map(|hit| hit.finding(&self.run.header, rule)));
        }
        found
    }

    /// What a check finds on each workload.
    fn each<H: IntoIterator<Item = Hit>>(
        &self,
        check: impl Fn(&ComparedRun, &Comparison) -> H,
    ) -> Vec<Hit> {
        let mut found = Vec::new();
        for compared in &self.compared {
            let name = &self.run.header.workloads[compared.workload].name;
            let hits = check(self, compared).into_iter();
            found.extend(hits.map(|hit| Hit { workload: Some(name.clone()), ..hit }));
        }
        found
    }

    /// What a check finds in the cells of each candidate on each workload.
    fn courses(&self, check: fn(&Header, &[&Cell]) -> Option<Hit>) -> Vec<Hit> {
        let header = &self.run.header;
        let mut found = Vec::new();
        for (workload, on) in WorkloadIx::each(&header.workloads) {
            for (candidate, by) in CandidateIx::each(&header.candidates) {
                let ours = |cell: &&Cell| (cell.candidate, cell.workload) == (candidate, workload);
                let cells: Vec<&Cell> = self.run.complete_cells().filter(ours).collect();
                let (workload, candidate) = (Some(on.name.clone()), Some(by.name.clone()));
                found.extend(check(header, &cells).map(|hit| Hit { workload, candidate, ..hit }));
            }
        }
        found
    }
}

/// The winner of a workload, and its differences to the next best.
fn winner(of: &ComparedRun, compared: &Comparison) -> Option<(CandidateIx, Option<Paired>)> {
    let lead = Lead::new(of.run, of.table, compared, 1);
    let is_winner = lead.verdict(of.run.header.protocol.tie_margin).is_winner();
    let closest = lead.closest().and_then(|against| against.paired);
    lead.leader.filter(|_| is_winner).map(|leader| (leader, closest))
}

fn name(run: &Run, candidate: CandidateIx) -> &str {
    &run.header.candidates[candidate].name
}
