//! What is written: incompressible, never repeating, made at memory speed, and known again without
//! stored sums.
//!
//! A block is cut into units of 4 KiB. A unit is a pure function of the job's seed, the lane, the
//! [`Tag`] of the write (its number in the lane) and the unit's byte offset on the target, so an
//! overwrite always differs from what was there, no two places hold the same bytes, and whoever
//! knows which write came last can make the expected bytes again. Units of 16 bytes and more begin
//! with their tag, masked so that it looks random: it tells a lost overwrite from damage.
//!
//! Where making every byte would cost too much, writes are *pooled*: the body of each unit stays
//! as it was filled beforehand and only its first 16 bytes, made of tag and offset, are new. Such
//! blocks still differ for deduplication by block; a compressor whose window spans many of them
//! could find repeats, so a pool is at least 1 MiB, eight times the window btrfs uses.
//!
//! What a check finds: every changed byte, a block of another place, a write that was lost or
//! that is older than the last one. Below 8 bytes an older write can by chance look like the last
//! one (1 in 256 at one byte), as there is no room for the difference.

use bakeoff_stats::prng::{SplitMix64, mix};

use self::stream::stream;

mod stream;

pub const UNIT_BYTES: usize = 4096;
/// Smallest unit that begins with its tag.
const TAGGED_FROM_BYTES: usize = 16;
/// Smallest block whose writes can be pooled; smaller ones cost next to nothing to make.
pub const POOL_FROM_BYTES: usize = 64;
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
const PURPOSE_DATA: u64 = 3;

/// Which write a block comes from, and how it was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tag(u64);

impl Tag {
    const OP_BITS: u32 = 48;
    const POOLED: u64 = 1 << 63;

    /// The lane's operation `op`, every byte made for it.
    pub fn fresh(op: u64) -> Tag {
        Tag(op & ((1 << Tag::OP_BITS) - 1))
    }

    /// The lane's operation `op`, with the body of pool buffer `buffer` (below 2^15).
    pub fn pooled(op: u64, buffer: u32) -> Tag {
        Tag(Tag::fresh(op).0 | u64::from(buffer) << Tag::OP_BITS | Tag::POOLED)
    }

    pub fn op(self) -> u64 {
        Tag::fresh(self.0).0
    }

    pub fn buffer(self) -> Option<u32> {
        let buffer = (self.0 & !Tag::POOLED) >> Tag::OP_BITS;
        (self.0 & Tag::POOLED != 0).then_some(buffer as u32)
    }

    fn is_possible(self) -> bool {
        self.0 & Tag::POOLED != 0 || self.0 >> Tag::OP_BITS == 0
    }
}

#[derive(Clone, Debug)]
pub struct Content {
    unit_seed: u64,
    mask_seed: u64,
    pool_seed: u64,
}

impl Content {
    pub fn new(seed: u64, lane: u32) -> Content {
        let mut random = SplitMix64::derive(seed, &[PURPOSE_DATA, u64::from(lane)]);
        Content {
            unit_seed: random.next_u64(),
            mask_seed: random.next_u64(),
            pool_seed: random.next_u64(),
        }
    }

    /// Fills a block for the write `tag` at byte `offset`.
    pub fn fill(&self, tag: Tag, offset: u64, block: &mut [u8]) {
        let mut at = offset;
        for (i, unit) in block.chunks_mut(UNIT_BYTES).enumerate() {
            self.fill_unit(tag, at, i as u64, unit);
            at += UNIT_BYTES as u64;
        }
    }

    /// Fills unit `index` of a block; `offset` is the unit's own.
    #[inline]
    pub fn fill_unit(&self, tag: Tag, offset: u64, index: u64, unit: &mut [u8]) {
        match tag.buffer() {
            Some(buffer) if unit.len() >= POOL_FROM_BYTES => {
                stream(self.pool_key(buffer, index), unit);
                self.stamp_unit(tag, offset, unit);
            }
            _ => {
                stream(self.unit_key(tag, offset), unit);
                if unit.len() >= TAGGED_FROM_BYTES {
                    put(unit, 0, tag.0 ^ self.mask(offset));
                }
            }
        }
    }

    /// Turns a block that pool buffer `tag.buffer()` was filled with into the write `tag`.
    #[inline]
    pub fn stamp(&self, tag: Tag, offset: u64, block: &mut [u8]) {
        let mut at = offset;
        for (i, unit) in block.chunks_mut(UNIT_BYTES).enumerate() {
            if unit.len() >= POOL_FROM_BYTES {
                self.stamp_unit(tag, at, unit);
            } else {
                self.fill_unit(tag, at, i as u64, unit);
            }
            at += UNIT_BYTES as u64;
        }
    }

