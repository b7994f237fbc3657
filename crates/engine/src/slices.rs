//! A cell in slices: prepared once, then a slice for every order, then added up and verified.

use bakeoff_core::model::job::{EngineName, Job, Rw};
use bakeoff_core::model::measurement::Measurement;
use bakeoff_core::model::op_totals::OpTotals;
use bakeoff_core::tools::native::TargetKind;
use bakeoff_core::tools::native::sliced::{Go, OpKind, SliceReport};

use crate::calibrate;
use crate::check::check;
use crate::clock::Clock;
use crate::cost::Cost;
use crate::crew::{Slice, Worker, with_crew};
use crate::engine::Engine;
use crate::engine::libaio::Libaio;
use crate::engine::null::Null;
use crate::engine::psync::Psync;
use crate::engine::uring::Uring;
use crate::error::EngineError;
use crate::lane::sliced::SlicedLane;
use crate::lane::{Cell, Lane, Run};
use crate::live::Live;
use crate::measure::{LaneSetup, as_threads, choose};
use crate::outcome::{Outcome, Piece};
use crate::record::Kind;
use crate::report::{self, Circumstances};
use crate::smallfiles;
use crate::target::Target;
use crate::usage::Usage;
use crate::verify;

/// Measures a slice on each call.
pub type Measure<'m> = &'m mut dyn FnMut(&Go) -> Result<SliceReport, EngineError>;

/// Decides how often to measure.
pub type Talk<'t> = &'t mut dyn FnMut(Measure<'_>) -> Result<(), EngineError>;

/// The job as slices do it: what it wrote is flushed at the end of each, so that the next one,
/// which belongs to another candidate, does not pay for it.
pub fn as_sliced(job: &Job) -> Job {
    let leaves_dirty = job.rw != Rw::SmallFiles && !job.is_durable();
    Job { end_fsync: job.end_fsync || leaves_dirty, ..job.clone() }
}

/// Opens what `find` finds, allocates everything, and lets `talk` measure slices of `job`. What is
/// left to know of the cell comes back, without the work of its slices; its job is the one that
/// was done, see [`as_sliced`].
pub fn measure_slices(
    job: &Job,
    find: impl FnOnce(&Job) -> Result<Target, EngineError>,
    live: &Live,
    talk: Talk<'_>,
) -> Result<Measurement, EngineError> {
    check(job)?;
    if !job.can_be_sliced() || job.engine == EngineName::Nop {
        let what = "a job with rate_iops or the nop engine cannot be measured in slices";
        return Err(EngineError::Invalid(format!("{what}: omit both")));
    }
    let job = &as_sliced(job);
    if job.rw == Rw::SmallFiles {
        return in_directory(job, &find(job)?, live, talk);
    }
    if job.engine == EngineName::Null {
        let depth = job.iodepth;
        let run = if depth == 1 { Lane::<Null>::immediate() } else { Lane::<Null>::queued() };
        let (engine, findings) = (job.engine, Vec::new());
        let setup = LaneSetup { engine, depth, in_turns: false, findings };
        return in_lanes((job, None), live, setup, run, talk);
    }
    let target = find(job)?;
    let (engine, findings) = choose(job);
    let setup = LaneSetup { engine, depth: job.iodepth, in_turns: false, findings };
    let on = Some(&target);
    match engine {
        EngineName::IoUring => in_lanes((job, on), live, setup, Lane::<Uring>::queued(), talk),
        EngineName::Libaio => in_lanes((job, on), live, setup, Lane::<Libaio>::queued(), talk),
        EngineName::Psync | EngineName::Null | EngineName::Nop => {
            let threads = as_threads(job);
            let in_turns = threads.numjobs > job.numjobs && job.numjobs == 1;
            let setup = LaneSetup { depth: 1, in_turns, ..setup };
            let run = Lane::<Psync>::immediate();
            let measured = in_lanes((&threads, on), live, setup, run, talk)?;
            Ok(Measurement { job: job.clone(), ..measured })
        }
    }
}

fn in_lanes<'a, E: Engine>(
    (job, target): (&'a Job, Option<&Target>),
    live: &'a Live<'a>,
    setup: LaneSetup,
    run: Run<'a, E>,
    talk: Talk<'_>,
) -> Result<Measurement, EngineError> {
    let LaneSetup { engine, depth, in_turns, findings } = setup;
    let clock = Clock::find();
    let cost = calibrate::cost(job, depth, clock)?;
    let cell = Cell { job, depth, in_turns, cost, clock, live };
    let prepare = |index| {
        let fd = target.map(|target| target.open(job)).transpose()?;
        Ok(SlicedLane::new(Lane::<E>::new(cell, index, fd)?, &run))
    };
    let lanes = in_crew(cell, prepare, talk)?;
    let traces: Vec<_> = lanes.iter().filter_map(|lane| lane.trace).collect();
    let usage = Usage::default();
    let mut ended =
        report::measurement(job, lanes, Circumstances { engine, usage, cost, clock, findings });
    if let Some(target) = target.filter(|_| job.verify) {
        ended.verified_bytes = Some(verify::verify(job, target, &traces)?);
    }
    Ok(ended)
}

fn in_directory(
    job: &Job,
    target: &Target,
    live: &Live,
    talk: Talk<'_>,
) -> Result<Measurement, EngineError> {
    debug_assert_eq!(target.kind, TargetKind::Directory);
    let clock = Clock::find();
    let cost = calibrate::cost(job, 1, clock)?;
    let cell = Cell { job, depth: 1, in_turns: false, cost, clock, live };
    let prepare = |index| smallfiles::Lane::new(cell, index, target.open_directory()?);
    let mut read_bytes = 0;
    let mut counting = |measure: Measure<'_>| {
        talk(&mut |go| {
            let report = measure(go)?;
            read_bytes += report.of(OpKind::Read).map_or(0, |read| read.bytes);
            Ok(report)
        })
    };
    let lanes = in_crew(cell, prepare, &mut counting)?;
    let (engine, usage, findings) = (EngineName::Psync, Usage::default(), Vec::new());
    let circumstances = Circumstances { engine, usage, cost, clock, findings };
    let ended = report::measurement(job, lanes, circumstances);
    Ok(Measurement { verified_bytes: job.verify.then_some(read_bytes), ..ended })
}

