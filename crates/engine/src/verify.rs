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

use bakeoff_model::job::{Data, Job, Mem};
use rustix::fs::Advice;
use rustix::io::Errno;

use crate::buffer::{Buffers, PAGE_BYTES};
use crate::data::{Content, Tag, UNIT_BYTES};
use crate::error::EngineError;
use crate::offsets::{Cursor, Span};
use crate::target::Target;

/// Blocks whose last write is noted at a time: 8 MiB of memory.
const NOTED_MAX: u64 = 1 << 20;
/// Bytes read at a time, unless a block is larger.
const READ_BYTES: u64 = 1 << 20;

/// What has to be known about a lane to check what it wrote.
#[derive(Clone, Copy, Debug)]
pub struct Trace {
    pub span: Span,
    /// Operations begun; those of the cursor.
    pub issued: u64,
    /// First operation whose data came from the pool.
    pub pooled_from: Option<u64>,
    /// Pool buffers; see [`crate::data`].
    pub pool_buffers: u32,
}

/// Checks every block `traces` (one a lane) wrote; returns the bytes compared.
pub fn verify(job: &Job, target: &Target, traces: &[Trace]) -> Result<u64, EngineError> {
    let per_read = (READ_BYTES / job.bs).max(1);
    // bs is at most 1 GiB and per_read is 1 by then.
    let mut memory = Buffers::new((per_read * job.bs) as usize, 1, Mem::Malloc)?;
    let mut verified_bytes = 0;
    for (lane, trace) in traces.iter().enumerate() {
        let lane = lane as u32;
        let fd = open_uncached(job, target.of_lane(lane, job.numjobs))?;
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

pub fn open_uncached(job: &Job, target: &Target) -> Result<OwnedFd, EngineError> {
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
                let block = base + first + i as u64 * per_read;
                let one_of = u64::from(self.job.verify_one_of.max(1));
                let is_left_out = !(block / per_read).is_multiple_of(one_of);
                if is_left_out || ops.iter().all(Option::is_none) {
                    continue;
                }
                verified_bytes += self.check_stretch(fd, memory, block, ops)?;
            }
            first += count;
        }
        Ok(verified_bytes)
    }

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
                let end = offset + got as u64;
                let expected = self.byte_of(Tag::fresh(op.get() - 1), at, end.max(at));
                let note = "the file ends before this block";
                return Err(EngineError::wrong_data(end, expected, 0, note));
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
        let note = if found.iter().all(|byte| *byte == 0) {
            "the block is all zeros, as if never written"
        } else {
            "not what was written last"
        };
        Err(EngineError::wrong_data(at, self.byte_of(tag, offset, at), found[wrong], note))
    }

    /// The tag `op` had. All of it is known but for the pool buffer, which only the block tells;
    /// when the block tells nonsense, any is taken, to show a byte.
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
        Tag::pooled(op, 0)
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
}