    #[inline]
    fn stamp_unit(&self, tag: Tag, offset: u64, unit: &mut [u8]) {
        put(unit, 0, tag.0 ^ self.mask(offset));
        put(unit, 8, self.unit_key(tag, offset));
    }

    /// The tag a unit at byte `offset` begins with; `None` when it is too small for one or what
    /// is there cannot be one.
    pub fn tag_of(&self, offset: u64, unit: &[u8]) -> Option<Tag> {
        if unit.len() < TAGGED_FROM_BYTES {
            return None;
        }
        let word = u64::from_le_bytes(*unit.first_chunk::<8>()?);
        Some(Tag(word ^ self.mask(offset))).filter(|tag| tag.is_possible())
    }

    #[inline]
    fn unit_key(&self, tag: Tag, offset: u64) -> u64 {
        mix(mix(self.unit_seed ^ tag.0).wrapping_add(offset.wrapping_mul(GOLDEN)))
    }

    #[inline]
    fn mask(&self, offset: u64) -> u64 {
        mix(self.mask_seed.wrapping_add(offset.wrapping_mul(GOLDEN)))
    }

    #[inline]
    fn pool_key(&self, buffer: u32, index: u64) -> u64 {
        mix(self.pool_seed.wrapping_add((u64::from(buffer) << 32 ^ index).wrapping_mul(GOLDEN)))
    }
}

#[inline]
fn put(unit: &mut [u8], at: usize, word: u64) {
    unit[at..at + 8].copy_from_slice(&word.to_le_bytes());
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn block(tag: Tag, offset: u64, len: usize) -> Vec<u8> {
        let mut out = vec![0; len];
        Content::new(7, 0).fill(tag, offset, &mut out);
        out
    }

    /// The bytes are part of a recorded seed: they may not change, nor differ between machines.
    /// They come from a second implementation, in Python's unbounded integers.
    #[test]
    fn reference_vector() {
        let bytes = block(Tag::fresh(5), 8192, 4096);
        assert_eq!(&bytes[..8], &REFERENCE_HEAD);
        assert_eq!(&bytes[4088..], &REFERENCE_TAIL);
    }
    const REFERENCE_HEAD: [u8; 8] = [137, 42, 27, 184, 57, 220, 187, 87];
    const REFERENCE_TAIL: [u8; 8] = [171, 138, 123, 191, 253, 108, 239, 202];

    #[test]
    fn eight_mebibytes_have_no_equal_sectors_and_no_skew() {
        let mut bytes = Vec::new();
        for op in 0..128 {
            bytes.extend(block(Tag::fresh(op), op * 65536, 65536));
        }
        let sectors: BTreeSet<&[u8]> = bytes.chunks(512).collect();
        assert_eq!(sectors.len(), bytes.len() / 512);
        let mut counts = [0u64; 256];
        bytes.iter().for_each(|b| counts[usize::from(*b)] += 1);
        // 32768 of each value are expected; six standard deviations are 1083.
        assert!(counts.iter().all(|c| c.abs_diff(32768) < 1083), "{counts:?}");
    }

    #[test]
    fn stamping_a_pool_buffer_equals_filling_it() {
        let content = Content::new(9, 1);
        for len in [64, 100, 512, 4096, 5000, 8192 + 63, 20000] {
            let mut pool = vec![0; len];
            content.fill(Tag::pooled(0, 3), 0, &mut pool);
            content.stamp(Tag::pooled(77, 3), 1 << 20, &mut pool);
            let mut whole = vec![0; len];
            content.fill(Tag::pooled(77, 3), 1 << 20, &mut whole);
            assert_eq!(pool, whole, "{len} bytes");
        }
    }

    proptest! {
        #[test]
        fn an_overwrite_differs_everywhere_it_can_matter(
            op in 0u64..1 << 40, offset in 0u64..1 << 40, len in 8usize..9000
        ) {
            let (old, new) = (block(Tag::fresh(op), offset, len), block(Tag::fresh(op + 1), offset, len));
            for (a, b) in old.chunks_exact(512).zip(new.chunks_exact(512)) {
                prop_assert_ne!(a, b);
            }
            prop_assert_ne!(old, new);
        }

        #[test]
        fn a_tag_comes_back(op in 0u64..1 << 48, buffer in 0u32..1 << 15, offset: u64, len in 16usize..5000) {
            let content = Content::new(7, 0);
            for tag in [Tag::fresh(op), Tag::pooled(op, buffer)] {
                let mut unit = vec![0; len.min(UNIT_BYTES)];
                content.fill_unit(tag, offset, 0, &mut unit);
                prop_assert_eq!(content.tag_of(offset, &unit), Some(tag));
            }
        }
    }
}
