//! Short reads all over a drive, in turns of sequential and random ones, past the page cache. They
//! take three seconds, and write nothing.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::time::{Duration, Instant};

use bakeoff_machine::probe::pace::PieceRates;
use bakeoff_machine::probe::speed::MeasuredPace;
use bakeoff_stats::prng::SplitMix64;
use rustix::fs::OFlags;

use crate::host;
use crate::signals::Cancel;
use crate::steps::probing;

pub const CHUNK_BYTES: usize = 1 << 20;
const BLOCK_BYTES: usize = 4096;
const ALIGN_BYTES: usize = 4096;
const TURNS: u64 = 24;
const TURN: Duration = Duration::from_millis(60);
/// Most reads that may fail before the rest is not tried.
const FAILED_MAX: usize = 3;

/// A drive or image, open for reading only.
pub struct ReadPlace {
    file: File,
    memory: Vec<u8>,
    /// Whether what is read comes from the drive and not from the page cache.
    pub is_direct: bool,
}

/// The reads of both kinds, and the bytes they took.
#[derive(Debug, Default)]
pub struct ShortReads {
    pub sequential: MeasuredPace,
    pub random: MeasuredPace,
}

impl ReadPlace {
    pub fn open(path: &Path) -> io::Result<ReadPlace> {
        let is_direct = host::supports_direct(path);
        let direct = if is_direct { OFlags::DIRECT.bits() as i32 } else { 0 };
        let file = OpenOptions::new().read(true).custom_flags(direct).open(path)?;
        Ok(ReadPlace { file, memory: vec![0; CHUNK_BYTES + ALIGN_BYTES], is_direct })
    }

    /// Reads at most [`CHUNK_BYTES`].
    pub fn read(&mut self, at: u64, bytes: usize) -> io::Result<&[u8]> {
        let start = self.memory.as_ptr().align_offset(ALIGN_BYTES).min(ALIGN_BYTES);
        let block = &mut self.memory[start..][..bytes.min(CHUNK_BYTES)];
        self.file.read_exact_at(block, at)?;
        Ok(block)
    }
}

/// What is counted of one kind of reads.
#[derive(Default)]
struct ReadKind {
    rates: Vec<f64>,
    reads: u64,
    empty: u64,
    failed: Vec<(u64, bool)>,
}

impl ReadKind {
    /// Reads of `bytes` for the time of a turn, at the places that `next` gives.
    fn turn(
        &mut self,
        place: &mut ReadPlace,
        bytes: usize,
        mut next: impl FnMut(u64) -> Option<u64>,
    ) {
        let (mut took, mut reads) = (Duration::ZERO, 0);
        while took < TURN && self.failed.len() < FAILED_MAX {
            let Some(at) = next(reads) else { break };
            let began = Instant::now();
            match place.read(at, bytes) {
                Ok(block) => {
                    took += began.elapsed();
                    reads += 1;
                    self.empty += u64::from(block.iter().all(|byte| *byte == 0));
                }
                Err(_) => {
                    let recovered = place.read(at, bytes).is_ok();
                    self.failed.push((at, recovered));
                    break;
                }
            }
        }
        self.reads += reads;
        self.rates.push(reads as f64 / took.as_secs_f64().max(1e-9));
    }

    fn measured(self, unit: f64, foreign: Option<f64>) -> MeasuredPace {
        MeasuredPace {
            pace: PieceRates::new(self.rates.into_iter().map(|rate| rate * unit)),
            foreign,
            empty: self.empty as f64 / self.reads.max(1) as f64,
            failed: self.failed,
        }
    }
}

/// Reads a drive of that size; `moved` is what it has moved so far for anybody.
pub fn short(
    place: &mut ReadPlace,
    size_bytes: u64,
    seed: u64,
    moved: &dyn Fn() -> Option<u64>,
    cancel: &Cancel,
) -> ShortReads {
    let (chunk, block) = (CHUNK_BYTES as u64, BLOCK_BYTES as u64);
    let (chunks, blocks) = (size_bytes / chunk, size_bytes / block);
    let mut random = SplitMix64::derive(seed, &[0x5eed]);
    // Each part of the drive once, in no order.
    let mut parts: Vec<u64> = (0..TURNS).collect();
    random.shuffle(&mut parts);
    let (mut sequential, mut scattered) = (ReadKind::default(), ReadKind::default());
    let before = moved();
    for part in parts {
        if cancel.is_set() || chunks == 0 {
            break;
        }
        let of_part = (chunks / TURNS).max(1);
        let from = (part * chunks / TURNS + random.below(of_part)).min(chunks - 1);
        let next = |i| (from + i < chunks).then_some((from + i) * chunk);
        sequential.turn(place, CHUNK_BYTES, next);
        scattered.turn(place, BLOCK_BYTES, |_| Some(random.below(blocks) * block));
    }
    let ours = sequential.reads * chunk + scattered.reads * block;
    let foreign = probing::foreign(before, moved(), ours);
    ShortReads {
        sequential: sequential.measured(chunk as f64, foreign),
        random: scattered.measured(1.0, foreign),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_of_an_image_is_read_and_nothing_is_written() {
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().set_len(64 << 20).unwrap();
        let mut place = ReadPlace::open(file.path()).unwrap();
        let reads = short(&mut place, 64 << 20, 7, &|| None, &Cancel::default());
        assert_eq!(reads.sequential.pace.pieces(), TURNS as usize);
        assert_eq!(reads.random.pace.pieces(), TURNS as usize);
        assert_eq!((reads.sequential.empty, reads.sequential.foreign), (1.0, None));
        assert!(reads.random.failed.is_empty());
        assert!(std::fs::read(file.path()).unwrap().iter().all(|byte| *byte == 0));
    }

    #[test]
    fn a_read_that_fails_is_tried_once_more_and_told() {
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().set_len(1 << 20).unwrap();
        let mut place = ReadPlace::open(file.path()).unwrap();
        // It says that it is longer than it is, as a fake that gives errors beyond its end.
        let reads = short(&mut place, 1 << 30, 7, &|| None, &Cancel::default());
        assert_eq!(reads.sequential.failed.len(), FAILED_MAX);
        assert!(reads.sequential.failed.iter().all(|(_, recovered)| !recovered));
    }
}
