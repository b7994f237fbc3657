//! Somebody clicks while a backup or a download runs: the reads are few, small and scattered, and
//! wait behind the writer in the queues of scheduler, filesystem and drive. They are of a file that
//! is not in memory; the writer goes through its own 1 MiB at a time as fast as it can, and flushes
//! it before it begins again.
//!
//! Reads are due at equal distances and are timed from when they were due, so a stall counts for
//! every read that had to wait behind it (G. Tene, "How NOT to Measure Latency"). At the cut-off, a
//! read that was due and not begun counts with the time it has waited so far, which is less than it
//! would have taken: a quantile that reaches there is a lower bound.

use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};

use bakeoff_model::job::Job;
use rustix::fs::{Advice, OFlags, SeekFrom, fadvise};

use super::block::{self, BlockBuffer};
use super::lanes::together;
use super::meter::Meter;
use super::{Context, figure};
use crate::error::EngineError;
use crate::offsets::{Once, Span, Walk};
use crate::record::Kind;

/// Fewest reads: a 99th percentile rests on ten that took longer.
const FEWEST: u64 = 1000;
const WRITE_BYTES: u64 = 1 << 20;
/// Reads a second.
const RATE: u64 = 250;

pub fn run(context: &mut Context<'_>) -> Result<(), EngineError> {
    let half = context.job.size / 2;
    let blocks = (half / context.job.bs).max(1);
    let file = context.workdir.create("read", OFlags::RDWR)?;
    let mut large = BlockBuffer::new(context.job, WRITE_BYTES, 1)?;
    block::lay_out(&file, &mut large, blocks * context.job.bs)?;
    block::cool(&file, context.job)?;
    // Without read-ahead every read is one of the drive.
    fadvise(&file, 0, None, Advice::Random)
        .map_err(|e| EngineError::io("advising the kernel how a file is read", e))?;
    let written = context.workdir.create("written", OFlags::WRONLY)?;
    let kinds = [Kind::Read, Kind::Write, Kind::Flush];
    let two = |job: &mut Job| (job.numjobs, job.end_fsync) = (2, true);
    let small = BlockBuffer::new(context.job, context.job.bs, 0)?;
    let lanes = vec![
        (context.lane(0, 0, &kinds, two), (true, small)),
        (context.lane(0, 1, &kinds, two), (false, large)),
    ];
    let is_done = AtomicBool::new(false);
    let done = together(context, lanes, |meter, (reads, block)| {
        if !*reads {
            return write(&written, half, meter, block, &is_done);
        }
        let done = read(&file, blocks, meter, block);
        is_done.store(true, Ordering::Relaxed);
        done
    })?;
    let longest_ns = done.longest_ns(Kind::Read);
    context.push(done.finish(vec![figure("longest read", longest_ns as f64 / 1e6, "ms")]));
    Ok(())
}

fn write(
    file: &OwnedFd,
    size: u64,
    meter: &mut Meter<'_>,
    block: &mut BlockBuffer,
    is_done: &AtomicBool,
) -> Result<(), EngineError> {
    let mut at = 0;
    while !is_done.load(Ordering::Relaxed) && !meter.is_cut_off() {
        block::write(file, block.fresh(meter, at, WRITE_BYTES as usize))?;
        meter.op(Kind::Write, WRITE_BYTES);
        at += WRITE_BYTES;
        if at >= size {
            block::flush(file, meter)?;
            block::seek(file, SeekFrom::Start(0))?;
            at = 0;
        }
    }
    block::flush(file, meter)
}

fn read(
    file: &OwnedFd,
    blocks: u64,
    meter: &mut Meter<'_>,
    block: &mut BlockBuffer,
) -> Result<(), EngineError> {
    let rate = meter.job.rate_iops.unwrap_or(RATE);
    let apart_ns = 1_000_000_000 / rate.clamp(1, 1_000_000);
    let count = (meter.job.runtime_ns.unwrap_or(0) / apart_ns).max(FEWEST);
    let mut order = Once::new(Span::whole(blocks), meter.job.seed);
    let start_ns = meter.now_ns;
    for number in 0..count {
        let due_ns = start_ns + number * apart_ns;
        meter.wait_until(due_ns);
        if number > 0 && number.is_multiple_of(blocks) {
            // Each block once, and all again from the drive when they are through.
            block::cool(file, &meter.job)?;
        }
        block::read_at(file, block.bytes(), order.next_block() * meter.job.bs)?;
        meter.op_due(Kind::Read, meter.job.bs, due_ns);
        if meter.is_cut_off() {
            let late = (number + 1..count).map(|n| start_ns + n * apart_ns);
            let late = late.take_while(|due_ns| *due_ns < meter.now_ns);
            let waited: Vec<u64> = late.map(|due_ns| meter.now_ns - due_ns).collect();
            meter.backlog = waited.len() as u64;
            waited.into_iter().for_each(|ns| meter.count(Kind::Read, ns, 0));
            return Ok(());
        }
    }
    Ok(())
}
