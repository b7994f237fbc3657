//! Every block once in random order, then again in another, without a map of what was visited.
//!
//! Source: a four-round balanced Feistel network with cycle walking (Black and Rogaway, "Ciphers
//! with arbitrary finite domains", CT-RSA 2002).

use bakeoff_stats::prng::{SplitMix64, mix};

use super::{PURPOSE_PERMUTATION, Span, Walk};

/// Position in the permutation of this pass.
#[derive(Clone, Debug)]
pub struct Once {
    blocks: u64,
    at: u64,
    left: u64,
    passes: u64,
    seed: u64,
    permutation: Permutation,
}

impl Once {
    pub fn new(span: Span, seed: u64) -> Once {
        let permutation = Permutation::new(span.blocks, seed, 0);
        let Span { blocks, start, .. } = span;
        Once { blocks, at: start, left: blocks, passes: 0, seed, permutation }
    }

    #[cold]
    fn next_pass(&mut self) {
        self.left = self.blocks;
        self.passes += 1;
        self.permutation = Permutation::new(self.blocks, self.seed, self.passes);
    }
}

impl Walk for Once {
    #[inline]
    fn next_block(&mut self) -> u64 {
        let block = self.permutation.at(self.at);
        self.at += 1;
        if self.at == self.blocks {
            self.at = 0;
        }
        self.left -= 1;
        if self.left == 0 {
            self.next_pass();
        }
        block
    }
}

/// A permutation of `0..n` in a few words of memory.
#[derive(Clone, Debug)]
pub struct Permutation {
    n: u64,
    half_bits: u32,
    half_mask: u64,
    keys: [u64; 4],
}

impl Permutation {
    pub fn new(n: u64, seed: u64, pass: u64) -> Permutation {
        let bits = 64 - n.saturating_sub(1).leading_zeros();
        let half_bits = bits.div_ceil(2).max(1);
        let mut random = SplitMix64::derive(seed, &[PURPOSE_PERMUTATION, pass]);
        let keys = std::array::from_fn(|_| random.next_u64());
        Permutation { n, half_bits, half_mask: (1 << half_bits) - 1, keys }
    }

    /// The image of `index`, below `n`. The network permutes a power of four that is below `4n`;
    /// an image outside is permuted again, which ends because the walk is a cycle through `index`.
    #[inline]
    pub fn at(&self, index: u64) -> u64 {
        let mut value = index;
        loop {
            let (mut left, mut right) = (value >> self.half_bits, value & self.half_mask);
            for key in self.keys {
                (left, right) = (right, left ^ (mix(right ^ key) & self.half_mask));
            }
            value = left << self.half_bits | right;
            if value < self.n {
                return value;
            }
        }
    }
}
