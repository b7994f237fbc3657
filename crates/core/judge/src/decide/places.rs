//! Which place each candidate stands on in a block: a Latin square.
//!
//! Over as many blocks as there are candidates each has every place once, so that a part of the
//! drive that is faster favours nobody.

use bakeoff_model::index::{BlockIx, PlaceIx};

/// The place of the candidate at this position among `k` standing side by side.
pub fn place_of(candidate_position: usize, block: BlockIx, k: usize) -> PlaceIx {
    let k = k.max(1);
    PlaceIx::new((candidate_position + usize::from(block) % k) % k)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn gives_every_candidate_every_place_once_and_every_place_one_candidate() {
        for k in 1..=12 {
            let of = |c, block| place_of(c, BlockIx::new(block), k);
            for block in 0..k {
                let taken: BTreeSet<PlaceIx> = (0..k).map(|c| of(c, block)).collect();
                assert_eq!(taken.len(), k);
            }
            for candidate in 0..k {
                let had: BTreeSet<PlaceIx> = (5..5 + k).map(|b| of(candidate, b)).collect();
                assert_eq!(had, PlaceIx::all(k).collect());
            }
        }
        assert_eq!(place_of(3, BlockIx::new(usize::MAX), 0), PlaceIx::FIRST);
    }
}