fn in_crew<W: Worker>(
    cell: Cell,
    prepare: impl Fn(u32) -> Result<W, EngineError> + Sync,
    talk: Talk<'_>,
) -> Result<Vec<Outcome>, EngineError> {
    with_crew(cell.job.numjobs, cell.live, prepare, |slice: Slice<'_>| {
        talk(&mut |go| {
            let before = Usage::now();
            let pieces = slice(go)?;
            let usage = Usage::now().since(before);
            Ok(added_up(pieces, cell.cost, usage))
        })
    })
}

fn added_up(pieces: Vec<Piece>, cost: Cost, usage: Usage) -> SliceReport {
    let count = pieces.len().max(1) as u64;
    let mean = |of: fn(&Piece) -> u64| pieces.iter().map(of).sum::<u64>() / count;
    let start_ns = pieces.iter().map(|piece| piece.start_ns).min().unwrap_or(0);
    let end_ns = pieces.iter().map(|piece| piece.end_ns).max().unwrap_or(0);
    let waited: Option<u64> = pieces.iter().map(|piece| piece.waited_ns).sum();
    let mut report = SliceReport {
        monotonic_ns: start_ns,
        elapsed_ns: (end_ns - start_ns).max(1),
        data_ns: mean(|piece| piece.data_ns),
        flush_ns: mean(|piece| piece.flush_ns),
        close_ns: mean(|piece| piece.close_ns),
        ops: Vec::new(),
        usr_cpu_ns: usage.usr_ns,
        sys_cpu_ns: usage.sys_ns,
        waited_ns: waited.map(|ns| ns / count),
        tool_ns: 0,
        pooled_ios: pieces.iter().map(|piece| piece.pooled_ios).sum(),
        cut: pieces.iter().any(|piece| piece.cut),
    };
    for (kind, more) in pieces.into_iter().flat_map(|piece| piece.ops) {
        add(&mut report.ops, kind, more);
    }
    report.ops.sort_by_key(|(kind, _)| *kind);
    let ops = |kind| report.of(kind).map_or(0, |totals| totals.count);
    let all = report.ops.iter().map(|(_, totals)| totals.count).sum();
    let made = ops(OpKind::Write) + ops(OpKind::Create);
    report.tool_ns = (cost.of_ios(all, made, report.pooled_ios) / count as f64) as u64;
    report
}

fn add(ops: &mut Vec<(OpKind, OpTotals)>, kind: Kind, more: OpTotals) {
    let kind = match kind {
        Kind::Read => OpKind::Read,
        Kind::Write => OpKind::Write,
        Kind::Flush => OpKind::Flush,
        Kind::Create => OpKind::Create,
        Kind::Stat => OpKind::Stat,
        Kind::Unlink => OpKind::Unlink,
        // Only profiles commit, and they are not sliced.
        Kind::Commit => return,
    };
    match ops.iter_mut().find(|(own, _)| *own == kind) {
        Some((_, totals)) => totals.merge(&more),
        None => ops.push((kind, more)),
    }
}
