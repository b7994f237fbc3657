//! dd: read a block from the source, write it to the file, and so on; then the way back.
//!
//! As coreutils' dd.c does it: the output is opened and emptied before the clock starts; the clock
//! ends after the flush that was asked for and the close. Without one dd's own figure ends with
//! data still in memory; here the file is flushed after that all the same, inside the honest
//! figure. Source and sink are /dev/zero and /dev/null, as in the recipes people publish.

use bakeoff_core::model::job::Data;
use bakeoff_core::model::measurement::{Figure, Measurement};
use rustix::fs::{CWD, Mode, OFlags, openat};

use super::block::{self, Block};
use super::meter::Meter;
use super::{Context, figure, per_second};
use crate::error::EngineError;
use crate::record::Kind;

const NAME: &str = "dd.bakeoff";
const READ: u16 = 3;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Flush {
    /// After dd's own clock has stopped.
    After,
    Fdatasync,
    Fsync,
}

pub fn run(context: &mut Context<'_>) -> Result<(), EngineError> {
    for (part, flush) in (0..).zip([Flush::After, Flush::Fdatasync, Flush::Fsync]) {
        if context.wants(part) {
            write(context, part, flush)?;
        }
    }
    if context.wants(READ) {
        read(context)?;
    }
    Ok(())
}

fn records(context: &Context<'_>) -> u64 {
    context.job.size / context.job.bs
}

fn write(context: &mut Context<'_>, part: u16, flush: Flush) -> Result<(), EngineError> {
    let kinds = [Kind::Write, Kind::Flush];
    let mut meter = context.meter(part, &kinds, |job| job.end_fsync = true);
    let bs = context.job.bs;
    let mut block = Block::new(context.job, bs, 0)?;
    let zero = device("/dev/zero", OFlags::RDONLY)?;
    let from_zero = context.job.data == Data::Zero;
    let mut tool_ns = 0;
    meter.repeat(|meter| {
        let file = context.workdir.create(NAME, OFlags::WRONLY | context.direct())?;
        meter.resume();
        let (before_ns, flushed_ns) = (meter.elapsed_ns(), meter.flush_ns());
        for record in 0..records(context) {
            if from_zero {
                block::read(&zero, block.bytes())?;
                meter.made();
                block::write(&file, block.bytes())?;
            } else {
                block::write(&file, block.fresh(meter, record * bs, bs as usize))?;
            }
            meter.op(Kind::Write, bs);
            if meter.is_cut_off() {
                break;
            }
        }
        match flush {
            Flush::After => {}
            Flush::Fdatasync => block::flush_data(&file, meter)?,
            Flush::Fsync => block::flush(&file, meter)?,
        }
        block::close(file, meter)?;
        tool_ns += meter.elapsed_ns() - before_ns;
        if flush == Flush::After {
            debug_assert_eq!(meter.flush_ns(), flushed_ns);
            block::flush(context.workdir.open_file(NAME, OFlags::WRONLY)?, meter)?;
        }
        meter.pause();
        Ok(())
    })?;
    let figures = figures(&meter, Kind::Write, tool_ns);
    context.push(meter.finish(figures));
    Ok(())
}

fn read(context: &mut Context<'_>) -> Result<(), EngineError> {
    let bs = context.job.bs;
    let mut meter = context.meter(READ, &[Kind::Read], |_| {});
    let mut block = Block::new(context.job, bs, 0)?;
    let whole = records(context) * bs;
    // No part, or only one that was cut off, may have written it.
    let mut large = Block::new(context.job, whole.min(1 << 20), 0)?;
    context.workdir.whole(NAME, &mut large, whole)?;
    let null = device("/dev/null", OFlags::WRONLY)?;
    meter.repeat(|meter| {
        block::cool(context.workdir.open_file(NAME, OFlags::RDONLY)?, meter)?;
        let file = context.workdir.open_file(NAME, OFlags::RDONLY | context.direct())?;
        meter.resume();
        for _ in 0..records(context) {
            block::read(&file, block.bytes())?;
            meter.op(Kind::Read, bs);
            block::write(&null, block.bytes())?;
            if meter.is_cut_off() {
                break;
            }
        }
        block::close(file, meter)?;
        meter.pause();
        Ok(())
    })?;
    let figures = figures(&meter, Kind::Read, meter.elapsed_ns());
    let measured = meter.finish(figures);
    // That went to /dev/null.
    context.written_at = context.written_at.zip(measured.wrote_bytes).map(|(at, null)| at + null);
    context.push(Measurement { wrote_bytes: measured.wrote_bytes.map(|_| 0), ..measured });
    Ok(())
}

/// What dd prints: bytes copied over its own clock, in millions.
fn figures(meter: &Meter<'_>, kind: Kind, tool_ns: u64) -> Vec<Figure> {
    let (_, bytes, _) = meter.so_far(kind);
    vec![figure("copied", per_second(bytes as f64 / 1e6, tool_ns), "MB/s")]
}

fn device(path: &str, flags: OFlags) -> Result<std::os::fd::OwnedFd, EngineError> {
    openat(CWD, path, flags | OFlags::CLOEXEC, Mode::empty())
        .map_err(|e| EngineError::io(format!("opening {path}"), e))
}
