//! boot: many cold small reads, one after the other, of files in many places.
//!
//! Starting a system or a program reads headers and then pieces of its files as they are needed:
//! small, scattered, each waited for, most from the drive (Joo, Ryu, Park and Shin, "FAST: Quick
//! Application Launch on Solid-State Disks", FAST 2011). Each file is opened, its first 4 KiB read
//! and then up to three pieces of a block from random places; files come in random order. Only data
//! are put out of memory: directories and inodes stay known, as nothing short of dropping all
//! caches of the machine forgets them.

use bakeoff_core::prng::{SplitMix64, mix};

use super::Context;
use super::block::{self, Block};
use super::meter::Meter;
use super::tree::Tree;
use super::workdir::Workdir;
use crate::error::EngineError;
use crate::offsets::{Once, Span, Walk};
use crate::record::Kind;

const SMALLEST_BYTES: u64 = 4096;
const OCTAVES: u32 = 8;
const HEADER_BYTES: u64 = 4096;
const PIECES: u64 = 3;
const LAY_OUT_BYTES: u64 = 256 << 10;

pub fn run(context: &mut Context<'_>) -> Result<(), EngineError> {
    let tree = Tree::new(context.job, SMALLEST_BYTES, OCTAVES, context.job.size);
    let mut meter = context.meter(0, &[Kind::Read], |_| {});
    let piece = context.job.bs;
    let rooms = tree.lay_out(&context.workdir, &mut Block::new(context.job, LAY_OUT_BYTES, 0)?)?;
    let mut block = Block::new(context.job, piece.max(HEADER_BYTES), 0)?;
    let files = BootFiles { tree: &tree, rooms: &rooms, piece };
    let mut pass = 0;
    meter.repeat(|meter| {
        tree.cool(&rooms, meter)?;
        let seed = mix(context.job.seed ^ pass);
        let mut order = Once::new(Span::whole(tree.files.into()), seed);
        let mut places = SplitMix64::derive(seed, &[PIECES]);
        meter.resume();
        for _ in 0..tree.files {
            // Blocks of the span are below the number of files.
            let file = order.next_block() as u32;
            start_one(files, file, &mut places, &mut block, meter)?;
            if meter.is_cut_off() {
                break;
            }
        }
        meter.pause();
        pass += 1;
        Ok(())
    })?;
    context.push(meter.finish(Vec::new()));
    Ok(())
}

/// The files of the application, read in pieces of `piece` bytes.
#[derive(Clone, Copy)]
struct BootFiles<'a> {
    tree: &'a Tree,
    rooms: &'a [Workdir],
    piece: u64,
}

/// Opening belongs to the first read.
fn start_one(
    files: BootFiles<'_>,
    number: u32,
    places: &mut SplitMix64,
    block: &mut Block,
    meter: &mut Meter<'_>,
) -> Result<(), EngineError> {
    let BootFiles { tree, rooms, piece } = files;
    let size = tree.size(number);
    let file = tree.open(rooms, number)?;
    let header = HEADER_BYTES.min(size);
    block::read_at(&file, &mut block.bytes()[..header as usize], 0)?;
    meter.op(Kind::Read, header);
    // Apart from the header and from each other, so that none is read from memory.
    let others = (size / piece).saturating_sub(1);
    let pieces = others.min(PIECES);
    let first = places.next_u64() % others.max(1);
    for number in 0..pieces {
        let at = (1 + (first + number * (others / pieces)) % others) * piece;
        block::read_at(&file, &mut block.bytes()[..piece as usize], at)?;
        meter.op(Kind::Read, piece);
    }
    Ok(())
}
