//! Work that arrives at its own pace, whether or not the drive keeps up, while another thread
//! writes or flushes: torrent and desktop.
//!
//! Operations are due at equal distances and are timed from when they were due, so a stall counts
//! for everything that had to wait behind it (G. Tene, "How NOT to Measure Latency"). At the cut
//! off, what was due and not begun counts with the time it has waited so far, which is less than
//! it would have taken: a quantile that reaches there is a lower bound.
//!
//! torrent: pieces of 16 KiB arrive at random places of preallocated files while the kernel writes
//! back what came before. 16 KiB is the block that clients ask each other for (BEP 3, "request"),
//! and peers give pieces in random order. They come at the pace of the line, however the drive
//! feels; what people notice is that the client, and all around it, stalls while memory is written
//! back. The kernel does that after 30 s or under pressure; here the second thread flushes one file
//! a second, so that a short cell meets what a long download meets.
//!
//! desktop: somebody clicks while a backup or a download runs: the reads are few, small and
//! scattered, and wait behind the writer in the queues of scheduler, filesystem and drive. They are
//! of a file that is not in memory; the writer goes through its own 1 MiB at a time as fast as it
//! can, and flushes it before it begins again.

use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};

use bakeoff_model::job::Job;
use bakeoff_model::measurement::Measurement;
use rustix::fs::{Advice, FallocateFlags, OFlags, SeekFrom, fadvise, fallocate, ftruncate};
use rustix::io::Errno;

use super::block::{self, BlockBuffer};
use super::lanes::together;
use super::meter::Meter;
use super::{Context, figure};
use crate::error::EngineError;
use crate::offsets::{Once, Span, Walk};
use crate::record::Kind;

/// Fewest operations: a 99th percentile rests on ten that took longer.
const FEWEST: u64 = 1000;
const DOWNLOADS: u64 = 4;
const FLUSH_EVERY_NS: u64 = 1_000_000_000;
const LOOK_NS: u64 = 20_000_000;
const WRITE_BYTES: u64 = 1 << 20;

/// Blocks that arrive at files of so many blocks each.
struct Arriving {
    kind: Kind,
    files: Vec<OwnedFd>,
    blocks: u64,
    rate: u64,
}

pub fn torrent(context: &mut Context<'_>) -> Result<(), EngineError> {
    let blocks = (context.job.size / DOWNLOADS / context.job.bs).max(1);
    let preallocated = |n| preallocate(context, n, blocks * context.job.bs);
    let files = (0..DOWNLOADS).map(preallocated).collect::<Result<Vec<_>, _>>()?;
    // 10 MiB a second.
    let arriving = Arriving { kind: Kind::Write, files, blocks, rate: 640 };
    let beside = BlockBuffer::new(context.job, 1, 1)?;
    let mut measured =
        arriving.measure(context, "longest stall", beside, |meter, _, is_done| {
            // One file a second in turn, and all at the end.
            let mut due_ns = meter.now_ns + FLUSH_EVERY_NS;
            let mut turn = arriving.files.iter().cycle();
            while !is_done.load(Ordering::Relaxed) && !meter.is_cut_off() {
                meter.wait_until(meter.now_ns + LOOK_NS);
                if meter.now_ns >= due_ns {
                    due_ns += FLUSH_EVERY_NS;
                    turn.next().map_or(Ok(()), |file| block::flush_data(file, meter))?;
                }
            }
            arriving.files.iter().try_for_each(|file| block::flush_data(file, meter))
        })?;
    for part in [0, 1] {
        if context.wants(part) {
            context.push(measured.clone());
            // What it wrote is told once.
            measured.wrote_bytes = measured.wrote_bytes.map(|_| 0);
        }
    }
    Ok(())
}

/// A file of that size without data; where the filesystem cannot reserve room, one with a hole.
fn preallocate(context: &Context<'_>, number: u64, bytes: u64) -> Result<OwnedFd, EngineError> {
    let file = context.workdir.create(&format!("download.{number}"), OFlags::RDWR)?;
    let failed = |e| EngineError::io("reserving space for a file", e);
    match fallocate(&file, FallocateFlags::empty(), 0, bytes) {
        Ok(()) => {}
        Err(Errno::OPNOTSUPP | Errno::NOSYS) => ftruncate(&file, bytes).map_err(failed)?,
        Err(e) => return Err(failed(e)),
    }
    block::fsync(&file)?;
    Ok(file)
}

