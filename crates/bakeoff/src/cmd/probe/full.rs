//! Every block of a drive: written with what only that place holds, then read back. It erases the
//! drive. It can be interrupted, and goes on where it was if the drive still has its blocks.

use std::io;
use std::time::Instant;

use bakeoff_machine::probe::judge::{ReadbackTally, Report};
use bakeoff_machine::probe::{self, BLOCK_BYTES, Readback};
use serde::{Deserialize, Serialize};

use super::kept::KeptState;
use crate::fault::Fault;
use crate::planning::new_run;
use crate::signals::Cancel;
use crate::steps::probing::ProbedMedium;
use crate::ui::progress::{LiveProgress, Progress};

const CHUNK_BYTES: u64 = 1 << 20;
/// What a chunk that cannot be read at once is read in.
const PIECE_BYTES: usize = 64 << 10;
/// How much is written before it is flushed and how far it came is kept.
const FLUSH_EVERY_BYTES: u64 = 256 << 20;
/// Chunks one after the other that cannot be written, after which the rest is not tried.
const UNWRITABLE_MAX: u32 = 64;

/// How far it came.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct FullState {
    /// What the blocks of this pass are told apart from others by.
    salt: u64,
    written_bytes: u64,
    read_bytes: u64,
    tally: ReadbackTally,
}

/// Writes and reads all of it; `None` when it was interrupted.
///
/// # Errors
/// How far it came cannot be kept, or the drive cannot be flushed.
pub fn write_and_read(
    medium: &mut dyn ProbedMedium,
    (name, size_bytes): (&str, u64),
    kept: &KeptState,
    progress: &Progress,
    cancel: &Cancel,
) -> Result<Option<Report>, Fault> {
    let failed = |e: io::Error| Fault::environment(format!("probing {name} failed: {e}"));
    let mut state = match kept.load().filter(|state| still_there(medium, state)) {
        Some(state) => {
            progress.note("Continuing where the last test of every block ended.");
            state
        }
        None => FullState { salt: new_run::fresh_u64(), ..FullState::default() },
    };
    let size = size_bytes / BLOCK_BYTES as u64 * BLOCK_BYTES as u64;
    let bar = Bar { progress, began: Instant::now(), first: state.done(), size };
    progress.doing("writing every block");
    write(medium, &mut state, (kept, &bar), cancel).map_err(failed)??;
    progress.doing("reading every block");
    let mut chunk = vec![0; CHUNK_BYTES as usize];
    let mut since = 0;
    while state.read_bytes < size && !cancel.is_set() {
        let len = (size - state.read_bytes).min(CHUNK_BYTES) as usize;
        read_chunk(medium, &mut state, &mut chunk[..len]);
        state.read_bytes += len as u64;
        since += len as u64;
        if since >= FLUSH_EVERY_BYTES {
            kept.save(&state)?;
            since = 0;
        }
        bar.draw(state.done());
    }
    if cancel.is_set() {
        kept.save(&state)?;
        return Ok(None);
    }
    kept.forget();
    Ok(Some(Report { is_whole: true, ..state.tally.report(name, size_bytes) }))
}

impl FullState {
    fn done(&self) -> u64 {
        self.written_bytes + self.read_bytes
    }
}

/// How far both ways are.
struct Bar<'a> {
    progress: &'a Progress,
    began: Instant,
    first: u64,
    size: u64,
}

impl Bar<'_> {
    fn draw(&self, done: u64) {
        let elapsed = u64::try_from(self.began.elapsed().as_nanos()).unwrap_or(u64::MAX);
        let left = (2 * self.size).saturating_sub(done) as f64;
        let per_byte = elapsed as f64 / (done - self.first).max(1) as f64;
        self.progress.expect(elapsed, (left * per_byte) as u64);
        self.progress.live(LiveProgress { ios: done / CHUNK_BYTES, bytes: done });
    }
}

/// Whether the last block that was written has this pass's words: nobody wrote there since.
fn still_there(medium: &mut dyn ProbedMedium, state: &FullState) -> bool {
    let mut block = vec![0; BLOCK_BYTES];
    let last = state.written_bytes.checked_sub(BLOCK_BYTES as u64);
    last.is_some_and(|at| medium.read(at, &mut block).is_ok() && probe::is_of(state.salt, &block))
}

