//! One workload over several runs: what each says, and what holds in all of them.

use serde::Serialize;

use super::OfRun;
use super::differences;
use super::factor::Factor;
use super::figures::{self, Row};
use super::sentence;
use crate::decide::compare::{Comparison, Outcome, Pair, decide};
use crate::decide::schedule;
use crate::decide::table::Table;
use crate::evidence::finding;
use crate::model::finding::Finding;
use crate::model::index::{CandidateIx, WorkloadIx};
use crate::model::run::Run;
use crate::model::verdict::{Analysis, Verdict};
use crate::model::workload::Metric;
use crate::rules::{limit, run::rank_flip};
use crate::stats::paired::Interval;

/// The answer for one workload.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Answer {
    /// Workload's name.
    pub workload: String,
    /// What it does.
    pub summary: String,
    /// What it is judged by.
    pub metric: Metric,
    /// What holds in every run; `refused` where the runs are not alike, one forbids it, or their
    /// winners differ.
    pub verdict: Verdict,
    /// The winner in all runs, for `beats`.
    pub winner: Option<String>,
    /// The answer in words.
    pub sentence: String,
    /// What each run says alone, at the alpha of all runs together.
    pub runs: Vec<OfWorkload>,
    /// Every pair of candidates that all runs have.
    pub effects: Vec<EffectRow>,
    /// Each candidate's own figures, run by run.
    pub figures: Vec<Row>,
    /// What limits the answer.
    pub findings: Vec<Finding>,
}

/// One run's answer on a workload.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OfWorkload {
    /// The verdict.
    pub verdict: Verdict,
    /// Candidates that no other is shown to be ahead of, best first.
    pub top: Vec<String>,
    /// Findings that forbid a claim, with what they saw.
    pub forbidden: Vec<String>,
}

/// A pair of candidates in every run: rate of `a` in units of the rate of `b`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EffectRow {
    /// The one ranked higher in the first run.
    pub a: String,
    /// The other.
    pub b: String,
    /// One for each run; `None` with too few common blocks.
    pub runs: Vec<Option<EffectIn>>,
    /// Whether all intervals have a ratio in common; `None` where that is not asked.
    pub is_same: Option<bool>,
}

/// The effect in one run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct EffectIn {
    /// exp of the mean paired log-ratio.
    pub ratio: f64,
    /// Lower end of the interval at the alpha of all runs together.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Paired blocks.
    pub blocks: u32,
}

/// A run with one of its workloads compared.
pub(super) struct Part<'a> {
    pub run: &'a Run,
    pub label: &'a OfRun,
    pub workload: WorkloadIx,
    pub table: &'a Table,
    pub pairs: Vec<Pair>,
    pub said: OfWorkload,
}

impl Part<'_> {
    /// Index of a candidate in this run.
    pub fn index(&self, name: &str) -> Option<CandidateIx> {
        CandidateIx::find(&self.run.header.candidates, |c| c.name == name)
    }

    pub fn name(&self, candidate: CandidateIx) -> String {
        self.run.header.candidates[candidate].name.clone()
    }
}

/// Every workload that all runs have with two candidates in common.
pub(super) fn all(
    runs: &[(Run, Analysis)],
    labels: &[OfRun],
    across: Option<Factor>,
    is_alike: bool,
) -> Vec<Answer> {
    let only: Vec<&Run> = runs.iter().map(|(run, _)| run).collect();
    let shared = differences::common(&only, differences::candidates);
    if shared.len() < 2 {
        return Vec::new();
    }
    let tables: Vec<Table> =
        only.iter().map(|run| Table::of(run, schedule::evidence_blocks(run))).collect();
    let mut answers = Vec::new();
    for name in differences::common(&only, differences::workloads) {
        let of = |(at, (run, analysis))| {
            part((run, analysis), (&labels[at], &tables[at]), name, &shared, runs.len())
        };
        let pairs = runs.iter().map(|(run, analysis)| (run, analysis)).enumerate();
        let parts: Option<Vec<Part>> = pairs.map(of).collect();
        answers.extend(parts.map(|parts| answer(&parts, across, is_alike, &shared)));
    }
    answers
}

