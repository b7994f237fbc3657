//! Candidates x workloads: where each one is, against the leader of the workload.

use crate::decide::figure;
use crate::model::index::{CandidateIx, WorkloadIx};
use crate::model::lead::{NotRanked, Refusal, Stalls};
use crate::model::path::sanitize;
use crate::model::run::Run;
use crate::model::verdict::{Analysis, Standing, Verdict, WorkloadVerdict};
use crate::model::workload::Metric;
use crate::units;

use super::{amount, names};

#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    /// Workloads, in the order of the run.
    pub columns: Vec<Column>,
    /// Candidates, the recommended one first, then by their mean share of the leaders' figures.
    pub rows: Vec<Row>,
    /// Half-width of the band in which candidates count as equal, a fraction.
    pub margin: f64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    pub name: String,
    pub heading: String,
    pub is_open: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    pub name: String,
    pub cells: Vec<Cell>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cell {
    /// What it did, with its unit: `1240/s`; `None` where it was not measured.
    pub figure: Option<String>,
    pub place: Place,
    /// Its rate as a share of the leader's: (mean, low, high); the leader's own is 1.
    pub ratio: Option<(f64, f64, f64)>,
    pub stalls: Option<Stalls>,
}

/// Where a candidate is on a workload.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Place {
    #[default]
    Nowhere,
    /// The leader; whether it is fastest for certain.
    Leader {
        is_certain: bool,
    },
    /// As fast as the leader, within the margin, for certain.
    Equal,
    Behind,
    Open,
    Out(NotRanked),
    Observed,
}

/// A share of the leader's rate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Share {
    /// `89 %`.
    Of(String),
    /// The interval is too wide to be told; its upper end is below the leader.
    Below(String),
    Unknown,
    None,
}

impl Cell {
    /// What a table shows: the leader's figure, the others as a share of it, or why not.
    pub fn label(&self) -> String {
        let figure = || self.figure.clone().unwrap_or_else(|| "-".to_string());
        match self.place {
            Place::Nowhere => "-".to_string(),
            Place::Out(NotRanked::Memory | NotRanked::MemoryPlace) => "memory".to_string(),
            Place::Out(NotRanked::CacheUnknown) => "memory?".to_string(),
            Place::Out(NotRanked::TooFewBlocks) => "too few".to_string(),
            Place::Leader { .. } | Place::Observed => figure(),
            Place::Equal | Place::Behind | Place::Open => match self.share() {
                Share::Of(share) => share,
                Share::Below(bound) => format!("<{bound}"),
                Share::Unknown => "unknown".to_string(),
                Share::None => figure(),
            },
        }
    }

    /// Its rate as a share of the leader's, as far as that is known.
    pub fn share(&self) -> Share {
        match self.ratio {
            None => Share::None,
            Some((_, low, high)) if amount::is_unknown(low, high) => {
                let is_behind = self.place == Place::Behind;
                if is_behind { Share::Below(amount::at_most(high)) } else { Share::Unknown }
            }
            // Behind for certain, and never shown as if it were not.
            Some((mean, ..)) if self.place == Place::Behind && mean >= 0.995 => {
                Share::Of(format!("{:.1} %", libm::floor(mean * 1000.0) / 10.0))
            }
            Some((mean, ..)) => Share::Of(amount::share(mean)),
        }
    }

    /// `*` where the place is certain, `=` for a certain equal, `!` beside stalls.
    pub fn mark(&self) -> char {
        match (&self.stalls, self.place) {
            (Some(_), _) => '!',
            (None, Place::Leader { is_certain: true } | Place::Behind) => '*',
            (None, Place::Equal) => '=',
            (None, _) => ' ',
        }
    }

    /// The share that a bar shows, 0 to 1.
    pub fn bar(&self) -> Option<f64> {
        match self.place {
            Place::Leader { .. } => Some(1.0),
            Place::Equal | Place::Behind | Place::Open => {
                let told = self.ratio.filter(|(_, low, high)| !amount::is_unknown(*low, *high));
                told.map(|(mean, ..)| mean.clamp(0.0, 1.0))
            }
            Place::Nowhere | Place::Out(_) | Place::Observed => None,
        }
    }
}

/// The table of a run and its analysis; A/A twins are not in it.
pub fn from_run(run: &Run, analysis: &Analysis) -> Matrix {
    let column = |v: &WorkloadVerdict| Column {
        name: names::workload(&v.workload),
        heading: names::heading(&v.workload),
        is_open: !v.verdict.is_answer(),
    };
    let candidates = run.header.candidates.iter().filter(|c| c.twin_of.is_none());
    let row = |name: &str| Row {
        name: sanitize(name),
        cells: analysis.verdicts.iter().map(|v| cell(run, v, name)).collect(),
    };
    let mut rows: Vec<Row> = candidates.map(|c| row(&c.name)).collect();
    let chosen = analysis.recommendation.as_ref().map(|r| sanitize(&r.candidate));
    // The sort is stable, so candidates without any share stay in the order of the run.
    rows.sort_by(|x, y| {
        let key = |row: &Row| (Some(&row.name) != chosen.as_ref(), share(row));
        let ((x_is_other, x), (y_is_other, y)) = (key(x), key(y));
        x_is_other.cmp(&y_is_other).then(y.total_cmp(&x))
    });
    Matrix {
        columns: analysis.verdicts.iter().map(column).collect(),
        rows,
        margin: run.header.protocol.tie_margin,
    }
}

