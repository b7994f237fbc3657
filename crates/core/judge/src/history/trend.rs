//! The history of one drive: each candidate and workload over the runs that measured it.
//!
//! Runs are joined to one series only where they are alike by the rules of [`crate::compare`]: a
//! series never runs over a change of the machine, the kernel, the plan or the place on the drive,
//! unless the user named that factor. A change point is where the mean of a series changes for good
//! ([`change_point`]). The noise it is measured by is that between neighbouring runs, and at least
//! the standard error that the blocks inside the runs give. Figures of different runs include what
//! each session added, so every ratio here is an observation, never a verdict.

use std::collections::BTreeMap;

use serde::Serialize;

use super::facts::drive_name;
use crate::compare::differences::differences;
use crate::decide::figure::Figure;
use crate::decide::table::ScoreTable;
use bakeoff_model::difference::{Difference, Factor};
use bakeoff_model::event::Header;
use bakeoff_model::index::{CandidateIx, WorkloadIx};
use bakeoff_model::path::sanitize;
use bakeoff_model::run::Run;
use bakeoff_model::workload::Metric;
use bakeoff_stats::{change_point, sample};

pub const FEWEST: usize = 2 * change_point::SHORTEST;

/// A run of the past without its cells: only what a history needs of it.
#[derive(Clone, Debug)]
pub struct Past {
    run: Run,
    label: Option<String>,
    /// `[workload][candidate]`: scores of the blocks that count, more is better.
    scores: Vec<Vec<Vec<f64>>>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Trend {
    pub drive: String,
    pub across: Option<Factor>,
    pub runs: Vec<TrendRun>,
    /// By workload and candidate; several where runs are not alike.
    pub series: Vec<Series>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TrendRun {
    pub run: String,
    /// When it began, nanoseconds since 1970.
    pub started_unix_ns: i64,
    pub label: Option<String>,
    pub kernel: String,
}

/// One candidate on one workload over runs that are alike.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Series {
    pub workload: String,
    pub summary: String,
    pub metric: Metric,
    pub candidate: String,
    pub points: Vec<Point>,
    pub is_tested: bool,
    pub changes: Vec<Change>,
    pub unlike: Vec<Difference>,
}

/// The figure of one run, in the unit of the metric.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Point {
    /// Index into [`Trend::runs`].
    pub run: usize,
    pub mean: f64,
    pub min: f64,
    pub max: f64,
    pub cells: u32,
    pub ratio: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Change {
    /// Index into [`Series::points`] of the first one after it.
    pub point: usize,
    pub ratio: f64,
}

impl Past {
    pub fn from_run(mut run: Run, label: Option<String>) -> Past {
        let table = ScoreTable::from_evidence(&run);
        let (workloads, candidates) = (run.header.workloads.len(), run.header.candidates.len());
        let scores = WorkloadIx::all(workloads)
            .map(|w| CandidateIx::all(candidates).map(|c| table.scores(w, c)).collect())
            .collect();
        run.blocks = Vec::new();
        run.steps = Vec::new();
        run.invalid = Vec::new();
        run.watching = None;
        Past { run, label, scores }
    }

