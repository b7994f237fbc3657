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
        let advice = match m.job.bs < ENOUGH_BYTES && m.job.rw != Rw::SmallFiles {
            true => "use a larger block size: {bs=64k}",
            false => {
                "the target is nearly as fast as the load generator: treat the figure as a \
                     minimum"
            }
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

pub fn thin_tail(of: &Observation) -> Option<Hit> {
    let cell = of.measured?.cell;
    let (name, count, quantile) = latencies(cell).find_map(|(name, stats, l)| {
        let quantiles = [(0.95, l.p95), (0.99, l.p99), (0.999, l.p99_9), (0.9999, l.p99_99)];
        let thin = quantiles.into_iter().find(|(q, value)| {
            value.is_some() && (stats.total_ios as f64) < 10.0 / (1.0 - q) - 1e-6
        })?;
        Some((name, stats.total_ios, thin.0))
    })?;
    let evidence = format!("the p{} rests on only {count} operations ({name})", quantile * 100.0);
    let advice = "measure longer: {runtime=60s}, or use a lower percentile";
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
    use super::*;
    use crate::evidence::cell;
    use crate::evidence::cell::testing::{fires, found, of_sysbench};
    use crate::testing::{RunBuilder, clean_cell, measurement};
    use bakeoff_model::event::{Cell, Header};
    use bakeoff_model::measurement::Tool;
    use bakeoff_model::profile::{Part, Profile};
    use bakeoff_model::slice::Slice;
    use bakeoff_model::verb::Verb;
    use bakeoff_model::workload::DriverName;

    #[test]
    fn l25_too_short_too_few_and_unflushed() {
        let short = |ns: u64| move |_: &mut Header, c: &mut Cell| c.measurement.elapsed_ns = ns;
        assert_eq!(found("randread", 900.0, short(499_999_999)), ["L25"]);
        assert!(found("randread", 900.0, short(500_000_000)).is_empty());
        let few = |n: u64| {
            move |_: &mut Header, c: &mut Cell| {
                let read = c.measurement.read.as_mut().unwrap();
                (read.total_ios, read.lat_ns.p95, read.lat_ns.p99) = (n, None, None);
            }
        };
        assert_eq!(found("randread", 900.0, few(49)), ["L25"]);
        assert!(found("randread", 900.0, few(50)).is_empty());
        let unflushed = |ns: u64| {
            move |_: &mut Header, c: &mut Cell| {
                c.measurement.job.fsync = 0;
                c.measurement.elapsed_ns = ns;
            }
        };
        assert_eq!(found("randwrite", 900.0, unflushed(49_000_000_000)), ["L25"]);
        assert!(found("randwrite", 900.0, unflushed(50_000_000_000)).is_empty());
    }

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

    #[test]
    fn no_progress_is_no_number() {
        let nothing = |_: &mut Header, c: &mut Cell| c.measurement.read = None;
        assert_eq!(found("seqread", 50e6, nothing), ["no-progress", "L25"]);
    }

    #[test]
    fn the_tools_share() {
        let share = |s: f64| {
            move |_: &mut Header, c: &mut Cell| {
                c.measurement.tool_ns = (c.measurement.elapsed_ns as f64 * s) as u64;
            }
        };
        assert_eq!(found("seqwrite", 5e7, share(0.06)), ["tool-share"]);
        assert!(found("seqwrite", 5e7, share(0.049)).is_empty());
        let advice = |bs: u64, verb: Verb| {
            let mut run = RunBuilder::directories(&["/a", "/b"]).build();
            run.header.verb = verb;
            let measured = measurement(&run.header.workloads[0], 900.0);
            let mut one = clean_cell(measured);
            one.measurement.job.bs = bs;
            share(0.06)(&mut run.header, &mut one);
            let mut all = cell(&run.header, &one).into_iter().filter(|f| f.id == "tool-share");
            all.next().unwrap().advice
        };
        assert!(advice(4096, Verb::Bench).ends_with("--bs 64k"));
        // A block that is as large already is not to be made as large.
        for verb in [Verb::Bench, Verb::Run, Verb::Quick] {
            let said = advice(64 << 10, verb.clone());
            assert!(said.ends_with("as a minimum") && !said.contains("bs"), "{verb}: {said}");
        }
    }

    #[test]
    fn l14_a_quarter_of_the_time_outside_operations_and_a_twentieth() {
        assert!(fires("L14", |h, c| of_sysbench(h, &mut c.measurement, 0.75, 0.10)));
        assert!(!fires("L14", |h, c| of_sysbench(h, &mut c.measurement, 0.75, 0.20)));
    }

    #[test]
    fn l19_a_third_of_the_time_in_flushes_and_a_quarter() {
        assert!(fires("L19", |h, c| of_sysbench(h, &mut c.measurement, 0.60, 0.35)));
        assert!(!fires("L19", |h, c| of_sysbench(h, &mut c.measurement, 0.70, 0.25)));
    }

    #[test]
    fn l26_a_mean_above_the_95th_percentile_and_one_below() {
        assert!(fires("L26", |_, c| {
            let lat = &mut c.measurement.write.as_mut().unwrap().lat_ns;
            (lat.mean, lat.p95) = (4.91e6, Some(2_320_000));
        }));
        assert!(!fires("L26", |_, c| {
            let lat = &mut c.measurement.write.as_mut().unwrap().lat_ns;
            (lat.mean, lat.p95) = (2.3e6, Some(2_320_000));
        }));
    }

    #[test]
    fn l47_a_tail_of_nine_operations_and_one_of_ten() {
        let tail = |n: u64| {
            move |_: &mut Header, c: &mut Cell| {
                let write = c.measurement.write.as_mut().unwrap();
                write.total_ios = n;
                write.lat_ns.p99_9 = Some(9_000_000);
            }
        };
        assert!(fires("L47", tail(9_999)) && !fires("L47", tail(10_000)));
    }

    #[test]
    fn l48_a_closed_loop_that_stalls() {
        let stall = |max: u64, rate| {
            move |h: &mut Header, c: &mut Cell| {
                h.workloads[0].metric = Metric::LatencyP99;
                h.workloads[0].job.rate_iops = rate;
                let lat = &mut c.measurement.write.as_mut().unwrap().lat_ns;
                (lat.max, lat.p50, lat.p99) = (max, Some(1_000_000), Some(3_000_000));
            }
        };
        assert!(fires("L48", stall(11_000_000, None)));
        assert!(
            !fires("L48", stall(10_000_000, None)) && !fires("L48", stall(11_000_000, Some(100)))
        );
        assert!(!fires("L48", |h, c| {
            stall(11_000_000, None)(h, c);
            h.workloads[0].profile = Some(Part { profile: Profile::Desktop, part: 0 });
        }));
    }
}
