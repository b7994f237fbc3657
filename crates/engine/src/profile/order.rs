//! The order iozone visits records in when it says "random": a permutation that is the same in
//! every run and on every machine.
//!
//! MT19937-64 (Nishimura and Matsumoto, 2004), seeded by array with iozone's four words, then a
//! Fisher-Yates shuffle from the end, as iozone 3.488 and later do it.

use crate::error::EngineError;

/// Most records of one file: their order takes 64 MiB.
const RECORDS_MAX: u64 = 1 << 24;
const SEED: [u64; 4] = [0x12345, 0x23456, 0x34567, 0x45678];

const N: usize = 312;
const M: usize = 156;

/// The order of `records` records.
pub fn random(records: u64) -> Result<Vec<u32>, EngineError> {
    if records > RECORDS_MAX {
        return Err(EngineError::invalid(format!(
            "{records} records are too many for a random order: {RECORDS_MAX} at most, so raise \
             bs or lower --size"
        )));
    }
    // At most 2^24, so they fit.
    let mut order: Vec<u32> = (0..records as u32).collect();
    let mut twister = Twister::new(&SEED);
    for i in (0..order.len()).rev() {
        let j = twister.next() % (i as u64 + 1);
        order.swap(i, j as usize);
    }
    Ok(order)
}

struct Twister {
    state: [u64; N],
    at: usize,
}

impl Twister {
    fn new(key: &[u64]) -> Twister {
        let mut state = Twister::from_one(19_650_218);
        let (mut i, mut j) = (1, 0);
        for _ in 0..N.max(key.len()) {
            let mixed =
                (state[i - 1] ^ (state[i - 1] >> 62)).wrapping_mul(3_935_559_000_370_003_845);
            state[i] = (state[i] ^ mixed).wrapping_add(key[j]).wrapping_add(j as u64);
            (i, j) = (next(&mut state, i), (j + 1) % key.len());
        }
        for _ in 0..N - 1 {
            let mixed =
                (state[i - 1] ^ (state[i - 1] >> 62)).wrapping_mul(2_862_933_555_777_941_757);
            state[i] = (state[i] ^ mixed).wrapping_sub(i as u64);
            i = next(&mut state, i);
        }
        state[0] = 1 << 63;
        Twister { state, at: N }
    }

    fn from_one(seed: u64) -> [u64; N] {
        let mut state = [seed; N];
        for i in 1..N {
            let before = state[i - 1] ^ (state[i - 1] >> 62);
            state[i] = before.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(i as u64);
        }
        state
    }

    fn next(&mut self) -> u64 {
        if self.at == N {
            self.twist();
        }
        let mut x = self.state[self.at];
        self.at += 1;
        x ^= (x >> 29) & 0x5555_5555_5555_5555;
        x ^= (x << 17) & 0x71d6_7fff_eda6_0000;
        x ^= (x << 37) & 0xfff7_eee0_0000_0000;
        x ^ (x >> 43)
    }

    fn twist(&mut self) {
        const UPPER: u64 = 0xffff_ffff_8000_0000;
        for i in 0..N {
            let x = (self.state[i] & UPPER) | (self.state[(i + 1) % N] & !UPPER);
            let odd = if x & 1 == 1 { 0xb502_6f5a_a966_19e9 } else { 0 };
            self.state[i] = self.state[(i + M) % N] ^ (x >> 1) ^ odd;
        }
        self.at = 0;
    }
}

/// The next index; past the end the last word becomes the first.
fn next(state: &mut [u64; N], i: usize) -> usize {
    if i + 1 < N {
        return i + 1;
    }
    state[0] = state[N - 1];
    1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_is_the_published_one() {
        // First outputs of mt19937-64.out.txt of its authors, whose seed iozone uses too.
        let mut twister = Twister::new(&SEED);
        let got: Vec<u64> = (0..3).map(|_| twister.next()).collect();
        assert_eq!(
            got,
            [7_266_447_313_870_364_031, 4_946_485_549_665_804_864, 16_945_909_448_695_747_420]
        );
    }

    #[test]
    fn the_order_is_that_of_iozone_itself() {
        // Offsets of a traced run of iozone 3.489 over 64 records.
        assert_eq!(random(64).unwrap()[..8], [39, 53, 8, 3, 31, 29, 62, 1]);
        let mut all = random(1000).unwrap();
        all.sort_unstable();
        assert!(all.into_iter().eq(0..1000));
        assert!(random(1 << 25).is_err());
    }
}
