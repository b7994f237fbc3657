//! Is a drive genuine, healthy and as fast as others? Its parts are in [`exam`].
//!
//! Here is whether the capacity is real: where to look, what is written there, and what may be said
//! afterwards.
//!
//! Counterfeit cards answer for addresses they have no memory for: writes beyond the real end
//! vanish or land on others (mostly modulo a power of two). Blocks that know their own place are
//! written all over the device and read back after the drive's own cache was overwhelmed. This is a
//! sample: it can exclude much, and proves no drive genuine. Source of the method and of its
//! limits: the f3 project (f3probe, github.com/AltraMayor/f3).

pub mod card;
pub mod content;
pub mod exam;
pub mod judge;
pub mod pace;
pub mod parts;
pub mod power_cut;
pub mod speed;

use bakeoff_stats::distinct;
use bakeoff_stats::prng::{SplitMix64, mix};

/// Bytes of a sample; a multiple of every logical block size.
pub const BLOCK_BYTES: usize = 4096;
/// Bytes written elsewhere between writing and reading the samples, so that they come from the
/// medium and not from a cache of the drive's. Some drives cache 256 MiB; suspicion costs more.
pub const FLUSH_BYTES: u64 = 64 << 20;
pub const FLUSH_AGAIN_BYTES: u64 = 256 << 20;
pub const SMALLEST_BYTES: u64 = 64 << 20;
/// The largest allocation unit of common cards.
const STRETCH_ALIGN_BYTES: u64 = 16 << 20;
const LOG_SAMPLES: u64 = 32;
pub const UPPER_SAMPLES: u64 = 64;
const UPPER_MOST: u64 = 1024;
const PAIRS: u64 = 4;
/// Capacities that are sold, by which an address may wrap: decimal gigabytes.
const SOLD_GB: [u64; 6] = [4, 8, 16, 32, 64, 128];
const MAGIC: u64 = 0xba4e_0ff0_9c0b_e001;

/// Where on a device the samples are, and what is overwritten to flush its cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SampleLayout {
    /// Offsets of the samples, ascending, each a multiple of [`BLOCK_BYTES`], none in the stretch.
    pub samples: Vec<u64>,
    pub flush_start: u64,
    pub flush_bytes: u64,
}

impl SampleLayout {
    pub fn new(device_bytes: u64, seed: u64, flush_bytes: u64) -> SampleLayout {
        let block = BLOCK_BYTES as u64;
        let blocks = device_bytes / block;
        let mut random = SplitMix64::derive(seed, &[0x9c0b]);
        let mut at: Vec<u64> = vec![0, blocks.saturating_sub(1)];
        // From 1 to the end in equal ratios: a card with little real memory is found too.
        let ratio = libm::log(blocks.max(2) as f64) / LOG_SAMPLES as f64;
        at.extend((1..LOG_SAMPLES).map(|i| libm::exp(ratio * i as f64) as u64));
        let stretch = WrittenStretch::new(device_bytes, flush_bytes);
        let upper = blocks - blocks / 2;
        let part = (upper / stretch.upper_samples).max(1);
        let phase = random.below(part);
        at.extend((0..stretch.upper_samples).map(|i| blocks / 2 + i * part + phase));
        for _ in 0..PAIRS {
            let start = random.below((blocks / 64).max(1));
            at.push(start);
            let powers = (20..63).map(|bits| (1u64 << bits) / block);
            let sold =
                SOLD_GB.into_iter().flat_map(|gb| (1..4).map(move |n| n * gb * 1_000_000_000));
            at.extend(powers.chain(sold.map(|bytes| bytes / block)).map(|far| start + far));
        }
        let WrittenStretch { start: flush_start, bytes: flush_bytes, .. } = stretch;
        let offsets = at.into_iter().filter(|b| *b < blocks).map(|b| b * block);
        let flushed = flush_start..flush_start + flush_bytes;
        let samples = distinct::sorted(offsets.filter(|offset| !flushed.contains(offset)));
        SampleLayout { samples, flush_start, flush_bytes }
    }

    /// Everything that is overwritten: offset and size, ascending.
    pub fn overwritten(&self) -> Vec<(u64, u64)> {
        let block = BLOCK_BYTES as u64;
        let mut all: Vec<(u64, u64)> = self.samples.iter().map(|at| (*at, block)).collect();
        all.push((self.flush_start, self.flush_bytes));
        all.sort_unstable();
        all
    }
}

/// What is written in one piece, and how many samples lie in the upper half.
///
/// A drive that begins again at its real end, wherever that is, puts what lies beyond it on its
/// first part. The stretch is there, and written last. The samples of the upper half are not
/// further apart than it is long, so that it overwrites one of them whatever the real size is.
struct WrittenStretch {
    start: u64,
    bytes: u64,
    upper_samples: u64,
}

