//! Every block of a drive: written with what only that place has, then read back. It erases the
//! drive.

use std::io;

use bakeoff_machine::probe::judge::{ReadbackTally, Report};
use bakeoff_machine::probe::{self, BLOCK_BYTES, Readback};

use super::Bar;
use crate::planning::new_run;
use crate::signals::Cancel;
use crate::steps::probing::ProbedMedium;

const CHUNK_BYTES: u64 = 1 << 20;
/// What a chunk that cannot be read at once is read in.
const PIECE_BYTES: usize = 64 << 10;
/// How much is written before it is flushed.
const FLUSH_EVERY_BYTES: u64 = 256 << 20;
/// Chunks one after the other that cannot be written, after which the rest is not tried.
const UNWRITABLE_MAX: u32 = 64;

/// Writes and reads all of it; `None` when it was interrupted.
///
/// # Errors
/// The drive cannot be flushed.
pub fn write_and_read(
    medium: &mut dyn ProbedMedium,
    (name, size_bytes): (&str, u64),
    bar: &Bar,
    cancel: &Cancel,
) -> io::Result<Option<Report>> {
    let size = size_bytes / BLOCK_BYTES as u64 * BLOCK_BYTES as u64;
    let salt = new_run::fresh_u64();
    bar.progress.doing("writing every block");
    write(medium, (salt, size), bar, cancel)?;
    bar.progress.doing("reading every block");
    let mut check = Check { salt, tally: ReadbackTally::default() };
    let mut chunk = vec![0; CHUNK_BYTES as usize];
    for at in (0..size).step_by(CHUNK_BYTES as usize) {
        if cancel.is_set() {
            return Ok(None);
        }
        let len = (size - at).min(CHUNK_BYTES) as usize;
        check.read_chunk(medium, at, &mut chunk[..len]);
        bar.draw(size + at + len as u64);
    }
    Ok(Some(Report { is_whole: true, ..check.tally.report(name, size_bytes) }))
}

/// Writes to the end. A chunk that cannot be written is found again when it is read.
fn write(
    medium: &mut dyn ProbedMedium,
    (salt, size): (u64, u64),
    bar: &Bar,
    cancel: &Cancel,
) -> io::Result<()> {
    let mut chunk = vec![0; CHUNK_BYTES as usize];
    let mut unwritable = 0;
    for at in (0..size).step_by(CHUNK_BYTES as usize) {
        if cancel.is_set() || unwritable == UNWRITABLE_MAX {
            break;
        }
        let len = (size - at).min(CHUNK_BYTES) as usize;
        for (i, block) in chunk[..len].chunks_mut(BLOCK_BYTES).enumerate() {
            probe::fill(salt, at + (i * BLOCK_BYTES) as u64, block);
        }
        unwritable = match medium.write(at, &chunk[..len]) {
            Ok(()) => 0,
            Err(_) => unwritable + 1,
        };
        if at > 0 && at % FLUSH_EVERY_BYTES == 0 {
            medium.flush()?;
        }
        bar.draw(at + len as u64);
    }
    medium.flush()
}

/// What was read back so far.
struct Check {
    /// Tells the blocks of this pass from others.
    salt: u64,
    tally: ReadbackTally,
}

impl Check {
    fn read_chunk(&mut self, medium: &mut dyn ProbedMedium, at: u64, chunk: &mut [u8]) {
        if medium.read(at, chunk).is_ok() {
            return self.count(at, chunk);
        }
        for (i, piece) in chunk.chunks_mut(PIECE_BYTES).enumerate() {
            let at = at + (i * PIECE_BYTES) as u64;
            match medium.read(at, piece) {
                Ok(()) => self.count(at, piece),
                Err(_) => (0..piece.len()).step_by(BLOCK_BYTES).for_each(|offset| {
                    self.tally.saw(at + offset as u64, Readback::Unreadable);
                }),
            }
        }
    }

    fn count(&mut self, at: u64, bytes: &[u8]) {
        for (i, block) in bytes.chunks(BLOCK_BYTES).enumerate() {
            let at = at + (i * BLOCK_BYTES) as u64;
            self.tally.saw(at, probe::recognise(self.salt, at, block));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::progress::Progress;
    use bakeoff_machine::probe::exam::ExamAnswer;

    const SIZE: u64 = 8 << 20;

    /// A drive that stores so many bytes and begins again there, or gives errors beyond.
    struct Wrapping {
        bytes: Vec<u8>,
        errors: bool,
    }

    impl Wrapping {
        fn new(bytes: u64) -> Wrapping {
            Wrapping { bytes: vec![0; bytes as usize], errors: false }
        }

        fn real(&self, at: u64) -> io::Result<usize> {
            let real = self.bytes.len() as u64;
            if self.errors && at >= real {
                Err(io::Error::other("I/O error"))
            } else {
                Ok((at % real) as usize)
            }
        }
    }

    impl ProbedMedium for Wrapping {
        fn read(&mut self, at: u64, into: &mut [u8]) -> io::Result<()> {
            for (i, block) in into.chunks_mut(BLOCK_BYTES).enumerate() {
                let from = self.real(at + (i * BLOCK_BYTES) as u64)?;
                block.copy_from_slice(&self.bytes[from..][..BLOCK_BYTES]);
            }
            Ok(())
        }

        fn write(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
            for (i, block) in bytes.chunks(BLOCK_BYTES).enumerate() {
                let to = self.real(at + (i * BLOCK_BYTES) as u64)?;
                self.bytes[to..][..BLOCK_BYTES].copy_from_slice(block);
            }
            Ok(())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn every_block_is_looked_at() {
        let examine = |drive: &mut Wrapping| {
            let progress = Progress::new(true);
            let bar = Bar::new(&progress, 2 * SIZE);
            write_and_read(drive, ("drive", SIZE), &bar, &Cancel::default()).unwrap().unwrap()
        };
        let honest = examine(&mut Wrapping::new(SIZE));
        assert_eq!((honest.samples, honest.good, honest.is_whole), (2048, 2048, true));
        assert_eq!(honest.seen().answer, ExamAnswer::NothingWrongFound);
        // One block too few, which no sample finds.
        let fake = examine(&mut Wrapping::new(SIZE - 4096));
        assert_eq!((fake.good, fake.seen().answer), (2047, ExamAnswer::Fake));
        assert_eq!((fake.first_bad_bytes, fake.wraps_at_bytes), (Some(0), Some(SIZE - 4096)));
        let failing = examine(&mut Wrapping { errors: true, ..Wrapping::new(SIZE - 131_072) });
        assert_eq!((failing.unreadable, failing.seen().answer), (32, ExamAnswer::Failing));
    }
}
