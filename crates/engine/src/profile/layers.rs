//! What often runs beside other work: backup and image-pull.
//!
//! backup, as `tar` or `restic` read a tree: file after file, each from its beginning to its end.
//! Before each pass the files are put out of memory.
//!
//! image-pull, as a container engine unpacks an image: the files of a layer are created and
//! written, and the filesystem is flushed when the layer is complete (containerd's
//! `image_pull_with_sync_fs`, and podman's storage). The last four layers stay: before a new one
//! the oldest is removed, outside the clock.

use rustix::fs::OFlags;

use bakeoff_model::job::Job;

use super::Context;
use super::block::{self, BlockBuffer};
use super::meter::Meter;
use super::tree::{self, Tree};
use super::workdir::Workdir;
use crate::error::EngineError;
use crate::record::Kind;
use crate::target;

const LAYERS: usize = 4;

pub fn backup(context: &mut Context<'_>) -> Result<(), EngineError> {
    let tree = Tree::new(context.job, 4096, 8, context.job.size);
    let mut meter = context.meter(0, &[Kind::Read], |_| {});
    let mut block = BlockBuffer::new(context.job, context.job.bs, 0)?;
    let rooms = tree.lay_out(&context.workdir, &mut block)?;
    meter.repeat(|meter| {
        tree.cool(&rooms, context.job)?;
        meter.resume();
        for number in 0..tree.files {
            let (file, mut left) = (tree.open(&rooms, number)?, tree.size(number));
            while left > 0 {
                let len = left.min(meter.job.bs);
                block::read(&file, &mut block.bytes()[..len as usize])?;
                meter.op(Kind::Read, len);
                left -= len;
            }
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

pub fn image_pull(context: &mut Context<'_>) -> Result<(), EngineError> {
    let kinds = [Kind::Write, Kind::Create, Kind::Flush];
    let mut meter = context.meter(0, &kinds, |job| job.end_fsync = true);
    let mut block = BlockBuffer::new(context.job, context.job.bs, 0)?;
    let layers = (0..LAYERS).map(|layer| context.workdir.make_dir(&format!("layer{layer}")));
    let layers = layers.collect::<Result<Vec<_>, _>>()?;
    let mut number = 0;
    meter.repeat(|meter| {
        let layer = &layers[number % LAYERS];
        number += 1;
        layer.clear()?;
        let seed = context.job.seed.wrapping_add(number as u64);
        let job = Job { seed, ..context.job.clone() };
        let tree = Tree::new(&job, 1024, 10, context.job.size / LAYERS as u64);
        meter.resume();
        let rooms = tree.directories(layer)?;
        for file in 0..tree.files {
            unpack(&tree, &rooms, file, &mut block, meter)?;
            if meter.is_cut_off() {
                break;
            }
        }
        block::syncfs(layer.dir())?;
        meter.flush();
        meter.pause();
        Ok(())
    })?;
    context.push(meter.finish());
    Ok(())
}

fn unpack(
    tree: &Tree,
    rooms: &[Workdir],
    number: u32,
    block: &mut BlockBuffer,
    meter: &mut Meter<'_>,
) -> Result<(), EngineError> {
    let (name, size) = (tree::name(number), tree.size(number));
    let file = tree.room_of(rooms, number).create(&name, OFlags::WRONLY | OFlags::EXCL)?;
    meter.op(Kind::Create, 0);
    let mut at = 0;
    while at < size {
        let len = (size - at).min(meter.job.bs);
        block::write(&file, block.fresh(meter, at, len as usize))?;
        meter.op(Kind::Write, len);
        at += len;
    }
    target::close(file)
}
