//! Candidates x workloads: where each one is, against the leader of the workload.

use bakeoff_judge::decide::figure;
use bakeoff_model::candidate::Candidate;
use bakeoff_model::index::{CandidateIx, WorkloadIx};
use bakeoff_model::lead::{NotRanked, Refusal, TrimmedStalls};
use bakeoff_model::path::sanitize;
use bakeoff_model::run::Run;
use bakeoff_model::verdict::{Analysis, Standing, Verdict, WorkloadVerdict};
use bakeoff_model::workload::Metric;
use bakeoff_stats::units;

use super::{amount, names};

#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    pub columns: Vec<Column>,
    /// Candidates, the recommended one first, then by their mean share of the leaders' figures.
    pub rows: Vec<MatrixRow>,
    /// Half-width of the band in which candidates count as equal, a fraction.
    pub margin: f64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    pub name: String,
    pub heading: String,
}

#[derive(Clone, Debug, PartialEq)]
pub struct MatrixRow {
    /// Position among the run's candidates.
    pub index: usize,
    pub name: String,
    pub cells: Vec<MatrixCell>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct MatrixCell {
    /// What a table shows: the leader's figure, the others as a share of it, or why not: `1240/s`,
    /// `89 %`, `memory`.
    pub label: String,
    pub spoken: String,
    pub place: Place,
    pub is_certain: bool,
    /// Its rate as a share of the leader's: (mean, low, high); the leader's own is 1.
    pub ratio: Option<(f64, f64, f64)>,
    pub stalls: Option<TrimmedStalls>,
}

/// Where a candidate is on a workload.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Place {
    Leader,
    Equal,
    Behind,
    Open,
    Out,
    #[default]
    None,
}

impl MatrixCell {
    fn in_words(place: Place, label: impl Into<String>, spoken: impl Into<String>) -> MatrixCell {
        MatrixCell { label: label.into(), spoken: spoken.into(), place, ..MatrixCell::default() }
    }

    fn observed(figure: String) -> MatrixCell {
        let spoken = format!("{figure}, not ranked");
        MatrixCell::in_words(Place::Out, figure, spoken)
    }

    fn excluded(reason: NotRanked) -> MatrixCell {
        let (label, spoken) = match reason {
            NotRanked::TooFewBlocks => ("too few", "not ranked, too few measurements"),
            NotRanked::CacheUnknown => ("memory?", "not ranked, memory was measured"),
            NotRanked::Memory | NotRanked::MemoryPlace => {
                ("memory", "not ranked, memory was measured")
            }
        };
        MatrixCell::in_words(Place::Out, label, spoken)
    }

    fn leader(figure: String, is_certain: bool) -> MatrixCell {
        let spoken = format!("{figure}, {}", if is_certain { "fastest" } else { "leader" });
        let ratio = Some((1.0, 1.0, 1.0));
        MatrixCell { is_certain, ratio, ..MatrixCell::in_words(Place::Leader, figure, spoken) }
    }

    /// One beside the leader: its rate as a share of the leader's, as far as that is known.
    pub(super) fn follower(
        place: Place,
        figure: String,
        ratio: Option<(f64, f64, f64)>,
    ) -> MatrixCell {
        let is_behind = place == Place::Behind;
        let (label, share) = match ratio {
            None => (figure, "unknown share".to_string()),
            // Too wide to be told; its upper end is below the leader.
            Some((_, low, high)) if amount::is_unknown(low, high) && is_behind => {
                let bound = amount::at_most(high);
                (format!("<{bound}"), format!("less than {bound}"))
            }
            Some((mean, low, high)) if amount::is_unknown(low, high) => {
                if mean.is_finite() {
                    // An estimate on which nothing rests yet, and better than a word in its place.

                    let share = amount::share(mean);
                    (format!("~{share} ?"), format!("roughly {share}"))
                } else {
                    ("unknown".to_string(), "unknown share".to_string())
                }
            }
            Some((mean, ..)) => {
                // Behind for certain, and never shown as if it were not.
                let share = if is_behind && mean >= 0.995 {
                    format!("{:.1} %", libm::floor(mean * 1000.0) / 10.0)
                } else {
                    amount::share(mean)
                };
                (share.clone(), share)
            }
        };
        let how = match place {
            Place::Equal => "equally fast",
            Place::Behind => "certainly slower",
            Place::Leader | Place::Open | Place::Out | Place::None => "not certain",
        };
        let spoken = format!("{share} of the leader, {how}");
        let is_certain = matches!(place, Place::Equal | Place::Behind);
        MatrixCell { is_certain, ratio, ..MatrixCell::in_words(place, label, spoken) }
    }

    /// `*` where the place is certain, `=` for a certain equal, `!` beside stalls.
    pub fn mark(&self) -> char {
        match (&self.stalls, self.place) {
            (Some(_), _) => '!',
            (None, Place::Equal) => '=',
            (None, _) if self.is_certain => '*',
            (None, _) => ' ',
        }
    }

    /// What a picture shows: an estimate too, as an open point.
    pub fn drawn_ratio(&self) -> Option<(f64, f64, f64)> {
        self.ratio.filter(|_| self.is_guess() || self.known_ratio().is_some())
    }

    /// Whether it is an estimate whose interval is too wide to be told.
    pub fn is_guess(&self) -> bool {
        let mean = self.ratio.map(|(mean, ..)| mean);
        let is_open = self.place == Place::Open && self.known_ratio().is_none();
        is_open && mean.is_some_and(f64::is_finite)
    }

    /// Its share of the leader's rate, unless the interval is too wide to be told.
    pub fn known_ratio(&self) -> Option<(f64, f64, f64)> {
        self.ratio.filter(|(_, low, high)| !amount::is_unknown(*low, *high))
    }
}

