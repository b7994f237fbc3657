//! Whole trees of files, one after the other: copy-tree, boot and package-install.
//!
//! copy-tree, as `rsync -a` does it to a new place: the source is read in windows of 256 KiB, the
//! copy is written in pieces of a block to a temporary name beside its own, gets its times, and is
//! renamed. rsync flushes nothing unless told to; here the filesystem is flushed at the end, inside
//! the measured time, so that a copy counts when it is on the drive.
//!
//! boot: starting a system or a program reads headers and then pieces of its files as they are
//! needed: small, scattered, each waited for, most from the drive. Each file is opened, its first
//! 4 KiB read and then up to three pieces of a block from random places; files come in random
//! order. Only data are put out of memory: directories and inodes stay known, as nothing short of
//! dropping all caches of the machine forgets them.
//!
//! package-install, as dpkg does it (dpkg(1) on `--force-unsafe-io`): every file is written to
//! NAME.dpkg-new and its writing to the drive begun; when the whole package is there, each is
//! flushed and renamed to its name. Four times a package its state is noted: a small file is
//! written, flushed and renamed, and its directory flushed.

use std::os::fd::{AsRawFd, OwnedFd};

use bakeoff_model::job::Job;
use bakeoff_stats::prng::{SplitMix64, mix};
use rustix::fs::{OFlags, Timespec, Timestamps, futimens};

use super::Context;
use super::block::{self, BlockBuffer};
use super::meter::Meter;
use super::tree::{self, Tree};
use super::workdir::Workdir;
use crate::error::EngineError;
use crate::offsets::{Once, Span, Walk};
use crate::record::Kind;
use crate::target;

/// What copy-tree reads at a time, and boot lays out.
const WINDOW_BYTES: u64 = 256 << 10;
/// Everything copied is from then: any time does, as long as it is not now.
const OLD: Timespec = Timespec { tv_sec: 1_000_000_000, tv_nsec: 0 };
const HEADER_BYTES: u64 = 4096;
const PIECES: u64 = 3;
/// Files of a package where nobody says otherwise: the median of Debian's is of this order.
const PACKAGE_FILES: u32 = 40;
const NOTE_BYTES: usize = 1024;

pub fn copy_tree(context: &mut Context<'_>) -> Result<(), EngineError> {
    let tree = Tree::new(context.job, 1024, 10, context.job.size / 2);
    let kinds = [Kind::Read, Kind::Write, Kind::Create, Kind::Flush];
    let mut meter = context.meter(0, &kinds, |job| job.end_fsync = true);
    let mut block = BlockBuffer::new(context.job, WINDOW_BYTES, 0)?;
    let source = context.workdir.make_dir("from")?;
    let from = tree.lay_out(&source, &mut block)?;
    let target = context.workdir.make_dir("to")?;
    meter.repeat(|meter| {
        target.clear()?;
        tree.cool(&from, context.job)?;
        meter.resume();
        let to = tree.directories(&target)?;
        for number in 0..tree.files {
            let (source, room) = (tree.open(&from, number)?, tree.room_of(&to, number));
            copy(&source, tree.size(number), (room, &tree::name(number)), &mut block, meter)?;
            if meter.is_cut_off() {
                break;
            }
        }
        block::syncfs(target.dir())?;
        meter.flush();
        meter.pause();
        Ok(())
    })?;
    context.push(meter.finish());
    Ok(())
}

fn copy(
    source: &OwnedFd,
    size: u64,
    (room, name): (&Workdir, &str),
    block: &mut BlockBuffer,
    meter: &mut Meter<'_>,
) -> Result<(), EngineError> {
    let temporary = format!(".{name}.tmp");
    let copy = room.create(&temporary, OFlags::WRONLY | OFlags::EXCL)?;
    let mut at = 0;
    while at < size {
        let len = WINDOW_BYTES.min(size - at);
        let window = &mut block.bytes()[..len as usize];
        block::read(source, window)?;
        meter.op(Kind::Read, len);
        for piece in window.chunks(meter.job.bs as usize) {
            block::write(&copy, piece)?;
            meter.op(Kind::Write, piece.len() as u64);
        }
        at += len;
    }
    futimens(&copy, &Timestamps { last_access: OLD, last_modification: OLD })
        .map_err(|e| EngineError::io("setting the times of a file", e))?;
    target::close(copy)?;
    room.rename(&temporary, name)?;
    meter.op(Kind::Create, 0);
    Ok(())
}

