//! What the charts draw, as the page's script reads it: numbers only; words are in the page.
//!
//! Every list is ordered by the run, never by a map, so the same run gives the same bytes.

use serde::Serialize;

use crate::run_document::{Question, Row};
use bakeoff_judge::decide::table::ScoreTable;
use bakeoff_judge::decide::{rounds, settled};
use bakeoff_model::ceiling::LayerRate;
use bakeoff_model::event::Cell;
use bakeoff_model::index::{BlockIx, CandidateIx};
use bakeoff_model::measurement::OpStats;
use bakeoff_model::run::{BlockState, Run};
use bakeoff_model::workload::Metric;
use bakeoff_stats::histogram::Histogram;
use bakeoff_stats::phrases;

use super::absolute::Absolute;
use super::machine::{self, MachineData};
use super::percentile;
use super::sweep::SweepData;

#[derive(Debug, Serialize)]
pub struct ChartData {
    /// Names of all candidates of all runs; the position is the colour and symbol.
    pub candidates: Vec<String>,
    pub runs: [RunData; 1],
}

#[derive(Debug, Serialize)]
pub struct RunData {
    pub tie_margin: f64,
    pub questions: Vec<QuestionData>,
    pub sweeps: Vec<SweepData>,
    pub machine: MachineData,
}

#[derive(Debug, Serialize)]
pub struct QuestionData {
    pub workload: String,
    pub unit: &'static str,
    /// Whether the points are ratios to `reference`; else rates in `unit`.
    pub is_ratio: bool,
    /// Candidate the ratios are taken against.
    pub reference: Option<usize>,
    pub rows: Vec<RowData>,
    pub over_time: OverTime,
    pub latency: Vec<LatencyData>,
    /// What lower layers reach, in the unit of `over_time`.
    pub ceilings: Vec<CeilingData>,
    pub along: Vec<AlongData>,
}

/// The rate along the slices of a candidate.
#[derive(Debug, Serialize)]
pub struct AlongData {
    /// Index into [`Data::candidates`].
    pub candidate: usize,
    /// As shares of the figures; see [`settled::course`].
    pub shares: Vec<Option<f64>>,
}

/// A lower layer's rate, a line in the chart over time.
#[derive(Debug, Serialize)]
pub struct CeilingData {
    pub layer: &'static str,
    /// Index into [`Data::candidates`]; `None` = all.
    pub candidate: Option<usize>,
    pub rate: f64,
}

#[derive(Debug, Serialize)]
pub struct RowData {
    /// Index into [`Data::candidates`].
    pub candidate: usize,
    /// Geometric mean: of ratios inside blocks, or of rates.
    pub mid: Option<f64>,
    /// Interval; only for ratios whose pair was analysed.
    pub low: Option<f64>,
    pub high: Option<f64>,
    /// One value a complete block: (block, ratio or rate).
    pub dots: Vec<(BlockIx, f64)>,
    pub absolute: Option<Absolute>,
    pub figure: String,
}

/// Rate of a window: `field` divided by its length in seconds and by `per`.
#[derive(Debug, Serialize)]
pub struct OverTime {
    pub field: &'static str,
    pub per: f64,
    pub unit: &'static str,
}

/// One kind of operation.
#[derive(Debug, Serialize)]
pub struct LatencyData {
    /// `read`, `write`, `flush`, ….
    pub op: &'static str,
    pub curves: Vec<Curve>,
}

/// Latency of one candidate, over all cells that count.
#[derive(Debug, Serialize)]
pub struct Curve {
    /// Index into [`Data::candidates`].
    pub candidate: usize,
    pub count: u64,
    /// [`percentile::curve`].
    pub ns: Vec<u64>,
}

impl RunData {
    pub fn new(run: &Run, questions: &[Question]) -> RunData {
        let table = ScoreTable::from_evidence(run);
        let question = |q| QuestionData::new((run, &table), q);
        RunData {
            tie_margin: run.header.protocol.tie_margin,
            questions: questions.iter().map(question).collect(),
            sweeps: Vec::new(),
            machine: machine::data(run, questions),
        }
    }
}

impl QuestionData {
    fn new((run, table): (&Run, &ScoreTable), question: &Question) -> QuestionData {
        let is_ratio = question.rows.iter().any(|r| r.ratio.is_some());
        let is_reference = |row: &&Row| Some(&row.candidate) == question.reference.as_ref();
        let reference = question.rows.iter().find(is_reference).filter(|_| is_ratio);
        let reference = reference.map(|row| row.index);
        let row = |row: &Row| {
            let dots = |reference| dots((run, table), question, row.index, reference);
            let rates = dots(None).into_iter().map(|(_, rate)| rate);
            let absolute = Absolute::from_values(rates);
            let dots = dots(reference);
            let mean = geometric_mean(&dots);
            RowData {
                candidate: row.index,
                mid: row.ratio.map(|r| r.0).or(mean).and_then(finite),
                low: row.ratio.and_then(|r| finite(r.1)),
                high: row.ratio.and_then(|r| finite(r.2)),
                dots,
                absolute,
                figure: row.rate.clone(),
            }
        };
        QuestionData {
            workload: question.workload.clone(),
            unit: question.unit,
            is_ratio,
            reference,
            rows: question.rows.iter().map(row).collect(),
            over_time: over_time(run, question),
            latency: latency(run, question),
            ceilings: ceilings(run, question),
            along: along(run, question),
        }
    }
}