pub fn desktop(context: &mut Context<'_>) -> Result<(), EngineError> {
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
    let arriving = Arriving { kind: Kind::Read, files: vec![file], blocks, rate: 250 };
    let measured = arriving.measure(context, "longest read", large, |meter, block, is_done| {
        let mut at = 0;
        while !is_done.load(Ordering::Relaxed) && !meter.is_cut_off() {
            block::write(&written, block.fresh(meter, at, WRITE_BYTES as usize))?;
            meter.op(Kind::Write, WRITE_BYTES);
            at += WRITE_BYTES;
            if at >= half {
                block::flush(&written, meter)?;
                block::seek(&written, SeekFrom::Start(0))?;
                at = 0;
            }
        }
        block::flush(&written, meter)
    })?;
    context.push(measured);
    Ok(())
}

impl Arriving {
    /// Lets them arrive while another thread does `beside` with its block until they are through.
    fn measure<F>(
        &self,
        context: &Context<'_>,
        longest: &str,
        block: BlockBuffer,
        beside: F,
    ) -> Result<Measurement, EngineError>
    where
        F: Fn(&mut Meter<'_>, &mut BlockBuffer, &AtomicBool) -> Result<(), EngineError> + Sync,
    {
        let kinds = [Kind::Read, Kind::Write, Kind::Flush];
        let two = |job: &mut Job| (job.numjobs, job.end_fsync) = (2, true);
        let small = BlockBuffer::new(context.job, context.job.bs, 0)?;
        let lanes = vec![
            (context.lane(0, 0, &kinds, two), (true, small)),
            (context.lane(0, 1, &kinds, two), (false, block)),
        ];
        let is_done = AtomicBool::new(false);
        let done = together(context, lanes, |meter, (arrives, block)| {
            if !*arrives {
                return beside(meter, block, &is_done);
            }
            let done = self.arrive(meter, block);
            is_done.store(true, Ordering::Relaxed);
            done
        })?;
        let longest_ns = done.longest_ns(self.kind);
        Ok(done.finish(vec![figure(longest, longest_ns as f64 / 1e6, "ms")]))
    }

    fn arrive(&self, meter: &mut Meter<'_>, block: &mut BlockBuffer) -> Result<(), EngineError> {
        let rate = meter.job.rate_iops.unwrap_or(self.rate);
        let apart_ns = 1_000_000_000 / rate.clamp(1, 1_000_000);
        let count = (meter.job.runtime_ns.unwrap_or(0) / apart_ns).max(FEWEST);
        let all = self.blocks * self.files.len() as u64;
        let mut order = Once::new(Span::whole(all), meter.job.seed);
        let start_ns = meter.now_ns;
        for number in 0..count {
            let due_ns = start_ns + number * apart_ns;
            meter.wait_until(due_ns);
            if self.kind == Kind::Read && number > 0 && number.is_multiple_of(all) {
                // Each block once, and all again from the drive when they are through.
                block::cool(&self.files[0], &meter.job)?;
            }
            self.one(order.next_block(), meter, block)?;
            meter.op_due(self.kind, meter.job.bs, due_ns);
            if meter.is_cut_off() {
                let late = (number + 1..count).map(|n| start_ns + n * apart_ns);
                let late = late.take_while(|due_ns| *due_ns < meter.now_ns);
                let waited: Vec<u64> = late.map(|due_ns| meter.now_ns - due_ns).collect();
                meter.backlog = waited.len() as u64;
                waited.into_iter().for_each(|ns| meter.count(self.kind, ns, 0));
                return Ok(());
            }
        }
        Ok(())
    }

    fn one(
        &self,
        number: u64,
        meter: &mut Meter<'_>,
        block: &mut BlockBuffer,
    ) -> Result<(), EngineError> {
        let bs = meter.job.bs;
        // Below the number of files.
        let file = &self.files[(number / self.blocks) as usize];
        let offset = number % self.blocks * bs;
        if self.kind == Kind::Read {
            return block::read_at(file, block.bytes(), offset);
        }
        block::write_at(file, block.fresh(meter, number * bs, bs as usize), offset)
    }
}
