//! Where each operation goes, as a pure function of the seed: the same on every machine.
//!
//! A [`Cursor`] walks one lane's operations. It keeps no map of what was visited, whatever the
//! size of the target: covering every block once in random order is a permutation computed block
//! by block. Verification walks a second cursor to learn what was written where and when.
//!
//! Source: the permutation is a four-round balanced Feistel network with cycle walking (Black and
//! Rogaway, "Ciphers with arbitrary finite domains", CT-RSA 2002); uniform numbers are Lemire's
//! multiply-shift on SplitMix64, with a bias below `blocks / 2^64`.

use bakeoff_core::model::job::{Job, Offsets, Rw};
use bakeoff_core::prng::{SplitMix64, mix};

/// Purposes a lane's seed is split for.
const PURPOSE_OFFSETS: u64 = 1;
const PURPOSE_PERMUTATION: u64 = 2;

/// One operation to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Write, or read.
    pub write: bool,
    /// Which block of the target.
    pub block: u64,
}

/// The blocks one lane uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// First block.
    pub base: u64,
    /// How many, at least 1.
    pub blocks: u64,
    /// Where in the span, or in a permutation of it, the lane begins.
    pub start: u64,
}

impl Span {
    /// What lane `lane` of `lanes` gets of `blocks`.
    ///
    /// Every lane has the whole span and begins at its own share, so together they cover it once.
    /// `apart` confines each to its share: verification needs to know who wrote last.
    pub fn of_lane(blocks: u64, lane: u32, lanes: u32, apart: bool) -> Span {
        let start = share_start(blocks, lane, lanes);
        if apart {
            Span { base: start, blocks: share(blocks, lane, lanes), start: 0 }
        } else {
            Span { base: 0, blocks, start: start % blocks.max(1) }
        }
    }
}

/// Lane `lane`'s part of `total` things shared by `lanes` as evenly as possible.
pub fn share(total: u64, lane: u32, lanes: u32) -> u64 {
    let (lane, lanes) = (u64::from(lane), u64::from(lanes));
    total / lanes + u64::from(lane < total % lanes)
}

/// Where lane `lane`'s [`share`] begins.
pub fn share_start(total: u64, lane: u32, lanes: u32) -> u64 {
    let (lane, lanes) = (u64::from(lane), u64::from(lanes));
    lane * (total / lanes) + lane.min(total % lanes)
}

/// How blocks follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Sequential,
    Uniform,
    Once,
}

/// Walks one lane's operations.
#[derive(Clone, Debug)]
pub struct Cursor {
    order: Order,
    write_only: bool,
    read_percent: u64,
    span: Span,
    /// Position in the span or its permutation of the next operation.
    at: u64,
    /// Operations left before every block had its turn.
    left: u64,
    passes: u64,
    seed: u64,
    random: SplitMix64,
    permutation: Permutation,
}

impl Cursor {
    /// The operations of lane `lane` of `job`, from the first.
    pub fn new(job: &Job, span: Span, lane: u32) -> Cursor {
        let order = match (job.rw.is_random(), job.offsets) {
            (false, _) => Order::Sequential,
            (true, Offsets::Uniform) => Order::Uniform,
            (true, Offsets::Once) => Order::Once,
        };
        let read_percent = match job.rw {
            Rw::RandRw => u64::from(job.rwmixread.min(100)),
            rw if rw.writes() => 0,
            _ => 100,
        };
        Cursor {
            order,
            write_only: read_percent == 0,
            read_percent,
            span,
            at: span.start,
            left: span.blocks,
            passes: 0,
            seed: job.seed,
            random: SplitMix64::derive(job.seed, &[PURPOSE_OFFSETS, u64::from(lane)]),
            permutation: Permutation::new(span.blocks, job.seed, 0),
        }
    }

    /// The next operation.
    #[inline]
    pub fn step(&mut self) -> Step {
        if self.order == Order::Uniform {
            let draw = self.random.next_u64();
            let block = self.span.base + scale(draw, self.span.blocks);
            // The high bits chose the block, the low bits choose the direction.
            return Step { write: self.is_write(draw & 0xffff_ffff), block };
        }
        let index = if self.order == Order::Once { self.permutation.at(self.at) } else { self.at };
        let write = if self.write_only || self.read_percent == 100 {
            self.write_only
        } else {
            let draw = self.random.next_u64() >> 32;
            self.is_write(draw)
        };
        self.advance();
        Step { write, block: self.span.base + index }
    }

    #[inline]
    fn is_write(&self, draw32: u64) -> bool {
        (draw32 * 100) >> 32 >= self.read_percent
    }

    #[inline]
    fn advance(&mut self) {
        self.at += 1;
        if self.at == self.span.blocks {
            self.at = 0;
        }
        self.left -= 1;
        if self.left == 0 {
            self.next_pass();
        }
    }

    #[cold]
    fn next_pass(&mut self) {
        self.left = self.span.blocks;
        self.passes += 1;
        if self.order == Order::Once {
            self.permutation = Permutation::new(self.span.blocks, self.seed, self.passes);
        }
    }
}

/// `draw` scaled to a number below `n`.
#[inline]
fn scale(draw: u64, n: u64) -> u64 {
    ((u128::from(draw) * u128::from(n)) >> 64) as u64
}

/// A permutation of `0..n` in a few words of memory.
#[derive(Clone, Debug)]
struct Permutation {
    n: u64,
    half_bits: u32,
    half_mask: u64,
    keys: [u64; 4],
}