    /// Candidates on the drive, and the workloads measured on them: (workload, candidate).
    fn measured(&self, drive: &str) -> Vec<(usize, usize)> {
        let header = &self.run.header;
        let is_wanted =
            |c: &usize| header.candidates[*c].twin_of.is_none() && is_on(header, *c, drive);
        let on: Vec<usize> = (0..header.candidates.len()).filter(is_wanted).collect();
        let all = (0..header.workloads.len()).flat_map(|w| on.iter().map(move |c| (w, *c)));
        all.filter(|(w, c)| !self.scores[*w][*c].is_empty()).collect()
    }
}

fn is_on(header: &Header, candidate: usize, drive: &str) -> bool {
    let place = header.place_of(&header.candidates[candidate]);
    place.is_some_and(|place| place.disks().any(|disk| drive_name(disk) == drive))
}

/// The history of `drive`, named as [`drive_name`] does, over these runs in any order; `across` may
/// differ inside a series.
pub fn trend(drive: &str, mut past: Vec<Past>, across: Option<Factor>) -> Trend {
    past.sort_by(|a, b| {
        let key = |p: &Past| (p.run.started_unix_ns, p.run.header.run.clone());
        key(a).cmp(&key(b))
    });
    // By name; the position of its first run keeps the order in which plans list them.
    let mut pairs: Vec<(String, String)> = Vec::new();
    let mut found: BTreeMap<(String, String), Vec<TrendPoint>> = BTreeMap::new();
    for (at, of) in past.iter().enumerate() {
        for (workload, candidate) in of.measured(drive) {
            let header = &of.run.header;
            let key = (
                header.workloads[workload].name.clone(),
                header.candidates[candidate].name.clone(),
            );
            if !pairs.contains(&key) {
                pairs.push(key.clone());
            }
            found.entry(key).or_default().push(TrendPoint { at, workload, candidate });
        }
    }
    let mut alike = Alike { past: &past, across, known: BTreeMap::new() };
    let mut series = Vec::new();
    for key in &pairs {
        series.extend(split(&mut alike, key, found.get(key).map_or(&[][..], Vec::as_slice)));
    }
    let runs = past.iter().map(of_run).collect();
    Trend { drive: sanitize(drive), across, runs, series }
}

fn of_run(past: &Past) -> TrendRun {
    let header = &past.run.header;
    TrendRun {
        run: sanitize(&header.run),
        started_unix_ns: past.run.started_unix_ns,
        label: past.label.as_deref().map(sanitize),
        kernel: sanitize(&header.host.kernel),
    }
}

#[derive(Clone, Copy)]
struct TrendPoint {
    at: usize,
    workload: usize,
    candidate: usize,
}

/// What runs differ in, each pair asked once.
struct Alike<'a> {
    past: &'a [Past],
    across: Option<Factor>,
    known: BTreeMap<(usize, usize), Vec<Difference>>,
}

impl Alike<'_> {
    fn differ(&mut self, a: usize, b: usize) -> &[Difference] {
        let (past, across) = (self.past, self.across);
        self.known.entry((a, b)).or_insert_with(|| {
            let mut all = differences(&[&past[a].run, &past[b].run]);
            all.retain(|d| across.is_none() || d.factor != across);
            all
        })
    }
}

/// The series of one candidate and workload: each run joins the first one it is like.
fn split(
    alike: &mut Alike,
    (workload, candidate): &(String, String),
    all: &[TrendPoint],
) -> Vec<Series> {
    let mut groups: Vec<Vec<TrendPoint>> = Vec::new();
    for spot in all {
        let fits = groups.iter().position(|group| alike.differ(group[0].at, spot.at).is_empty());
        match fits {
            Some(at) => groups[at].push(*spot),
            None => groups.push(vec![*spot]),
        }
    }
    let first = groups.first().map(|group| group[0].at);
    let mut series = Vec::new();
    for group in &groups {
        let start = group[0].at;
        let unlike = match first.filter(|first| *first != start) {
            Some(first) => alike.differ(first, start).to_vec(),
            None => Vec::new(),
        };
        let of = &alike.past[start].run.header.workloads[group[0].workload];
        let points = points(alike.past, group, of.metric);
        let changes = changes(alike.past, group);
        series.push(Series {
            workload: sanitize(workload),
            summary: sanitize(&of.summary),
            metric: of.metric,
            candidate: sanitize(candidate),
            is_tested: points.len() >= FEWEST,
            points,
            changes,
            unlike,
        });
    }
    series
}

fn scores<'a>(past: &'a [Past], spot: &TrendPoint) -> &'a [f64] {
    &past[spot.at].scores[spot.workload][spot.candidate]
}

fn points(past: &[Past], group: &[TrendPoint], metric: Metric) -> Vec<Point> {
    let base = group.first().and_then(|spot| sample::mean(scores(past, spot))).unwrap_or(0.0);
    let point = |spot: &TrendPoint| {
        let scores = scores(past, spot);
        let figure = Figure::from_scores(metric, scores)?;
        Some(Point {
            run: spot.at,
            mean: figure.mean,
            min: figure.min,
            max: figure.max,
            cells: figure.cells,
            ratio: libm::exp(sample::mean(scores)? - base),
        })
    };
    group.iter().filter_map(point).collect()
}

