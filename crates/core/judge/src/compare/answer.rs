//! One workload over several runs: what each says, and what holds in all of them.

use serde::Serialize;

use super::differences;
use super::figures::{self, Row};
use super::part::{OfWorkload, Part};
use crate::decide::compare::Pair;
use crate::decide::table::ScoreTable;
use crate::rules::run::ranks;
use bakeoff_model::finding::Finding;
use bakeoff_model::run::Run;
use bakeoff_model::verdict::{Analysis, Verdict};
use bakeoff_model::workload::Metric;

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Answer {
    pub workload: String,
    pub summary: String,
    pub metric: Metric,
    /// What holds in every run; `refused` where the runs are not alike, one forbids it, or their
    /// winners differ.
    pub verdict: Verdict,
    pub winner: Option<String>,
    #[serde(skip)]
    pub is_flipped: bool,
    pub runs: Vec<OfWorkload>,
    pub effects: Vec<EffectRow>,
    pub figures: Vec<Row>,
    pub findings: Vec<Finding>,
}

/// A pair of candidates in every run: rate of `a` in units of the rate of `b`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EffectRow {
    pub a: String,
    pub b: String,
    /// One for each run; `None` with too few common blocks.
    pub runs: Vec<Option<EffectIn>>,
    /// Whether all intervals have a ratio in common; `None` where that is not asked.
    pub is_same: Option<bool>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct EffectIn {
    pub ratio: f64,
    pub low: f64,
    pub high: f64,
    pub blocks: u32,
}

impl Answer {
    pub fn tied(&self) -> Vec<&str> {
        tied(self.runs.iter())
    }
}

/// Every workload that all runs have with two candidates in common; `shorts` are what the runs are
/// called.
pub(super) fn all(runs: &[(Run, Analysis)], shorts: &[&str], is_alike: bool) -> Vec<Answer> {
    let only: Vec<&Run> = runs.iter().map(|(run, _)| run).collect();
    let shared = differences::common(&only, differences::candidates);
    if shared.len() < 2 {
        return Vec::new();
    }
    let tables: Vec<ScoreTable> = only.iter().map(|run| ScoreTable::from_evidence(run)).collect();
    let mut answers = Vec::new();
    for name in differences::common(&only, differences::workloads) {
        let pairs = runs.iter().zip(&tables);
        let of = |(of, table)| Part::from_run(of, table, name, &shared, runs.len());
        let parts: Option<Vec<Part>> = pairs.map(of).collect();
        answers.extend(parts.map(|parts| answer(&parts, shorts, is_alike, &shared)));
    }
    answers
}

fn answer(parts: &[Part], shorts: &[&str], is_alike: bool, shared: &[&str]) -> Answer {
    let first = &parts[0];
    let of = &first.run.header.workloads[first.workload];
    let flip = winners_differ(parts, shorts).filter(|_| is_alike);
    let verdict = if is_alike && flip.is_none() {
        let each: Vec<Verdict> = parts.iter().map(|p| p.said.verdict).collect();
        Verdict::over_runs(&each, tied(parts.iter().map(|p| &p.said)).len() > 1)
    } else {
        Verdict::Refused
    };
    let is_ranked = is_alike && parts.iter().all(|p| p.said.forbidden.is_empty());
    Answer {
        workload: of.name.clone(),
        summary: of.summary.clone(),
        metric: of.metric,
        verdict,
        winner: verdict.is_winner().then(|| first.said.top[0].clone()),
        is_flipped: flip.is_some(),
        runs: parts.iter().map(|p| p.said.clone()).collect(),
        effects: effects(parts, is_ranked),
        figures: figures::rows(parts, shared, is_ranked),
        findings: flip
            .map(|winners| ranks::winners_differ(&first.run.header, &of.name, winners))
            .into_iter()
            .collect(),
    }
}

fn tied<'a>(mut said: impl Iterator<Item = &'a OfWorkload> + Clone) -> Vec<&'a str> {
    let Some(first) = said.next() else { return Vec::new() };
    let in_all = |name: &&String| said.clone().all(|of| of.top.contains(name));
    first.top.iter().filter(in_all).map(String::as_str).collect()
}

fn winners_differ<'a>(parts: &'a [Part], shorts: &[&'a str]) -> Option<[ranks::WinnerIn<'a>; 2]> {
    let won = |(p, run): (&'a Part, &&'a str)| {
        let winner = p.said.top.first().filter(|_| p.said.verdict.is_winner())?;
        Some(ranks::WinnerIn { winner, run })
    };
    let winners: Vec<ranks::WinnerIn> = parts.iter().zip(shorts).filter_map(won).collect();
    let first = *winners.first()?;
    let other = winners.iter().find(|w| w.winner != first.winner)?;
    Some([first, *other])
}

fn effects(parts: &[Part], is_ranked: bool) -> Vec<EffectRow> {
    let first = &parts[0];
    let row = |pair: &Pair| {
        let (a, b) = (first.name(pair.a), first.name(pair.b));
        let runs: Vec<Option<EffectIn>> = parts.iter().map(|p| effect_in(p, &a, &b)).collect();
        let known: Option<Vec<EffectIn>> = runs.iter().copied().collect();
        let is_same = known.filter(|_| is_ranked).map(|all| {
            let low = all.iter().map(|e| e.low).fold(0.0, f64::max);
            let high = all.iter().map(|e| e.high).fold(f64::INFINITY, f64::min);
            low <= high
        });
        EffectRow { a, b, runs, is_same }
    };
    first.pairs.iter().map(row).collect()
}

fn effect_in(part: &Part, a: &str, b: &str) -> Option<EffectIn> {
    let (a, b) = (part.index(a)?, part.index(b)?);
    let pair = part.pairs.iter().find(|p| (p.a, p.b) == (a, b) || (p.a, p.b) == (b, a))?;
    let (paired, interval) = (pair.paired?, pair.interval?);
    let sign = if pair.a == a { 1.0 } else { -1.0 };
    let (x, y) = (libm::exp(sign * interval.low), libm::exp(sign * interval.high));
    let ratio = libm::exp(sign * paired.mean);
    Some(EffectIn { ratio, low: x.min(y), high: x.max(y), blocks: paired.blocks })
}
