//! Adds lanes up to a measurement.

use bakeoff_model::finding::Finding;
use bakeoff_model::job::{EngineName, Job};
use bakeoff_model::measurement::{self as model, Measurement, SCHEMA};
use bakeoff_model::slice::Stretch;
use bakeoff_tools::native::sliced::{SliceReport, merged};

use crate::along;
use crate::clock::Clock;
use crate::cost::Cost;
use crate::outcome::{Outcome, Piece};
use crate::record::Kind;
use crate::usage::Usage;
use crate::windows::Windows;

/// What is known besides the lanes.
pub struct Circumstances {
    pub engine: EngineName,
    pub usage: Usage,
    pub cost: Cost,
    pub clock: Clock,
    pub findings: Vec<Finding>,
}

pub fn measurement(job: &Job, lanes: Vec<Outcome>, circumstances: Circumstances) -> Measurement {
    let Circumstances { engine, usage, cost, clock, findings } = circumstances;
    let stamp_error_ns = lanes.iter().map(|lane| stamp_error_ns(lane, cost)).max().unwrap_or(0);
    let huge = lanes.iter().all(|lane| lane.huge);
    let backlog = job.rate_iops.map(|_| lanes.iter().map(|lane| lane.backlog).sum());
    let (pieces, windows) = lanes.into_iter().map(|lane| (lane.rest, lane.windows)).unzip();
    let whole = added_up(pieces, cost, usage);
    let (source, error_ppm) = (clock.source(), clock.error_ppm());
    let ended = Measurement {
        schema: SCHEMA.to_string(),
        job: job.clone(),
        engine,
        clock: Some(model::Clock { source, error_ppm, stamp_error_ns }),
        mem: if huge { "thp" } else { "malloc" }.to_string(),
        backlog,
        findings,
        ..Measurement::default()
    };
    let windows = Windows::merge(windows, whole.elapsed_ns);
    Measurement { windows, ..merged(ended, &[&whole]) }
}

/// What lanes did side by side; `usage` is that of all of them.
pub fn added_up(pieces: Vec<Piece>, cost: Cost, usage: Usage) -> SliceReport {
    let count = pieces.len().max(1) as u64;
    let mean = |of: fn(&Piece) -> u64| pieces.iter().map(of).sum::<u64>() / count;
    let start_ns = pieces.iter().map(|piece| piece.start_ns).min().unwrap_or(0);
    let end_ns = pieces.iter().map(|piece| piece.end_ns).max().unwrap_or(0);
    let waited: Option<u64> = pieces.iter().map(|piece| piece.waited_ns).sum();
    let stretches =
        |of: fn(&Piece) -> &[Stretch]| along::together(&pieces.iter().map(of).collect::<Vec<_>>());
    let (settling, along) = (stretches(|piece| &piece.settling), stretches(|piece| &piece.along));
    let elapsed_ns = (end_ns - start_ns).max(1);
    // CPU and waiting are known of both parts together.
    let settled_ns = Stretch::sum(&settling).elapsed_ns;
    let of_both = |ns: u64| {
        let own = u128::from(ns) * u128::from(elapsed_ns);
        u64::try_from(own / u128::from(elapsed_ns.saturating_add(settled_ns))).unwrap_or(ns)
    };
    let mut report = SliceReport {
        monotonic_ns: start_ns,
        elapsed_ns,
        data_ns: mean(|piece| piece.data_ns),
        flush_ns: mean(|piece| piece.flush_ns),
        close_ns: mean(|piece| piece.close_ns),
        ops: Vec::new(),
        usr_cpu_ns: of_both(usage.usr_ns),
        sys_cpu_ns: of_both(usage.sys_ns),
        waited_ns: waited.map(|ns| of_both(ns / count)),
        tool_ns: 0,
        pooled_ios: pieces.iter().map(|piece| piece.pooled_ios).sum(),
        cut: pieces.iter().any(|piece| piece.cut),
        settling,
        along,
    };
    for (kind, more) in pieces.into_iter().flat_map(|piece| piece.ops) {
        match report.ops.iter_mut().find(|(own, _)| *own == kind) {
            Some((_, totals)) => totals.merge(&more),
            None => report.ops.push((kind, more)),
        }
    }
    report.ops.sort_by_key(|(kind, _)| *kind);
    let ops = |kind| report.totals(kind).map_or(0, |totals| totals.count);
    let all = report.ops.iter().map(|(_, totals)| totals.count).sum();
    let made = ops(Kind::Write) + ops(Kind::Create);
    report.tool_ns = (cost.of_ios(all, made, report.pooled_ios) / count as f64) as u64;
    report
}

/// Most by which a latency of the lane is too long: what its loop takes for the largest batch, or
/// longer where handing the batch over was seen to take longer.
fn stamp_error_ns(lane: &Outcome, cost: Cost) -> u64 {
    let loop_ns = cost.loop_ns * f64::from(lane.batch_max);
    lane.turn_ns.max(loop_ns as u64)
}
