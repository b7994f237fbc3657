//! Good enough or not: one need of an application against slices of its work.
//!
//! Operations of a slice resemble each other, so the share over the limit is one of clusters
//! ([`bakeoff_stats::clustered`]). The interval of a quantile is every limit that this share does
//! not refute. The verdict follows from the interval alone. Each look spends a part of 5 %, so an
//! answer holds whenever it was given. How often it is wrong is in docs/truth.md, and how other
//! intervals do.
//!
//! A latency is known to what the engine's clock and the buckets of a histogram allow, and a thread
//! that waited for a CPU made the drive look late: whatever its waiting may explain is not held
//! against the drive.

pub mod change;
mod latency;
pub mod looks;

use bakeoff_model::fit::{FitDoubt, FitNeed, FitRating, FitVerdict};
use bakeoff_stats::clustered::ClusteredRatio;
use bakeoff_stats::histogram::Histogram;

/// What one slice of an application's work took.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FitSlice {
    pub elapsed_ns: u64,
    /// Of the kind of operation that is judged.
    pub latencies: Histogram,
    /// Operations that a rate counts.
    pub operations: u64,
    pub bytes: u64,
    /// Time its threads were ready to run and waited for a CPU, added up; 0 where nobody counted.
    pub waited_ns: u64,
    /// Most by which a latency is wrong by the engine's clock.
    pub clock_error_ns: u64,
}

/// More time than this many times the present is no advice, and less than this share of it is none
/// either, because the estimate is no better than its interval.
const MOST_TIMES: f64 = 50.0;
const LEAST_TIMES: f64 = 0.25;
/// Mean number of events of which none is seen with a probability of 5 %: `-ln 0.05`.
const MISSED_EVENTS: f64 = 2.995_732_273_553_991;

type Done = fn(&FitSlice) -> u64;

/// Judges `slices` in the order of time, at the look of that number, from 0 ([`looks`]).
pub fn judge(need: FitNeed, slices: &[FitSlice], look: usize) -> FitRating {
    let alpha = looks::alpha_at(look);
    let mut rating = seen(need, slices);
    match need {
        FitNeed::Latency { quantile, limit_ns } => {
            let asked = latency::Asked { quantile, limit_ns, alpha };
            asked.rate(slices, &mut rating);
        }
        FitNeed::Operations { per_s } => rate(&mut rating, slices, per_s, alpha, |s| s.operations),
        FitNeed::Bytes { per_s } => rate(&mut rating, slices, per_s, alpha, |s| s.bytes),
        FitNeed::NoGap { limit_ns } => no_gap(&mut rating, slices, limit_ns, look),
    }
    rating
}

/// What needs no interval.
fn seen(need: FitNeed, slices: &[FitSlice]) -> FitRating {
    let longest_ns = |slice: &FitSlice| slice.latencies.buckets.last().map(|bucket| bucket.0);
    let measured_ns = slices.iter().map(|slice| slice.elapsed_ns).sum();
    let limit_ns = match need {
        FitNeed::Latency { limit_ns, .. } | FitNeed::NoGap { limit_ns } => Some(limit_ns as f64),
        FitNeed::Operations { .. } | FitNeed::Bytes { .. } => None,
    };
    let share = |pairs: Vec<(f64, f64)>| Some(ClusteredRatio::new(&pairs)?.ratio);
    FitRating {
        need,
        verdict: FitVerdict::TooClose { doubt: FitDoubt::TooFew { needed: 1 }, more_ns: None },
        estimate: None,
        low: None,
        high: None,
        operations: slices.iter().map(|slice| slice.latencies.total()).sum(),
        slices: slices.len() as u32,
        measured_ns,
        late_share: limit_ns.and_then(|limit| share(latency::late(slices, limit))),
        longest_ns: slices.iter().filter_map(longest_ns).max(),
        unseen_ns: (measured_ns as f64 / MISSED_EVENTS) as u64,
        design_effect: 1.0,
    }
}

