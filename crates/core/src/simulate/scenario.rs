//! One question to the decision machinery, asked many times, and how often it answered what.

use serde::Serialize;

use super::disk::Disk;
use super::session;
use crate::analyse::{analyse, headline};
use crate::model::protocol::Mode;
use crate::model::run::{FoldError, Run};
use crate::model::verdict::{Analysis, Verdict};

/// What is simulated.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// In words.
    pub name: String,
    /// The truth.
    pub disk: Disk,
    /// The mode of the run.
    pub mode: Mode,
    /// Workloads in each visit.
    pub workloads: usize,
    /// Looks other than the mode's.
    pub looks: Option<Vec<u32>>,
}

/// How often what was said; counts of runs, cells as means. "Said" is about the first workload:
/// all have the same truth, and each is a family of comparisons of its own.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Outcome {
    /// The scenario's name.
    pub name: String,
    /// Candidates.
    pub k: usize,
    /// Workloads.
    pub w: usize,
    /// How far each candidate is behind the first, percent.
    pub gaps_percent: Vec<f64>,
    /// Noise of a cell, percent.
    pub noise_percent: f64,
    /// What the disk gains over the first five blocks, percent.
    pub drift_percent: f64,
    /// Shared autoregression from visit to visit.
    pub lag1: f64,
    /// Runs played.
    pub runs: u32,
    /// A winner that is not the best.
    pub false_beats: u32,
    /// The statement over all workloads names a winner on any of them that is not the best there.
    pub false_headline: u32,
    /// The winner is the best.
    pub right_winner: u32,
    /// The intervals of all pairs hold the true difference.
    pub coverage: u32,
    /// A tie.
    pub ties: u32,
    /// Not resolved.
    pub not_resolved: u32,
    /// Refused.
    pub refused: u32,
    /// Mean cells of a run.
    pub cells_used: f64,
    /// Cells of all blocks the mode allows for all candidates.
    pub cells_fixed_design: f64,
}

impl Scenario {
    /// In mode decide with one workload.
    pub fn new(name: impl Into<String>, disk: Disk) -> Scenario {
        Scenario { name: name.into(), disk, mode: Mode::Decide, workloads: 1, looks: None }
    }

    /// Plays `runs` runs from `seed`.
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
            ..Outcome::default()
        };
        let mut cells = 0;
        for i in 0..runs {
            let seed = crate::prng::SplitMix64::derive(seed, &[i.into()]).next_u64();
            let run = session::play(self, seed)?;
            cells += run.blocks.iter().map(|b| b.cells.len() as u64).sum::<u64>();
            outcome.last_block(&run);
            self.count(&mut outcome, &run, &analyse(&run));
        }
        outcome.cells_used = cells as f64 / f64::from(runs.max(1));
        Ok(outcome)
    }

    fn count(&self, outcome: &mut Outcome, run: &Run, analysis: &Analysis) {
        let best = self.disk.best().map(name);
        let is_right = |winner: &str| best.as_deref() == Some(winner);
        let Some(first) = analysis.verdicts.first() else { return };
        match (first.verdict, first.winner.as_deref()) {
            (Verdict::Beats | Verdict::Fastest, Some(winner)) if is_right(winner) => {
                outcome.right_winner += 1
            }
            (Verdict::Beats | Verdict::Fastest, _) => outcome.false_beats += 1,
            (Verdict::Ties | Verdict::AsFast, _) => outcome.ties += 1,
            (Verdict::NotResolved | Verdict::Leads | Verdict::Alone, _) => {
                outcome.not_resolved += 1
            }
            (Verdict::Refused, _) => outcome.refused += 1,
        }
        let named = headline::named(run, &analysis.verdicts);
        outcome.false_headline += u32::from(named.iter().any(|(_, winner)| !is_right(winner)));
        let index = |name: &str| name[1..].parse::<usize>().unwrap_or(0);
        let is_held = first.effects.iter().all(|e| {
            let truth = libm::exp(self.disk.means[index(&e.a)] - self.disk.means[index(&e.b)]);
            (e.low..=e.high).contains(&truth)
        });
        outcome.coverage += u32::from(is_held);
    }
}

impl Outcome {
    fn last_block(&mut self, run: &Run) {
        let blocks = run.header.protocol.last_block() as usize;
        self.cells_fixed_design = (blocks * self.k * self.w) as f64;
    }

    /// A count as a share of the runs.
    pub fn share(&self, count: u32) -> f64 {
        f64::from(count) / f64::from(self.runs.max(1))
    }
}

fn name(candidate: u16) -> String {
    format!("c{candidate}")
}
