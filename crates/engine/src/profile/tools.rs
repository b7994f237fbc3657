//! Runs the streams of a part, in one thread or several, and gives the figures that its tool would
//! print beside the honest ones.

use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use bakeoff_model::job::Job;
use bakeoff_model::measurement::{Figure, Measurement};
use bakeoff_model::profile::Profile;
use bakeoff_model::profiles;
use bakeoff_tools::bonnie::TESTS;
use rustix::fs::OFlags;

use super::block;
use super::lanes::together;
use super::meter::Meter;
use super::stream::{Row, Stream};
use super::{Context, figure, per_second};
use crate::crew::STACK_BYTES;
use crate::error::EngineError;
use crate::record::Kind;
use crate::target;
use crate::usage::Usage;

const KINDS: [Kind; 3] = [Kind::Read, Kind::Write, Kind::Flush];

pub fn run(context: &mut Context<'_>) -> Result<(), EngineError> {
    for (part, spec) in (0..).zip(profiles::part_specs(context.profile)) {
        if !context.wants(part) {
            continue;
        }
        let rows = Row::of_part(context.profile.name(), spec.word)?;
        match rows.as_slice() {
            [] => {}
            [row] if context.profile != Profile::Nas => single(context, part, row)?,
            rows => several(context, part, rows)?,
        }
    }
    Ok(())
}

fn single(context: &mut Context<'_>, part: u16, row: &Row) -> Result<(), EngineError> {
    let mut meter = context.meter(part, &KINDS, |job| row.change(job));
    let (pot, stop) = (AtomicU64::new(0), AtomicBool::new(false));
    let mut stream = Stream::new(context, row, &pot, (0, context.job.size))?;
    meter.repeat(|meter| {
        stream.open(meter)?;
        meter.resume();
        stream.pass(meter, &stop)?;
        stream.end(meter)?;
        meter.pause();
        Ok(())
    })?;
    let (longest_ns, beside_ns) = (stream.longest_ns, stream.beside_ns);
    let bytes = meter.so_far(Kind::Read).1.max(meter.so_far(Kind::Write).1) as f64;
    let figures = if context.profile == Profile::Dd {
        let late_ns = if row.says("late") { meter.flush_ns } else { 0 };
        let copied = per_second(bytes / 1e6, meter.elapsed_ns() - late_ns);
        vec![figure(row.title, copied, "MB/s")]
    } else if context.profile == Profile::Bonnie {
        let rate = per_second(bytes / 1024.0, meter.elapsed_ns()).floor();
        let cpu = (meter.usage.sum_ns(), meter.elapsed_ns());
        bonnie(part, (rate, "K/sec"), cpu, longest_ns)
    } else {
        iozone(&meter, row.title, bytes, beside_ns)
    };
    let mut measured = meter.finish(figures);
    if row.writes_to_null() {
        let null = measured.wrote_bytes.unwrap_or(0);
        context.written_at = context.written_at.map(|at| at + null);
        measured = Measurement { wrote_bytes: measured.wrote_bytes.map(|_| 0), ..measured };
    }
    context.push(measured);
    Ok(())
}

