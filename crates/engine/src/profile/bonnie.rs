//! bonnie++: a file written, rewritten and read, byte by byte and chunk by chunk; random seeks;
//! then many small files.
//!
//! As bonnie++ 1.97 and 2.00 do it: every phase of the file opens it, starts its clock, and stops
//! it after fsync and close. Seeks are drawn from one pot by several threads; one in ten writes
//! back what it read. Small files are in [`files`].
//!
//! One-byte phases are timed a chunk's worth of calls at a time, as bonnie++ times them: reading a
//! clock for each byte would be part of the result. Phases that read are preceded by putting the
//! file out of memory where the job asks for it; bonnie++ relies on a file of twice the memory.

mod files;

use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use bakeoff_core::model::job::{Data, Job};
use bakeoff_core::model::measurement::Figure;
use bakeoff_core::prng::mix;
use bakeoff_core::tools::bonnie::TESTS;
use rustix::fs::{OFlags, SeekFrom};

use super::block::{self, Block};
use super::lanes::together;
use super::meter::Meter;
use super::{Context, STACK_BYTES, figure, per_second};
use crate::error::EngineError;
use crate::record::Kind;
use crate::target;
use crate::usage::Usage;

const NAME: &str = "Bonnie.0";
/// Bytes of the one-byte phases where the job has no `io_size`, as where bonnie++ has no `-f`.
const PER_CHAR_BYTES: u64 = 3 << 20;
const SEEKS: u64 = 8192;
const SEEKERS: u32 = 5;
const SEEK_PART: u16 = 5;

#[derive(Clone, Copy, PartialEq, Eq)]
enum BonnieTest {
    Putc,
    Write,
    Rewrite,
    Getc,
    Read,
}

impl BonnieTest {
    const ALL: [BonnieTest; 5] = [
        BonnieTest::Putc,
        BonnieTest::Write,
        BonnieTest::Rewrite,
        BonnieTest::Getc,
        BonnieTest::Read,
    ];

    fn reads(self) -> bool {
        matches!(self, BonnieTest::Rewrite | BonnieTest::Getc | BonnieTest::Read)
    }

    fn is_by_char(self) -> bool {
        matches!(self, BonnieTest::Putc | BonnieTest::Getc)
    }
}

pub fn run(context: &mut Context<'_>) -> Result<(), EngineError> {
    for (part, work) in (0..).zip(BonnieTest::ALL) {
        if context.wants(part) {
            phase(context, part, work)?;
        }
    }
    if context.wants(SEEK_PART) {
        seeks(context)?;
    }
    context.workdir.remove(NAME)?;
    files::run(context, SEEK_PART + 1)
}

fn phase(context: &mut Context<'_>, part: u16, work: BonnieTest) -> Result<(), EngineError> {
    let kinds = [Kind::Read, Kind::Write, Kind::Flush];
    let mut meter = context.meter(part, &kinds, |job| job.end_fsync = true);
    let chunk = context.job.bs;
    let whole = context.job.size / chunk * chunk;
    let by_char = context.job.io_size.unwrap_or(PER_CHAR_BYTES) / chunk * chunk;
    let size = if work.is_by_char() { whole.min(by_char) } else { whole }.max(chunk);
    let mut block = Block::new(context.job, chunk, 0)?;
    let mut longest_ns = 0;
    meter.repeat(|meter| {
        let file = open(context, work, meter, &mut block, size)?;
        meter.resume();
        for index in 0..size / chunk {
            longest_ns = longest_ns.max(step(work, &file, &mut block, index, meter)?);
            if meter.is_cut_off() {
                break;
            }
        }
        block::flush(&file, meter)?;
        block::close(file, meter)?;
        meter.pause();
        Ok(())
    })?;
    let moved = meter.so_far(if work.reads() { Kind::Read } else { Kind::Write }).1;
    let rate = per_second(moved as f64 / 1024.0, meter.elapsed_ns()).floor();
    let cpu = (meter.usage().sum_ns(), meter.elapsed_ns());
    let figures = figures(part, (rate, "K/sec"), cpu, longest_ns);
    context.push(meter.finish(figures));
    Ok(())
}

/// The file as the phase finds it: new for those that write, whole for those that read.
fn open(
    context: &Context<'_>,
    work: BonnieTest,
    meter: &mut Meter<'_>,
    block: &mut Block,
    size: u64,
) -> Result<OwnedFd, EngineError> {
    if !work.reads() {
        context.workdir.remove(NAME)?;
        return context.workdir.create(NAME, OFlags::WRONLY);
    }
    let access = if work == BonnieTest::Rewrite { OFlags::RDWR } else { OFlags::RDONLY };
    block::cool(context.workdir.whole(NAME, block, size)?, meter)?;
    context.workdir.open_file(NAME, access)
}

