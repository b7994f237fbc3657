//! The figure of a cell from its slices, and its stalls.
//!
//! The figure is the mean of the slices' logarithms with 10 % trimmed at both ends. Operations
//! over time would be dominated by single stalls of a second; a trimmed mean is not. A slice that
//! is slow beyond the scatter of the others is a stall. Stalls are counted whether trimming took
//! them off or not, so that nothing is dropped in silence.

use super::slice::Slice;
use super::workload::Metric;
use bakeoff_stats::sample::median;
use bakeoff_stats::trimmed::trimmed_mean;

pub const TRIMMED_SHARE: f64 = 0.1;
const STALL_FACTOR: f64 = 2.0;
/// A stall is slower than the figure by this many standard deviations of the slices at least.
const STALL_SDS: f64 = 3.0;
/// Standard deviations in a median absolute deviation of normal values: `1 / qnorm(0.75)`.
/// Source: Rousseeuw and Croux, "Alternatives to the median absolute deviation", JASA 88 (1993).
const SDS_IN_MAD: f64 = 1.482_602_218_505_602;

#[derive(Clone, Debug, PartialEq)]
pub struct CellFigure {
    /// The figure: operations, bytes or files a second, or nanoseconds.
    pub figure: f64,
    pub stalls: Stalls,
}

/// Slices that were slow beyond the scatter of the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stalls {
    pub number: u32,
    /// The longest: time beyond what its work takes at the cell's figure.
    pub longest_ns: u64,
    pub stalled_ns: u64,
    pub total_ns: u64,
}

impl Stalls {
    /// How much of the time was in stalls, 0 to 1.
    pub fn share(&self) -> f64 {
        self.stalled_ns as f64 / self.total_ns.max(1) as f64
    }

    pub fn plus(self, other: Stalls) -> Stalls {
        Stalls {
            number: self.number + other.number,
            longest_ns: self.longest_ns.max(other.longest_ns),
            stalled_ns: self.stalled_ns.saturating_add(other.stalled_ns),
            total_ns: self.total_ns.saturating_add(other.total_ns),
        }
    }
}

/// The figure of a cell by `metric`; `None` where no valid slice has one. Slices that do not count
/// are left out.
pub fn figure(slices: &[Slice], metric: Metric) -> Option<CellFigure> {
    let with_score = |slice| Some((slice, metric.to_score(Slice::figure(slice, metric)?)));
    let valid: Vec<(&Slice, f64)> =
        slices.iter().filter(|slice| slice.is_valid()).filter_map(with_score).collect();
    let scores: Vec<f64> = valid.iter().map(|(_, score)| *score).collect();
    let score = trimmed_mean(&scores, TRIMMED_SHARE)?;
    let stalls = stalls(&valid, score, scatter(&scores)?);
    Some(CellFigure { figure: metric.from_score(score), stalls })
}

/// Robust standard deviation; 0 for a single value.
fn scatter(scores: &[f64]) -> Option<f64> {
    let centre = median(scores)?;
    let off: Vec<f64> = scores.iter().map(|score| (score - centre).abs()).collect();
    median(&off).map(|mad| mad * SDS_IN_MAD)
}

