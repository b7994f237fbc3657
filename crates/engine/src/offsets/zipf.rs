//! Zipf: the block of rank r is drawn as often as r^-theta, as in caches and databases.
//!
//! By rejection from the integral of the density, so that neither time nor memory grows with the
//! number of blocks. Ranks are scattered over the span by a permutation: hot blocks have no hot
//! neighbours. Logarithms are those of the `libm` crate, the same on every machine. Source:
//! W. Hoermann, G. Derflinger, "Rejection-inversion to generate variates from monotone discrete
//! distributions", ACM TOMACS 6(3), 1996.

use bakeoff_stats::prng::SplitMix64;
use libm::{exp, expm1, log, log1p};

use super::Walk;
use super::once::Permutation;

#[derive(Clone, Debug)]
pub struct Zipf {
    ranks: f64,
    theta: f64,
    low: f64,
    high: f64,
    /// So close below its rank a draw need not be tested.
    sure: f64,
    random: SplitMix64,
    scatter: Permutation,
}

impl Zipf {
    pub fn new(blocks: u64, theta_milli: u32, seed: u64, random: SplitMix64) -> Zipf {
        let theta = f64::from(theta_milli) / 1000.0;
        // Above 2^53 blocks the last ranks share draws, which nobody could tell.
        let ranks = blocks as f64;
        let mut zipf = Zipf {
            ranks,
            theta,
            low: 0.0,
            high: 0.0,
            sure: 0.0,
            random,
            scatter: Permutation::new(blocks, seed, 0),
        };
        zipf.low = zipf.integral(1.5) - 1.0;
        zipf.high = zipf.integral(ranks + 0.5);
        zipf.sure = 2.0 - zipf.inverse(zipf.integral(2.5) - zipf.density(2.0));
        zipf
    }

    fn density(&self, rank: f64) -> f64 {
        exp(-self.theta * log(rank))
    }

    /// An antiderivative of the density: (x^(1 - theta) - 1) / (1 - theta), ln x for theta 1.
    fn integral(&self, x: f64) -> f64 {
        let log_x = log(x);
        let t = (1.0 - self.theta) * log_x;
        let ratio = if t.abs() > 1e-8 { expm1(t) / t } else { 1.0 + t / 2.0 };
        ratio * log_x
    }

    fn inverse(&self, y: f64) -> f64 {
        // Rounding may bring it below -1, where there is no logarithm.
        let t = (y * (1.0 - self.theta)).max(-1.0);
        let ratio = if t.abs() > 1e-8 { log1p(t) / t } else { 1.0 - t / 2.0 };
        exp(ratio * y)
    }

    /// The next rank, from 0.
    fn rank(&mut self) -> u64 {
        loop {
            // 53 bits: every number there is from 0 to 1 in even steps.
            let draw = (self.random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
            let y = self.high + draw * (self.low - self.high);
            let x = self.inverse(y);
            let rank = (x + 0.5).floor().clamp(1.0, self.ranks);
            if rank - x <= self.sure || y >= self.integral(rank + 0.5) - self.density(rank) {
                return rank as u64 - 1;
            }
        }
    }
}

impl Walk for Zipf {
    fn next_block(&mut self) -> u64 {
        let rank = self.rank();
        self.scatter.at(rank)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How often each rank is drawn against r^-theta over its sum.
    #[test]
    fn ranks_are_drawn_as_often_as_they_should_be() {
        const DRAWS: u32 = 200_000;
        for theta_milli in [500, 1000, 1200, 2500] {
            let mut zipf = Zipf::new(50, theta_milli, 1, SplitMix64::new(7));
            let mut counts = [0u32; 50];
            (0..DRAWS).for_each(|_| counts[zipf.rank() as usize] += 1);
            let weight = |rank: usize| libm::pow(rank as f64, -f64::from(theta_milli) / 1000.0);
            let sum: f64 = (1..=50).map(weight).sum();
            for (i, count) in counts.iter().enumerate() {
                let want = weight(i + 1) / sum * f64::from(DRAWS);
                // Five standard deviations of a count, which are never less than five draws.
                let most = 5.0 * want.sqrt().max(1.0);
                let off = (f64::from(*count) - want).abs();
                assert!(off < most, "theta {theta_milli}, rank {i}: {count} for {want}");
            }
        }
    }

    #[test]
    fn one_block_and_very_many_are_in_range() {
        for blocks in [1, 2, 1 << 52, u64::MAX / 2] {
            let mut zipf = Zipf::new(blocks, 1200, 3, SplitMix64::new(9));
            assert!((0..1000).all(|_| zipf.next_block() < blocks));
        }
    }
}
