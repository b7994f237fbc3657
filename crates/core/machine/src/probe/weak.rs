//! Places that answer slowly each time: what a drive reads only after many tries of its own.
//!
//! No counter tells of these tries. Slow once is a stall; slow again and again at the same places,
//! while places beside them that are read in turn with them are quick, is the medium. Both of a
//! pair meet the same stalls, so each is as likely to be the slow one where nothing is wrong: the
//! sign test (Dixon and Mood, "The statistical sign test", JASA 41, 1946).

/// So many times the mean is slow, and at least so long.
const SLOW_TIMES: f64 = 10.0;
const SLOW_NS: u64 = 100_000_000;
/// Most slow places that are remembered, how many of those that are slow again are looked at, and
/// how often each.
pub const PLACES: usize = 128;
const LOOKED_AT: usize = 4;
const ROUNDS: u64 = 10;
/// How far away the place is that a slow one is compared with.
const BESIDE_BYTES: u64 = 8 << 20;
/// Chance to blame a drive on which slow answers have nothing to do with the place.
const ALPHA: f64 = 0.001;

/// Whether reading something took so long that the place is worth another look.
pub fn is_slow(took_ns: u64, mean_ns: f64) -> bool {
    took_ns >= SLOW_NS && took_ns as f64 >= mean_ns * SLOW_TIMES
}

/// Reads slow places again, and those that are slow again in turn with places beside them: the
/// times of these pairs. `time` reads a place, `None` where it cannot; nothing is told then.
pub fn look_again(
    slow: impl IntoIterator<Item = u64>,
    (size_bytes, mean_ns): (u64, f64),
    mut time: impl FnMut(u64) -> Option<u64>,
) -> Vec<(u64, u64)> {
    let look = || {
        let mut still = Vec::new();
        for at in slow {
            if is_slow(time(at)?, mean_ns) {
                still.push(at);
            }
            if still.len() == LOOKED_AT {
                break;
            }
        }
        let mut pairs = Vec::new();
        for round in 0..ROUNDS {
            for &at in &still {
                let apart = BESIDE_BYTES * (round + 1);
                let is_inside = at + apart < size_bytes;
                let beside = if is_inside { at + apart } else { at.saturating_sub(apart) };
                // Neither of the two is always the first.
                pairs.push(if round % 2 == 0 {
                    (time(at)?, time(beside)?)
                } else {
                    let beside = time(beside)?;
                    (time(at)?, beside)
                });
            }
        }
        Some(pairs)
    };
    look().unwrap_or_default()
}

/// Whether the first of the pairs is the slow one far more often than the second: times of a place
/// and of one beside it, read one after the other.
pub fn are_weak(pairs: &[(u64, u64)], mean_ns: f64) -> bool {
    let differ = pairs
        .iter()
        .filter(|(place, beside)| is_slow(*place, mean_ns) != is_slow(*beside, mean_ns));
    let slow_here: Vec<bool> = differ.map(|(place, _)| is_slow(*place, mean_ns)).collect();
    let (n, k) = (slow_here.len(), slow_here.iter().filter(|is| **is).count());
    // Chance of at least k of n, each by the toss of a coin.
    let mut tail = 0.0;
    let mut of_i = libm::pow(0.5, n as f64);
    for i in 0..=n {
        if i >= k {
            tail += of_i;
        }
        of_i *= (n - i) as f64 / (i + 1) as f64;
    }
    n > 0 && tail <= ALPHA
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_weak_only_if_it_is_slow_again_and_again() {
        const SLOW: u64 = 900_000_000;
        const QUICK: u64 = 9_000_000;
        let mean = 10e6;
        assert!(are_weak(&[(SLOW, QUICK); 10], mean));
        assert!(!are_weak(&[(SLOW, QUICK); 9], mean), "too few to tell");
        assert!(!are_weak(&[(SLOW, SLOW); 64], mean), "all of it is slow");
        assert!(!are_weak(&[(QUICK, QUICK); 64], mean) && !are_weak(&[], mean));
        let stalls: Vec<(u64, u64)> =
            (0..64).map(|i| if i % 2 == 0 { (SLOW, QUICK) } else { (QUICK, SLOW) }).collect();
        assert!(!are_weak(&stalls, mean));
        assert!(!is_slow(90_000_000, 1e6), "short enough for any drive");
    }

    #[test]
    fn places_that_stay_slow_are_compared_with_places_beside_them() {
        let time = |at: u64| Some(if at == 7 << 20 { 900_000_000 } else { 9_000_000 });
        let pairs = look_again([1 << 20, 7 << 20], (1 << 30, 10e6), time);
        assert_eq!(pairs, [(900_000_000, 9_000_000); ROUNDS as usize]);
        assert!(are_weak(&pairs, 10e6));
        assert!(look_again([7 << 20], (1 << 30, 10e6), |_| None).is_empty());
    }
}
