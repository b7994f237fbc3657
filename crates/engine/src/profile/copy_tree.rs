//! copy-tree: a tree of files copied as `rsync -a` does it to a new place.
//!
//! Source: rsync(1) and rsync 3.2's fileio.c, receiver.c: the source is read in windows of 256 KiB,
//! the copy is written in pieces of 32 KiB to a temporary name beside its own, gets its times, and
//! is renamed. rsync flushes nothing unless told to; here the filesystem is flushed at the end,
//! inside the measured time, so that a copy counts when it is on the drive.

use rustix::fs::{OFlags, Timespec, Timestamps, futimens};

use super::Context;
use super::block::{self, Block};
use super::meter::Meter;
use super::tree::{self, Tree};
use super::workdir::Workdir;
use crate::error::EngineError;
use crate::record::Kind;
use crate::target;

const SMALLEST_BYTES: u64 = 1024;
const OCTAVES: u32 = 10;
const WINDOW_BYTES: usize = 256 << 10;
/// Everything copied is from then: any time does, as long as it is not now.
const OLD_S: i64 = 1_000_000_000;

pub fn run(context: &mut Context<'_>) -> Result<(), EngineError> {
    let tree = Tree::new(context.job, SMALLEST_BYTES, OCTAVES, context.job.size / 2);
    let kinds = [Kind::Read, Kind::Write, Kind::Create, Kind::Flush];
    let mut meter = context.meter(0, &kinds, |job| job.end_fsync = true);
    let mut block = Block::new(context.job, WINDOW_BYTES as u64, 0)?;
    let source = context.workdir.make_dir("from")?;
    let from = tree.lay_out(&source, &mut block)?;
    let target = context.workdir.make_dir("to")?;
    meter.repeat(|meter| {
        target.clear()?;
        tree.cool(&from, meter)?;
        meter.resume();
        let to = tree.directories(&target)?;
        let copying = Copying { tree: &tree, from: &from, to: &to, piece: context.job.bs as usize };
        for file in 0..tree.files {
            copy(copying, file, &mut block, meter)?;
            if meter.is_cut_off() {
                break;
            }
        }
        block::syncfs(target.dir())?;
        meter.flush();
        meter.pause();
        Ok(())
    })?;
    context.push(meter.finish(Vec::new()));
    Ok(())
}

/// A tree, where it is read and where its copy is made, in pieces of `piece` bytes.
#[derive(Clone, Copy)]
struct Copying<'a> {
    tree: &'a Tree,
    from: &'a [Workdir],
    to: &'a [Workdir],
    piece: usize,
}

fn copy(
    copying: Copying<'_>,
    number: u32,
    block: &mut Block,
    meter: &mut Meter<'_>,
) -> Result<(), EngineError> {
    let Copying { tree, from, to, piece } = copying;
    let (name, workdir) = (tree::name(number), tree.room_of(to, number));
    let temporary = format!(".{name}.tmp");
    let source = tree.open(from, number)?;
    let flags = OFlags::WRONLY | OFlags::EXCL;
    let copy = workdir.create(&temporary, flags)?;
    let (size, mut at) = (tree.size(number), 0);
    while at < size {
        let len = (WINDOW_BYTES as u64).min(size - at) as usize;
        let window = &mut block.bytes()[..len];
        block::read(&source, window)?;
        meter.op(Kind::Read, len as u64);
        for piece in window.chunks(piece) {
            block::write(&copy, piece)?;
            meter.op(Kind::Write, piece.len() as u64);
        }
        at += len as u64;
    }
    let old = Timespec { tv_sec: OLD_S, tv_nsec: 0 };
    futimens(&copy, &Timestamps { last_access: old, last_modification: old })
        .map_err(|e| EngineError::io("setting the times of a file", e))?;
    target::close(copy)?;
    workdir.rename(&temporary, &name)?;
    meter.op(Kind::Create, 0);
    Ok(())
}
