//! Rules over what the figures of a cell can tell: their length, latencies and the load
//! generator's own share.

use super::latencies;
use crate::evidence::observation::{Latencies, MeasuredCell, Observation, Source};
use crate::evidence::rule::Hit;
use bakeoff_model::job::Rw;
use bakeoff_model::thresholds;
use bakeoff_model::workload::Metric;
use bakeoff_stats::units;

const SHORTEST_NS: u64 = 500_000_000;

const FEWEST_IOS: u64 = 50;

/// Writeback timer of the kernel (`vm.dirty_expire_centisecs` and ext4's commit are of this order).
const PERIOD_NS: u64 = 5_000_000_000;

const PERIODS: u64 = 10;

pub fn too_short(of: &Observation) -> Option<Hit> {
    let extent = of.extent?;
    let took = units::duration(extent.elapsed_ns);
    // Slices are short on purpose, and each ends with its own flush.
    let is_below = |least_ns: u64| extent.whole_ns.is_some_and(|ns| ns < least_ns);
    let fewest = extent.ios.map(|(ios, wanted)| (ios, FEWEST_IOS.min(wanted)));
    let evidence = if is_below(SHORTEST_NS) {
        format!("lasted {took}; the minimum is half a second")
    } else if let Some((ios, fewest)) = fewest.filter(|(ios, fewest)| ios < fewest) {
        format!("{ios} operations in {took}; the minimum is {fewest}")
    } else if extent.is_unflushed && is_below(PERIODS * PERIOD_NS) {
        format!(
            "lasted {took}; unflushed writes need 50 s, because the kernel writes back every 5 s"
        )
    } else {
        return None;
    };
    let advice = match (of.source, extent.is_one_pass) {
        (Source::Others, _) => {
            "Measure for several seconds at least: use more data, or a longer time."
        }
        (_, true) => {
            "use a larger {size}: the tool processes its file once, regardless of the time"
        }
        (_, false) => "measure longer: {runtime=60s}, or flush: {end_fsync=true}",
    };
    Some(Hit::new(evidence, advice))
}

pub fn no_progress(of: &Observation) -> Option<Hit> {
    let MeasuredCell { workload, cell, .. } = of.measured?;
    let m = &cell.measurement;
    workload.metric.value(m).is_none().then(|| {
        let evidence = format!("no operation completed in {}", units::duration(m.elapsed_ns));
        Hit::new(evidence, "check for device errors with dmesg")
    })
}

const ENOUGH_BYTES: u64 = 64 << 10;

pub fn tool_share(of: &Observation) -> Option<Hit> {
    let cell = of.measured?.cell;
    let m = &cell.measurement;
    let share = m.tool_ns as f64 / m.elapsed_ns.max(1) as f64;
    (share > thresholds::TOOL).then(|| {
        let evidence =
            format!("{:.0} % of the time was spent generating data and counting", share * 100.0);
        let advice = if m.job.bs < ENOUGH_BYTES && m.job.rw != Rw::SmallFiles {
            "use a larger block size: {bs=64k}"
        } else {
            "the target is nearly as fast as the load generator: treat the figure as a \
                     minimum"
        };
        Hit::new(evidence, advice)
    })
}

pub fn sync_outside_latency(of: &Observation) -> Option<Hit> {
    let share = of.outside.filter(|share| *share > 1.0 - thresholds::COVERED)?;
    let evidence =
        format!("{:.1} % of the time is outside operations with a latency", share * 100.0);
    let advice = match of.source {
        Source::Ours => {
            "interpret throughput and latency separately, or use driver = \"native\" in a plan"
        }
        Source::Others => {
            "Interpret throughput and latencies separately, or use sysbench 1.0.15 or later, which \
             counts flushes."
        }
    };
    Some(Hit::new(evidence, advice))
}