pub fn read_all(fd: &OwnedFd, bytes: &mut [u8], offset: u64) -> Result<usize, EngineError> {
    let mut got = 0;
    while got < bytes.len() {
        match rustix::io::pread(fd, &mut bytes[got..], offset + got as u64) {
            Ok(0) => break,
            Ok(n) => got += n,
            Err(Errno::INTR) => {}
            // An unaligned rest of a file that ends inside a page.
            Err(Errno::INVAL) if got > 0 => break,
            Err(e) => {
                let doing = format!("reading back byte {}", offset + got as u64);
                return Err(EngineError::io(doing, e));
            }
        }
    }
    Ok(got)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileExt;
    use std::path::Path;

    use bakeoff_model::job::{Offsets, Rw};
    use bakeoff_tools::native::FailureKind;
    use proptest::prelude::*;

    use super::*;
    use crate::calibrate::Cost;
    use crate::crew::Worker;
    use crate::engine::psync::Psync;
    use crate::lane::worker::LaneWorker;
    use crate::lane::{Cell, Lane};
    use crate::live::Live;

    /// Runs `job` in one lane; `fill_ns` of 1e9 makes it use the pool from the first window on.
    fn write(job: &Job, path: &Path, fill_ns: f64) -> (Target, Trace) {
        let target = Target::find(path, job).unwrap();
        let live = Live::new(None);
        let cost = Cost { fill_ns, ..Cost::default() };
        let clock = crate::clock::Clock::find();
        let cell = Cell { job, depth: 1, in_turns: false, cost, clock, live: &live };
        let lane = Lane::<Psync>::new(cell, 0, Some(target.open(job).unwrap())).unwrap();
        let mut worker = LaneWorker::new(lane, Lane::one_by_one);
        worker.work(None).unwrap();
        (target, worker.finish().unwrap().trace.unwrap())
    }

    fn flip(path: &Path, at: u64, with: u8) {
        let file = std::fs::File::options().read(true).write(true).open(path).unwrap();
        let mut byte = [0];
        file.read_exact_at(&mut byte, at).unwrap();
        file.write_all_at(&[byte[0] ^ with], at).unwrap();
    }

    fn wrong_at(job: &Job, target: &Target, trace: Trace) -> (u64, String) {
        let error = verify(job, target, &[trace]).unwrap_err();
        assert_eq!(error.kind(), FailureKind::VerifyFailed);
        let text = error.to_string();
        let words = text.strip_prefix("verify found wrong data at byte ").unwrap();
        let (offset, words) = words.split_once(": expected 0x").unwrap();
        let (bytes, note) = words.split_once(" (").unwrap();
        let (expected, found) = bytes.split_once(", found 0x").unwrap();
        assert_ne!(expected, found);
        (offset.parse().unwrap(), note.split_once(");").unwrap().0.to_string())
    }

    #[test]
    fn lost_overwrites_lost_writes_and_short_files_are_told_apart() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        let once = Job { verify: true, ..Job::new(Rw::Write, 4096, 40960) };
        let twice = Job { io_size: Some(2 * 40960), ..once.clone() };
        write(&once, &path, 0.0);
        let old = std::fs::read(&path).unwrap();
        let (target, trace) = write(&twice, &path, 0.0);
        assert_eq!(verify(&twice, &target, &[trace]).unwrap(), 40960);
        let new = std::fs::read(&path).unwrap();

        let mut lost = new.clone();
        lost[8192..12288].copy_from_slice(&old[8192..12288]);
        std::fs::write(&path, &lost).unwrap();
        let (at, note) = wrong_at(&twice, &target, trace);
        assert_eq!((at, note.as_str()), (8192, "not what was written last"));

        lost[8192..12288].copy_from_slice(&new[4096..8192]);
        std::fs::write(&path, &lost).unwrap();
        let (at, note) = wrong_at(&twice, &target, trace);
        assert_eq!((at, note.as_str()), (8192, "not what was written last"));

        lost[8192..12288].fill(0);
        std::fs::write(&path, &lost).unwrap();
        let (_, note) = wrong_at(&twice, &target, trace);
        assert!(note.contains("never written"), "{note}");

        std::fs::write(&path, &new[..10000]).unwrap();
        let error = verify(&twice, &target, &[trace]).unwrap_err();
        assert!(error.to_string().contains("the file ends"), "{error}");
    }

    #[test]
    fn blocks_that_were_not_written_are_not_looked_at() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        std::fs::write(&path, vec![7; 409600]).unwrap();
        let job =
            Job { verify: true, io_size: Some(40960), ..Job::new(Rw::RandWrite, 4096, 409600) };
        let (target, trace) = write(&job, &path, 0.0);
        let verified = verify(&job, &target, &[trace]).unwrap();
        assert!(verified > 0 && verified <= 40960);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn every_changed_byte_is_found_where_it_is(
            bs in prop_oneof![Just(1u64), Just(5), Just(16), Just(63), Just(700), Just(4096), Just(9000)],
            rw in prop_oneof![Just(Rw::Write), Just(Rw::RandWrite)],
            seed: u64, with in 1u8.., places in proptest::collection::vec(any::<u64>(), 40),
        ) {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("file");
            let size = bs * 12;
            let job = Job {
                verify: true, seed, offsets: Offsets::Once, io_size: Some(size * 3),
                ..Job::new(rw, bs, size)
            };
            let (target, trace) = write(&job, &path, 0.0);
            for place in places {
                let at = place % size;
                flip(&path, at, with);
                prop_assert_eq!(wrong_at(&job, &target, trace).0, at);
                flip(&path, at, with);
            }
            prop_assert_eq!(verify(&job, &target, &[trace]).unwrap(), size);
        }
    }

    #[test]
    fn every_changed_byte_of_a_pooled_block_is_found() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        for bs in [64, 4096, 5000] {
            let job = Job {
                verify: true,
                runtime_ns: Some(500_000_000),
                ..Job::new(Rw::RandWrite, bs, bs * 20)
            };
            let (target, trace) = write(&job, &path, 1e9);
            assert!(trace.pooled_from.is_some_and(|from| from < trace.issued));
            verify(&job, &target, &[trace]).unwrap();
            for at in (0..bs * 20).step_by(if bs == 64 { 1 } else { 397 }).chain(0..40) {
                flip(&path, at, 0x10);
                // Two bytes of the tag say which pool buffer: changed, these or the eight bytes
                // after the tag are the first that are wrong.
                let wrong = wrong_at(&job, &target, trace).0;
                let names_buffer = (6..8).contains(&(at % bs));
                let near = at / bs * bs + 6..at / bs * bs + 16;
                assert!(wrong == at || (names_buffer && near.contains(&wrong)), "{at}: {wrong}");
                flip(&path, at, 0x10);
            }
        }
    }
}
