//! What may be said: the result of an analysis. A verdict is decided and has its word here.

// A new verdict is looked at in everything that is decided here.
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

use super::beside::BesideEffect;
use super::factors::Factors;
use super::finding::Finding;
use super::index::BlockIx;
use super::lead::Lead;
use super::normal::Normal;
use super::recommendation::Recommendation;
use super::use_state::UseChange;
use super::wear::{RankedBy, WearVerdict};
use crate::bottleneck::Bottleneck;
use bakeoff_stats::paired::{Interval, Paired};
use bakeoff_stats::steady_state::ROUNDS;

/// What was said about a comparison; the surest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum Verdict {
    Fastest,
    AsFast,
    /// The leader has the best mean; another could be faster by more than the margin.
    Leads,
    Refused,
    Alone,
}

impl Verdict {
    pub const ALL: &'static [Verdict] = <Verdict as VariantArray>::VARIANTS;

    /// By how far the leader is ahead of all others, a logarithm that is negative where it may be
    /// behind, and the margin as a fraction. `None` = too little is known.
    pub fn by_lead(lead_ln: Option<f64>, margin: f64) -> Verdict {
        match lead_ln {
            Some(lead) if lead > 0.0 => Verdict::Fastest,
            Some(lead) if lead >= -libm::log1p(margin) => Verdict::AsFast,
            Some(_) | None => Verdict::Leads,
        }
    }

    /// What holds in each of several runs, of which none forbids it; `has_common` = some candidates
    /// are among the best of all of them.
    pub fn over_runs(each: &[Verdict], has_common: bool) -> Verdict {
        let every = |wanted| each.iter().all(|verdict| *verdict == wanted);
        match () {
            () if each.contains(&Verdict::Refused) => Verdict::Refused,
            () if every(Verdict::Fastest) => Verdict::Fastest,
            () if every(Verdict::AsFast) && has_common => Verdict::AsFast,
            () => Verdict::Leads,
        }
    }

    pub fn name(self) -> &'static str {
        self.into()
    }

    pub fn word(self) -> &'static str {
        match self {
            Verdict::Fastest => "fastest",
            Verdict::AsFast => "as fast as any",
            Verdict::Leads => "leads so far",
            Verdict::Refused => "no verdict",
            Verdict::Alone => "measured",
        }
    }

    pub fn is_answer(self) -> bool {
        matches!(self, Verdict::Fastest | Verdict::AsFast)
    }

    pub fn is_winner(self) -> bool {
        self == Verdict::Fastest
    }

    pub fn is_tie(self) -> bool {
        self == Verdict::AsFast
    }

    pub fn is_open(self) -> bool {
        self == Verdict::Leads
    }
}

/// One pair compared: `ratio` = rate of a / rate of b.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Effect {
    /// Faster or first candidate's name.
    pub a: String,
    pub b: String,
    /// exp of the mean paired log-ratio.
    pub ratio: f64,
    pub low: f64,
    pub high: f64,
    pub blocks: u32,
}

impl Effect {
    /// The difference of the logarithms of `a` and `b` as a ratio of their rates.
    pub fn new([a, b]: [String; 2], paired: Paired, interval: Interval) -> Effect {
        Effect {
            a,
            b,
            ratio: libm::exp(paired.mean),
            low: libm::exp(interval.low),
            high: libm::exp(interval.high),
            blocks: paired.blocks,
        }
    }

    /// The ratio of `candidate` to `reference` with the ends of its interval, whichever way round
    /// the pair is listed; `None` where it is another pair.
    pub fn between(&self, candidate: &str, reference: &str) -> Option<(f64, f64, f64)> {
        match (self.a.as_str(), self.b.as_str()) {
            (a, b) if a == candidate && b == reference => Some((self.ratio, self.low, self.high)),
            (a, b) if a == reference && b == candidate => {
                Some((1.0 / self.ratio, 1.0 / self.high, 1.0 / self.low))
            }
            _ => None,
        }
    }
}

/// One candidate's figures on one workload, over complete blocks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Standing {
    pub candidate: String,
    /// Geometric mean of the metric: bytes a second, operations a second or files a second. Of
    /// rounds the mean of the last five, as SNIA has it.
    pub mean: f64,
    pub min: f64,
    pub max: f64,
    pub cells: u32,
    /// Mean over cells of the 99th percentile of the main operation's latency, where known.
    pub p99_ns: Option<f64>,
    pub dropped_after: Option<u32>,
}

