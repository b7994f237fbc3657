//! torrent: pieces of 16 KiB arrive at random places of preallocated files while the kernel writes
//! back what came before.
//!
//! 16 KiB is the block that clients ask each other for (BEP 3, "request"), and peers give pieces in
//! random order. They come at the pace of the line, 10 MiB a second, however the drive feels; what
//! people notice is that the client, and all around it, stalls while memory is written back. The
//! kernel does that after 30 s or under pressure; here a second thread flushes one file a second,
//! so that a short cell meets what a long download meets. A piece is timed from when it was due.

use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};

use bakeoff_core::model::job::Job;

use rustix::fs::{FallocateFlags, OFlags, fallocate, ftruncate};
use rustix::io::Errno;

use super::arrivals::arrive;
use super::block::{self, Block};
use super::lanes::together;
use super::meter::Meter;
use super::{Context, figure};
use crate::error::EngineError;
use crate::offsets::{Once, Span, Walk};
use crate::record::Kind;

const FILES: u64 = 4;
/// Pieces of 16 KiB that the line brings: 10 MiB a second.
const PIECES_PER_S: u64 = 640;
const FLUSH_EVERY_NS: u64 = 1_000_000_000;
/// How often the flushing thread looks whether it is over.
const LOOK_NS: u64 = 20_000_000;
const PARTS: u16 = 2;

enum Role {
    Receives,
    Flushes,
}

pub fn run(context: &mut Context<'_>) -> Result<(), EngineError> {
    let bs = context.job.bs;
    let blocks = (context.job.size / FILES / bs).max(1);
    let files: Vec<OwnedFd> =
        (0..FILES).map(|n| preallocate(context, n, blocks * bs)).collect::<Result<_, _>>()?;
    let kinds = [Kind::Write, Kind::Flush];
    let change = |job: &mut Job| (job.numjobs, job.end_fsync) = (2, true);
    let receiver = context.lane(0, 0, &kinds, change);
    let flusher = context.lane(0, 1, &kinds, change);
    let lanes = vec![
        (receiver, (Role::Receives, Block::new(context.job, bs, 0)?)),
        (flusher, (Role::Flushes, Block::new(context.job, 1, 1)?)),
    ];
    let is_done = AtomicBool::new(false);
    let done = together(context, lanes, |meter, (role, block)| match role {
        Role::Receives => {
            let done = receive(&files, blocks, block, meter);
            is_done.store(true, Ordering::Relaxed);
            done
        }
        Role::Flushes => flush(&files, &is_done, meter),
    })?;
    let longest = figure("longest stall", done.longest_ns(Kind::Write) as f64 / 1e6, "ms");
    let mut measured = done.finish(vec![longest]);
    for part in 0..PARTS {
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

fn receive(
    files: &[OwnedFd],
    blocks: u64,
    block: &mut Block,
    meter: &mut Meter<'_>,
) -> Result<(), EngineError> {
    let bs = meter.job.bs;
    let mut order = Once::new(Span::whole(blocks * FILES), meter.job.seed);
    let rate = meter.job.rate_iops.unwrap_or(PIECES_PER_S);
    arrive(meter, Kind::Write, rate, |meter| {
        let piece = order.next_block();
        // Below the number of files.
        let file = &files[(piece / blocks) as usize];
        let offset = piece % blocks * bs;
        let data = block.fresh(meter, piece * bs, bs as usize);
        block::write_at(file, data, offset)?;
        Ok(bs)
    })
}

/// One file a second in turn, and all at the end.
fn flush(
    files: &[OwnedFd],
    is_done: &AtomicBool,
    meter: &mut Meter<'_>,
) -> Result<(), EngineError> {
    let mut due_ns = meter.now_ns() + FLUSH_EVERY_NS;
    let mut turn = files.iter().cycle();
    while !is_done.load(Ordering::Relaxed) && !meter.is_cut_off() {
        meter.wait_until(meter.now_ns() + LOOK_NS);
        if meter.now_ns() >= due_ns {
            due_ns += FLUSH_EVERY_NS;
            turn.next().map_or(Ok(()), |file| block::flush_data(file, meter))?;
        }
    }
    files.iter().try_for_each(|file| block::flush_data(file, meter))
}
