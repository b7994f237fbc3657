//! Good enough for which applications: the demands of each, judged by what a `fit` run measured.

use serde::Serialize;

use crate::applications;
use crate::fit::{self, FitSlice};
use bakeoff_model::application::{AppLoad, Application, Demand, FitSample, FitSamples};
use bakeoff_model::fit::{FitNeed, FitRating, FitVerdict};
use bakeoff_model::measurement::Measurement;
use bakeoff_model::run::Run;
use bakeoff_model::verb::Verb;
use bakeoff_model::workload::Workload;

/// An application and what was found about its demands.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AppRating {
    pub name: String,
    pub about: String,
    pub missed: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub load: Option<AppLoad>,
    /// The verdict of all demands together, alone and beside the companion.
    pub verdict: FitVerdict,
    pub demands: Vec<RatedDemand>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RatedDemand {
    #[serde(flatten)]
    pub demand: Demand,
    pub alone: FitRating,
    /// The same while the companion works; `None` = there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beside: Option<FitRating>,
    /// Median of the latencies that are judged, ns; `None` = the demand limits no latency.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub median_ns: Option<u64>,
}

/// Rates every application of a `fit` run, in the order of the run.
pub fn ratings(run: &Run) -> Vec<AppRating> {
    rated(&run.header.applications, &run.header.workloads, &run.fit)
}

/// The same of a run under way.
pub fn rated(
    applications: &[Application],
    workloads: &[Workload],
    measured: &[FitSamples],
) -> Vec<AppRating> {
    let of = |application: &Application| {
        let demand = |demand: &Demand| rate(application, demand, workloads, measured);
        let demands: Vec<RatedDemand> = application.demands.iter().map(demand).collect();
        let Application { name, about, missed, load, .. } = application.clone();
        let all = demands.iter().flat_map(|of| [Some(&of.alone), of.beside.as_ref()]).flatten();
        AppRating { name, about, missed, load, verdict: worst(all.map(|r| r.verdict)), demands }
    };
    applications.iter().map(of).collect()
}

fn rate(
    application: &Application,
    demand: &Demand,
    workloads: &[Workload],
    measured: &[FitSamples],
) -> RatedDemand {
    let need = application.need(demand);
    let of = |is_beside: bool| {
        let is_it =
            |w: &&Workload| base_name(w) == demand.workload && w.beside.is_some() == is_beside;
        workloads.iter().any(|w| is_it(&w)).then(|| {
            let is_of = |m: &&FitSamples| m.workload.get(workloads).as_ref().is_some_and(is_it);
            let found = measured.iter().find(is_of);
            let slices: Vec<FitSlice> = found.iter().flat_map(|m| &m.samples).map(slice).collect();
            let look = found.map_or(0, |m| usize::try_from(m.look).unwrap_or(usize::MAX));
            (fit::judge(need, &slices, look), median(&slices))
        })
    };
    let none = || (fit::judge(need, &[], 0), None);
    let (alone, median_ns) = of(false).unwrap_or_else(none);
    let median_ns = median_ns.filter(|_| applications::has_latency(need));
    let demand = Demand { need, ..demand.clone() };
    RatedDemand { demand, alone, beside: of(true).map(|(rating, _)| rating), median_ns }
}

fn median(slices: &[FitSlice]) -> Option<u64> {
    let mut all = bakeoff_stats::histogram::Histogram::default();
    slices.iter().for_each(|slice| all.merge(&slice.latencies));
    all.quantile(0.5)
}

fn slice(of: &FitSample) -> FitSlice {
    FitSlice {
        elapsed_ns: of.elapsed_ns,
        latencies: of.latencies.clone(),
        operations: of.ios,
        bytes: of.bytes,
        waited_ns: of.waited_ns,
        clock_error_ns: of.clock_error_ns,
    }
}

/// Applications, by name, that the figures of a `quick` run of one directory decide by themselves:
/// whether it is fast enough. Its workloads only resemble those of applications, so that a demand
/// has to be met or missed by a factor of two, for certain.
pub fn of_quick(run: &Run) -> Vec<(String, bool)> {
    let is_of_one = run.header.verb == Verb::Quick && run.header.candidates.len() == 1;
    let table = is_of_one.then(applications::built_in);
    let decided = |of: &Application| {
        let all: Vec<Option<bool>> = of.demands.iter().map(|d| by_quick(run, of, d)).collect();
        match () {
            () if all.contains(&Some(false)) => Some((of.name.clone(), false)),
            () if all.iter().all(|one| *one == Some(true)) => Some((of.name.clone(), true)),
            () => None,
        }
    };
    table.iter().flat_map(|table| &table.applications).filter_map(decided).collect()
}

fn by_quick(run: &Run, of: &Application, demand: &Demand) -> Option<bool> {
    let name = demand.quick.as_ref()?;
    let at = run.header.workloads.iter().position(|w| w.name == *name)?;
    let cells = run.complete_cells().filter(|cell| usize::from(cell.workload) == at);
    let slices: Vec<FitSlice> = cells.map(|cell| block(&cell.measurement)).collect();
    let need = of.need(demand);
    let is = |wanted, times: f64| {
        fit::judge(scaled(need, times), &slices, fit::looks::PROMISED).verdict == wanted
    };
    match () {
        () if slices.len() < 2 => None,
        () if is(FitVerdict::Yes, 2.0) => Some(true),
        () if is(FitVerdict::No, 0.5) => Some(false),
        () => None,
    }
}

