//! A part of the span that gets most of the operations: the first so many percent.

use bakeoff_stats::prng::SplitMix64;

use super::{Walk, scale};

/// Draws of the part, then of a block in it.
#[derive(Clone, Debug)]
pub struct Hot {
    blocks: u64,
    hot_blocks: u64,
    /// Draws below, of 32 bits, go to the hot part.
    hot_below: u64,
    random: SplitMix64,
}

impl Hot {
    /// `percent` of the operations to the first `span_percent` of `blocks`, both 1 to 99; each
    /// part has a block at least, where there are two.
    pub fn new(blocks: u64, percent: u8, span_percent: u8, random: SplitMix64) -> Hot {
        let hot_blocks = u128::from(blocks) * u128::from(span_percent) / 100;
        // Less than blocks, which is 64 bits.
        let hot_blocks = (hot_blocks as u64).clamp(1, (blocks - 1).max(1));
        Hot { blocks, hot_blocks, hot_below: (u64::from(percent) << 32).div_ceil(100), random }
    }
}

impl Walk for Hot {
    #[inline]
    fn next_block(&mut self) -> u64 {
        let is_hot = self.random.next_u64() >> 32 < self.hot_below;
        let draw = self.random.next_u64();
        if is_hot || self.hot_blocks == self.blocks {
            return scale(draw, self.hot_blocks);
        }
        self.hot_blocks + scale(draw, self.blocks - self.hot_blocks)
    }
}