pub fn fsync_cadence(of: &Observation) -> Option<Hit> {
    let share = of.flushing.filter(|share| *share > thresholds::FLUSHING)?;
    let evidence = format!(
        "{:.0} % of the time is spent flushing, at an interval chosen by {}",
        share * 100.0,
        of.tool
    );
    let advice = match of.source {
        Source::Ours => {
            "set the flush interval of your own work: fsync = 1 in the workload of a plan"
        }
        Source::Others => "Set --file-fsync-freq to the flush interval of your own work.",
    };
    Some(Hit::new(evidence, advice))
}

pub fn mean_lies(of: &Observation) -> Option<Hit> {
    let lie = |l: &Latencies| l.p95_ns.filter(|p95| l.mean_ns > *p95 as f64).map(|p95| (*l, p95));
    let (l, p95) = of.latencies.iter().find_map(lie)?;
    let evidence = format!(
        "the mean {} of {} exceeds the 95th percentile ({})",
        l.name,
        units::latency(libm::round(l.mean_ns) as u64),
        units::latency(p95)
    );
    let advice = match of.source {
        Source::Ours => {
            "use the percentiles; bakeoff show -o report.html draws the whole distribution"
        }
        Source::Others => "The slowest operations dominate the mean: use the percentiles.",
    };
    Some(Hit::new(evidence, advice))
}

pub fn coordinated_omission(of: &Observation) -> Option<Hit> {
    let MeasuredCell { workload, cell, .. } = of.measured?;
    let is_closed = workload.metric == Metric::LatencyP99 && workload.is_closed_loop();
    let limit = thresholds::STALL;
    let (name, l, p50) = latencies(cell).filter(|_| is_closed).find_map(|(name, _, l)| {
        let p50 = l.p50.filter(|p| l.max as f64 > limit * *p as f64)?;
        Some((name, l, p50))
    })?;
    let evidence = format!(
        "a {name} took {} (median: {}), and no requests were sent meanwhile",
        units::latency(l.max),
        units::latency(p50)
    );
    Hit::new(evidence, "send at a fixed rate: {rate_iops}").into()
}

#[cfg(test)]
mod tests {
    use crate::evidence::cell;
    use crate::evidence::cell::testing::found;
    use crate::testing::{RunBuilder, clean_cell, measurement};
    use bakeoff_model::event::{Cell, Header};
    use bakeoff_model::measurement::Tool;
    use bakeoff_model::slice::Slice;
    use bakeoff_model::workload::DriverName;

    /// The demo refused sequential writes: three slices of twelve operations of 1 MiB each.
    #[test]
    fn l25_takes_slices_of_a_few_large_operations_in_order() {
        let slices = |count: usize| {
            move |_: &mut Header, c: &mut Cell| {
                c.measurement.read.as_mut().unwrap().total_ios = 36;
                c.slices = vec![Slice::default(); count];
            }
        };
        assert!(!found("seqread", 9e7, slices(3)).contains(&"L25".to_string()));
        assert!(found("seqread", 9e7, slices(5)).contains(&"L25".to_string()), "40 of 1 MiB");
        assert!(found("randread", 900.0, slices(3)).contains(&"L25".to_string()));
    }

    /// dd was advised to run for 60 s, which it cannot.
    #[test]
    fn l25_asks_for_more_data_of_a_tool_that_has_no_time() {
        let advice = |driver| {
            let run = RunBuilder::directories(&["/a", "/b"]).workloads(&["seqread"]).build();
            let mut one = clean_cell(measurement(&run.header.workloads[0], 5e7));
            one.measurement.elapsed_ns = 1000;
            let tool = Tool { driver, version: "1".to_string(), command: Vec::new() };
            one.measurement.tool = Some(tool);
            cell(&run.header, &one).into_iter().find(|f| f.id == "L25").unwrap().advice
        };
        assert!(advice(DriverName::Dd).contains("larger --size"), "{}", advice(DriverName::Dd));
        assert!(advice(DriverName::Fio).contains("longer"), "{}", advice(DriverName::Fio));
    }
}