fn several(context: &mut Context<'_>, part: u16, rows: &[Row]) -> Result<(), EngineError> {
    let profile = context.profile;
    let is_nas = profile == Profile::Nas;
    let count = if is_nas { context.job.numjobs } else { rows.len() as u32 };
    let size = if is_nas { context.job.size / u64::from(count) } else { context.job.size };
    let (pot, stop) = (AtomicU64::new(0), AtomicBool::new(false));
    let (longest_ns, cpu_ns) = (AtomicU64::new(0), AtomicU64::new(0));
    let mut lanes = Vec::new();
    for (lane, row) in (0..count).zip(rows.iter().cycle()) {
        let change = |job: &mut Job| {
            row.change(job);
            job.numjobs = count;
        };
        let mut meter = context.lane(part, lane, &KINDS, change);
        let mut stream = Stream::new(context, row, &pot, (lane, size))?;
        stream.open(&mut meter)?;
        lanes.push((meter, stream));
    }
    let work = |meter: &mut Meter<'_>, stream: &mut Stream<'_>| {
        let before = Usage::now();
        stream.go_on(meter, (&stop, profile == Profile::Iozone))?;
        longest_ns.fetch_max(stream.longest_ns, Ordering::Relaxed);
        // Each thread of bonnie++ tells the time of the whole process, and they are added.
        cpu_ns.fetch_add(Usage::now().since(before).sum_ns(), Ordering::Relaxed);
        Ok(())
    };
    let done = if profile == Profile::Bonnie {
        let parent = context.workdir.open_file(rows[0].file, OFlags::RDWR)?;
        beside_parent(parent, &pot, || together(context, lanes, work))?
    } else {
        together(context, lanes, work)?
    };
    let mut figures = Vec::new();
    if profile == Profile::Bonnie {
        let elapsed_ns = done.end_ns() - done.start_ns();
        let rate = per_second(done.total(Kind::Read).0 as f64, elapsed_ns);
        let cpu = (cpu_ns.into_inner(), elapsed_ns);
        figures = bonnie(part, (rate, "/sec"), cpu, longest_ns.into_inner());
    } else if profile == Profile::Iozone {
        let rate = |m: &Meter<'_>| {
            let bytes = m.so_far(Kind::Read).1 + m.so_far(Kind::Write).1;
            per_second(bytes as f64 / 1024.0, m.loop_ns())
        };
        let children: f64 = done.meters.iter().map(rate).sum();
        rows[1..].iter().try_for_each(|row| context.workdir.remove(row.file))?;
        figures = vec![figure(rows[0].title, children, "kB/sec")];
    }
    context.push(done.finish(figures));
    Ok(())
}

/// Does `work` while the parent of bonnie++'s seekers flushes and closes the file, which it does
/// when it has filled the pot.
fn beside_parent<T>(
    file: OwnedFd,
    pot: &AtomicU64,
    work: impl FnOnce() -> Result<T, EngineError>,
) -> Result<T, EngineError> {
    thread::scope(|scope| {
        let parent = thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, || {
            while pot.load(Ordering::Relaxed) == 0 {
                thread::yield_now();
            }
            block::fsync(&file).and_then(|()| target::close(file))
        });
        let parent = parent.map_err(|e| EngineError::io("starting the threads", e))?;
        let done = work();
        // Nobody may have drawn.
        pot.fetch_max(1, Ordering::Relaxed);
        match parent.join() {
            Ok(flushed) => flushed.and(done),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// What iozone prints by default, and with `-e` and `-e -c`; `beside_ns` went into flushes that the
/// meter does not know.
fn iozone(meter: &Meter<'_>, word: &str, bytes: f64, beside_ns: u64) -> Vec<Figure> {
    let rate = |ns: u64| (per_second(bytes, ns) as u64 >> 10) as f64;
    let flushed_ns = meter.loop_ns() + meter.flush_ns + beside_ns;
    vec![
        figure(word, rate(meter.loop_ns()), "kB/sec"),
        figure(&format!("{word} -e"), rate(flushed_ns), "kB/sec"),
        figure(&format!("{word} -e -c"), rate(meter.elapsed_ns() + beside_ns), "kB/sec"),
    ]
}

/// Rate, share of a CPU and longest operation, as the columns of bonnie++ give them.
pub fn bonnie(
    part: u16,
    (rate, unit): (f64, &str),
    (cpu_ns, elapsed_ns): (u64, u64),
    longest_ns: u64,
) -> Vec<Figure> {
    let words = TESTS[usize::from(part)].title;
    let percent = (cpu_ns as f64 * 100.0 / elapsed_ns.max(1) as f64).floor();
    vec![
        figure(words, rate, unit),
        figure(&format!("{words}, CPU"), percent, "%CP"),
        figure(&format!("{words}, Latency"), (longest_ns / 1000) as f64, "us"),
    ]
}