/// Writes on to the end. A chunk that cannot be written is found again when it is read.
fn write(
    medium: &mut dyn ProbedMedium,
    state: &mut FullState,
    (kept, bar): (&KeptState, &Bar),
    cancel: &Cancel,
) -> io::Result<Result<(), Fault>> {
    let mut chunk = vec![0; CHUNK_BYTES as usize];
    let (mut since, mut unwritable) = (0, 0);
    while state.written_bytes < bar.size && !cancel.is_set() && unwritable < UNWRITABLE_MAX {
        let len = (bar.size - state.written_bytes).min(CHUNK_BYTES) as usize;
        for (i, block) in chunk[..len].chunks_mut(BLOCK_BYTES).enumerate() {
            probe::fill(state.salt, state.written_bytes + (i * BLOCK_BYTES) as u64, block);
        }
        unwritable = match medium.write(state.written_bytes, &chunk[..len]) {
            Ok(()) => 0,
            Err(_) => unwritable + 1,
        };
        state.written_bytes += len as u64;
        since += len as u64;
        if since >= FLUSH_EVERY_BYTES {
            medium.flush()?;
            if let Err(fault) = kept.save(state) {
                return Ok(Err(fault));
            }
            since = 0;
        }
        bar.draw(state.done());
    }
    if unwritable == UNWRITABLE_MAX {
        state.written_bytes = bar.size;
    }
    medium.flush()?;
    Ok(Ok(()))
}

fn read_chunk(medium: &mut dyn ProbedMedium, state: &mut FullState, chunk: &mut [u8]) {
    let at = state.read_bytes;
    if medium.read(at, chunk).is_ok() {
        return tally(state, at, chunk);
    }
    for (i, piece) in chunk.chunks_mut(PIECE_BYTES).enumerate() {
        let at = at + (i * PIECE_BYTES) as u64;
        match medium.read(at, piece) {
            Ok(()) => tally(state, at, piece),
            Err(_) => (0..piece.len()).step_by(BLOCK_BYTES).for_each(|offset| {
                state.tally.saw(at + offset as u64, Readback::Unreadable);
            }),
        }
    }
}

fn tally(state: &mut FullState, at: u64, bytes: &[u8]) {
    for (i, block) in bytes.chunks(BLOCK_BYTES).enumerate() {
        let at = at + (i * BLOCK_BYTES) as u64;
        state.tally.saw(at, probe::recognise(state.salt, at, block));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signals::Limit;
    use bakeoff_machine::probe::exam::ExamAnswer;

    const SIZE: u64 = 8 << 20;

    /// A drive that stores so many bytes and begins again there, or gives errors beyond.
    struct Wrapping {
        bytes: Vec<u8>,
        errors: bool,
        /// Ends the test when so much was written.
        until: Option<(u64, Cancel)>,
    }

    impl Wrapping {
        fn new(bytes: u64) -> Wrapping {
            Wrapping { bytes: vec![0; bytes as usize], errors: false, until: None }
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
            if let Some((until, cancel)) = self.until.as_ref().filter(|(until, _)| at >= *until) {
                assert!(at < until + 2 * CHUNK_BYTES);
                cancel.reach(Limit::Bytes);
            }
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

    fn examined(drive: &mut Wrapping, store: &std::path::Path, cancel: &Cancel) -> Option<Report> {
        let kept = KeptState::new(store, "full", "drive", SIZE);
        let progress = Progress::new(true);
        write_and_read(drive, ("drive", SIZE), &kept, &progress, cancel).unwrap()
    }

    #[test]
    fn every_block_is_looked_at() {
        let dir = tempfile::tempdir().unwrap();
        let store = dir.path().join("store.db");
        let examine = |drive: &mut Wrapping| examined(drive, &store, &Cancel::default()).unwrap();
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

    #[test]
    fn it_goes_on_where_it_was_unless_the_drive_was_written_since() {
        let dir = tempfile::tempdir().unwrap();
        let store = dir.path().join("store.db");
        let cancel = Cancel::default();
        let mut drive = Wrapping { until: Some((3 << 20, cancel.clone())), ..Wrapping::new(SIZE) };
        assert_eq!(examined(&mut drive, &store, &cancel), None);
        let begun = drive.bytes.clone();
        drive.until = None;
        let ended = examined(&mut drive, &store, &Cancel::default()).unwrap();
        assert_eq!((ended.good, ended.samples), (2048, 2048));
        assert!(drive.bytes.starts_with(&begun[..4 << 20]), "it was not begun again");
        let other = Cancel::default();
        drive.until = Some((3 << 20, other.clone()));
        assert_eq!(examined(&mut drive, &store, &other), None);
        drive.bytes[..].fill(7);
        drive.until = None;
        let again = examined(&mut drive, &store, &Cancel::default()).unwrap();
        assert_eq!(again.good, 2048, "begun again, so that all of it is there");
    }
}
