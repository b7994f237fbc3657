//! package-install: packages of small files unpacked as dpkg does it.
//!
//! Source: dpkg 1.21, src/main/archives.c and lib/dpkg/dbmodify.c; dpkg(1) on `--force-unsafe-io`.
//! Every file is written to NAME.dpkg-new and its writing to the drive begun; when the whole
//! package is there, each is flushed and renamed to its name. Four times a package its state is
//! noted: a small file is written, flushed and renamed, and its directory flushed.

use std::os::fd::{AsRawFd, OwnedFd};

use rustix::fs::OFlags;

use super::Context;
use super::block::{self, Block};
use super::meter::Meter;
use super::tree::{self, Tree};
use super::workdir::Workdir;
use crate::error::EngineError;
use crate::record::Kind;
use crate::target;

const SMALLEST_BYTES: u64 = 256;
const OCTAVES: u32 = 10;
/// Files of a package where nobody says otherwise: the median of Debian's is of this order.
const FILES: u32 = 40;
const NOTES: u64 = 4;
const NOTE_BYTES: usize = 1024;
const LARGEST_BYTES: u64 = SMALLEST_BYTES << OCTAVES;

pub fn run(context: &mut Context<'_>) -> Result<(), EngineError> {
    let mut job = context.job.clone();
    job.nrfiles = if job.nrfiles == 0 { FILES } else { job.nrfiles };
    let kinds = [Kind::Write, Kind::Create, Kind::Flush];
    let mut meter = context.meter(0, &kinds, |job| job.fsync = 1);
    let mut block = Block::new(context.job, LARGEST_BYTES, 0)?;
    let updates = context.workdir.make_dir("updates")?;
    let system = context.workdir.make_dir("usr")?;
    let mut package = 0;
    meter.repeat(|meter| {
        system.clear()?;
        updates.clear()?;
        package += 1;
        job.seed = context.job.seed.wrapping_add(package);
        let tree = Tree::new(&job, SMALLEST_BYTES, OCTAVES, 0);
        let rooms = tree.directories(&system)?;
        meter.resume();
        for note in 0..NOTES / 2 {
            take_note(&updates, note, &mut block, meter)?;
        }
        install(&tree, &rooms, &mut block, meter)?;
        for note in NOTES / 2..NOTES {
            take_note(&updates, note, &mut block, meter)?;
        }
        meter.pause();
        Ok(())
    })?;
    context.push(meter.finish(Vec::new()));
    Ok(())
}

fn install(
    tree: &Tree,
    rooms: &[Workdir],
    block: &mut Block,
    meter: &mut Meter<'_>,
) -> Result<(), EngineError> {
    let new = |file: u32| format!("{}.dpkg-new", tree::name(file));
    for number in 0..tree.files {
        let size = tree.size(number);
        let data = block.fresh(meter, 0, size as usize);
        let flags = OFlags::WRONLY | OFlags::EXCL;
        let file = tree.room_of(rooms, number).create(&new(number), flags)?;
        block::write(&file, data)?;
        begin_writing(&file);
        target::close(file)?;
        meter.op(Kind::Write, size);
    }
    for number in 0..tree.files {
        let workdir = tree.room_of(rooms, number);
        let file = workdir.open_file(&new(number), OFlags::WRONLY)?;
        block::flush(&file, meter)?;
        target::close(file)?;
        workdir.rename(&new(number), &tree::name(number))?;
        meter.op(Kind::Create, 0);
    }
    Ok(())
}

/// A hint to the kernel that is not waited for and may be refused: the flush comes later.
fn begin_writing(file: &OwnedFd) {
    // SAFETY: no memory is handed over, and the descriptor is open.
    unsafe { libc::sync_file_range(file.as_raw_fd(), 0, 0, libc::SYNC_FILE_RANGE_WRITE) };
}

fn take_note(
    updates: &Workdir,
    note: u64,
    block: &mut Block,
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
