//! One question to the decision machinery, asked many times, and how often it answered what.

use serde::Serialize;

use crate::catalogue::Scenario;
use crate::restart::Restart;
use crate::session;
use bakeoff_judge::analyse::analyse;
use bakeoff_judge::decide::compare::Comparison;
use bakeoff_judge::decide::table::ScoreTable;
use bakeoff_judge::decide::{self, figure, schedule};
use bakeoff_judge::rules::run::unsettled;
use bakeoff_model::calibration::Settled;
use bakeoff_model::index::{CandidateIx, WorkloadIx};
use bakeoff_model::lead::ln_of;
use bakeoff_model::recommendation::{MOST_REGRET, Recommendation};
use bakeoff_model::run::{FoldError, Run};
use bakeoff_model::verdict::{Analysis, Verdict, WorkloadVerdict};
use bakeoff_stats::carry_over::{self, CarriedSlice};
use bakeoff_stats::paired::{Interval, Paired};

const CARRY_OVER_ALPHA: f64 = 0.01;
const LEVEL_ALPHA: f64 = 0.05;
const ROUNDING: f64 = 1e-9;
/// How far from the best an advice may be and still be right.
const NEAR: f64 = 0.10;

/// How often what was said; counts of runs, cells as means. "Said" is about the first workload:
/// all have the same truth, and each is a family of comparisons of its own.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Outcome {
    pub name: String,
    pub k: usize,
    pub w: usize,
    pub gaps_percent: Vec<f64>,
    pub noise_percent: f64,
    /// What the drive gains over the first five blocks, percent.
    pub drift_percent: f64,
    pub lag1: f64,
    pub runs: u32,
    pub false_beats: u32,
    pub false_headline: u32,
    pub right_winner: u32,
    pub coverage: u32,
    pub as_fast: u32,
    pub leads: u32,
    pub lead_true: u32,
    pub refused: u32,
    /// What a candidate leaves behind for the next was found to matter: the run would go on with
    /// visits. Its verdict counts as refused.
    pub carry_over_found: u32,
    pub headline_settled: u32,
    pub headline_right: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turns: Option<InTurns>,
    /// What was advised where some candidates are unfit for the use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<Advice>,
    pub cells_used: f64,
    pub cells_fixed_design: f64,
}

/// How often advice was given and was right; counts of runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Advice {
    pub given: u32,
    /// The best of those that are fit, or one within 10 % of it.
    pub right: u32,
    pub unfit_chosen: u32,
    /// Somebody who has another that is fit was told to change for a gain below 25 %.
    pub wrong_change: u32,
}

/// What slices in turns show of a drive on which a turn costs something.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct InTurns {
    /// The intervals of all levels, which hold together, contain those of candidates that have the
    /// drive for themselves.
    pub level_coverage: u32,
    /// How far the level of the first candidate is from that, in the mean over runs, percent.
    pub level_error_percent: f64,
    /// The drive did not settle, so that candidates were measured once a block in one long piece.
    pub by_visits: u32,
    pub unsettled_found: u32,
}

impl Scenario {
    pub fn play(&self, runs: u32, seed: u64) -> Result<Outcome, FoldError> {
        let percent = |y: f64| libm::round(libm::expm1(y) * 1e4) / 100.0;
        let mut outcome = Outcome {
            name: self.name.clone(),
            k: self.disk.means.len(),
            w: self.workloads,
            gaps_percent: self.disk.means.iter().map(|m| percent(-m)).collect(),
            noise_percent: self.disk.noise * 100.0,
            drift_percent: percent(self.disk.drift),
            lag1: self.disk.lag1,
            runs,
            turns: self.disk.restart.as_ref().map(|_| InTurns::default()),
            advice: (self.unfit > 0).then(Advice::default),
            ..Outcome::default()
        };
        let mut cells = 0;
        for i in 0..runs {
            let seed = bakeoff_stats::prng::SplitMix64::derive(seed, &[i.into()]).next_u64();
            let (run, slices) = session::play(self, seed)?;
            cells += run.blocks.iter().map(|b| b.cells.len() as u64).sum::<u64>();
            outcome.last_block(&run);
            let analysis = analyse(&run);
            self.count(&mut outcome, &run, &analysis, &slices);
            if let (Some(advice), Some(of)) = (&mut outcome.advice, &analysis.recommendation) {
                self.count_advice(advice, of);
            }
            if let (Some(turns), Some(restart)) = (&mut outcome.turns, &self.disk.restart) {
                self.count_turns(turns, restart, &run, &analysis);
            }
        }
        if let Some(turns) = &mut outcome.turns {
            turns.level_error_percent /= f64::from(runs.max(1));
        }
        outcome.cells_used = cells as f64 / f64::from(runs.max(1));
        Ok(outcome)
    }