/// Mode characterise: the rounds of a workload, and what the last five of them show.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rounds {
    /// The figure of each round of the last series, in the unit of the metric; `None` = the cell
    /// was thrown away.
    pub figures: Vec<Option<f64>>,
    pub blocks: Vec<BlockIx>,
    /// Whether the last five are steady by SNIA's test.
    pub is_steady: bool,
    /// Whether no further round would follow: they are, or there were as many as are made.
    pub is_over: bool,
    pub mean: Option<f64>,
    /// Largest less smallest of the last five, as a share of their mean.
    pub range: Option<f64>,
    /// Rise or fall of the line through them, as a share of their mean.
    pub slope: Option<f64>,
    pub earlier: u32,
}

impl Rounds {
    pub fn word(&self) -> &'static str {
        match (self.is_steady, self.figures.is_empty()) {
            (true, _) => "steady",
            (false, false) => "not steady",
            (false, true) => "not measured",
        }
    }

    /// The last five rounds, from 1: those that the figure is taken from.
    pub fn window(&self) -> (u32, u32) {
        let last = self.figures.len();
        ((last.saturating_sub(ROUNDS) + 1) as u32, last as u32)
    }

    pub fn edges(&self) -> Option<(f64, f64)> {
        let window = &self.figures[self.figures.len().saturating_sub(ROUNDS)..];
        let figures = || window.iter().flatten().copied();
        Some((figures().reduce(f64::min)?, figures().reduce(f64::max)?))
    }

    /// "rounds 4 to 8 range over 6 % of their mean, their trend is 2 %".
    pub fn spread(&self) -> Option<String> {
        let (first, last) = self.window();
        Some(format!(
            "rounds {first} to {last}: range {:.0} % of their mean, trend {:.0} %",
            self.range? * 100.0,
            self.slope? * 100.0
        ))
    }
}

/// How a candidate that is measured twice differs from itself on a workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TwinDifference {
    pub original: String,
    /// Mean difference of the twin from it inside blocks, as a logarithm of the ratio.
    pub mean_ln: f64,
    /// Lower end of its 95 % interval.
    pub low_ln: f64,
    pub high_ln: f64,
}

impl TwinDifference {
    pub fn interval(&self) -> Interval {
        Interval { low: self.low_ln, high: self.high_ln }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct WorkloadVerdict {
    pub workload: String,
    /// What it is judged by, [`super::workload::Metric::name`].
    pub metric: String,
    pub verdict: Verdict,
    pub winner: Option<String>,
    /// The lead and what belongs to it; `None` where nothing is compared.
    pub lead: Option<Lead>,
    pub effects: Vec<Effect>,
    /// Figures for each candidate, best first.
    pub standings: Vec<Standing>,
    pub held_back: Vec<Bottleneck>,
    pub findings: Vec<Finding>,
    pub rounds: Option<Rounds>,
    /// What twins of candidates came to beside them (A/A).
    pub twins: Vec<TwinDifference>,
    /// What the candidates cost the flash; `None` where nothing was counted.
    pub wear: Option<WearVerdict>,
}

impl WorkloadVerdict {
    /// The rate of `candidate` over that of `reference` with the ends of its interval.
    pub fn ratio(&self, candidate: &str, reference: &str) -> Option<(f64, f64, f64)> {
        self.effects.iter().find_map(|effect| effect.between(candidate, reference))
    }
}

/// Everything a reader needs to know about a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis {
    pub blocks: u32,
    pub cells: u32,
    pub void_cells: u32,
    /// Whether candidates are compared; not so with one, twins aside, and in mode characterise.
    pub compares: bool,
    pub verdicts: Vec<WorkloadVerdict>,
    pub beside: Vec<BesideEffect>,
    /// All findings of the run, most severe first.
    pub findings: Vec<Finding>,
    /// The choice over all workloads; `None` where nothing is compared, and while no workload has
    /// an interval.
    pub recommendation: Option<Recommendation>,
    /// Of one directory: its figures, and whether they are normal; `None` where anything is
    /// compared, and for stacks.
    pub normal: Option<Normal>,
    /// Which factor matters on each workload, where candidates are every combination of several.
    pub factors: Vec<Factors>,
    /// What candidates cost the flash over all workloads that write; `None` where there are no two.
    pub wear: Option<WearVerdict>,
    pub by: RankedBy,
    /// What use changes, where the same stacks were measured in several states.
    pub use_changes: Vec<UseChange>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_is_found_either_way_round() {
        let (a, b) = ("x".to_string(), "y".to_string());
        let effect = Effect { a, b, ratio: 2.0, low: 1.6, high: 2.5, blocks: 5 };
        assert_eq!(effect.between("x", "y"), Some((2.0, 1.6, 2.5)));
        assert_eq!(effect.between("y", "x"), Some((0.5, 0.4, 0.625)));
        assert_eq!(effect.between("y", "z"), None);
    }
}