/// Mean share over the workloads that have one, on the logarithmic scale.
fn share(row: &Row) -> f64 {
    let shares = row.cells.iter().filter_map(|c| c.ratio).map(|(mean, ..)| libm::log(mean));
    let (sum, count) = shares.fold((0.0, 0u32), |(sum, n), ln| (sum + ln, n + 1));
    if count == 0 { f64::NEG_INFINITY } else { sum / f64::from(count) }
}

pub fn metric(run: &Run, verdict: &WorkloadVerdict) -> Metric {
    let workload = run.header.workloads.iter().find(|w| w.name == verdict.workload);
    workload.map_or(Metric::Iops, |w| w.metric)
}

fn cell(run: &Run, verdict: &WorkloadVerdict, name: &str) -> Cell {
    let metric = metric(run, verdict);
    let standing = verdict.standings.iter().find(|s| s.candidate == name);
    let excluded = verdict.lead.iter().flat_map(|l| &l.excluded).find(|e| e.candidate == name);
    if let Some(excluded) = excluded {
        let figure = standing.map(|s| figure_words(metric, s.mean));
        return Cell { figure, place: Place::Out(excluded.reason), ..Cell::default() };
    }
    let Some(standing) = standing else { return so_far(run, verdict, name, metric) };
    let figure = Some(figure_words(metric, standing.mean));
    let Some(lead) = &verdict.lead else {
        return Cell { figure, place: Place::Observed, ..Cell::default() };
    };
    let is_leader = lead.leader.as_deref() == Some(name);
    let is_in = |all: &[String]| all.iter().any(|n| n == name);
    let place = match lead.refusal {
        Some(Refusal::Findings { .. } | Refusal::NothingToCompare { .. }) => Place::Observed,
        Some(Refusal::TooFewBlocks { .. }) | None if is_leader => {
            Place::Leader { is_certain: verdict.verdict == Verdict::Fastest }
        }
        Some(Refusal::TooFewBlocks { .. }) => Place::Open,
        None if lead.behind.iter().any(|b| b.candidate == name) => Place::Behind,
        None if is_in(&lead.equals) => Place::Equal,
        None => Place::Open,
    };
    let ratio = match place {
        Place::Observed => None,
        Place::Leader { .. } => Some((1.0, 1.0, 1.0)),
        Place::Nowhere | Place::Equal | Place::Behind | Place::Open | Place::Out(_) => {
            lead.leader.as_deref().and_then(|leader| {
                verdict.ratio(name, leader).or_else(|| by_means(metric, verdict, standing, leader))
            })
        }
    };
    let has_stalls = |s: &&Stalls| s.candidate == name && s.count();
    Cell { figure, place, ratio, stalls: lead.stalls.iter().find(has_stalls).cloned() }
}

/// The ratio of the means while there is no interval; shown as a point.
fn by_means(
    metric: Metric,
    verdict: &WorkloadVerdict,
    own: &Standing,
    leader: &str,
) -> Option<(f64, f64, f64)> {
    let first = verdict.standings.iter().find(|s| s.candidate == leader)?;
    let ratio = match metric.less_is_better() {
        true => first.mean / own.mean,
        false => own.mean / first.mean,
    };
    (ratio.is_finite() && ratio > 0.0).then_some((ratio, ratio, ratio))
}

/// What the cells of a block that is still being measured show.
fn so_far(run: &Run, verdict: &WorkloadVerdict, name: &str, metric: Metric) -> Cell {
    let candidate = CandidateIx::find(&run.header.candidates, |c| c.name == name);
    let workload = WorkloadIx::find(&run.header.workloads, |w| w.name == verdict.workload);
    let own = run
        .blocks
        .iter()
        .flat_map(|b| &b.cells)
        .rfind(|cell| Some(cell.candidate) == candidate && Some(cell.workload) == workload);
    match own.and_then(|cell| figure::of_cell(metric, cell)) {
        Some(value) => Cell {
            figure: Some(figure_words(metric, value)),
            place: Place::Observed,
            ..Cell::default()
        },
        None => Cell::default(),
    }
}

/// A figure with its unit in few characters: `1240/s`, `12.3k/s`, `123 MB/s`, `4.56 ms`.
pub fn figure_words(metric: Metric, value: f64) -> String {
    match metric {
        Metric::Bandwidth => units::rate(value),
        Metric::LatencyP99 => units::latency(value as u64),
        Metric::Iops | Metric::FilesPerSecond | Metric::TransactionsPerSecond => {
            match (999.5..9999.5).contains(&value) {
                true => format!("{:.0}/s", libm::round(value / 10.0) * 10.0),
                false => format!("{}/s", units::count(value)),
            }
        }
    }
}
