//! desktop: small reads while a large file is written.
//!
//! Somebody clicks while a backup or a download runs: the reads are few, small and scattered, and
//! wait behind the writer in the queues of scheduler, filesystem and drive. Reads of a block arrive
//! 250 times a second from a file that is not in memory; the writer goes through its file 1 MiB at
//! a time as fast as it can, and flushes it before it begins again.

use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};

use bakeoff_core::model::job::Job;
use rustix::fs::{Advice, OFlags, SeekFrom, fadvise};

use super::arrivals::arrive;
use super::block::{self, Block};
use super::lanes::together;
use super::meter::Meter;
use super::{Context, figure};
use crate::error::EngineError;
use crate::offsets::{Once, Span, Walk};
use crate::record::Kind;

const RATE: u64 = 250;
const WRITE_BYTES: u64 = 1 << 20;

enum Role {
    Reads,
    Writes,
}

pub fn run(context: &mut Context<'_>) -> Result<(), EngineError> {
    let half = context.job.size / 2;
    let bs = context.job.bs;
    let whole = (half / bs).max(1) * bs;
    let kinds = [Kind::Read, Kind::Write, Kind::Flush];
    let two = |job: &mut Job| (job.numjobs, job.end_fsync) = (2, true);
    let reader = context.lane(0, 0, &kinds, two);
    let writer = context.lane(0, 1, &kinds, two);
    let file = context.workdir.create("read", OFlags::RDWR)?;
    let mut large = Block::new(context.job, WRITE_BYTES, 1)?;
    block::lay_out(&file, &mut large, whole)?;
    block::cool(&file, &reader)?;
    // Without read-ahead every read is one of the drive.
    fadvise(&file, 0, None, Advice::Random)
        .map_err(|e| EngineError::io("advising the kernel how a file is read", e))?;
    let written = context.workdir.create("written", OFlags::WRONLY)?;
    let small = Block::new(context.job, bs, 0)?;
    let lanes = vec![(reader, (Role::Reads, small)), (writer, (Role::Writes, large))];
    let is_done = AtomicBool::new(false);
    let done = together(context, lanes, |meter, (role, block)| match role {
        Role::Reads => {
            let done = read(&file, whole, block, meter);
            is_done.store(true, Ordering::Relaxed);
            done
        }
        Role::Writes => write(&written, half, &is_done, block, meter),
    })?;
    let longest = figure("longest read", done.longest_ns(Kind::Read) as f64 / 1e6, "ms");
    context.push(done.finish(vec![longest]));
    Ok(())
}

/// Each block once, and all again from the drive when they are through.
fn read(
    file: &OwnedFd,
    whole: u64,
    block: &mut Block,
    meter: &mut Meter<'_>,
) -> Result<(), EngineError> {
    let bs = meter.job.bs;
    let blocks = whole / bs;
    let mut order = Once::new(Span::whole(blocks), meter.job.seed);
    let rate = meter.job.rate_iops.unwrap_or(RATE);
    let mut done = 0;
    arrive(meter, Kind::Read, rate, |meter| {
        if done == blocks {
            block::cool(file, meter)?;
            done = 0;
        }
        done += 1;
        block::read_at(file, block.bytes(), order.next_block() * bs)?;
        Ok(bs)
    })
}

fn write(
    file: &OwnedFd,
    whole: u64,
    is_done: &AtomicBool,
    block: &mut Block,
    meter: &mut Meter<'_>,
) -> Result<(), EngineError> {
    let mut at = 0;
    while !is_done.load(Ordering::Relaxed) && !meter.is_cut_off() {
        block::write(file, block.fresh(meter, at, WRITE_BYTES as usize))?;
        meter.op(Kind::Write, WRITE_BYTES);
        at += WRITE_BYTES;
        if at >= whole {
            block::flush(file, meter)?;
            block::seek(file, SeekFrom::Start(0))?;
            at = 0;
        }
    }
    block::flush(file, meter)
}
