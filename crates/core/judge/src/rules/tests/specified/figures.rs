//! Cases about the figures of a result table.

use super::super::cases::{Case, case};
use super::super::imported::found;
use bakeoff_model::finding::Finding;

pub(super) const CASES: &[Case] = &[
    case("L14", "flushes outside of the events", || events(90, 100), || events(290, 100)),
    case("L14", "flushes, with fsync on", || events(90, 100), || events(90, 0)),
    case("L19", "flushes as often as the tool likes", || events(90, 100), || events(90, 1)),
    case("L19", "flushes for most of the time", || events(90, 100), || events(270, 100)),
];

/// sysbench: seconds of 300 in events, and after how many requests the files were flushed.
fn events(seconds: u32, fsync_every: u32) -> Vec<Finding> {
    let events = format!("event_execution_time,{seconds},s");
    let every = format!("fsync_every,{fsync_every},requests");
    let flushes = if fsync_every > 0 { "other,30000,ops" } else { "other,0,ops" };
    let figures = ["total_time,300,s", &events, "requests_per_second,100,ops/s", &every, flushes];
    let row = |figure| format!("ext4,none,sysbench 0.4.12 fileio,rndrw,16384,{figure},");
    found(&figures.map(row).iter().map(String::as_str).collect::<Vec<_>>())
}
