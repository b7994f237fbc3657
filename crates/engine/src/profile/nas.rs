//! nas: several sequential streams at the same time, each its own file, 1 MiB at a time.
//!
//! What a file server does for several people who copy large files or watch films: read(2) and
//! write(2) through the page cache, as Samba and knfsd do. Writers flush their file when they have
//! gone through it, before they begin again, so that nothing is written twice in memory; readers
//! put theirs out of memory before they begin again.

use std::os::fd::OwnedFd;

use rustix::fs::{OFlags, SeekFrom};

use super::Context;
use super::block::{self, Block};
use super::lanes::together;
use super::meter::Meter;
use crate::error::EngineError;
use crate::record::Kind;

/// Which streams write: none, every one, every second one.
const PARTS: [fn(u32) -> bool; 3] = [|_| true, |_| false, |stream| stream % 2 == 1];

pub fn run(context: &mut Context<'_>) -> Result<(), EngineError> {
    for (part, writes) in (0..).zip(PARTS) {
        if context.wants(part) {
            streams(context, part, writes)?;
        }
    }
    Ok(())
}

fn streams(
    context: &mut Context<'_>,
    part: u16,
    writes: fn(u32) -> bool,
) -> Result<(), EngineError> {
    let kinds = [Kind::Read, Kind::Write, Kind::Flush];
    let bs = context.job.bs;
    let whole = (context.job.size / u64::from(context.job.numjobs) / bs).max(1) * bs;
    let mut lanes = Vec::new();
    for stream in 0..context.job.numjobs {
        let any_writes = (0..context.job.numjobs).any(writes);
        let meter = context.lane(part, stream, &kinds, |job| job.end_fsync = any_writes);
        let mut block = Block::new(context.job, bs, stream)?;
        let name = format!("stream.{stream}");
        let file = if writes(stream) {
            context.workdir.remove(&name)?;
            context.workdir.create(&name, OFlags::RDWR)?
        } else {
            let file = context.workdir.whole(&name, &mut block, whole)?;
            block::cool(&file, &meter)?;
            file
        };
        lanes.push((meter, (block, Some(file), writes(stream))));
    }
    let done = together(context, lanes, |meter, (block, file, writes)| {
        let Some(file) = file.take() else { return Ok(()) };
        while !pass(&file, *writes, whole, block, meter)? {}
        block::close(file, meter)
    })?;
    context.push(done.finish(Vec::new()));
    Ok(())
}

/// Once through the file; whether that was the end.
fn pass(
    file: &OwnedFd,
    writes: bool,
    whole: u64,
    block: &mut Block,
    meter: &mut Meter<'_>,
) -> Result<bool, EngineError> {
    let bs = meter.job.bs;
    let mut is_end = meter.job.runtime_ns.is_none();
    for at in (0..whole).step_by(bs as usize) {
        if writes {
            block::write(file, block.fresh(meter, at, bs as usize))?;
            meter.op(Kind::Write, bs);
        } else {
            block::read(file, block.bytes())?;
            meter.op(Kind::Read, bs);
        }
        // A stream has no end of its own: time ends it wherever it is.
        if meter.job.runtime_ns.is_some() && meter.is_over() || meter.is_cut_off() {
            is_end = true;
            break;
        }
    }
    if writes {
        block::flush(file, meter)?;
    } else if !is_end {
        block::cool(file, meter)?;
        meter.made();
    }
    block::seek(file, SeekFrom::Start(0))?;
    Ok(is_end)
}