/// A need that is so many times as hard to meet.
fn scaled(need: FitNeed, times: f64) -> FitNeed {
    let shorter = |limit_ns: u64| (limit_ns as f64 / times) as u64;
    match need {
        FitNeed::Latency { quantile, limit_ns } => {
            FitNeed::Latency { quantile, limit_ns: shorter(limit_ns) }
        }
        FitNeed::NoGap { limit_ns } => FitNeed::NoGap { limit_ns: shorter(limit_ns) },
        FitNeed::Operations { per_s } => FitNeed::Operations { per_s: per_s * times },
        FitNeed::Bytes { per_s } => FitNeed::Bytes { per_s: per_s * times },
    }
}

/// A block of a run as one slice: its flushes, where it has some.
fn block(of: &Measurement) -> FitSlice {
    let timed = of.flush.as_ref().or(of.write.as_ref()).or(of.read.as_ref());
    let data = || [&of.read, &of.write].into_iter().flatten();
    FitSlice {
        elapsed_ns: of.elapsed_ns,
        latencies: timed.map(|stats| stats.histogram.clone()).unwrap_or_default(),
        operations: data().map(|stats| stats.total_ios).sum(),
        bytes: data().map(|stats| stats.io_bytes).sum(),
        waited_ns: of.waited_ns.unwrap_or(0),
        clock_error_ns: of.clock.map_or(0, |clock| clock.stamp_error_ns),
    }
}

/// A workload's name without its companion.
pub fn base_name(workload: &Workload) -> &str {
    match &workload.beside {
        Some(companion) => {
            let suffix = format!(" beside {}", companion.name);
            workload.name.strip_suffix(&suffix).unwrap_or(&workload.name)
        }
        None => &workload.name,
    }
}

/// One no is a no; otherwise one doubt is a doubt, and all have to be told.
pub fn worst(all: impl Iterator<Item = FitVerdict>) -> FitVerdict {
    all.reduce(|a, b| match (a, b) {
        (FitVerdict::No, _) | (_, FitVerdict::No) => FitVerdict::No,
        (FitVerdict::TooClose { doubt, more_ns: a }, FitVerdict::TooClose { more_ns: b, .. }) => {
            FitVerdict::TooClose { doubt, more_ns: a.zip(b).map(|(a, b)| a.max(b)) }
        }
        (FitVerdict::TooClose { .. }, _) => a,
        (FitVerdict::Yes, b) => b,
    })
    .unwrap_or(FitVerdict::Yes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::RunBuilder;
    use bakeoff_model::event::Cell;
    use bakeoff_model::fit::FitDoubt;
    use bakeoff_model::measurement::{Latency, OpStats};
    use bakeoff_stats::histogram::Histogram;

    #[test]
    fn one_no_is_a_no_and_all_doubts_have_to_be_told() {
        let doubt = |more_ns| FitVerdict::TooClose { doubt: FitDoubt::Close, more_ns };
        let (yes, no) = (FitVerdict::Yes, FitVerdict::No);
        let of = |all: &[FitVerdict]| worst(all.iter().copied());
        assert_eq!(of(&[yes, doubt(None), no]), no);
        assert_eq!(of(&[yes, yes]), yes);
        assert_eq!(of(&[doubt(Some(3)), yes, doubt(Some(5))]), doubt(Some(5)));
        assert_eq!(of(&[doubt(Some(3)), doubt(None)]), doubt(None));
    }

    fn flushes(cell: &mut Cell, ns: u64) {
        let histogram = Histogram { buckets: vec![(ns, 10_000)] };
        let lat_ns = Latency::default();
        let (total_ios, io_bytes, iops, bw_bytes_per_s) = (10_000, 0, 1.0, 0.0);
        let stats = OpStats { total_ios, io_bytes, iops, bw_bytes_per_s, lat_ns, histogram };
        cell.measurement.flush = Some(stats);
    }

    #[test]
    fn quick_decides_what_is_far_from_the_limit_only() {
        let decided = |cells: fn(&mut Cell)| {
            let quick = RunBuilder::directories(&["/a"]).workloads(&["randwrite"]).cells(cells);
            of_quick(&quick.play(9, |_, _, _| 1000.0).build())
        };
        let fast = decided(|cell| flushes(cell, 1_000_000));
        assert!(fast.contains(&("etcd".to_string(), true)), "{fast:?}");
        let slow = decided(|cell| flushes(cell, 50_000_000));
        assert!(slow.contains(&("etcd".to_string(), false)), "{slow:?}");
        assert!(slow.iter().all(|(name, _)| name != "k3s"), "50 ms of 100 is not clear: {slow:?}");
        let two = RunBuilder::directories(&["/a", "/b"]).play(9, |_, _, _| 1000.0).build();
        assert!(of_quick(&two).is_empty());
    }
}
