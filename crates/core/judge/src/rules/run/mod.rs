//! Rules over a whole run: is there enough, in no fixed order, and what do its intervals say?

pub mod autocorrelation;
pub mod blocks;
pub mod carry_over;
pub mod controls;
mod course;
pub mod cpu_taken;
pub mod drift;
pub mod fast_cache;
pub mod not_steady;
pub mod ranks;
pub mod stalls;
pub mod unsettled;

#[cfg(test)]
pub(super) mod tests;

use crate::decide::compare::Comparison;
use crate::decide::lead::DecidedLead;
use crate::decide::schedule;
use crate::decide::table::ScoreTable;
use crate::evidence::rule::{Checks, Hit};
use crate::rules::place::zone_gradient;
use bakeoff_model::event::Cell;
use bakeoff_model::finding::Finding;
use bakeoff_model::index::{CandidateIx, WorkloadIx};
use bakeoff_model::run::Run;
use bakeoff_stats::paired::Paired;

const FEWEST: usize = 5;
const ALPHA: f64 = 0.05;

pub struct ComparedRun<'a> {
    pub run: &'a Run,
    pub table: &'a ScoreTable,
    pub compared: Vec<Comparison>,
}

pub static CHECKS: Checks<fn(&ComparedRun) -> Vec<Hit>> = &[
    ("L35", |of| Vec::from_iter(drift::sentinel(of))),
    ("L35", |of| of.each(drift::twins)),
    (autocorrelation::ID, |of| of.each(autocorrelation::in_run)),
    ("L40", |of| of.each(controls::below_noise)),
    (ranks::RANK_FLIP, |of| Vec::from_iter(ranks::rank_flip(of))),
    ("carry-over", |of| of.each(carry_over::of_workload)),
    (cpu_taken::ID, |of| of.each(cpu_taken::of_workload)),
    ("unmeasured", |of| of.each(blocks::unmeasured)),
    (unsettled::ID, |of| of.each(unsettled::of_workload)),
    ("L07", |of| of.courses(fast_cache::in_course)),
    (blocks::NO_REPLICATION, |of| Vec::from_iter(blocks::no_replication(of.run))),
    ("L37", |of| of.courses(not_steady::in_course)),
    ("stalls", |of| stalls::check(of.run)),
    ("L02", |of| zone_gradient::in_run(of.run)),
];

impl<'a> ComparedRun<'a> {
    pub fn new(run: &'a Run, table: &'a ScoreTable) -> ComparedRun<'a> {
        let alpha = schedule::alpha_pair(run);
        let workloads = WorkloadIx::all(run.header.workloads.len());
        let compared = workloads.map(|w| Comparison::new(run, table, w, alpha)).collect();
        ComparedRun { run, table, compared }
    }

    pub fn findings(&self) -> Vec<Finding> {
        let mut found = Vec::new();
        for (rule, check) in CHECKS {
            found.extend(check(self).into_iter().map(|hit| hit.finding(&self.run.header, rule)));
        }
        found
    }

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

    fn courses(&self, check: fn(&[&Cell]) -> Option<Hit>) -> Vec<Hit> {
        let header = &self.run.header;
        let mut found = Vec::new();
        for (workload, on) in WorkloadIx::each(&header.workloads) {
            for (candidate, by) in CandidateIx::each(&header.candidates) {
                let ours = |cell: &&Cell| (cell.candidate, cell.workload) == (candidate, workload);
                let cells: Vec<&Cell> = self.run.complete_cells().filter(ours).collect();
                let (workload, candidate) = (Some(on.name.clone()), Some(by.name.clone()));
                found.extend(check(&cells).map(|hit| Hit { workload, candidate, ..hit }));
            }
        }
        found
    }
}

fn winner(of: &ComparedRun, compared: &Comparison) -> Option<(CandidateIx, Option<Paired>)> {
    let lead = DecidedLead::new(of.run, of.table, compared, 1);
    let is_winner = lead.verdict(of.run.header.protocol.tie_margin).is_winner();
    let closest = lead.closest().and_then(|against| against.paired);
    lead.leader.filter(|_| is_winner).map(|leader| (leader, closest))
}

fn name(run: &Run, candidate: CandidateIx) -> &str {
    &run.header.candidates[candidate].name
}
