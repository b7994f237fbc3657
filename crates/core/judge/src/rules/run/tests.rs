//! Runs for the tests of rules.

use bakeoff_stats::prng::SplitMix64;

/// Noise of about 1 %, different for every cell.
fn noise(block: u32, candidate: u16) -> f64 {
    let mut g = SplitMix64::derive(11, &[block.into(), candidate.into()]);
    let sum: f64 = (0..12).map(|_| g.below(1 << 40) as f64 / (1u64 << 40) as f64).sum();
    (sum - 6.0) / 100.0
}

pub fn steady(block: u32, candidate: u16, _: u16) -> f64 {
    1000.0 * libm::exp(noise(block, candidate))
}