/// How a workload's windows become a rate in the unit of its verdict, as far as they can: of
/// small files they count every kind of operation, not files.
fn over_time(run: &Run, question: &Question) -> OverTime {
    let workload = question.index.map(|i| &run.header.workloads[i]);
    let unit = question.unit;
    // Parts of a profile have block sizes of their own.
    let workload = workload.filter(|w| w.profile.is_none() || w.metric == Metric::Bandwidth);
    let operations = OverTime { field: "ios", per: 1.0, unit: "operations/s" };
    let Some(workload) = workload else { return operations };
    match workload.metric {
        Metric::Bandwidth => OverTime { field: "bytes", per: question.unit_scale, unit },
        Metric::Iops => {
            let per = workload.job.bs as f64 * question.unit_scale;
            OverTime { field: "bytes", per, unit }
        }
        Metric::FilesPerSecond | Metric::TransactionsPerSecond | Metric::LatencyP99 => operations,
    }
}

fn along(run: &Run, question: &Question) -> Vec<AlongData> {
    let Some(workload) = question.index else { return Vec::new() };
    let of = |candidate: CandidateIx| {
        let shares = settled::course(run, workload, candidate)?;
        let shares = shares.into_iter().map(|share| share.and_then(finite)).collect();
        Some(AlongData { candidate: usize::from(candidate), shares })
    };
    CandidateIx::all(run.header.candidates.len()).filter_map(of).collect()
}

/// The layers measured for a workload, lowest first, where the chart has their unit: of files and
/// of latencies it draws operations.
fn ceilings(run: &Run, question: &Question) -> Vec<CeilingData> {
    let Some(index) = question.index else { return Vec::new() };
    if over_time(run, question).field != "bytes" {
        return Vec::new();
    }
    let measured = run.ceilings.measured.iter().filter(|layer| layer.workload == index);
    let of = |layer: &LayerRate| {
        Some(CeilingData {
            layer: layer.layer.label(),
            candidate: layer.candidate.map(usize::from),
            rate: finite(layer.rate / question.unit_scale)?,
        })
    };
    let mut all: Vec<CeilingData> = measured.filter_map(of).collect();
    all.sort_by(|a, b| a.rate.total_cmp(&b.rate).then(a.layer.cmp(b.layer)));
    all
}

fn cells<'a>(run: &'a Run, question: &Question) -> impl Iterator<Item = &'a Cell> {
    let index = question.index;
    let blocks = run.blocks.iter().filter(|b| b.state == BlockState::Complete);
    blocks.flat_map(|b| &b.cells).filter(move |c| Some(c.workload) == index)
}

/// One value a block: the ratio to the reference, or the rate in the unit of the question.
fn dots(
    (run, table): (&Run, &ScoreTable),
    question: &Question,
    candidate: usize,
    reference: Option<usize>,
) -> Vec<(BlockIx, f64)> {
    let Some(workload) = question.index else { return Vec::new() };
    let metric = run.header.workloads[workload].metric;
    let scores = |candidate: usize| table.values(workload, CandidateIx::new(candidate));
    let reference = reference.map(scores);
    let dot = |(at, (block, score)): (usize, (&BlockIx, &Option<f64>))| {
        let value = match reference {
            // How many times as fast, whether rates or latencies are compared.
            Some(reference) => libm::exp((*score)? - (*reference.get(at)?)?),
            None => metric.from_score((*score)?) / question.unit_scale,
        };
        finite(value).filter(|v| *v > 0.0).map(|v| (*block, v))
    };
    table.blocks().iter().zip(scores(candidate)).enumerate().filter_map(dot).collect()
}

fn geometric_mean(dots: &[(BlockIx, f64)]) -> Option<f64> {
    let sum: f64 = dots.iter().map(|(_, v)| libm::log(*v)).sum();
    (!dots.is_empty()).then(|| libm::exp(sum / dots.len() as f64))
}

/// JSON has no infinity; a value that is none is left out.
fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

/// Curves for every kind of operation that took place.
fn latency(run: &Run, question: &Question) -> Vec<LatencyData> {
    let curve = |(candidate, all): (usize, Vec<&OpStats>)| {
        let mut merged = Histogram::default();
        all.iter().for_each(|stats| merged.merge(&stats.histogram));
        let count = merged.total();
        (count > 0).then(|| Curve { candidate, count, ns: percentile::curve(&merged) })
    };
    let ops = by_operation(run, question).into_iter();
    let ops = ops
        .map(|(op, all)| LatencyData { op, curves: all.into_iter().filter_map(curve).collect() });
    ops.filter(|op| !op.curves.is_empty()).collect()
}

/// What a kind of operation took, in each cell of a candidate, beside the position of its colour.
type OfOperation<'r> = (&'static str, Vec<(usize, Vec<&'r OpStats>)>);

/// All cells that count, by the kinds of operation in them and by candidate.
fn by_operation<'r>(run: &'r Run, question: &Question) -> Vec<OfOperation<'r>> {
    let mut all: Vec<(&'static str, (usize, &'r OpStats))> = Vec::new();
    for row in &question.rows {
        let is_of_row =
            |cell: &&Cell| rounds::counts(run, cell) && usize::from(cell.candidate) == row.index;
        let own = cells(run, question).filter(is_of_row);
        let ops = own.flat_map(|cell| cell.measurement.ops());
        all.extend(ops.map(|(op, stats)| (op, (row.index, stats))));
    }
    let ops = phrases::grouped(all).into_iter();
    ops.map(|(op, of)| (op, phrases::grouped(of))).collect()
}
