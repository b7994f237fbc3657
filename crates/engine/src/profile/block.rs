//! The block a profile writes or reads into, and whole transfers of it.

use std::os::fd::{AsFd, OwnedFd};

use bakeoff_model::job::{Data, Job, Mem};
use rustix::fs::SeekFrom;
use rustix::io::Errno;

use super::meter::Meter;
use crate::buffer::Buffers;
use crate::data::{Content, Tag};
use crate::error::EngineError;
use crate::residency;

/// From this size on a block is its own pool: only tags are made anew, see [`crate::data`].
const POOL_MIN_BYTES: usize = 1 << 20;

/// One buffer and what to put into it.
pub struct BlockBuffer {
    memory: Buffers,
    content: Content,
    data: Data,
    made: u64,
    /// Whether the buffer is filled and needs only new tags.
    is_pool: bool,
}

impl BlockBuffer {
    pub fn new(job: &Job, bytes: u64, lane: u32) -> Result<BlockBuffer, EngineError> {
        // check() keeps blocks at 1 GiB and below.
        let mut memory = Buffers::new(bytes as usize, 1, Mem::Malloc)?;
        memory.block_mut(0).fill(0);
        let content = Content::new(job.seed, lane);
        Ok(BlockBuffer { memory, content, data: job.data, made: 0, is_pool: false })
    }

    pub fn bytes(&mut self) -> &mut [u8] {
        self.memory.block_mut(0)
    }

    /// The first `len` bytes with content that was never written before, where content is random;
    /// that time is counted as making data.
    pub fn fresh(&mut self, meter: &mut Meter<'_>, offset: u64, len: usize) -> &[u8] {
        if self.data == Data::Random {
            self.fill(offset, len);
            meter.made_data(self.is_pool);
        }
        &self.memory.block_mut(0)[..len]
    }

    pub fn fill(&mut self, offset: u64, len: usize) -> &[u8] {
        let bytes = &mut self.memory.block_mut(0)[..len];
        if self.data == Data::Random {
            let pooled = Tag::pooled(self.made, 0);
            match (len >= POOL_MIN_BYTES, self.is_pool) {
                // Large blocks are so far apart that no compressor sees two of them.
                (true, true) => self.content.stamp(pooled, offset, bytes),
                (true, false) => self.content.fill(pooled, offset, bytes),
                (false, _) => self.content.fill(Tag::fresh(self.made), offset, bytes),
            }
            self.is_pool = len >= POOL_MIN_BYTES;
            self.made += 1;
        }
        bytes
    }
}

/// Goes on from the bytes that are done until all `len` are.
#[inline]
pub fn transfer(
    doing: &str,
    len: usize,
    mut call: impl FnMut(usize) -> Result<usize, Errno>,
) -> Result<(), EngineError> {
    let mut done = 0;
    while done < len {
        match call(done) {
            Ok(0) => {
                let short = std::io::Error::other("the file is shorter than it was written");
                return Err(EngineError::io(doing, short));
            }
            Ok(n) => done += n,
            Err(Errno::INTR) => {}
            Err(e) => return Err(EngineError::io(doing, e)),
        }
    }
    Ok(())
}

#[inline]
pub fn write(file: impl AsFd, bytes: &[u8]) -> Result<(), EngineError> {
    transfer("writing", bytes.len(), |done| rustix::io::write(&file, &bytes[done..]))
}

#[inline]
pub fn write_at(file: impl AsFd, bytes: &[u8], offset: u64) -> Result<(), EngineError> {
    let at = |done| rustix::io::pwrite(&file, &bytes[done..], offset + done as u64);
    transfer("writing", bytes.len(), at)
}

#[inline]
pub fn read(file: impl AsFd, bytes: &mut [u8]) -> Result<(), EngineError> {
    transfer("reading", bytes.len(), |done| rustix::io::read(&file, &mut bytes[done..]))
}

#[inline]
pub fn read_at(file: impl AsFd, bytes: &mut [u8], offset: u64) -> Result<(), EngineError> {
    let len = bytes.len();
    let at = |done| rustix::io::pread(&file, &mut bytes[done..], offset + done as u64);
    transfer("reading", len, at)
}

/// Moves to where the next read(2) or write(2) begins.
pub fn seek(file: impl AsFd, to: SeekFrom) -> Result<(), EngineError> {
    rustix::fs::seek(file, to).map(drop).map_err(|e| EngineError::io("seeking", e))
}

/// fsync(2), which the meter counts.
pub fn flush(file: impl AsFd, meter: &mut Meter<'_>) -> Result<(), EngineError> {
    fsync(file)?;
    meter.flush();
    Ok(())
}

/// fsync(2).
pub fn fsync(file: impl AsFd) -> Result<(), EngineError> {
    rustix::fs::fsync(file).map_err(|e| EngineError::io("flushing", e))
}

/// Writes `size` bytes to an empty file and flushes it, outside every clock.
pub fn lay_out(file: &OwnedFd, block: &mut BlockBuffer, size: u64) -> Result<(), EngineError> {
    write_whole(file, block, size)?;
    fsync(file)
}

/// Writes `size` bytes to an empty file.
pub fn write_whole(file: &OwnedFd, block: &mut BlockBuffer, size: u64) -> Result<(), EngineError> {
    let step = block.bytes().len() as u64;
    let mut at = 0;
    while at < size {
        let len = step.min(size - at) as usize;
        write_at(file, block.fill(at, len), at)?;
        at += len as u64;
    }
    Ok(())
}

/// syncfs(2) of the filesystem a directory lies on.
pub fn syncfs(dir: impl AsFd) -> Result<(), EngineError> {
    rustix::fs::syncfs(dir).map_err(|e| EngineError::io("flushing the filesystem", e))
}

/// Puts a file out of memory where the job asks for it. What stays there the counters of the drives
/// tell.
pub fn cool(file: impl AsFd, job: &Job) -> Result<(), EngineError> {
    if job.invalidate {
        residency::evict(file).map_err(forgetting)?;
    }
    Ok(())
}

fn forgetting(error: std::io::Error) -> EngineError {
    EngineError::io("dropping a file from the page cache", error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_model::job::Rw;

    #[test]
    fn blocks_never_repeat_whether_they_are_pooled_or_not() {
        let job = Job::new(Rw::Write, 4096, 4096);
        for bytes in [4096, POOL_MIN_BYTES as u64] {
            let mut block = BlockBuffer::new(&job, bytes, 0).unwrap();
            let mut units = std::collections::BTreeSet::new();
            for round in 0..4 {
                let made = block.fill(round * bytes, bytes as usize);
                units.extend(made.chunks(4096).map(<[u8]>::to_vec));
            }
            assert_eq!(units.len() as u64, 4 * bytes / 4096);
            assert_eq!(block.is_pool, bytes >= POOL_MIN_BYTES as u64);
            // A shorter one in between leaves no rest of zeros behind it.
            block.fill(0, 100);
            assert!(block.fill(0, bytes as usize).chunks(4096).all(|c| c.iter().any(|b| *b != 0)));
        }
    }
}