    fn count(
        &self,
        outcome: &mut Outcome,
        run: &Run,
        analysis: &Analysis,
        slices: &[CarriedSlice],
    ) {
        let best = self.disk.best().map(name);
        let is_right = |winner: &str| best.as_deref() == Some(winner);
        let Some(first) = analysis.verdicts.first() else { return };
        outcome.lead_true += u32::from(self.is_true(first));
        outcome.coverage += u32::from(self.covers(run));
        outcome.headline_settled += u32::from(decide::is_decided(run));
        let (margin, k) = (run.header.protocol.tie_margin, self.disk.means.len() as u16);
        let left = carry_over::estimate(slices, k, CARRY_OVER_ALPHA);
        if left.is_some_and(|left| left.exceeds(libm::log1p(margin) / 3.0)) {
            outcome.carry_over_found += 1;
            outcome.refused += 1;
            return;
        }
        match (first.verdict, first.winner.as_deref()) {
            (Verdict::Fastest, Some(winner)) if is_right(winner) => outcome.right_winner += 1,
            (Verdict::Fastest, _) => outcome.false_beats += 1,
            (Verdict::AsFast, _) => outcome.as_fast += 1,
            (Verdict::Refused, _) => outcome.refused += 1,
            _ => outcome.leads += 1,
        }
        // The winners that are certain over all workloads together.
        let holds = |v: &&WorkloadVerdict| v.lead.as_ref().is_some_and(|lead| lead.holds_for_all);
        let certain = analysis.verdicts.iter().filter(holds);
        let named: Vec<&str> = certain.filter_map(|v| v.winner.as_deref()).collect();
        outcome.false_headline += u32::from(named.iter().any(|winner| !is_right(winner)));
        let is_all = named.len() == self.workloads && named.iter().all(|winner| is_right(winner));
        outcome.headline_right += u32::from(is_all);
    }

    fn count_advice(&self, advice: &mut Advice, of: &Recommendation) {
        if !of.is_a_choice() || !of.alternatives.is_empty() {
            return;
        }
        let means = &self.disk.means;
        let fit = self.unfit..means.len();
        let chosen = index(&of.candidate);
        let best = fit.clone().map(|c| means[c]).fold(f64::NEG_INFINITY, f64::max);
        let is_near = best - means[chosen] <= libm::log1p(NEAR) + ROUNDING;
        advice.given += 1;
        advice.right += u32::from(fit.contains(&chosen) && is_near);
        advice.unfit_chosen += u32::from(!fit.contains(&chosen));
        let is_told_to_change = |c: &usize| *c != chosen && !of.keep.contains(&format!("c{c}"));
        let gains_little = |c: usize| means[chosen] - means[c] < ln_of(MOST_REGRET) - ROUNDING;
        advice.wrong_change += u32::from(fit.filter(is_told_to_change).any(gains_little));
    }

    fn count_turns(&self, turns: &mut InTurns, of: &Restart, run: &Run, analysis: &Analysis) {
        let metric = run.header.workloads[WorkloadIx::FIRST].metric;
        let alpha = LEVEL_ALPHA / self.disk.means.len() as f64;
        let mut all_hold = true;
        for (candidate, mean) in CandidateIx::each(&self.disk.means) {
            let own = run.complete_cells().filter(|cell| cell.candidate == candidate);
            let truth = libm::log(of.per_s) + mean;
            let errors: Vec<f64> = own
                .filter_map(|cell| Some(metric.to_score(figure::of_cell(metric, cell)?) - truth))
                .collect();
            let Some(paired) = Paired::from_differences(&errors) else { continue };
            all_hold &= !paired.interval(alpha).excludes_zero();
            if candidate == CandidateIx::FIRST {
                turns.level_error_percent += libm::expm1(paired.mean) * 100.0;
            }
        }
        turns.level_coverage += u32::from(all_hold);
        let found = run.calibration(WorkloadIx::FIRST);
        let is_by_visits = found.is_some_and(|found| found.settled == Settled::ByVisits);
        turns.by_visits += u32::from(is_by_visits);
        let own = analysis.verdicts.iter().flat_map(|verdict| &verdict.findings);
        let mut all = analysis.findings.iter().chain(own);
        turns.unsettled_found += u32::from(all.any(|f| f.id == unsettled::ID));
    }

    fn is_true(&self, verdict: &WorkloadVerdict) -> bool {
        let Some(lead) = &verdict.lead else { return true };
        let (Some(leader), Some(bound)) = (&lead.leader, lead.lead_ln) else { return true };
        let means = &self.disk.means;
        let leader = index(leader);
        let others = (0..means.len()).filter(|c| *c != leader);
        let ahead = others.map(|c| means[leader] - means[c]).fold(f64::INFINITY, f64::min);
        ahead >= bound - ROUNDING
    }

    fn covers(&self, run: &Run) -> bool {
        let table = ScoreTable::from_evidence(run);
        let compared = Comparison::new(run, &table, WorkloadIx::FIRST, schedule::alpha_pair(run));
        compared.pairs.iter().all(|pair| {
            let mean = |c: CandidateIx| self.disk.means[usize::from(c)];
            let truth = mean(pair.a) - mean(pair.b);
            let holds = |i: Interval| i.low <= truth + ROUNDING && truth <= i.high + ROUNDING;
            pair.interval.is_none_or(holds)
        })
    }
}

fn index(name: &str) -> usize {
    name[1..].parse().unwrap_or(0)
}

impl Outcome {
    fn last_block(&mut self, run: &Run) {
        let blocks = run.header.protocol.last_block() as usize;
        self.cells_fixed_design = (blocks * self.k * self.w) as f64;
    }

    pub fn share(&self, count: u32) -> f64 {
        f64::from(count) / f64::from(self.runs.max(1))
    }
}

fn name(candidate: CandidateIx) -> String {
    format!("c{candidate}")
}
