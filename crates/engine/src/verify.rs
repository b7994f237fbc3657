//! Reads back what a cell wrote and compares every byte with what was written there last.
//!
//! Nothing was stored while writing: a second [`Cursor`] walks the lane's operations again and
//! notes the last one on each block, for a stretch of blocks at a time so that memory stays
//! bounded whatever the size of the target. Lanes of a verified job keep to their own part of the
//! span, and no two writes to one block are in flight together; so the last one is known exactly.
//!
//! Reading goes past the page cache where the filesystem has direct I/O, else after asking the
//! kernel to drop the pages; what a drive keeps in its own cache is not told apart from what it
//! stored. See [`crate::data`] for what is detected.

use std::os::fd::OwnedFd;

use bakeoff_core::model::job::{Data, Job, Mem};
use rustix::fs::Advice;
use rustix::io::Errno;

use crate::buffer::{Buffers, PAGE_BYTES};
use crate::data::{Content, Tag, UNIT_BYTES};
use crate::error::EngineError;
use crate::lane::Outcome;
use crate::offsets::{Cursor, Span};
use crate::target::Target;

/// Blocks whose last write is noted at a time: 8 MiB of memory.
const NOTED_MAX: u64 = 1 << 20;
/// Bytes read at a time, unless a block is larger.
const READ_BYTES: u64 = 1 << 20;

/// What has to be known about a lane to check what it wrote.
#[derive(Clone, Copy, Debug)]
pub struct Trace {
    span: Span,
    issued: u64,
    pooled_from: Option<u64>,
    pool_buffers: u32,
}

impl Trace {
    /// What `outcome` did.
    pub fn of(outcome: &Outcome) -> Trace {
        Trace {
            span: outcome.span,
            issued: outcome.issued,
            pooled_from: outcome.pooled_from,
            pool_buffers: outcome.pool_buffers,
        }
    }
}

/// Checks every block `traces` (one a lane) wrote; returns the bytes compared.
pub fn verify(job: &Job, target: &Target, traces: &[Trace]) -> Result<u64, EngineError> {
    let fd = open_uncached(job, target)?;
    let per_read = (READ_BYTES / job.bs).max(1);
    // bs is at most 1 GiB and per_read is 1 by then.
    let mut memory = Buffers::new((per_read * job.bs) as usize, 1, Mem::Malloc)?;
    let mut verified_bytes = 0;
    for (lane, trace) in traces.iter().enumerate() {
        let lane = lane as u32;
        let checker = Checker {
            job,
            trace: *trace,
            content: Content::new(job.seed, lane),
            scratch: [0; UNIT_BYTES],
        };
        verified_bytes += checker.check_lane(&fd, &mut memory, per_read, lane)?;
    }
    Ok(verified_bytes)
}

/// Opens the target so that reads come from the device as far as that can be had.
fn open_uncached(job: &Job, target: &Target) -> Result<OwnedFd, EngineError> {
    let plain = target.open_to_verify(false)?;
    rustix::fs::fsync(&plain).map_err(|e| EngineError::io("flushing before verify", e))?;
    rustix::fs::fadvise(&plain, 0, None, Advice::DontNeed)
        .map_err(|e| EngineError::io("dropping cached pages before verify", e))?;
    if job.bs.is_multiple_of(PAGE_BYTES as u64)
        && let Ok(direct) = target.open_to_verify(true)
    {
        return Ok(direct);
    }
    Ok(plain)
}

struct Checker<'a> {
    job: &'a Job,
    trace: Trace,
    content: Content,
    scratch: [u8; UNIT_BYTES],
}

