//! Where the mean of a series changes for good.
//!
//! One method: optimal partitioning with pruning (PELT) of Killick, Fearnhead and Eckley, "Optimal
//! detection of changepoints with a linear computational cost", Journal of the American Statistical
//! Association 107 (2012), for changes in the mean of normal values. The cost of a segment is its
//! sum of squares over the variance; each change costs some natural logarithms of the number of
//! values, [`PENALTY`] unless told otherwise. The variance is taken from the differences of
//! neighbours (their median absolute value, which changes hardly touch), so that the changes
//! themselves do not hide it. Checked against the Python package ruptures.

use super::sample;

/// Most values; a cell has at most 4096 windows.
pub const MOST: usize = 4_096;
const SHORTEST: usize = 5;
/// What a change costs unless told otherwise, in natural logarithms of the number of values.
pub const PENALTY: f64 = 3.0;

/// A stretch of values with one mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    pub start: usize,
    pub end: usize,
    pub mean: f64,
}

/// The segments of `values` in order, a change costing `penalty` logarithms of their number; one
/// when nothing changes, none for what is too short, too long or no number.
pub fn segments(values: &[f64], penalty: f64) -> Vec<Segment> {
    if values.len() < 2 * SHORTEST {
        return Vec::new();
    }
    let sigma = neighbour_sd(values);
    segments_with(values, sigma, penalty * libm::log(values.len() as f64))
}

fn segments_with(values: &[f64], sigma: f64, penalty: f64) -> Vec<Segment> {
    let n = values.len();
    if !(2 * SHORTEST..=MOST).contains(&n) || values.iter().any(|v| !v.is_finite()) {
        return Vec::new();
    }
    let sums = RunningSums::from_values(values);
    let scale = (sigma * sigma).max(f64::MIN_POSITIVE);
    // best[i]: least cost of the first i values; from[i]: where their last segment starts.
    let (mut best, mut from) = (vec![f64::INFINITY; n + 1], vec![0usize; n + 1]);
    best[0] = -penalty;
    let mut starts: Vec<usize> = Vec::new();
    for end in SHORTEST..=n {
        starts.push(end - SHORTEST);
        let cost = |start: usize| best[start] + sums.squares(start, end) / scale;
        let costs: Vec<f64> = starts.iter().map(|s| cost(*s)).collect();
        let (mut least, mut at) = (f64::INFINITY, 0);
        for (start, cost) in starts.iter().zip(&costs) {
            if cost + penalty < least {
                (least, at) = (cost + penalty, *start);
            }
        }
        (best[end], from[end]) = (least, at);
        // What costs more than the best even without a further change can never become it.
        let kept = starts.iter().zip(&costs).filter(|(_, cost)| **cost <= least);
        starts = kept.map(|(start, _)| *start).collect();
    }
    let mut found = Vec::new();
    let mut end = n;
    while end > 0 {
        let start = from[end];
        found.push(Segment { start, end, mean: sums.mean(start, end) });
        end = start;
    }
    found.reverse();
    found
}

/// Standard deviation of a value from the differences of neighbours: 1.4826 makes the median
/// absolute value of normal ones their standard deviation, and a difference has twice the variance.
fn neighbour_sd(values: &[f64]) -> f64 {
    let steps: Vec<f64> = values.windows(2).map(|w| (w[1] - w[0]).abs()).collect();
    sample::median(&steps).unwrap_or(0.0) * 1.4826 / core::f64::consts::SQRT_2
}

/// Running sums, around the first value so that large means lose no digits.
struct RunningSums {
    offset: f64,
    of_values: Vec<f64>,
    of_squares: Vec<f64>,
}

impl RunningSums {
    fn from_values(values: &[f64]) -> RunningSums {
        let offset = values[0];
        let (mut of_values, mut of_squares) = (vec![0.0], vec![0.0]);
        for (i, value) in values.iter().enumerate() {
            let v = value - offset;
            of_values.push(of_values[i] + v);
            of_squares.push(of_squares[i] + v * v);
        }
        RunningSums { offset, of_values, of_squares }
    }

    fn mean(&self, start: usize, end: usize) -> f64 {
        self.offset + (self.of_values[end] - self.of_values[start]) / (end - start) as f64
    }

    fn squares(&self, start: usize, end: usize) -> f64 {
        let sum = self.of_values[end] - self.of_values[start];
        let squares = self.of_squares[end] - self.of_squares[start];
        (squares - sum * sum / (end - start) as f64).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    #[test]
    fn agrees_with_ruptures() {
        let cases = testing::fixture().change_points;
        assert!(cases.len() >= 10);
        for (values, sigma, penalty, want) in cases {
            let found = segments_with(&values, sigma, penalty);
            let ends: Vec<usize> = found.iter().map(|s| s.end).collect();
            assert_eq!(ends, want, "{values:?}");
        }
    }

    #[test]
    fn a_cache_that_runs_out_is_one_change() {
        let wave = |i: usize| [0.3, -0.8, 0.5, 0.1, -0.4, 0.9, -0.6][i % 7];
        let series = |drop| -> Vec<f64> {
            (0..60).map(|i| 100.0 + wave(i) - if i >= 35 { drop } else { 0.0 }).collect()
        };
        let found = segments(&series(30.0), PENALTY);
        assert_eq!(found.iter().map(|s| s.end).collect::<Vec<_>>(), [35, 60]);
        assert!((found[0].mean - found[1].mean - 30.0).abs() < 0.5);
        assert_eq!(segments(&series(0.0), PENALTY).len(), 1);
    }

    #[test]
    fn a_change_that_costs_more_than_it_explains_is_none() {
        let wave = |i: usize| [0.3, -0.8, 0.5, 0.1, -0.4, 0.9, -0.6][i % 7];
        let values: Vec<f64> = (0..60).map(|i| wave(i) + if i >= 30 { 1.5 } else { 0.0 }).collect();
        assert_eq!(segments(&values, PENALTY).len(), 2);
        assert_eq!(segments(&values, 100.0).len(), 1);
    }

    #[test]
    fn constant_short_and_broken_series() {
        assert_eq!(segments(&[5.0; 20], PENALTY).len(), 1);
        assert!(segments(&[5.0; 9], PENALTY).is_empty());
        assert!(segments(&[f64::NAN; 20], PENALTY).is_empty());
    }
}
