//! Cells for the tests of rules.

use super::cell;
use crate::testing::{RunBuilder, clean_cell, measurement};
use bakeoff_model::event::{Cell, Header};
use bakeoff_model::finding::Finding;
use bakeoff_model::measurement::Measurement;
use bakeoff_model::telemetry::Telemetry;
use bakeoff_model::workload::DriverName;

/// A clean cell of `workload` at `rate` between two directories, changed by `change`.
pub fn found(
    workload: &str,
    rate: f64,
    change: impl FnOnce(&mut Header, &mut Cell),
) -> Vec<String> {
    judged(workload, rate, change).into_iter().map(|f| f.id).collect()
}

pub fn judged(
    workload: &str,
    rate: f64,
    change: impl FnOnce(&mut Header, &mut Cell),
) -> Vec<Finding> {
    judged_in(RunBuilder::directories(&["/a", "/b"]).workloads(&[workload]), rate, change)
}

/// A cell of a run on two stacks, with what `change` does to both.
pub fn seen(change: impl FnOnce(&mut Header, &mut Cell)) -> Vec<Finding> {
    judged_in(RunBuilder::stacks(&["ext4", "xfs"]), 1000.0, change)
}

fn judged_in(
    run: RunBuilder,
    rate: f64,
    change: impl FnOnce(&mut Header, &mut Cell),
) -> Vec<Finding> {
    let mut header = run.build().header;
    let mut one = clean_cell(measurement(&header.workloads[0], rate));
    change(&mut header, &mut one);
    cell(&header, &one)
}

pub fn watched(change: impl FnOnce(&mut Telemetry)) -> Option<Box<Telemetry>> {
    let mut telemetry = Telemetry { fast_ns: vec![2_000_000_000], ..Telemetry::default() };
    change(&mut telemetry);
    Some(Box::new(telemetry))
}

/// Time of a foreign tool: in calls, in flushes.
pub(crate) fn of_sysbench(h: &mut Header, m: &mut Measurement, data: f64, flush: f64) {
    h.workloads[0].driver = DriverName::Sysbench;
    h.workloads[0].job.fsync = 0;
    m.data_ns = (m.elapsed_ns as f64 * data) as u64;
    m.flush_ns = (m.elapsed_ns as f64 * flush) as u64;
}