fn part<'a>(
    (run, analysis): (&'a Run, &Analysis),
    (label, table): (&'a OfRun, &'a Table),
    name: &str,
    shared: &[&str],
    runs: usize,
) -> Option<Part<'a>> {
    let workload = WorkloadIx::find(&run.header.workloads, |w| w.name == name)?;
    let protocol = &run.header.protocol;
    // A statement over several runs is wrong as soon as it is wrong in one.
    let alpha = protocol.alpha_pair() / runs.max(1) as f64;
    let compared = Comparison::of(run, table, workload, alpha);
    let is_shared = |c: CandidateIx| shared.contains(&run.header.candidates[c].name.as_str());
    let ranked: Vec<CandidateIx> = compared.ranked.into_iter().filter(|c| is_shared(*c)).collect();
    let pairs: Vec<Pair> =
        compared.pairs.into_iter().filter(|p| is_shared(p.a) && is_shared(p.b)).collect();
    let intervals: Vec<Option<Interval>> = pairs.iter().map(|p| p.interval).collect();
    let decision = decide(&ranked, &intervals, protocol.tie_margin);
    let own = &analysis.verdicts.get(usize::from(workload))?.findings;
    let forbidden = limit::reasons(own);
    let is_early = (table.blocks().len() as u32) < protocol.first_look();
    let verdict = match decision.outcome {
        _ if !forbidden.is_empty() || ranked.len() < 2 => Verdict::Refused,
        _ if is_early => Verdict::NotResolved,
        Outcome::Beats => Verdict::Beats,
        Outcome::Ties => Verdict::Ties,
        Outcome::Open => Verdict::NotResolved,
    };
    let name = |c: &CandidateIx| run.header.candidates[*c].name.clone();
    let top = if is_early { Vec::new() } else { decision.top.iter().map(name).collect() };
    let said = OfWorkload { verdict, top, forbidden };
    Some(Part { run, label, workload, table, pairs, said })
}

fn answer(parts: &[Part], across: Option<Factor>, is_alike: bool, shared: &[&str]) -> Answer {
    let first = &parts[0];
    let of = &first.run.header.workloads[first.workload];
    let mut findings = Vec::new();
    let flip = winners_differ(parts);
    if let Some(evidence) = flip.as_ref().filter(|_| is_alike) {
        findings.push(rank_flip(first.run, &of.name, evidence.clone()));
    }
    let verdict = if is_alike { verdict(parts, flip.is_some()) } else { Verdict::Refused };
    let sentence = match is_alike {
        true => sentence::of(parts, across, verdict, flip.is_some()),
        false => format!("Not ranked on {}: the runs are not comparable.", of.summary),
    };
    let is_ranked = is_alike && parts.iter().all(|p| p.said.forbidden.is_empty());
    Answer {
        workload: of.name.clone(),
        summary: of.summary.clone(),
        metric: of.metric,
        verdict,
        winner: (verdict == Verdict::Beats).then(|| first.said.top[0].clone()),
        sentence,
        runs: parts.iter().map(|p| p.said.clone()).collect(),
        effects: effects(parts, is_ranked),
        figures: figures::rows(parts, shared, is_ranked),
        findings,
    }
}

/// Those that are in the first tier of every run.
pub(super) fn tied(parts: &[Part]) -> Vec<String> {
    let Some((first, rest)) = parts.split_first() else { return Vec::new() };
    let in_all = |name: &&String| rest.iter().all(|p| p.said.top.contains(name));
    first.said.top.iter().filter(in_all).cloned().collect()
}

fn verdict(parts: &[Part], is_flipped: bool) -> Verdict {
    let every = |verdict: Verdict| parts.iter().all(|p| p.said.verdict == verdict);
    if is_flipped || parts.iter().any(|p| p.said.verdict == Verdict::Refused) {
        Verdict::Refused
    } else if every(Verdict::Beats) {
        Verdict::Beats
    } else if every(Verdict::Ties) && tied(parts).len() > 1 {
        Verdict::Ties
    } else {
        Verdict::NotResolved
    }
}

/// Two runs with different winners, in words.
fn winners_differ(parts: &[Part]) -> Option<String> {
    let won = |p: &Part| (p.said.verdict == Verdict::Beats).then(|| p.said.top.first().cloned())?;
    let winners: Vec<(String, &str)> =
        parts.iter().filter_map(|p| Some((won(p)?, p.label.short.as_str()))).collect();
    let first = winners.first()?;
    let other = winners.iter().find(|w| w.0 != first.0)?;
    Some(format!("{} is fastest in {}, {} in {}", first.0, first.1, other.0, other.1))
}

fn rank_flip(run: &Run, workload: &str, evidence: String) -> Finding {
    let advice = "choose by the setting that you use; a winner is valid for its own setting only";
    let found = finding(&run.header, &rank_flip::RULE, evidence, advice);
    Finding { workload: Some(workload.to_string()), ..found }
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
