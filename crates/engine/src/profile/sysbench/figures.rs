//! What sysbench would have printed of a part: by 1.0's reckoning and by 0.4's.
//!
//! 0.4 counts no flush as a request, starts its clock before the files are opened, and leaves out
//! the flush at the end where a time ended the requests. Source: sysbench 1.0.20 and 0.4.12,
//! sb_fileio.c.

use std::time::Duration;

use bakeoff_model::measurement::Figure;
use bakeoff_stats::histogram::Histogram;

use super::super::lanes::Lanes;
use super::super::{figure, per_second};
use crate::record::Kind;

/// 95 % of these and of the reads and writes took no longer, in milliseconds.
fn p95_ms(lanes: &Lanes<'_>, mut with: Histogram) -> f64 {
    for meter in &lanes.meters {
        [Kind::Read, Kind::Write].iter().for_each(|kind| with.merge(&meter.histogram(*kind)));
    }
    with.quantile(0.95).unwrap_or(0) as f64 / 1e6
}

/// As 1.0 prints them; events and latencies are those of reads, writes and the flushes of
/// `bursts`, but not those at the end.
pub fn of_1_0(lanes: &Lanes<'_>, bursts: Histogram) -> Vec<Figure> {
    let elapsed_ns = lanes.end_ns() - lanes.start_ns();
    let [reads, writes, flushes] =
        [Kind::Read, Kind::Write, Kind::Flush].map(|kind| lanes.total(kind));
    let rate = |n: f64| per_second(n, elapsed_ns);
    let events = reads.0 + writes.0 + bursts.total();
    vec![
        figure("reads/s", rate(reads.0 as f64), "/s"),
        figure("writes/s", rate(writes.0 as f64), "/s"),
        figure("fsyncs/s", rate(flushes.0 as f64), "/s"),
        figure("read, MiB/s", rate(mib(reads.1)), "MiB/s"),
        figure("written, MiB/s", rate(mib(writes.1)), "MiB/s"),
        figure("total time", elapsed_ns as f64 / 1e9, "s"),
        figure("total number of events", events as f64, ""),
        figure("95th percentile", p95_ms(lanes, bursts), "ms"),
    ]
}

/// As 0.4 prints them, its clock started `opening` earlier and ended at `end_ns`; latencies are
/// those of reads and writes alone.
pub fn of_0_4(lanes: &Lanes<'_>, opening: Duration, end_ns: u64) -> Vec<Figure> {
    let opening_ns = u64::try_from(opening.as_nanos()).unwrap_or(u64::MAX);
    let elapsed_ns = (end_ns - lanes.start_ns()).saturating_add(opening_ns);
    let (reads, writes) = (lanes.total(Kind::Read), lanes.total(Kind::Write));
    let count = reads.0 + writes.0;
    let mean_ms = (reads.2 + writes.2) as f64 / count.max(1) as f64 / 1e6;
    let rate = |n: f64| per_second(n, elapsed_ns);
    vec![
        figure("0.4: total transferred", rate(mib(reads.1 + writes.1)), "Mb/sec"),
        figure("0.4: Requests/sec executed", rate(count as f64), "/sec"),
        figure("0.4: avg", mean_ms, "ms"),
        figure("0.4: approx. 95 percentile", p95_ms(lanes, Histogram::default()), "ms"),
    ]
}

fn mib(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}
