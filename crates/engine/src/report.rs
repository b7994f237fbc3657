//! Adds lanes up to a measurement.

use bakeoff_model::finding::Finding;
use bakeoff_model::job::{EngineName, Job};
use bakeoff_model::measurement::{self as model, Measurement, SCHEMA};

use crate::clock::Clock;
use crate::cost::Cost;
use crate::outcome::Outcome;
use crate::record::{Kind, Recorder};
use crate::usage::Usage;

/// What is known besides the lanes.
pub struct Circumstances {
    pub engine: EngineName,
    pub usage: Usage,
    /// The generator's own cost.
    pub cost: Cost,
    pub clock: Clock,
    pub findings: Vec<Finding>,
}

pub fn measurement(job: &Job, lanes: Vec<Outcome>, circumstances: Circumstances) -> Measurement {
    let start_ns = lanes.iter().map(|l| l.start_ns).min().unwrap_or(0);
    let end_ns = lanes.iter().map(|l| l.end_ns).max().unwrap_or(0);
    let elapsed_ns = (end_ns - start_ns).max(1);
    let count = lanes.len().max(1) as u64;
    let mean = |time: fn(&Outcome) -> u64| lanes.iter().map(time).sum::<u64>() / count;
    let (data_ns, flush_ns, close_ns) =
        (mean(|l| l.data_ns), mean(|l| l.flush_ns), mean(|l| l.close_ns));
    let waited: Option<u64> = lanes.iter().map(|l| l.waited_ns).sum();
    let huge = lanes.iter().all(|l| l.huge);
    let pooled_ios = lanes.iter().map(|l| l.pooled_ios).sum();
    let backlog = job.rate_iops.map(|_| lanes.iter().map(|l| l.backlog).sum());
    let stamp_error_ns = lanes.iter().map(|lane| stamp_error_ns(lane, circumstances.cost)).max();
    let recorders = lanes.into_iter().map(|lane| lane.recorder).collect();
    let (all, windows) = Recorder::merge(recorders, elapsed_ns);
    let stats = |kind| all.tally(kind).and_then(|tally| tally.totals().stats(elapsed_ns));
    let tool_ns = tool_ns(&all, circumstances.cost, pooled_ios) / count as f64;
    Measurement {
        schema: SCHEMA.to_string(),
        job: job.clone(),
        engine: circumstances.engine,
        elapsed_ns,
        monotonic_ns: Some(start_ns),
        data_ns,
        flush_ns,
        close_ns,
        read: stats(Kind::Read),
        write: stats(Kind::Write),
        flush: stats(Kind::Flush),
        create: stats(Kind::Create),
        stat: stats(Kind::Stat),
        unlink: stats(Kind::Unlink),
        commit: stats(Kind::Commit),
        usr_cpu_ns: circumstances.usage.usr_ns,
        sys_cpu_ns: circumstances.usage.sys_ns,
        waited_ns: waited.map(|ns| ns / count),
        windows,
        tool_ns: tool_ns as u64,
        clock: Some(told_by(circumstances.clock, stamp_error_ns.unwrap_or(0))),
        mem: if huge { "thp" } else { "malloc" }.to_string(),
        pooled_ios,
        verified_bytes: None,
        backlog,
        figures: Vec::new(),
        tool: None,
        device_read_bytes: None,
        wrote_bytes: None,
        laid_out_bytes: None,
        findings: circumstances.findings,
    }
}

/// Estimated time all lanes spent on their own work.
fn tool_ns(all: &Recorder, cost: Cost, pooled_ios: u64) -> f64 {
    let count = |kind| all.tally(kind).map_or(0, |tally| tally.count);
    let ios: u64 = Kind::ALL.into_iter().map(count).sum();
    cost.of_ios(ios, count(Kind::Write) + count(Kind::Create), pooled_ios)
}

/// Most by which a latency of the lane is too long: what its loop takes for the largest batch, or
/// longer where handing the batch over was seen to take longer.
fn stamp_error_ns(lane: &Outcome, cost: Cost) -> u64 {
    let loop_ns = cost.loop_ns * f64::from(lane.batch_max);
    lane.turn_ns.max(loop_ns as u64)
}

fn told_by(clock: Clock, stamp_error_ns: u64) -> model::Clock {
    model::Clock { source: clock.source(), error_ppm: clock.error_ppm(), stamp_error_ns }
}
