//! One workload over boards: the effect of each candidate against the leader, board by board and
//! on the next one.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use super::ALPHA;
use bakeoff_judge::compare::differences;
use bakeoff_judge::decide::compare::Comparison;
use bakeoff_judge::decide::table::ScoreTable;
use bakeoff_judge::evidence;
use bakeoff_judge::rules::limit;
use bakeoff_model::difference::Difference;
use bakeoff_model::index::{CandidateIx, WorkloadIx};
use bakeoff_model::path::sanitize;
use bakeoff_model::run::Run;
use bakeoff_model::verdict::{Analysis, Verdict};
use bakeoff_stats::distinct;
use bakeoff_stats::paired::{Interval, Paired};
use bakeoff_stats::random_effects::{self, FEWEST, Measured, Pooled};

/// Least standard error, as a logarithm: no clock tells rates apart that differ by less.
const LEAST_ERROR: f64 = 1e-6;

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Answer {
    pub workload: String,
    pub summary: String,
    /// What holds on a board like these: `leads` where the answer depends on the board, `refused`
    /// where there are too few.
    #[serde(rename = "claim", serialize_with = "as_claim")]
    pub verdict: Verdict,
    pub leader: Option<String>,
    /// The smallest lower bound of its prediction intervals, as a logarithm.
    pub lead_ln: Option<f64>,
    /// The margin within which candidates count as equal, a fraction.
    pub margin: f64,
    pub effects: Vec<FleetEffect>,
    pub excluded: Vec<FleetExcluded>,
}

fn as_claim<S: Serializer>(verdict: &Verdict, out: S) -> Result<S::Ok, S::Error> {
    out.serialize_str(match verdict {
        Verdict::Leads => "depends",
        Verdict::Refused => "too_few_boards",
        _ => verdict.name(),
    })
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FleetExcluded {
    pub board: String,
    /// Ids of the findings that forbid its claim; empty where it has too few blocks.
    pub findings: Vec<String>,
    /// Why cells are missing, where it has too few blocks and some were discarded.
    pub discarded: Option<Discarded>,
}

/// Cells that were measured and do not count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Discarded {
    pub cells: usize,
    pub reason: String,
}

impl Discarded {
    fn from_run(run: &Run, workload: usize) -> Option<Discarded> {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for reason in evidence::discarded(run, WorkloadIx::new(workload)) {
            *counts.entry(reason).or_default() += 1;
        }
        let cells = counts.values().sum();
        let (reason, _) = counts.into_iter().max_by_key(|(_, count)| *count)?;
        Some(Discarded { cells, reason: sanitize(&reason) })
    }
}

/// The leader against another candidate; all values are logarithms of ratios.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FleetEffect {
    pub a: String,
    pub b: String,
    pub boards: Vec<OnBoard>,
    /// Over boards; `None` for one board.
    pub pooled: Option<Pooled>,
    pub mean: Option<RatioRange>,
    pub prediction: Option<RatioRange>,
    pub apart: Vec<Apart>,
}

/// An interval of logarithms of ratios.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RatioRange {
    pub low_ln: f64,
    pub high_ln: f64,
}

impl From<Interval> for RatioRange {
    fn from(interval: Interval) -> RatioRange {
        RatioRange { low_ln: interval.low, high_ln: interval.high }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OnBoard {
    pub board: String,
    pub mean_ln: f64,
    pub own: RatioRange,
    pub blocks: u32,
    /// -1 or 1 where that interval excludes the mean over boards, else 0.
    pub side: i8,
}

/// A property in which the boards that differ are unlike all others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Apart {
    pub what: String,
    pub here: Vec<String>,
    pub others: Vec<String>,
}

/// A board's run with one workload compared.
struct BoardComparison<'a> {
    board: &'a str,
    run: &'a Run,
    compared: Comparison,
}

impl BoardComparison<'_> {
    /// Mean and blocks of `ln(a) - ln(b)`.
    fn paired(&self, a: &str, b: &str) -> Option<Paired> {
        let index = |name: &str| CandidateIx::find(&self.run.header.candidates, |c| c.name == name);
        let (a, b) = (index(a)?, index(b)?);
        let pair = self.compared.pair(a, b)?;
        // Fewer blocks than its first look needs say nothing.
        let paired = pair.paired.filter(|_| pair.interval.is_some())?;
        let sign = if pair.a == a { 1.0 } else { -1.0 };
        Some(Paired { mean: sign * paired.mean, ..paired })
    }
}

pub(super) fn answers(
    kept: &[&(Run, Analysis)],
    names: &[&str],
    may_differ: &[Difference],
) -> Vec<Answer> {
    let runs: Vec<&Run> = kept.iter().map(|(run, _)| run).collect();
    let shared = differences::common(&runs, differences::candidates);
    if shared.len() < 2 {
        return Vec::new();
    }
    let tables: Vec<ScoreTable> = runs.iter().map(|run| ScoreTable::from_evidence(run)).collect();
    let workloads = differences::common(&runs, differences::workloads);
    workloads
        .iter()
        .filter_map(|workload| answer(workload, kept, names, (&tables, &shared), may_differ))
        .collect()
}