pub fn boot(context: &mut Context<'_>) -> Result<(), EngineError> {
    let tree = Tree::new(context.job, 4096, 8, context.job.size);
    let mut meter = context.meter(0, &[Kind::Read], |_| {});
    let rooms =
        tree.lay_out(&context.workdir, &mut BlockBuffer::new(context.job, WINDOW_BYTES, 0)?)?;
    let mut block = BlockBuffer::new(context.job, context.job.bs.max(HEADER_BYTES), 0)?;
    let mut pass = 0;
    meter.repeat(|meter| {
        tree.cool(&rooms, context.job)?;
        let seed = mix(context.job.seed ^ pass);
        pass += 1;
        let mut order = Once::new(Span::whole(tree.files.into()), seed);
        let mut places = SplitMix64::derive(seed, &[PIECES]);
        meter.resume();
        for _ in 0..tree.files {
            // Blocks of the span are below the number of files.
            let number = order.next_block() as u32;
            let size = tree.size(number);
            start(&tree.open(&rooms, number)?, size, &mut places, &mut block, meter)?;
            if meter.is_cut_off() {
                break;
            }
        }
        meter.pause();
        Ok(())
    })?;
    context.push(meter.finish());
    Ok(())
}

fn start(
    file: &OwnedFd,
    size: u64,
    places: &mut SplitMix64,
    block: &mut BlockBuffer,
    meter: &mut Meter<'_>,
) -> Result<(), EngineError> {
    let header = HEADER_BYTES.min(size);
    block::read_at(file, &mut block.bytes()[..header as usize], 0)?;
    meter.op(Kind::Read, header);
    // Apart from the header and from each other, so that none is read from memory.
    let piece = meter.job.bs;
    let others = (size / piece).saturating_sub(1);
    let pieces = others.min(PIECES);
    let first = places.next_u64() % others.max(1);
    for number in 0..pieces {
        let at = (1 + (first + number * (others / pieces)) % others) * piece;
        block::read_at(file, &mut block.bytes()[..piece as usize], at)?;
        meter.op(Kind::Read, piece);
    }
    Ok(())
}

pub fn package_install(context: &mut Context<'_>) -> Result<(), EngineError> {
    let kinds = [Kind::Write, Kind::Create, Kind::Flush];
    let mut meter = context.meter(0, &kinds, |job| job.fsync = 1);
    let mut block = BlockBuffer::new(context.job, 256 << 10, 0)?;
    let updates = context.workdir.make_dir("updates")?;
    let system = context.workdir.make_dir("usr")?;
    let nrfiles = if context.job.nrfiles == 0 { PACKAGE_FILES } else { context.job.nrfiles };
    let mut package = 0;
    meter.repeat(|meter| {
        system.clear()?;
        updates.clear()?;
        package += 1;
        let seed = context.job.seed.wrapping_add(package);
        let tree = Tree::new(&Job { nrfiles, seed, ..context.job.clone() }, 256, 10, 0);
        let rooms = tree.directories(&system)?;
        meter.resume();
        for note in 0..2 {
            take_note(&updates, note, &mut block, meter)?;
        }
        install(&tree, &rooms, &mut block, meter)?;
        for note in 2..4 {
            take_note(&updates, note, &mut block, meter)?;
        }
        meter.pause();
        Ok(())
    })?;
    context.push(meter.finish());
    Ok(())
}

fn install(
    tree: &Tree,
    rooms: &[Workdir],
    block: &mut BlockBuffer,
    meter: &mut Meter<'_>,
) -> Result<(), EngineError> {
    let new = |file: u32| format!("{}.dpkg-new", tree::name(file));
    for number in 0..tree.files {
        let size = tree.size(number);
        let data = block.fresh(meter, 0, size as usize);
        let flags = OFlags::WRONLY | OFlags::EXCL;
        let file = tree.room_of(rooms, number).create(&new(number), flags)?;
        block::write(&file, data)?;
        // A hint to the kernel that is not waited for and may be refused: the flush comes later.
        // SAFETY: no memory is handed over, and the descriptor is open.
        unsafe { libc::sync_file_range(file.as_raw_fd(), 0, 0, libc::SYNC_FILE_RANGE_WRITE) };
        target::close(file)?;
        meter.op(Kind::Write, size);
    }
    for number in 0..tree.files {
        let room = tree.room_of(rooms, number);
        let file = room.open_file(&new(number), OFlags::WRONLY)?;
        block::flush(&file, meter)?;
        target::close(file)?;
        room.rename(&new(number), &tree::name(number))?;
        meter.op(Kind::Create, 0);
    }
    Ok(())
}

fn take_note(
    updates: &Workdir,
    note: u64,
    block: &mut BlockBuffer,
    meter: &mut Meter<'_>,
) -> Result<(), EngineError> {
    let data = block.fresh(meter, note, NOTE_BYTES);
    let file = updates.create("tmp.i", OFlags::WRONLY)?;
    block::write(&file, data)?;
    meter.op(Kind::Write, NOTE_BYTES as u64);
    block::flush(&file, meter)?;
    target::close(file)?;
    updates.rename("tmp.i", &format!("{note:04}"))?;
    block::flush(updates.dir(), meter)
}
