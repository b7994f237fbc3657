//! Every block as likely as any other, each time anew.

use bakeoff_stats::prng::SplitMix64;

use super::{Walk, scale};

#[derive(Clone, Debug)]
pub struct Uniform {
    blocks: u64,
    random: SplitMix64,
}

impl Uniform {
    pub fn new(blocks: u64, random: SplitMix64) -> Uniform {
        Uniform { blocks, random }
    }

    /// The next block, and the draw it comes from, whose low half has no say in it.
    #[inline]
    pub fn draw(&mut self) -> (u64, u64) {
        let draw = self.random.next_u64();
        (scale(draw, self.blocks), draw)
    }
}

impl Walk for Uniform {
    #[inline]
    fn next_block(&mut self) -> u64 {
        self.draw().0
    }
}