fn stalls(valid: &[(&Slice, f64)], score: f64, scatter: f64) -> Stalls {
    let limit = score - libm::log(STALL_FACTOR).max(STALL_SDS * scatter);
    let total_ns = valid.iter().map(|(slice, _)| slice.elapsed_ns).sum();
    let mut stalls = Stalls { total_ns, ..Stalls::default() };
    for (slice, own) in valid.iter().filter(|(_, own)| *own < limit) {
        // Its work would have taken this part of its time at the cell's figure.
        let due_ns = slice.elapsed_ns as f64 * libm::exp(own - score);
        let beyond_ns = slice.elapsed_ns.saturating_sub(due_ns as u64);
        stalls.number += 1;
        stalls.longest_ns = stalls.longest_ns.max(beyond_ns);
        stalls.stalled_ns += beyond_ns;
    }
    stalls
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::slice::Void;
    use super::*;

    fn slice(ios: u64, elapsed_ms: u64) -> Slice {
        Slice { ios, bytes: ios * 4096, elapsed_ns: elapsed_ms * 1_000_000, ..Slice::default() }
    }

    #[test]
    fn a_stall_of_a_second_is_counted_and_does_not_set_the_figure() {
        let mut slices: Vec<Slice> = (0..9).map(|i| slice(100 + i % 3, 50)).collect();
        let calm = figure(&slices, Metric::Iops).unwrap();
        assert_eq!(calm.stalls.number, 0);
        slices.push(slice(100, 1050));
        let got = figure(&slices, Metric::Iops).unwrap();
        assert!((got.figure / calm.figure - 1.0).abs() < 0.01, "{got:?}");
        assert_eq!(got.stalls.number, 1);
        let longest_ms = got.stalls.longest_ns / 1_000_000;
        assert!((999..=1001).contains(&longest_ms), "{longest_ms} ms");
        assert!((got.stalls.share() - 1000.0 / 1500.0).abs() < 0.01, "{got:?}");
    }

    #[test]
    fn stalls_beyond_the_trimmed_share_are_counted_too() {
        let mut slices: Vec<Slice> = (0..17).map(|_| slice(100, 50)).collect();
        slices.extend((0..3).map(|_| slice(100, 500)));
        let got = figure(&slices, Metric::Iops).unwrap();
        assert_eq!(got.stalls.number, 3);
    }

    /// A drive with two speeds has two modes and no stalls.
    #[test]
    fn a_disk_of_two_speeds_does_not_stall() {
        let slices: Vec<Slice> = (0..20).map(|i| slice(100 + 200 * (i % 2), 50)).collect();
        assert_eq!(figure(&slices, Metric::Iops).unwrap().stalls.number, 0);
    }

    #[test]
    fn slices_that_do_not_count_are_left_out() {
        let mut slices = vec![slice(100, 50), slice(1, 50), slice(0, 50)];
        slices[1].void = Some(Void::Swapping);
        let got = figure(&slices, Metric::Iops).unwrap();
        assert_eq!(got.figure.round(), 2000.0);
        assert_eq!(figure(&slices[1..], Metric::Iops), None);
        assert_eq!(figure(&[], Metric::Bandwidth), None);
    }

    #[test]
    fn of_a_latency_the_slow_end_is_the_long_one() {
        let slow = |ns| Slice { p99_ns: Some(ns), ..slice(2000, 50) };
        let mut slices: Vec<Slice> = (0..9).map(|_| slow(1000)).collect();
        slices.push(slow(50_000));
        let got = figure(&slices, Metric::LatencyP99).unwrap();
        assert!((got.figure - 1000.0).abs() < 1e-6, "{got:?}");
        assert_eq!(got.stalls.number, 1);
    }

    proptest! {
        #[test]
        fn the_figure_scales_with_the_speed_and_not_with_the_order(
            work in proptest::collection::vec((1u64..100_000, 1u64..3000), 1..40),
            factor in 2u64..50,
        ) {
            let slices: Vec<Slice> = work.iter().map(|(ios, ms)| slice(*ios, *ms)).collect();
            let got = figure(&slices, Metric::Iops).unwrap();
            let faster: Vec<Slice> =
                work.iter().rev().map(|(ios, ms)| slice(ios * factor, *ms)).collect();
            let more = figure(&faster, Metric::Iops).unwrap();
            prop_assert!((more.figure / got.figure / factor as f64 - 1.0).abs() < 1e-9);
            prop_assert_eq!(more.stalls.number, got.stalls.number);
            prop_assert!((0.0..=1.0).contains(&got.stalls.share()));
            let longest_ns = slices.iter().map(|s| s.elapsed_ns).max().unwrap();
            prop_assert!(got.stalls.longest_ns <= longest_ns);
        }
    }
}
