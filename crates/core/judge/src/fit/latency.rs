//! A quantile of latencies against its limit.

use bakeoff_model::fit::{FitDoubt, FitRating, FitVerdict};
use bakeoff_stats::bisection;
use bakeoff_stats::clustered::{ClusteredRatio, ClusteredShare};
use bakeoff_stats::histogram::Histogram;

use super::{FitSlice, close, more, too_close};

/// A bucket of a histogram is told by a value within this share of all it counts.
const BUCKET_ERROR: f64 = 0.004;
/// Ends of an interval are found to within this share.
const NEAR: f64 = 0.001;
/// Standard deviations that a look after the promised time asks for: `qnorm(1 - 0.005 / 2)`.
const DEVIATES: f64 = 2.807_033_768_343_811;

#[derive(Clone, Copy)]
pub(super) struct Asked {
    pub quantile: f64,
    pub limit_ns: u64,
    pub alpha: f64,
}

impl Asked {
    pub fn rate(&self, slices: &[FitSlice], rating: &mut FitRating) {
        let mut all = Histogram::default();
        slices.iter().for_each(|slice| all.merge(&slice.latencies));
        let (Some((least, _)), Some((most, _))) = (all.buckets.first(), all.buckets.last()) else {
            return;
        };
        let ends = (libm::log(*least as f64 / 2.0), libm::log(*most as f64 * 2.0));
        let at = |ns: f64, effect: f64, forgives| self.share(slices, (ns, forgives), effect);
        let search = |is_past: &dyn Fn(f64) -> bool| {
            let step = |ln_ns: f64| f64::from(u8::from(is_past(libm::exp(ln_ns))));
            libm::exp(bisection::quantile(step, 0.5, ends, |low, high| high - low < NEAR))
        };
        let rare = 1.0 - self.quantile;
        let estimate = all.quantile(self.quantile).map_or(0.0, |ns| ns as f64);
        // Where few are over the limit, how alike operations are is seen at the quantile itself.
        let below = estimate * (1.0 - BUCKET_ERROR);
        let effect = at(below, 1.0, false).map_or(1.0, |share| share.design_effect);
        let is_below =
            |ns: f64| at(ns, effect, false).is_some_and(|s| s.is_below(rare, self.alpha));
        let is_above = |ns: f64, forgives| {
            at(ns, effect, forgives).is_some_and(|s| s.is_above(rare, self.alpha))
        };
        let high = search(&is_below) * (1.0 + BUCKET_ERROR);
        let bounded = is_below(*most as f64);
        let clock_error = slices.iter().map(|slice| slice.clock_error_ns).max().unwrap_or(0) as f64;
        let lowest = |forgives| {
            let low = search(&|ns| !is_above(ns, forgives)) * (1.0 - BUCKET_ERROR);
            (low - clock_error).max(0.0)
        };
        let low = lowest(true);
        let limit = self.limit_ns as f64;
        rating.estimate = Some(estimate);
        rating.high = bounded.then_some(high);
        rating.low = Some(low).filter(|low| *low >= *least as f64 * (1.0 - NEAR));
        rating.design_effect = effect;
        rating.verdict = match () {
            () if bounded && high <= limit => FitVerdict::Yes,
            () if low > limit => FitVerdict::No,
            () if lowest(false) > limit => too_close(FitDoubt::MachineBusy, None),
            () => self.doubt(slices, effect, rating),
        };
    }

    fn share(
        &self,
        slices: &[FitSlice],
        (ns, forgives): (f64, bool),
        effect: f64,
    ) -> Option<ClusteredShare> {
        let operations = slices.iter().map(|slice| slice.latencies.total()).sum();
        let ratio = ClusteredRatio::new(&over(slices, ns, forgives))?;
        Some(ClusteredShare::new(ratio, operations, effect))
    }

    /// Too close to call: whether there are enough operations at all, and how much more would tell.
    fn doubt(&self, slices: &[FitSlice], effect: f64, rating: &FitRating) -> FitVerdict {
        let Some(share) = self.share(slices, (self.limit_ns as f64, false), effect) else {
            return too_close(FitDoubt::TooFew { needed: 1 }, None);
        };
        let n = share.effective(self.alpha);
        // With none over the limit, so many tell that there are few enough.
        let enough = libm::log(0.5 * self.alpha) / libm::log(self.quantile);
        let rare = 1.0 - self.quantile;
        if n < enough {
            let times = enough / n;
            let needed = libm::ceil(rating.operations as f64 * times);
            let needed = if needed.is_finite() { needed as u64 } else { enough as u64 };
            return too_close(FitDoubt::TooFew { needed }, more(times, rating.measured_ns));
        }
        let half = DEVIATES * libm::sqrt(rare * self.quantile / n);
        close(half / (share.share - rare).abs(), rating.measured_ns)
    }
}

/// Operations over a limit, and all, of each slice. With `forgives`, as few as the time its threads
/// waited for a CPU may leave of them.
pub(super) fn over(slices: &[FitSlice], limit_ns: f64, forgives: bool) -> Vec<(f64, f64)> {
    let of = |slice: &FitSlice| {
        let mut waited_ns = if forgives { slice.waited_ns as f64 } else { 0.0 };
        // Ascending, so that the wait explains as many as it can.
        slice.latencies.buckets.iter().fold((0.0, 0.0), |(over, all), (ns, count)| {
            let (beyond_ns, count) = (*ns as f64 - limit_ns, *count as f64);
            if beyond_ns <= 0.0 {
                return (over, all + count);
            }
            let explained = (waited_ns / beyond_ns).min(count);
            waited_ns -= explained * beyond_ns;
            (over + count - explained, all + count)
        })
    };
    slices.iter().map(of).collect()
}

/// Time in which a request that came would have waited longer than the limit, and all time inside
/// operations, of each slice.
pub(super) fn late(slices: &[FitSlice], limit_ns: f64) -> Vec<(f64, f64)> {
    let of = |slice: &FitSlice| {
        slice.latencies.buckets.iter().fold((0.0, 0.0), |(late, all), (ns, count)| {
            let (ns, count) = (*ns as f64, *count as f64);
            (late + count * (ns - limit_ns).max(0.0), all + count * ns)
        })
    };
    slices.iter().map(of).collect()
}
