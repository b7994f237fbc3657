//! L25 too-short: a cell is shorter than half a second or fifty operations, or unflushed writes are
//! shorter than 50 s.

use crate::evidence::observation::{Observation, Source};
use crate::evidence::rule::Hit;
use bakeoff_stats::units;

/// Shortest cell that says anything, nanoseconds.
const SHORTEST_NS: u64 = 500_000_000;

/// Fewest operations that say anything.
const FEWEST_IOS: u64 = 50;

/// Writeback timer of the kernel (`vm.dirty_expire_centisecs` and ext4's commit are of this order).
const PERIOD_NS: u64 = 5_000_000_000;

/// Periods of that timer which an unflushed write has to outlast.
const PERIODS: u64 = 10;

pub fn hit(of: &Observation) -> Option<Hit> {
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

#[cfg(test)]
mod tests {
    use crate::evidence::cell;
    use crate::evidence::cell::testing::found;
    use crate::testing::{RunBuilder, clean_cell, measurement};
    use bakeoff_model::event::{Cell, Header};
    use bakeoff_model::measurement::Tool;
    use bakeoff_model::slice::Slice;
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
}