impl Permutation {
    fn new(n: u64, seed: u64, pass: u64) -> Permutation {
        let bits = 64 - n.saturating_sub(1).leading_zeros();
        let half_bits = bits.div_ceil(2).max(1);
        let mut random = SplitMix64::derive(seed, &[PURPOSE_PERMUTATION, pass]);
        let keys = std::array::from_fn(|_| random.next_u64());
        Permutation { n, half_bits, half_mask: (1 << half_bits) - 1, keys }
    }

    /// The image of `index`, below `n`. The network permutes a power of four that is below `4n`;
    /// an image outside is permuted again, which ends because the walk is a cycle through `index`.
    #[inline]
    fn at(&self, index: u64) -> u64 {
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn job(rw: Rw, offsets: Offsets, seed: u64) -> Job {
        Job { offsets, seed, ..Job::new(rw, 4096, 1 << 20) }
    }

    fn blocks(cursor: &mut Cursor, n: usize) -> Vec<u64> {
        (0..n).map(|_| cursor.step().block).collect()
    }

    /// These vectors are the format of a recorded seed: a change breaks every stored run. They come
    /// from a second implementation of the module's head, in Python's unbounded integers.
    #[test]
    fn reference_vectors() {
        let span = Span { base: 0, blocks: 1000, start: 0 };
        let uniform = job(Rw::RandRead, Offsets::Uniform, 42);
        assert_eq!(blocks(&mut Cursor::new(&uniform, span, 0), 8), UNIFORM_42);
        let once = job(Rw::RandRead, Offsets::Once, 42);
        assert_eq!(blocks(&mut Cursor::new(&once, span, 0), 8), ONCE_42);
    }
    const UNIFORM_42: [u64; 8] = [318, 179, 21, 891, 866, 457, 122, 791];
    const ONCE_42: [u64; 8] = [351, 61, 979, 92, 989, 435, 630, 453];

    #[test]
    fn sequential_lanes_begin_at_their_share_and_wrap() {
        let job = job(Rw::Read, Offsets::Uniform, 1);
        let span = Span::of_lane(10, 1, 2, false);
        assert_eq!(blocks(&mut Cursor::new(&job, span, 1), 7), [5, 6, 7, 8, 9, 0, 1]);
    }

    #[test]
    fn a_mix_reads_as_often_as_asked() {
        for (percent, offsets) in [
            (0, Offsets::Uniform),
            (30, Offsets::Uniform),
            (70, Offsets::Once),
            (100, Offsets::Once),
        ] {
            let job = Job { rwmixread: percent, ..job(Rw::RandRw, offsets, 3) };
            let span = Span { base: 0, blocks: 100_000, start: 0 };
            let mut cursor = Cursor::new(&job, span, 0);
            let reads = (0..100_000).filter(|_| !cursor.step().write).count() as i64;
            // Five standard deviations of a binomial at its widest: 5 x sqrt(100000 / 4).
            let want = i64::from(percent) * 1000;
            assert!((reads - want).abs() < 800, "{percent} %: {reads} reads");
            assert!(percent % 100 != 0 || reads == want, "{percent} % is exact");
        }
    }

    proptest! {
        #[test]
        fn once_covers_every_block_in_each_pass(
            n in 1u64..3000, seed: u64, start in 0u64..3000, base in 0u64..9
        ) {
            let span = Span { base, blocks: n, start: start % n };
            let mut cursor = Cursor::new(&job(Rw::RandWrite, Offsets::Once, seed), span, 0);
            for _ in 0..3 {
                let mut pass = blocks(&mut cursor, n as usize);
                pass.sort_unstable();
                prop_assert!(pass.iter().copied().eq(base..base + n));
            }
        }

        #[test]
        fn lanes_together_cover_the_span_exactly_once(n in 1u64..2000, lanes in 1u32..9, seed: u64) {
            for (rw, apart) in [(Rw::Write, false), (Rw::RandWrite, false), (Rw::Write, true)] {
                let mut all = Vec::new();
                for lane in 0..lanes.min(n as u32) {
                    let lanes = lanes.min(n as u32);
                    let job = job(rw, Offsets::Once, seed);
                    let mut cursor = Cursor::new(&job, Span::of_lane(n, lane, lanes, apart), lane);
                    all.extend(blocks(&mut cursor, share(n, lane, lanes) as usize));
                }
                all.sort_unstable();
                prop_assert!(all.iter().copied().eq(0..n), "{rw:?} apart {apart}");
            }
        }

        #[test]
        fn uniform_stays_in_range_and_repeats_from_its_seed(
            n in 1u64..u64::MAX / 2, seed: u64, lane in 0u32..4
        ) {
            let span = Span { base: 3, blocks: n, start: 0 };
            let job = job(Rw::RandRead, Offsets::Uniform, seed);
            let first = blocks(&mut Cursor::new(&job, span, lane), 50);
            prop_assert!(first.iter().all(|b| (3..3 + n).contains(b)));
            prop_assert_eq!(first, blocks(&mut Cursor::new(&job, span, lane), 50));
        }

        #[test]
        fn a_huge_permutation_stays_in_range_without_repeats(n in 1u64 << 40..1 << 60, seed: u64) {
            let permutation = Permutation::new(n, seed, 0);
            let mut seen: Vec<u64> = (0..200).map(|i| permutation.at(i * (n / 200))).collect();
            prop_assert!(seen.iter().all(|b| *b < n));
            seen.sort_unstable();
            seen.dedup();
            prop_assert_eq!(seen.len(), 200);
        }
    }
}
