//! Large files in order by several clients at once, as Samba and knfsd do it: read(2) and write(2)
//! through the page cache.
//!
//! Writers flush their file when they have gone through it, before they begin again, so that
//! nothing is written twice in memory; readers put theirs out of memory. A stream has no end of
//! its own: time ends it wherever it is. In the mix every second stream writes.

use std::os::fd::OwnedFd;

use bakeoff_model::job::Job;
use bakeoff_model::profiles;
use rustix::fs::{OFlags, SeekFrom};

use super::Context;
use super::block::{self, BlockBuffer};
use super::lanes::together;
use super::meter::Meter;
use crate::error::EngineError;
use crate::record::Kind;

/// One client with its file.
struct Stream {
    file: OwnedFd,
    block: BlockBuffer,
    writes: bool,
    records: u64,
}

pub fn run(context: &mut Context<'_>) -> Result<(), EngineError> {
    for (part, spec) in (0..).zip(profiles::part_specs(context.profile)) {
        if context.wants(part) {
            let (reads, writes) = (spec.rw.reads(), spec.rw.writes());
            measure(context, part, |lane| writes && (!reads || lane % 2 == 1))?;
        }
    }
    Ok(())
}

fn measure(
    context: &mut Context<'_>,
    part: u16,
    writes: impl Fn(u32) -> bool,
) -> Result<(), EngineError> {
    let kinds = [Kind::Read, Kind::Write, Kind::Flush];
    let count = context.job.numjobs;
    let records = (context.job.size / u64::from(count) / context.job.bs).max(1);
    let mut lanes = Vec::new();
    for lane in 0..count {
        let writes = writes(lane);
        let change = |job: &mut Job| (job.numjobs, job.end_fsync) = (count, writes);
        let meter = context.lane(part, lane, &kinds, change);
        lanes.push((meter, Stream::open(context, lane, writes, records)?));
    }
    let done = together(context, lanes, |meter, stream| stream.go(meter))?;
    context.push(done.finish(Vec::new()));
    Ok(())
}

impl Stream {
    fn open(
        context: &Context<'_>,
        lane: u32,
        writes: bool,
        records: u64,
    ) -> Result<Stream, EngineError> {
        let (job, name) = (context.job, format!("stream.{lane}"));
        let mut block = BlockBuffer::new(job, job.bs, lane)?;
        let file = if writes {
            context.workdir.remove(&name)?;
            context.workdir.create(&name, OFlags::RDWR)?
        } else {
            let file = context.workdir.whole(&name, &mut block, records * job.bs)?;
            block::cool(&file, job)?;
            file
        };
        Ok(Stream { file, block, writes, records })
    }

    /// Passes without a pause until its time is over.
    fn go(&mut self, meter: &mut Meter<'_>) -> Result<(), EngineError> {
        loop {
            self.pass(meter)?;
            if self.writes {
                block::flush(&self.file, meter)?;
            }
            block::seek(&self.file, SeekFrom::Start(0))?;
            if meter.job.runtime_ns.is_none() || meter.is_over() {
                return Ok(());
            }
            if !self.writes {
                block::cool(&self.file, &meter.job)?;
                meter.made();
            }
        }
    }

    fn pass(&mut self, meter: &mut Meter<'_>) -> Result<(), EngineError> {
        let bs = meter.job.bs;
        for at in 0..self.records {
            if self.writes {
                let data = self.block.fresh(meter, at * bs, bs as usize);
                block::write(&self.file, data)?;
                meter.op(Kind::Write, bs);
            } else {
                block::read(&self.file, self.block.bytes())?;
                meter.op(Kind::Read, bs);
            }
            if meter.is_cut_off() || meter.job.runtime_ns.is_some() && meter.is_over() {
                break;
            }
        }
        Ok(())
    }
}
