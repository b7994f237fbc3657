//! Which place each candidate stands on in a block: a Latin square.
//!
//! Over as many blocks as there are candidates each has every place once, so that a part of the
//! drive that is faster favours nobody.

/// The place, from 0, of the candidate at this position among `k` standing side by side.
pub fn place_of(candidate_position: u16, block: u32, k: u16) -> u16 {
    let k = u32::from(k.max(1));
    ((u32::from(candidate_position) + block % k) % k) as u16
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn gives_every_candidate_every_place_once_and_every_place_one_candidate() {
        for k in 1..=12u16 {
            let of = |c, block| place_of(c, block, k);
            for block in 0..u32::from(k) {
                let taken: BTreeSet<u16> = (0..k).map(|c| of(c, block)).collect();
                assert_eq!(taken.len(), usize::from(k));
            }
            for candidate in 0..k {
                let had: BTreeSet<u16> = (5..5 + u32::from(k)).map(|b| of(candidate, b)).collect();
                assert_eq!(had, (0..k).collect());
            }
        }
        assert_eq!(place_of(3, u32::MAX, 0), 0);
    }
}