impl WrittenStretch {
    fn new(device_bytes: u64, at_least: u64) -> WrittenStretch {
        let block = BLOCK_BYTES as u64;
        let (half, needed) = (device_bytes / 2, device_bytes / 2 / UPPER_MOST);
        let bytes = at_least.max(needed.min(FLUSH_AGAIN_BYTES)).min(device_bytes / 8);
        let bytes = (bytes / block * block).max(block);
        WrittenStretch {
            // Aligned as cards like it: its speed is held against their marks.
            start: device_bytes / 64 / STRETCH_ALIGN_BYTES * STRETCH_ALIGN_BYTES,
            bytes,
            upper_samples: half.div_ceil(bytes).clamp(UPPER_SAMPLES, UPPER_MOST),
        }
    }
}

/// The chance to find a drive that begins again at any size up to nine tenths of its claim.
pub fn wrap_found(device_bytes: u64) -> f64 {
    let stretch = WrittenStretch::new(device_bytes, FLUSH_BYTES);
    let covered = stretch.upper_samples as f64 * stretch.bytes as f64;
    (covered / (device_bytes as f64 / 2.0)).min(1.0)
}

/// Bytes that a pass overwrites in one piece.
pub fn stretch_bytes(device_bytes: u64) -> u64 {
    WrittenStretch::new(device_bytes, FLUSH_BYTES).bytes
}

pub fn fill(salt: u64, offset: u64, block: &mut [u8]) {
    let mut random = SplitMix64::derive(salt, &[offset]);
    for word in block.chunks_mut(8) {
        let bytes = random.next_u64().to_le_bytes();
        word.copy_from_slice(&bytes[..word.len()]);
    }
    let head = [MAGIC, salt, offset, mix(MAGIC ^ mix(salt) ^ offset)];
    for (word, value) in block.chunks_mut(8).zip(head) {
        word.copy_from_slice(&value.to_le_bytes()[..word.len()]);
    }
}

/// Whether a block is what a pass with this salt left there, for whichever place it was meant.
pub fn is_of(salt: u64, block: &[u8]) -> bool {
    let word = |i: usize| {
        let bytes = block.get(i * 8..i * 8 + 8).and_then(|b| b.first_chunk());
        bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes))
    };
    // What overwhelms the cache is filled with the salt's complement.
    let is_known = [salt, !salt].contains(&word(1));
    word(0) == MAGIC && is_known && word(3) == mix(MAGIC ^ mix(word(1)) ^ word(2))
}

/// What a sample was when it was read back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readback {
    Good,
    /// What was written to another place in the same pass: the two are one.
    Alias(u64),
    /// Something else: never written, old, damaged.
    Other,
    Unreadable,
}

pub fn recognise(salt: u64, offset: u64, block: &[u8]) -> Readback {
    let mut expected = vec![0; block.len()];
    fill(salt, offset, &mut expected);
    if expected == block {
        return Readback::Good;
    }
    let word = |i: usize| {
        let bytes = block.get(i * 8..i * 8 + 8).and_then(|b| b.first_chunk());
        bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes))
    };
    let named = word(2);
    let is_known = [salt, !salt].contains(&word(1));
    let is_ours = word(0) == MAGIC && is_known && word(3) == mix(MAGIC ^ mix(word(1)) ^ named);
    if is_ours && named != offset { Readback::Alias(named) } else { Readback::Other }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_sample_knows_its_place() {
        let mut block = [0; BLOCK_BYTES];
        fill(7, 4096, &mut block);
        assert_eq!(recognise(7, 4096, &block), Readback::Good);
        assert_eq!(recognise(7, 8192, &block), Readback::Alias(4096));
        assert_eq!(recognise(8, 4096, &block), Readback::Other, "of an earlier pass");
        assert!(is_of(7, &block) && is_of(!7, &block) && !is_of(8, &block));
        assert!(!is_of(0, &[0; BLOCK_BYTES]) && !is_of(7, &[]));
        block[4000] ^= 1;
        assert_eq!(recognise(7, 4096, &block), Readback::Other);
        assert_eq!(recognise(7, 4096, &[0; BLOCK_BYTES]), Readback::Other);
    }

    #[test]
    fn drives_of_up_to_half_a_terabyte_are_covered_whole() {
        for gb in [1, 32, 64, 128, 512] {
            assert!(wrap_found(gb * 1_000_000_000) > 0.9999, "{gb} GB");
        }
        assert!((0.4..0.6).contains(&wrap_found(1 << 40)), "{}", wrap_found(1 << 40));
        assert_eq!(stretch_bytes(64_000_000_000), FLUSH_BYTES);
        assert!(stretch_bytes(512_000_000_000) <= FLUSH_AGAIN_BYTES);
    }

    proptest! {
        #[test]
        fn samples_lie_on_the_device_and_apart(size in SMALLEST_BYTES..1 << 46, seed: u64) {
            let layout = SampleLayout::new(size, seed, FLUSH_BYTES);
            let block = BLOCK_BYTES as u64;
            let mut end = 0;
            for (start, bytes) in layout.overwritten() {
                prop_assert!(start >= end && start % block == 0 && bytes > 0);
                end = start + bytes;
            }
            prop_assert!(end <= size);
            prop_assert!(layout.samples.iter().filter(|at| **at >= size / 2).count() >= 60);
        }
    }
}
