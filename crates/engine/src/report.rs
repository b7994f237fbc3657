//! What the lanes of a cell did, added up to a report of a slice and to a measurement.

use bakeoff_model::finding::Finding;
use bakeoff_model::job::{EngineName, Job};
use bakeoff_model::measurement::{self as model, Measurement, SCHEMA};
use bakeoff_model::slice::Stretch;
use bakeoff_tools::native::sliced::{Report, Request, merged};

use crate::along;
use crate::calibrate::Cost;
use crate::clock::Clock;
use crate::cpu::Usage;
use crate::crew::{Ask, Worker, with_crew};
use crate::error::EngineError;
use crate::lane::Cell;
use crate::record::Kind;
use crate::verify::Trace;
use crate::windows::Windows;

/// Measures a slice.
pub type Measure<'m> = &'m mut dyn FnMut(Request) -> Result<Report, EngineError>;
/// Has slices measured, as often as it likes.
pub type Talk<'t> = &'t mut dyn FnMut(Measure<'_>) -> Result<(), EngineError>;

/// What is known of a lane at its end.
pub struct LaneEnd {
    /// Throughput over time; none of a cell in slices.
    pub windows: Option<Windows>,
    /// Operations due but not begun, in an open loop.
    pub backlog: u64,
    /// Most I/Os that shared a clock reading.
    pub batch_max: u32,
    /// Longest that handing over took from the reading the I/Os share, seen in the turns that
    /// were larger than all before.
    pub turn_ns: u64,
    pub huge: bool,
    pub trace: Option<Trace>,
}

/// What is known besides the lanes.
pub struct Circumstances {
    pub engine: EngineName,
    pub cost: Cost,
    pub clock: Clock,
    pub findings: Vec<Finding>,
}

/// Measures a cell with a crew: all of it at once, which the report is of, or slice after slice.
pub fn in_crew<W: Worker<End = LaneEnd>>(
    cell: Cell,
    prepare: impl Fn(u32) -> Result<W, EngineError> + Sync,
    talk: Option<Talk<'_>>,
) -> Result<(Report, Vec<LaneEnd>), EngineError> {
    let mut whole = Report::default();
    let ends = with_crew(cell.job.numjobs, cell.live, prepare, |ask| match talk {
        None => {
            whole = asked(ask, None, cell.cost)?;
            Ok(())
        }
        Some(talk) => talk(&mut |request| asked(ask, Some(request), cell.cost)),
    })?;
    Ok((whole, ends))
}

/// Has a crew do what is requested; what its workers did, added up.
pub fn asked(ask: Ask<'_>, request: Option<Request>, cost: Cost) -> Result<Report, EngineError> {
    let before = Usage::now();
    let reports = ask(request)?;
    Ok(added_up(reports, cost, Usage::now().since(before)))
}

pub fn measurement(
    job: &Job,
    whole: &Report,
    lanes: Vec<LaneEnd>,
    circumstances: Circumstances,
) -> Measurement {
    let Circumstances { engine, cost, clock, findings } = circumstances;
    let stamp_error_ns = lanes.iter().map(|lane| stamp_error_ns(lane, cost)).max().unwrap_or(0);
    let huge = lanes.iter().all(|lane| lane.huge);
    let backlog = job.rate_iops.map(|_| lanes.iter().map(|lane| lane.backlog).sum());
    let windows = lanes.into_iter().filter_map(|lane| lane.windows).collect();
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
    Measurement { windows, ..merged(ended, &[whole]) }
}

/// What lanes did side by side; `usage` is that of all of them.
pub fn added_up(lanes: Vec<Report>, cost: Cost, usage: Usage) -> Report {
    let count = lanes.len().max(1) as u64;
    let mean = |of: fn(&Report) -> u64| lanes.iter().map(of).sum::<u64>() / count;
    let start_ns = lanes.iter().map(|lane| lane.monotonic_ns).min().unwrap_or(0);
    let end_ns = lanes.iter().map(|lane| lane.monotonic_ns + lane.elapsed_ns).max().unwrap_or(0);
    let waited: Option<u64> = lanes.iter().map(|lane| lane.waited_ns).sum();
    let stretches =
        |of: fn(&Report) -> &[Stretch]| along::together(&lanes.iter().map(of).collect::<Vec<_>>());
    let (settling, along) = (stretches(|lane| &lane.settling), stretches(|lane| &lane.along));
    let elapsed_ns = (end_ns - start_ns).max(1);
    // CPU and waiting are known of both parts together.
    let settled_ns = Stretch::sum(&settling).elapsed_ns;
    let of_both = |ns: u64| {
        let own = u128::from(ns) * u128::from(elapsed_ns);
        u64::try_from(own / u128::from(elapsed_ns.saturating_add(settled_ns))).unwrap_or(ns)
    };
    let mut report = Report {
        monotonic_ns: start_ns,
        elapsed_ns,
        data_ns: mean(|lane| lane.data_ns),
        flush_ns: mean(|lane| lane.flush_ns),
        close_ns: mean(|lane| lane.close_ns),
        ops: Vec::new(),
        usr_cpu_ns: of_both(usage.usr_ns),
        sys_cpu_ns: of_both(usage.sys_ns),
        waited_ns: waited.map(|ns| of_both(ns / count)),
        tool_ns: 0,
        pooled_ios: lanes.iter().map(|lane| lane.pooled_ios).sum(),
        cut: lanes.iter().any(|lane| lane.cut),
        settling,
        along,
    };
    for (kind, more) in lanes.into_iter().flat_map(|lane| lane.ops) {
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
fn stamp_error_ns(lane: &LaneEnd, cost: Cost) -> u64 {
    let loop_ns = cost.loop_ns * f64::from(lane.batch_max);
    lane.turn_ns.max(loop_ns as u64)
}