fn answer(
    workload: &str,
    kept: &[&(Run, Analysis)],
    names: &[&str],
    (tables, shared): (&[ScoreTable], &[&str]),
    may_differ: &[Difference],
) -> Option<Answer> {
    let (mut parts, mut excluded) = (Vec::new(), Vec::new());
    let mut of = None;
    for (at, (run, analysis)) in kept.iter().enumerate() {
        let index = run.header.workloads.iter().position(|w| w.name == workload)?;
        of = of.or(run.header.workloads.get(index));
        let findings = &analysis.verdicts.get(index)?.findings;
        let ids = limit::forbidding_ids(findings);
        let compared = Comparison::new(run, &tables[at], WorkloadIx::new(index), ALPHA);
        let part = BoardComparison { board: names[at], run, compared };
        let is_measured = part.compared.pairs.iter().any(|pair| pair.interval.is_some());
        match ids.is_empty() && is_measured {
            true => parts.push(part),
            false => {
                let discarded = ids.is_empty().then(|| Discarded::from_run(run, index)).flatten();
                let board = names[at].to_string();
                excluded.push(FleetExcluded { board, findings: ids, discarded });
            }
        }
    }
    let leader = leader(&parts, shared);
    let against = |leader: &str| -> Vec<FleetEffect> {
        let others = shared.iter().filter(|name| **name != leader);
        others.map(|other| effect(&parts, (leader, *other), names, may_differ)).collect()
    };
    let effects = leader.map(against).unwrap_or_default();
    let margin = kept.first().map_or(0.0, |(run, _)| run.header.protocol.tie_margin);
    let lows: Option<Vec<f64>> =
        effects.iter().map(|effect| effect.prediction.map(|range| range.low_ln)).collect();
    let lead_ln = lows.and_then(|lows| lows.into_iter().min_by(f64::total_cmp));
    let verdict = match lead_ln {
        None => Verdict::Refused,
        Some(_) => Verdict::by_lead(lead_ln, margin),
    };
    Some(Answer {
        workload: sanitize(workload),
        summary: sanitize(&of?.summary),
        verdict,
        leader: leader.map(sanitize),
        lead_ln,
        margin,
        effects,
        excluded,
    })
}

fn leader<'a>(parts: &[BoardComparison], shared: &[&'a str]) -> Option<&'a str> {
    let score = |name: &str| -> f64 {
        let of = |part: &BoardComparison| -> f64 {
            let others = shared.iter().filter(|other| **other != name);
            others.filter_map(|other| part.paired(name, other)).map(|paired| paired.mean).sum()
        };
        parts.iter().map(of).sum()
    };
    if parts.is_empty() {
        return None;
    }
    let scored = shared.iter().map(|name| (score(name), *name));
    // Of equals the first.
    scored.reduce(|best, next| if next.0 > best.0 { next } else { best }).map(|(_, name)| name)
}

fn effect(
    parts: &[BoardComparison],
    (a, b): (&str, &str),
    names: &[&str],
    may_differ: &[Difference],
) -> FleetEffect {
    let found: Vec<(&str, Paired)> =
        parts.iter().filter_map(|part| Some((part.board, part.paired(a, b)?))).collect();
    let measured: Vec<Measured> = found.iter().map(|(_, paired)| measured(paired)).collect();
    let pooled = random_effects::pooled(&measured);
    let share = ALPHA / found.len().max(1) as f64;
    let on_board = |(board, paired): &(&str, Paired)| {
        let own = paired.interval(share);
        let side = match pooled {
            Some(p) if own.low > p.mean => 1,
            Some(p) if own.high < p.mean => -1,
            _ => 0,
        };
        let (mean_ln, blocks) = (paired.mean, paired.blocks);
        OnBoard { board: (*board).to_string(), mean_ln, own: own.into(), blocks, side }
    };
    let boards: Vec<OnBoard> = found.iter().map(on_board).collect();
    // With one or two boards that differ there is nothing they have in common but chance.
    let is_enough = boards.len() >= FEWEST;
    let apart = if is_enough { apart(&boards, names, may_differ) } else { Vec::new() };
    FleetEffect {
        a: sanitize(a),
        b: sanitize(b),
        mean: pooled.map(|p| p.interval(ALPHA).into()),
        prediction: random_effects::prediction(&measured, ALPHA).map(RatioRange::from),
        pooled,
        apart,
        boards,
    }
}

pub(super) fn measured(paired: &Paired) -> Measured {
    let error = (paired.sd / libm::sqrt(f64::from(paired.blocks.max(1)))).max(LEAST_ERROR);
    Measured { effect: paired.mean, variance: error * error }
}

/// What those on one side have that no other board has. With boards on both sides the smaller
/// group is the one to explain.
fn apart(boards: &[OnBoard], names: &[&str], may_differ: &[Difference]) -> Vec<Apart> {
    let on = |side: i8| -> Vec<&str> {
        boards.iter().filter(|b| b.side == side).map(|b| b.board.as_str()).collect()
    };
    let (above, below) = (on(1), on(-1));
    let group = match (above.is_empty(), below.is_empty()) {
        (true, true) => return Vec::new(),
        (false, false) if above.len() <= below.len() => above,
        (false, true) => above,
        _ => below,
    };
    let differ = |difference: &&Difference| !difference.is_identity;
    let of = |difference: &Difference| {
        let values = |is_in: bool| -> Vec<String> {
            let all = names.iter().zip(&difference.values);
            let wanted = all.filter(|(name, _)| {
                boards.iter().any(|b| b.board == **name) && group.contains(name) == is_in
            });
            distinct::sorted(wanted.map(|(_, value)| value.clone()))
        };
        let (here, others) = (values(true), values(false));
        let is_apart = !others.is_empty() && here.iter().all(|value| !others.contains(value));
        is_apart.then(|| Apart { what: difference.what.clone(), here, others })
    };
    may_differ.iter().filter(differ).filter_map(of).collect()
}
