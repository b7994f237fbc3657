//! In order, or in turns with other lanes.

use super::{Span, Walk};

#[derive(Clone, Debug)]
pub struct Linear {
    blocks: u64,
    at: u64,
    distance: u64,
    first: u64,
}

impl Linear {
    pub fn new(span: Span) -> Linear {
        let Span { blocks, start, turn, .. } = span;
        // A lane that takes turns begins each round at its own place.
        let first = if turn > 1 { start } else { 0 };
        Linear { blocks, at: start, distance: turn, first }
    }
}

impl Walk for Linear {
    #[inline]
    fn next_block(&mut self) -> u64 {
        let at = self.at;
        self.at += self.distance;
        if self.at >= self.blocks {
            self.at = self.first;
        }
        at
    }
}
