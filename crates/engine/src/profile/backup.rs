//! A tree of files read as `tar` or `restic` do it: file after file, each from its beginning to its
//! end. Before each pass the files are put out of memory.

use super::Context;
use super::block::{self, BlockBuffer};
use super::tree::Tree;
use crate::error::EngineError;
use crate::record::Kind;

pub fn run(context: &mut Context<'_>) -> Result<(), EngineError> {
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