impl Matrix {
    /// Whether anything was measured at all.
    pub fn has_figures(&self) -> bool {
        self.rows.iter().flat_map(|row| &row.cells).any(|cell| cell.place != Place::None)
    }
}

/// The table of a run and its analysis; A/A twins are not in it.
pub fn from_run(run: &Run, analysis: &Analysis) -> Matrix {
    let column = |v: &WorkloadVerdict| Column {
        name: names::workload(&v.workload),
        heading: names::heading(&v.workload),
    };
    let candidates = run.header.candidates.iter().enumerate();
    let row = |(index, candidate): (usize, &Candidate)| MatrixRow {
        index,
        name: sanitize(&candidate.name),
        cells: analysis.verdicts.iter().map(|v| cell(run, v, &candidate.name)).collect(),
    };
    let mut rows: Vec<MatrixRow> =
        candidates.filter(|(_, candidate)| candidate.twin_of.is_none()).map(row).collect();
    let chosen = analysis.recommendation.as_ref().map(|r| sanitize(&r.candidate));
    // The sort is stable, so candidates without any share stay in the order of the run.
    rows.sort_by(|x, y| {
        let key = |row: &MatrixRow| (Some(&row.name) != chosen.as_ref(), share(row));
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
fn share(row: &MatrixRow) -> f64 {
    let shares = row.cells.iter().filter_map(|c| c.ratio).map(|(mean, ..)| libm::log(mean));
    let (sum, count) = shares.fold((0.0, 0u32), |(sum, n), ln| (sum + ln, n + 1));
    if count == 0 { f64::NEG_INFINITY } else { sum / f64::from(count) }
}

pub fn metric(run: &Run, verdict: &WorkloadVerdict) -> Metric {
    let workload = run.header.workloads.iter().find(|w| w.name == verdict.workload);
    workload.map_or(Metric::Iops, |w| w.metric)
}

fn cell(run: &Run, verdict: &WorkloadVerdict, name: &str) -> MatrixCell {
    let metric = metric(run, verdict);
    let excluded = verdict.lead.iter().flat_map(|l| &l.excluded).find(|e| e.candidate == name);
    if let Some(excluded) = excluded {
        return MatrixCell::excluded(excluded.reason);
    }
    let standing = verdict.standings.iter().find(|s| s.candidate == name);
    let Some(standing) = standing else { return so_far(run, verdict, name, metric) };
    let figure = figure_words(metric, standing.mean);
    let Some(lead) = &verdict.lead else { return MatrixCell::observed(figure) };
    let own = run.header.candidates.iter().find(|c| c.name == name);
    if own.is_some_and(|own| !own.competes(&run.header.candidates)) {
        return MatrixCell::observed(figure);
    }
    let follower = |place| {
        let ratio = lead.leader.as_deref().and_then(|leader| {
            verdict.ratio(name, leader).or_else(|| by_means(metric, verdict, standing, leader))
        });
        MatrixCell::follower(place, figure.clone(), ratio)
    };
    let cell = match lead.refusal {
        Some(Refusal::Findings { .. } | Refusal::NothingToCompare { .. }) => {
            MatrixCell::observed(figure)
        }
        _ if lead.leader.as_deref() == Some(name) => {
            MatrixCell::leader(figure, verdict.verdict == Verdict::Fastest)
        }
        Some(Refusal::TooFewBlocks { .. }) => follower(Place::Open),
        None if lead.behind.iter().any(|b| b.candidate == name) => follower(Place::Behind),
        None if lead.equals.iter().any(|equal| equal == name) => follower(Place::Equal),
        None => follower(Place::Open),
    };
    let has_stalls = |s: &&TrimmedStalls| s.candidate == name && s.count();
    MatrixCell { stalls: lead.stalls.iter().find(has_stalls).cloned(), ..cell }
}

/// The ratio of the means while there is no interval; shown as a point.
fn by_means(
    metric: Metric,
    verdict: &WorkloadVerdict,
    own: &Standing,
    leader: &str,
) -> Option<(f64, f64, f64)> {
    let first = verdict.standings.iter().find(|s| s.candidate == leader)?;
    let ratio = if metric.less_is_better() { first.mean / own.mean } else { own.mean / first.mean };
    (ratio.is_finite() && ratio > 0.0).then_some((ratio, ratio, ratio))
}

fn so_far(run: &Run, verdict: &WorkloadVerdict, name: &str, metric: Metric) -> MatrixCell {
    let candidate = CandidateIx::find(&run.header.candidates, |c| c.name == name);
    let workload = WorkloadIx::find(&run.header.workloads, |w| w.name == verdict.workload);
    let own = run
        .blocks
        .iter()
        .flat_map(|b| &b.cells)
        .rfind(|cell| Some(cell.candidate) == candidate && Some(cell.workload) == workload);
    match own.and_then(|cell| figure::of_cell(metric, cell)) {
        Some(value) => MatrixCell::observed(figure_words(metric, value)),
        None => MatrixCell::in_words(Place::None, "-", "not measured"),
    }
}

/// A figure with its unit in few characters: `1240/s`, `12.3k/s`, `123 MB/s`, `4.56 ms`.
pub fn figure_words(metric: Metric, value: f64) -> String {
    match metric {
        Metric::Bandwidth => units::rate(value),
        Metric::LatencyP99 => units::latency(value as u64),
        Metric::Iops | Metric::FilesPerSecond | Metric::TransactionsPerSecond => {
            if (999.5..9999.5).contains(&value) {
                format!("{:.0}/s", libm::round(value / 10.0) * 10.0)
            } else {
                format!("{}/s", units::count(value))
            }
        }
    }
}