impl Checker<'_> {
    fn check_lane(
        mut self,
        fd: &OwnedFd,
        memory: &mut Buffers,
        per_read: u64,
        lane: u32,
    ) -> Result<u64, EngineError> {
        let Span { base, blocks, .. } = self.trace.span;
        let mut verified_bytes = 0;
        let mut first = 0;
        while first < blocks {
            let count = (blocks - first).min(NOTED_MAX);
            let last_ops = self.last_ops(base + first, count, lane);
            for (i, ops) in last_ops.chunks(per_read as usize).enumerate() {
                if ops.iter().all(Option::is_none) {
                    continue;
                }
                let block = base + first + i as u64 * per_read;
                verified_bytes += self.check_stretch(fd, memory, block, ops)?;
            }
            first += count;
        }
        Ok(verified_bytes)
    }

    /// The last write of the lane on each of `count` blocks from `first`.
    fn last_ops(&self, first: u64, count: u64, lane: u32) -> Vec<Option<std::num::NonZeroU64>> {
        // count is at most NOTED_MAX.
        let mut last = vec![None; count as usize];
        let mut cursor = Cursor::new(self.job, self.trace.span, lane);
        for op in 0..self.trace.issued {
            let step = cursor.step();
            let index = step.block.wrapping_sub(first);
            if step.write && index < count {
                // One more than the operation: zero means never written.
                last[index as usize] = std::num::NonZeroU64::new(op + 1);
            }
        }
        last
    }

    /// Reads the blocks from `block` on, as many as `ops`, and checks those that were written.
    fn check_stretch(
        &mut self,
        fd: &OwnedFd,
        memory: &mut Buffers,
        block: u64,
        ops: &[Option<std::num::NonZeroU64>],
    ) -> Result<u64, EngineError> {
        // bs is at most 1 GiB.
        let bs = self.job.bs as usize;
        let offset = block * self.job.bs;
        let bytes = &mut memory.block_mut(0)[..ops.len() * bs];
        let got = read_all(fd, bytes, offset)?;
        let mut verified_bytes = 0;
        for (i, op) in ops.iter().enumerate() {
            let Some(op) = op else { continue };
            let at = offset + (i * bs) as u64;
            let Some(found) = bytes[..got].get(i * bs..(i + 1) * bs) else {
                return Err(EngineError::Verify {
                    offset: offset + got as u64,
                    expected: self.expected_byte(op.get() - 1, at, (offset + got as u64).max(at)),
                    found: 0,
                    note: "the file ends before this block".to_string(),
                });
            };
            self.check_block(found, op.get() - 1, at)?;
            verified_bytes += self.job.bs;
        }
        Ok(verified_bytes)
    }

    /// Compares one block at byte `offset` with what operation `op` wrote there.
    fn check_block(&mut self, found: &[u8], op: u64, offset: u64) -> Result<(), EngineError> {
        let tag = self.tag_for(found, op, offset);
        let Some(wrong) = self.first_difference(found, tag, offset) else { return Ok(()) };
        let at = offset + wrong as u64;
        Err(EngineError::Verify {
            offset: at,
            expected: self.byte_of(tag, offset, at),
            found: found[wrong],
            note: self.describe(found, op, offset),
        })
    }

    /// The tag `op` had. All of it is known but for the pool buffer, which only the block tells;
    /// when the block tells nonsense, the buffer it looks most like is taken, to show a byte.
    fn tag_for(&self, found: &[u8], op: u64, offset: u64) -> Tag {
        if self.trace.pooled_from.is_none_or(|from| op < from) {
            return Tag::fresh(op);
        }
        let unit = &found[..found.len().min(UNIT_BYTES)];
        let told = self.content.tag_of(offset, unit);
        if let Some(buffer) = told.filter(|tag| tag.op() == op).and_then(Tag::buffer)
            && buffer < self.trace.pool_buffers
        {
            return Tag::pooled(op, buffer);
        }
        let likeness = |buffer: &u32| {
            let mut made = vec![0; unit.len()];
            self.content.fill_unit(Tag::pooled(op, *buffer), offset, 0, &mut made);
            made.iter().zip(unit).filter(|(a, b)| a == b).count()
        };
        Tag::pooled(op, (0..self.trace.pool_buffers).max_by_key(likeness).unwrap_or(0))
    }

    /// Index of the first byte that is not the one `tag` wrote.
    fn first_difference(&mut self, found: &[u8], tag: Tag, offset: u64) -> Option<usize> {
        for (i, unit) in found.chunks(UNIT_BYTES).enumerate() {
            let made = &mut self.scratch[..unit.len()];
            let at = (i * UNIT_BYTES) as u64;
            match self.job.data {
                Data::Zero => made.fill(0),
                Data::Random => self.content.fill_unit(tag, offset + at, i as u64, made),
            }
            if made != unit {
                let inside = made.iter().zip(unit).position(|(a, b)| a != b)?;
                return Some(i * UNIT_BYTES + inside);
            }
        }
        None
    }

    fn expected_byte(&self, op: u64, offset: u64, at: u64) -> u8 {
        self.byte_of(Tag::fresh(op), offset, at)
    }

    /// The byte at `at` of the block at `offset` that `tag` wrote.
    fn byte_of(&self, tag: Tag, offset: u64, at: u64) -> u8 {
        if self.job.data == Data::Zero {
            return 0;
        }
        let unit = (at - offset) / UNIT_BYTES as u64;
        let start = unit * UNIT_BYTES as u64;
        let mut made = [0; UNIT_BYTES];
        let len = (self.job.bs - start).min(UNIT_BYTES as u64) as usize;
        self.content.fill_unit(tag, offset + start, unit, &mut made[..len]);
        made[(at - offset - start) as usize]
    }

    fn describe(&mut self, found: &[u8], op: u64, offset: u64) -> String {
        if found.iter().all(|b| *b == 0) {
            return "the block is all zeros, as if never written".to_string();
        }
        let unit = &found[..found.len().min(UNIT_BYTES)];
        if let Some(tag) = self.content.tag_of(offset, unit).filter(|tag| tag.op() < op)
            && self.first_difference(found, tag, offset).is_none()
        {
            return format!("an older write of this job, {} instead of {op}", tag.op());
        }
        "neither what was written last nor before".to_string()
    }
}

/// Reads until `bytes` is full or the target ends.
fn read_all(fd: &OwnedFd, bytes: &mut [u8], offset: u64) -> Result<usize, EngineError> {
    let mut got = 0;
    while got < bytes.len() {
        match rustix::io::pread(fd, &mut bytes[got..], offset + got as u64) {
            Ok(0) => break,
            Ok(n) => got += n,
            Err(Errno::INTR) => {}
            // An unaligned rest of a file that ends inside a page.
            Err(Errno::INVAL) if got > 0 => break,
            Err(e) => {
                return Err(EngineError::io(
                    format!("reading back byte {}", offset + got as u64),
                    e,
                ));
            }
        }
    }
    Ok(got)
}