fn rate(rating: &mut FitRating, slices: &[FitSlice], asked: f64, alpha: f64, done: Done) {
    let of = |forgiven_ns: &dyn Fn(&FitSlice) -> u64| {
        let pairs = slices.iter().map(|slice| {
            let counted_ns = slice.elapsed_ns - forgiven_ns(slice).min(slice.elapsed_ns / 2);
            (done(slice) as f64, counted_ns as f64 / 1e9)
        });
        ClusteredRatio::new(&pairs.collect::<Vec<_>>())
    };
    let rest_ns = |slice: &FitSlice| residual_ns(&slice.latencies);
    let with_rest = of(&rest_ns);
    let at_best = of(&|slice| slice.waited_ns.saturating_add(rest_ns(slice)));
    let Some(((found, with_rest), at_best)) = of(&|_| 0).zip(with_rest).zip(at_best) else {
        return;
    };
    // What the end of slices and waiting may explain only adds to the rate.
    let (low, missed) = (found.interval(alpha).0, with_rest.interval(alpha).1);
    let high = at_best.interval(alpha).1;
    rating.estimate = Some(found.ratio);
    rating.low = Some(low).filter(|low| *low > 0.0);
    rating.high = Some(high).filter(|high| high.is_finite());
    let distance = (libm::log(found.ratio) - libm::log(asked)).abs();
    let half = libm::log(missed / found.ratio);
    rating.verdict = match () {
        () if low >= asked => FitVerdict::Yes,
        () if high < asked => FitVerdict::No,
        () if missed < asked => too_close(FitDoubt::MachineBusy, None),
        () if !half.is_finite() => {
            too_close(FitDoubt::TooFew { needed: rating.operations + 1 }, None)
        }
        () => close(half / distance, rating.measured_ns),
    };
}

/// What is left, on average, of the operation that is under way at a random moment: a slice ends
/// when it is done, so it may have more than its share of slow ones (Cox, "Renewal Theory", 1962,
/// 5.4).
fn residual_ns(latencies: &Histogram) -> u64 {
    let (all, squares) =
        latencies.buckets.iter().fold((0.0, 0.0), |(all, squares), (ns, count)| {
            let (ns, count) = (*ns as f64, *count as f64);
            (all + ns * count, squares + ns * ns * count)
        });
    if all > 0.0 { (0.5 * squares / all) as u64 } else { 0 }
}

/// One gap is a fact; that there is none is said of what was measured, no earlier than promised.
fn no_gap(rating: &mut FitRating, slices: &[FitSlice], limit_ns: u64, look: usize) {
    rating.estimate = rating.longest_ns.map(|ns| ns as f64);
    let over = |error: fn(&FitSlice) -> u64| {
        slices.iter().any(|slice| {
            let longest = slice.latencies.buckets.last().map_or(0, |bucket| bucket.0);
            longest.saturating_sub(error(slice)) > limit_ns
        })
    };
    let wait_ns = looks::due_ns(looks::PROMISED).saturating_sub(rating.measured_ns);
    rating.verdict = match () {
        () if over(|slice| slice.waited_ns.saturating_add(slice.clock_error_ns)) => FitVerdict::No,
        () if over(|_| 0) => too_close(FitDoubt::MachineBusy, None),
        () if rating.operations == 0 => too_close(FitDoubt::TooFew { needed: 1 }, None),
        () if look < looks::PROMISED => too_close(FitDoubt::Close, Some(wait_ns)),
        () => FitVerdict::Yes,
    };
}

fn too_close(doubt: FitDoubt, more_ns: Option<u64>) -> FitVerdict {
    FitVerdict::TooClose { doubt, more_ns }
}

/// Half an interval is so many times as wide as the estimate is from the limit: it shrinks with the
/// root of the time.
fn close(widths: f64, measured_ns: u64) -> FitVerdict {
    too_close(FitDoubt::Close, more(widths * widths, measured_ns))
}

/// What is missing to so many `times` of the time that was measured.
fn more(times: f64, measured_ns: u64) -> Option<u64> {
    let times = (times - 1.0).max(LEAST_TIMES);
    (times <= MOST_TIMES).then_some((measured_ns as f64 * times) as u64)
}

#[cfg(test)]
mod tests;
