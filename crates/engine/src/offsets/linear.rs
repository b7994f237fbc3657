//! At equal distances: forward, backward, every so many blocks, in turns.

use super::{Span, Walk};

#[derive(Clone, Debug)]
pub struct Linear {
    blocks: u64,
    /// Position of the next operation, counted from the end that the walk comes from.
    at: u64,
    distance: u64,
    first: u64,
    first_moves: u64,
    is_backward: bool,
}

impl Linear {
    pub fn forward(span: Span) -> Linear {
        let Span { blocks, start, turn, .. } = span;
        // A lane that takes turns begins each round at its own place.
        let first = if turn > 1 { start } else { 0 };
        Linear { blocks, at: start, distance: turn, first, first_moves: 0, is_backward: false }
    }

    pub fn backward(span: Span) -> Linear {
        Linear { is_backward: true, ..Linear::forward(span) }
    }

    /// Every `distance` blocks; each round a block later, until every block had its turn.
    pub fn strided(span: Span, distance: u64) -> Linear {
        let distance = distance.min(span.blocks);
        let at = span.start - span.start % distance;
        let first = 1 % distance;
        Linear { at, distance, first, first_moves: 1, ..Linear::forward(span) }
    }

    #[cold]
    fn next_round(&mut self) {
        self.at = self.first;
        if self.first_moves > 0 {
            self.first = (self.first + self.first_moves) % self.distance;
        }
    }
}

impl Walk for Linear {
    #[inline]
    fn next_block(&mut self) -> u64 {
        let at = self.at;
        self.at += self.distance;
        if self.at >= self.blocks {
            self.next_round();
        }
        if self.is_backward { self.blocks - 1 - at } else { at }
    }
}
