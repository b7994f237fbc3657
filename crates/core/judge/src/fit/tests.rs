//! What the interval, the looks and the doubts of a rating say of drives that are known.

use proptest::prelude::*;

use super::*;

const MS: u64 = 1_000_000;
const NEED: FitNeed = FitNeed::Latency { quantile: 0.99, limit_ns: 10 * MS };

/// A hundred slices of 200 ms, each with these latencies.
fn slices(buckets: &[(u64, u64)]) -> Vec<FitSlice> {
    let one = FitSlice {
        elapsed_ns: 200 * MS,
        latencies: Histogram { buckets: buckets.to_vec() },
        operations: buckets.iter().map(|b| b.1).sum(),
        bytes: 4096,
        ..FitSlice::default()
    };
    vec![one; 100]
}

fn at_promised(need: FitNeed, slices: &[FitSlice]) -> FitRating {
    judge(need, slices, looks::PROMISED)
}

#[test]
fn a_quick_drive_is_good_enough_and_a_slow_one_is_not() {
    let quick = at_promised(NEED, &slices(&[(MS, 100), (2 * MS, 3)]));
    assert_eq!(quick.verdict, FitVerdict::Yes, "{quick:?}");
    assert_eq!((quick.estimate, quick.operations, quick.slices), (Some(2e6), 10_300, 100));
    let slow = at_promised(NEED, &slices(&[(MS, 100), (31 * MS, 4)]));
    assert_eq!(slow.verdict, FitVerdict::No, "{slow:?}");
    assert_eq!(slow.longest_ns.unwrap(), 31 * MS);
    assert!(slow.low.unwrap() > 10e6 && slow.high.unwrap() >= 31e6, "{slow:?}");
}

#[test]
fn few_operations_tell_nothing_and_so_many_would() {
    let found = at_promised(NEED, &slices(&[(MS, 1)]));
    let FitVerdict::TooClose { doubt: FitDoubt::TooFew { needed }, more_ns } = found.verdict else {
        panic!("{found:?}")
    };
    assert!((400..600).contains(&needed) && more_ns.is_some(), "{found:?}");
    assert_eq!((found.high, found.low), (None, None));
    let none = at_promised(NEED, &[]);
    assert!(matches!(none.verdict, FitVerdict::TooClose { .. }));
}

#[test]
fn a_thread_that_waited_for_a_cpu_is_not_held_against_the_drive() {
    let mut busy = slices(&[(MS, 100), (12 * MS, 4)]);
    assert_eq!(at_promised(NEED, &busy).verdict, FitVerdict::No);
    busy.iter_mut().for_each(|slice| slice.waited_ns = 8 * MS);
    let found = at_promised(NEED, &busy);
    let want = FitVerdict::TooClose { doubt: FitDoubt::MachineBusy, more_ns: None };
    assert_eq!(found.verdict, want, "{found:?}");
    busy.iter_mut().for_each(|slice| slice.waited_ns = MS);
    assert_eq!(at_promised(NEED, &busy).verdict, FitVerdict::No);
}

#[test]
fn a_rate_is_judged_by_its_interval() {
    let of = |per_s| at_promised(FitNeed::Operations { per_s }, &slices(&[(MS, 100)])).verdict;
    assert_eq!((of(499.0), of(502.0)), (FitVerdict::Yes, FitVerdict::No));
    // A slice ends in the middle of an operation, on average.
    assert!(matches!(of(501.0), FitVerdict::TooClose { doubt: FitDoubt::Close, .. }));
    let bytes = at_promised(FitNeed::Bytes { per_s: 1e6 }, &slices(&[(MS, 100)]));
    assert_eq!(bytes.verdict, FitVerdict::No);
    assert!((bytes.estimate.unwrap() - 20_480.0).abs() < 1.0, "{bytes:?}");
}

#[test]
fn one_gap_is_a_no_and_none_is_a_yes_when_the_time_is_over() {
    let need = FitNeed::NoGap { limit_ns: 50 * MS };
    let mut found = slices(&[(MS, 100)]);
    assert!(matches!(judge(need, &found, 0).verdict, FitVerdict::TooClose { .. }));
    assert_eq!(at_promised(need, &found).verdict, FitVerdict::Yes);
    found[7].latencies.buckets.push((70 * MS, 1));
    assert_eq!(judge(need, &found, 0).verdict, FitVerdict::No);
}

proptest! {
    #[test]
    fn the_interval_is_one_and_a_laxer_limit_is_no_harder(
        work in proptest::collection::vec((1u64..30, 1u64..60, 0u64..4), 3..40),
        limits in (1u64..40, 1u64..40),
    ) {
        let all: Vec<FitSlice> = work.iter().map(|(ms, usual, slow)| FitSlice {
            elapsed_ns: 200 * MS,
            latencies: Histogram { buckets: vec![(ms * MS, *usual), (31 * MS, slow + 1)] },
            ..FitSlice::default()
        }).collect();
        let of = |ms| {
            at_promised(FitNeed::Latency { quantile: 0.9, limit_ns: ms * MS }, &all)
        };
        let (strict, lax) = (of(limits.0.min(limits.1)), of(limits.0.max(limits.1)));
        let rank = |of: &FitRating| match of.verdict {
            FitVerdict::No => 0,
            FitVerdict::TooClose { .. } => 1,
            FitVerdict::Yes => 2,
        };
        prop_assert!(rank(&strict) <= rank(&lax));
        prop_assert_eq!((strict.low, strict.high), (lax.low, lax.high));
        let estimate = strict.estimate.unwrap();
        prop_assert!(strict.low.is_none_or(|low| low <= estimate));
        prop_assert!(strict.high.is_none_or(|high| high >= estimate * 0.99));
    }
}
