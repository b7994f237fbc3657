//! What companions do to the workloads beside them: the paired difference inside blocks between a
//! workload with its companion and the same one alone, for each candidate.

use crate::decide::figure;
use crate::evidence;
use bakeoff_model::beside::{BesideChange, BesideEffect, BesideQuantity};
use bakeoff_model::companions;
use bakeoff_model::event::Cell;
use bakeoff_model::index::{BlockIx, CandidateIx, WorkloadIx};
use bakeoff_model::measurement::{Latency, Measurement, OpStats};
use bakeoff_model::run::Run;
use bakeoff_model::workload::{Metric, Workload};
use bakeoff_stats::paired::Paired;
use bakeoff_stats::sample;

/// Error of all intervals of a workload together.
const ALPHA: f64 = 0.05;

type Quantile = (&'static str, fn(&Latency) -> Option<u64>);

/// The highest that all cells know is compared.
const QUANTILES: [Quantile; 3] =
    [("p99", |lat| lat.p99), ("p90", |lat| lat.p90), ("p50", |lat| lat.p50)];

pub fn effects(run: &Run) -> Vec<BesideEffect> {
    let all = WorkloadIx::each(&run.header.workloads);
    all.filter_map(|(with, workload)| effect(run, with, workload)).collect()
}

fn effect(run: &Run, with: WorkloadIx, workload: &Workload) -> Option<BesideEffect> {
    let header = &run.header;
    let companion = workload.beside.as_deref()?;
    let alone = WorkloadIx::find(&header.workloads, |other| is_alone(other, workload));
    let compared = CandidateIx::each(&header.candidates).filter(|(_, c)| c.twin_of.is_none());
    let cells: Vec<CandidateCells> = compared
        .map(|(candidate, c)| CandidateCells {
            name: c.name.clone(),
            with: cells(run, with, candidate),
            alone: alone.map(|alone| cells(run, alone, candidate)).unwrap_or_default(),
        })
        .filter(|of| !of.with.is_empty())
        .collect();
    let quantity = alone.and_then(|_| quantity(workload.metric, &cells));
    let value = |cell: &Cell| value(quantity?, workload.metric, cell);
    let alpha = ALPHA / cells.len().max(1) as f64;
    Some(BesideEffect {
        workload: workload.name.clone(),
        alone: alone.map(|alone| header.workloads[alone].name.clone()),
        companion: companion.name.clone(),
        rate: companions::rate(companion),
        quantity,
        candidates: cells.iter().map(|of| of.change(alpha, &value)).collect(),
    })
}

/// The same work by the same tool, beside nothing.
fn is_alone(other: &Workload, workload: &Workload) -> bool {
    let (name, summary) = (workload.name.clone(), workload.summary.clone());
    other.beside.is_none()
        && Workload { name, summary, beside: workload.beside.clone(), ..other.clone() } == *workload
}

/// The cells that count, one for each block.
fn cells(run: &Run, workload: WorkloadIx, candidate: CandidateIx) -> Vec<(BlockIx, &Cell)> {
    let own = |cell: &&Cell| {
        (cell.workload, cell.candidate) == (workload, candidate)
            && !evidence::is_invalid(&run.header, cell)
    };
    let last = run
        .complete_blocks()
        .filter_map(|block| Some((block.block, block.cells.iter().rfind(own)?)));
    last.collect()
}

struct CandidateCells<'r> {
    name: String,
    with: Vec<(BlockIx, &'r Cell)>,
    alone: Vec<(BlockIx, &'r Cell)>,
}

impl CandidateCells<'_> {
    fn change(&self, alpha: f64, value: &dyn Fn(&Cell) -> Option<f64>) -> BesideChange {
        let pair = |(block, with): &(BlockIx, &Cell)| {
            let (_, alone) = self.alone.iter().find(|(own, _)| own == block)?;
            Some((libm::log(value(alone)?), libm::log(value(with)?)))
        };
        let (alone, with): (Vec<f64>, Vec<f64>) = self.with.iter().filter_map(pair).unzip();
        let differences: Vec<f64> =
            with.iter().zip(&alone).map(|(with, alone)| with - alone).collect();
        let paired = Paired::from_differences(&differences);
        let mean = |logs: &[f64]| sample::mean(logs).map(libm::exp);
        BesideChange {
            candidate: self.name.clone(),
            figures: mean(&alone).zip(mean(&with)),
            ratio: paired.map(|paired| {
                let interval = paired.interval(alpha);
                (libm::exp(paired.mean), libm::exp(interval.low), libm::exp(interval.high))
            }),
            blocks: differences.len() as u32,
            companion_did: self.companion_did(),
        }
    }

    fn companion_did(&self) -> Option<f64> {
        let beside: Vec<&Measurement> =
            self.with.iter().filter_map(|(_, cell)| cell.beside.as_deref()).collect();
        let ios: u64 = beside.iter().map(|m| paced_ios(m)).sum();
        let elapsed_ns: u64 = beside.iter().map(|m| m.elapsed_ns).sum();
        (elapsed_ns > 0).then(|| ios as f64 * 1e9 / elapsed_ns as f64)
    }
}

/// Operations of a companion that have a time at which they are due: all but flushes.
fn paced_ios(m: &Measurement) -> u64 {
    m.ops().filter(|(kind, _)| *kind != "flush").map(|(_, stats)| stats.total_ios).sum()
}

fn quantity(metric: Metric, cells: &[CandidateCells]) -> Option<BesideQuantity> {
    let all = || cells.iter().flat_map(|of| of.with.iter().chain(&of.alone)).map(|(_, cell)| *cell);
    let first = all().next()?;
    let waits = matches!(metric, Metric::Iops | Metric::TransactionsPerSecond | Metric::LatencyP99);
    let of = waited(&first.measurement).map(|(name, _)| name).filter(|_| waits);
    let is_known = |quantile: fn(&Latency) -> Option<u64>| {
        all().all(|cell| {
            waited(&cell.measurement).is_some_and(|(_, s)| quantile(&s.lat_ns).is_some())
        })
    };
    let known = QUANTILES.iter().find(|(_, quantile)| is_known(*quantile));
    Some(match known.zip(of) {
        Some(((quantile, _), of)) => BesideQuantity::Latency { quantile, of },
        None => BesideQuantity::Figure,
    })
}

fn value(quantity: BesideQuantity, metric: Metric, cell: &Cell) -> Option<f64> {
    let BesideQuantity::Latency { quantile, .. } = quantity else {
        return figure::of_cell(metric, cell);
    };
    let (_, get) = QUANTILES.iter().find(|(name, _)| *name == quantile)?;
    let (_, stats) = waited(&cell.measurement)?;
    get(&stats.lat_ns).filter(|ns| *ns > 0).map(|ns| ns as f64)
}

/// What an application waits for: a commit; where writes are flushed one by one, the flush.
fn waited(m: &Measurement) -> Option<(&'static str, &OpStats)> {
    let flushed = m.flush.as_ref().filter(|flush| {
        let writes = m.write.as_ref().map_or(0, |write| write.total_ios);
        m.read.is_none() && flush.total_ios > 0 && flush.total_ios >= writes / 2
    });
    [
        ("commits", m.commit.as_ref()),
        ("flushes", flushed),
        ("reads", m.read.as_ref()),
        ("writes", m.write.as_ref()),
    ]
    .into_iter()
    .find_map(|(name, stats)| stats.map(|stats| (name, stats)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::RunBuilder;
    use bakeoff_model::workloads;

    fn with_companion() -> Vec<Workload> {
        let alone = workloads::find("randread").unwrap();
        let mut beside = companions::built_in("backup").map(Box::new);
        beside.iter_mut().for_each(|beside| beside.job.rate_iops = Some(250));
        let name = "randread beside backup".to_string();
        vec![alone.clone(), Workload { name, beside, ..alone }]
    }

    /// Alone 100 operations a second; beside it candidate 0 does as many, candidate 1 a quarter.
    fn run(blocks: u32) -> Run {
        let rate = |block: u32, candidate: u16, workload: u16| {
            let noise = 1.0
                + f64::from((block * 7 + u32::from(candidate) * 3 + u32::from(workload)) % 5)
                    / 200.0;
            let share = if (candidate, workload) == (1, 1) { 0.25 } else { 1.0 };
            100.0 * share * noise
        };
        RunBuilder::stacks(&["ext4", "f2fs"])
            .header(|h| h.workloads = with_companion())
            .cells(|cell| {
                if cell.workload == WorkloadIx::new(1) {
                    let did = if cell.candidate == CandidateIx::FIRST { 250 } else { 100 };
                    let mut beside = cell.measurement.clone();
                    beside.elapsed_ns = 1_000_000_000;
                    beside.read.iter_mut().for_each(|read| read.total_ios = did);
                    cell.beside = Some(Box::new(beside));
                }
            })
            .play(blocks, rate)
            .build()
    }

    #[test]
    fn a_change_is_told_from_none_for_each_candidate() {
        let found = effects(&run(9));
        let [of] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((of.alone.as_deref(), of.rate), (Some("randread"), 250));
        let [same, changed] = of.candidates.as_slice() else { panic!("{of:?}") };
        assert!(!same.is_certain() && changed.is_certain(), "{of:?}");
        let (ratio, low, high) = changed.ratio.unwrap();
        let expected = if of.quantity == Some(BesideQuantity::Figure) { 0.25 } else { 4.0 };
        assert!((low..high).contains(&ratio) && (ratio / expected - 1.0).abs() < 0.05, "{of:?}");
        assert_eq!((same.companion_did, changed.companion_did), (Some(250.0), Some(100.0)));
    }

    #[test]
    fn without_the_same_workload_alone_only_the_pace_is_known() {
        let mut run = run(3);
        run.header.workloads[0].job.bs *= 2;
        let found = effects(&run);
        assert_eq!((found[0].alone.as_deref(), found[0].quantity), (None, None));
        assert!(found[0].candidates.iter().all(|c| c.ratio.is_none() && c.companion_did.is_some()));
        run.header.workloads.iter_mut().for_each(|w| w.beside = None);
        assert_eq!(effects(&run), []);
    }
}