/// One chunk, and how long its calls took: a rewritten one is read and written.
fn step(
    work: BonnieTest,
    file: &OwnedFd,
    block: &mut Block,
    index: u64,
    meter: &mut Meter<'_>,
) -> Result<u64, EngineError> {
    let chunk = block.bytes().len();
    let bytes = chunk as u64;
    Ok(match work {
        BonnieTest::Putc => {
            for at in 0..chunk {
                // bonnie++ writes the low seven bits of the position.
                block::write(file, &[at as u8 & 0x7f])?;
            }
            meter.op(Kind::Write, bytes)
        }
        BonnieTest::Write => {
            touch(block, index);
            block::write(file, block.fresh(meter, index * bytes, chunk))?;
            meter.op(Kind::Write, bytes)
        }
        BonnieTest::Rewrite => {
            block::read(file, block.bytes())?;
            let read_ns = meter.op(Kind::Read, bytes);
            touch(block, index);
            block::seek(file, SeekFrom::Current(-(chunk as i64)))?;
            block::write(file, block.bytes())?;
            read_ns + meter.op(Kind::Write, bytes)
        }
        BonnieTest::Getc => {
            for at in 0..chunk {
                block::read(file, &mut block.bytes()[at..=at])?;
            }
            meter.op(Kind::Read, bytes)
        }
        BonnieTest::Read => {
            block::read(file, block.bytes())?;
            meter.op(Kind::Read, bytes)
        }
    })
}

/// One byte of the chunk goes up by one, at a place that moves with the chunks.
fn touch(block: &mut Block, index: u64) {
    let bytes = block.bytes();
    let at = (index % bytes.len() as u64) as usize;
    bytes[at] = bytes[at].wrapping_add(1);
}

fn seeks(context: &mut Context<'_>) -> Result<(), EngineError> {
    let chunk = context.job.bs;
    let chunks = context.job.size / chunk;
    let kinds = [Kind::Read, Kind::Write, Kind::Flush];
    let mut lanes = Vec::new();
    for lane in 0..SEEKERS {
        let change = |job: &mut Job| (job.numjobs, job.end_fsync) = (SEEKERS, true);
        let meter = context.lane(SEEK_PART, lane, &kinds, change);
        let mut block = Block::new(&Job { data: Data::Zero, ..context.job.clone() }, chunk, lane)?;
        if lane == 0 {
            let mut large = Block::new(context.job, chunk, 0)?;
            let file = context.workdir.whole(NAME, &mut large, chunks * chunk)?;
            block::cool(file, &meter)?;
        }
        block.bytes().fill(0);
        lanes.push((meter, (block, Some(context.workdir.open_file(NAME, OFlags::RDWR)?))));
    }
    let pot = AtomicU64::new(0);
    let longest_ns = AtomicU64::new(0);
    let cpu_ns = AtomicU64::new(0);
    let seed = context.job.seed;
    let parent = context.workdir.open_file(NAME, OFlags::RDWR)?;
    let seeking = |meter: &mut Meter<'_>, (block, file): &mut (Block, Option<OwnedFd>)| {
        let Some(file) = file.take() else { return Ok(()) };
        let before = Usage::now();
        loop {
            let ticket = pot.fetch_add(1, Ordering::Relaxed);
            let had_all = meter.job.runtime_ns.is_none() || meter.is_over();
            if (ticket >= SEEKS && had_all) || meter.is_cut_off() {
                break;
            }
            // As rand(3) gives them: 31 bits.
            let ns = one_seek(mix(seed ^ mix(ticket)) >> 33, chunks, &file, block, meter)?;
            longest_ns.fetch_max(ns, Ordering::Relaxed);
        }
        block::flush(&file, meter)?;
        block::close(file, meter)?;
        // Each thread of bonnie++ tells the time of the whole process, and they are added.
        cpu_ns.fetch_add(Usage::now().since(before).sum_ns(), Ordering::Relaxed);
        Ok(())
    };
    let done = beside_parent(parent, &pot, || together(context, lanes, seeking))?;
    let elapsed_ns = done.end_ns() - done.start_ns();
    let rate = per_second(done.total(Kind::Read).0 as f64, elapsed_ns);
    let (cpu_ns, longest_ns) = (cpu_ns.into_inner(), longest_ns.into_inner());
    let figures = figures(SEEK_PART, (rate, "/sec"), (cpu_ns, elapsed_ns), longest_ns);
    context.push(done.finish(figures));
    Ok(())
}

/// Does `work` while the parent flushes and closes the file, which it does when it has filled the
/// pot.
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

/// One ticket, and how long its calls took.
fn one_seek(
    draw: u64,
    chunks: u64,
    file: &OwnedFd,
    block: &mut Block,
    meter: &mut Meter<'_>,
) -> Result<u64, EngineError> {
    let bytes = block.bytes().len() as u64;
    let offset = draw % chunks * bytes;
    let to = SeekFrom::Start(offset);
    block::seek(file, to)?;
    block::read(file, block.bytes())?;
    let ns = meter.op(Kind::Read, bytes);
    if draw.is_multiple_of(10) {
        touch(block, draw);
        block::seek(file, to)?;
        block::write(file, block.bytes())?;
        return Ok(ns + meter.op(Kind::Write, bytes));
    }
    block::forget(file, (offset, bytes), meter)?;
    Ok(ns)
}

/// Rate, share of a CPU and longest operation, as the columns of bonnie++ give them.
fn figures(
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
