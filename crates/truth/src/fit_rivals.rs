//! Other rules for a quantile and its limit, each at the end of the promised time.

use bakeoff_model::fit::{FitDoubt, FitVerdict};
use bakeoff_stats::clustered::{ClusteredRatio, ClusteredShare};
use bakeoff_stats::prng::SplitMix64;

use bakeoff_judge::fit::FitSlice;

const ALPHA: f64 = 0.05;
const RESAMPLES: u32 = 400;

/// What the quantile alone says, what a binomial interval says that takes operations for
/// independent, and what the percentiles of a bootstrap over slices say.
pub fn verdicts(slices: &[FitSlice], quantile: f64, limit_ns: u64, seed: u64) -> [FitVerdict; 3] {
    let rare = 1.0 - quantile;
    let of = |slice: &FitSlice| {
        let over = slice.latencies.buckets.iter().filter(|bucket| bucket.0 > limit_ns);
        (over.map(|bucket| bucket.1 as f64).sum(), slice.latencies.total() as f64)
    };
    let pairs: Vec<(f64, f64)> = slices.iter().map(of).collect();
    let close = FitVerdict::TooClose { doubt: FitDoubt::Close, more_ns: None };
    let Some(ratio) = ClusteredRatio::new(&pairs) else { return [close; 3] };
    let verdict = |is_below, is_above| match (is_below, is_above) {
        (true, _) => FitVerdict::Yes,
        (_, true) => FitVerdict::No,
        _ => close,
    };
    let operations = slices.iter().map(|slice| slice.latencies.total()).sum();
    let share = ClusteredShare::independent(ratio, operations);
    let (low, high) = bootstrap(&pairs, seed);
    [
        verdict(ratio.ratio <= rare, ratio.ratio > rare),
        verdict(share.is_below(rare, ALPHA), share.is_above(rare, ALPHA)),
        verdict(high < rare, low > rare),
    ]
}

/// Percentiles of the share over the limit (Efron and Tibshirani, "An Introduction to the
/// Bootstrap", 1993, chapter 13).
fn bootstrap(pairs: &[(f64, f64)], seed: u64) -> (f64, f64) {
    let mut random = SplitMix64::derive(seed, &[2]);
    let mut resample = || {
        let drawn = pairs.iter().map(|_| pairs[random.below(pairs.len() as u64) as usize]);
        let (over, all) = drawn.fold((0.0, 0.0), |sum, pair| (sum.0 + pair.0, sum.1 + pair.1));
        over / all
    };
    let mut shares: Vec<f64> = (0..RESAMPLES).map(|_| resample()).collect();
    shares.sort_by(f64::total_cmp);
    let at = |p: f64| shares[((p * f64::from(RESAMPLES)) as usize).min(shares.len() - 1)];
    (at(0.5 * ALPHA), at(1.0 - 0.5 * ALPHA))
}