fn changes(past: &[Past], group: &[TrendPoint]) -> Vec<Change> {
    let all = || group.iter().map(|spot| scores(past, spot));
    let means: Vec<f64> = all().filter_map(sample::mean).collect();
    let inside: Vec<f64> = all().filter_map(sample::standard_error).collect();
    let sigma = change_point::neighbour_sd(&means).max(sample::median(&inside).unwrap_or(0.0));
    let penalty = change_point::PENALTY * libm::log(means.len().max(1) as f64);
    let segments = change_point::segments_with(&means, sigma, penalty);
    let change = |pair: &[change_point::Segment]| Change {
        point: pair[1].start,
        ratio: libm::exp(pair[1].mean - pair[0].mean),
    };
    segments.windows(2).map(change).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::RunBuilder;

    const DRIVE: &str = "Disk A 69 GB";
    const DAY_NS: i64 = 86_400_000_000_000;

    fn past(day: u32, rate: f64, change: impl FnOnce(&mut Header)) -> Past {
        let mut run = RunBuilder::stacks(&["ext4", "xfs"])
            .header(|h| {
                h.run = format!("{day:016x}");
                change(h);
            })
            .play(5, |block, candidate, _| {
                let noise = 1.0 + 0.004 * f64::from((block * 7 + day * 3) % 5);
                noise * if candidate == 0 { rate } else { 1000.0 }
            })
            .build();
        run.started_unix_ns = i64::from(day) * DAY_NS;
        Past::from_run(run, None)
    }

    #[test]
    fn a_drive_that_slowed_down_for_good_has_one_change_point_on_that_day() {
        let runs = (0..20).map(|day| past(day, if day < 12 { 2000.0 } else { 1500.0 }, |_| {}));
        // In any order.
        let trend = trend(DRIVE, runs.rev().collect(), None);
        let [slower, steady] = trend.series.as_slice() else { panic!("{trend:?}") };
        assert_eq!((slower.candidate.as_str(), steady.candidate.as_str()), ("ext4", "xfs"));
        assert_eq!(slower.changes.len(), 1, "{:?}", slower.changes);
        assert_eq!(
            trend.runs[slower.points[slower.changes[0].point].run].started_unix_ns,
            12 * DAY_NS
        );
        assert!((slower.changes[0].ratio - 0.75).abs() < 0.01, "{:?}", slower.changes);
        assert!((slower.points[19].ratio - 0.75).abs() < 0.02 && slower.is_tested);
        assert_eq!((steady.changes.len(), steady.points.len()), (0, 20));
    }

    #[test]
    fn runs_that_are_not_alike_are_not_joined_unless_their_factor_is_named() {
        let on = |day, kernel: &str| past(day, 2000.0, |h| h.host.kernel = kernel.to_string());
        let all = || vec![on(1, "6.6.1"), on(2, "6.12.1"), on(3, "6.6.1")];
        let split = trend(DRIVE, all(), None);
        let sizes: Vec<usize> = split.series.iter().map(|s| s.points.len()).collect();
        assert_eq!(sizes, [2, 1, 2, 1]);
        assert_eq!(split.series[1].unlike[0].to_string(), "kernel (6.6.1 and 6.12.1)");
        assert!(split.series[0].unlike.is_empty() && !split.series[0].is_tested);
        let joined = trend(DRIVE, all(), Some(Factor::Kernel));
        assert_eq!(joined.series.iter().map(|s| s.points.len()).collect::<Vec<_>>(), [3, 3]);
        let other = trend(DRIVE, all(), Some(Factor::Host));
        assert_eq!(other.series.len(), 4);
    }

    #[test]
    fn only_candidates_on_the_drive_are_part_of_its_history() {
        let run = RunBuilder::directories(&["/a", "/b"]).play(3, |_, _, _| 2000.0).build();
        let trend = trend("Disk B 69 GB", vec![Past::from_run(run, Some("x".to_string()))], None);
        let names: Vec<&str> = trend.series.iter().map(|s| s.candidate.as_str()).collect();
        assert_eq!((names, trend.runs[0].label.as_deref()), (vec!["/b"], Some("x")));
    }
}
