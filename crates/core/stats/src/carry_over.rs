//! What a candidate leaves behind for the one that follows it.
//!
//! In slices taken in turns, `ln(rate)` = the candidate in its block + the effect of its
//! predecessor + error. The effects are estimated by least squares; they sum to 0, because what all
//! leave behind alike favours nobody. A candidate never follows itself, so with balanced orders the
//! difference of two candidates `a - b` is wrong by `(effect(b) - effect(a)) / (k - 1)`. Source:
//! Jones and Kenward, "Design and Analysis of Cross-Over Trials", 3rd edition, CRC 2014, chapter 4.

use super::paired::Interval;
use super::student_t;
use crate::distinct;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CarriedSlice {
    pub block: u32,
    pub ln_rate: f64,
    /// Position of its candidate, from 0.
    pub candidate: u16,
    pub predecessor: u16,
}

#[derive(Clone, Debug, PartialEq)]
pub struct CarryOver {
    /// What each candidate takes off (below 0) or adds to the slice that follows it, relative to
    /// the mean of all, as a logarithm.
    pub effects: Vec<f64>,
    /// The pair of candidates whose difference is biased most: the first looks faster than it is.
    pub pair: (u16, u16),
    /// By how much, as a logarithm; 0 or more.
    pub bias: f64,
    pub interval: Interval,
}

impl CarryOver {
    /// Whether some difference is certainly biased by more than `bound` (a logarithm).
    pub fn exceeds(&self, bound: f64) -> bool {
        self.interval.low > bound
    }
}

/// The estimate for `k` candidates with intervals at `alpha` over all pairs; `None` for fewer than
/// two candidates, or too few slices to tell the effects apart. Slices that follow their own
/// candidate say nothing here and are left out.
pub fn estimate(slices: &[CarriedSlice], k: u16, alpha: f64) -> Option<CarryOver> {
    let n = usize::from(k);
    let known =
        |s: &&CarriedSlice| s.candidate < k && s.predecessor < k && s.candidate != s.predecessor;
    let slices: Vec<&CarriedSlice> = slices.iter().filter(known).collect();
    let cells = distinct::sorted(slices.iter().map(|s| (s.block, s.candidate)));
    // Two candidates: each has one predecessor only, which its own mean hides.
    if n < 3 || slices.len() < cells.len() + n {
        return None;
    }
    let cell = |s: &CarriedSlice| cells.binary_search(&(s.block, s.candidate)).unwrap_or(0);
    let mut sums = vec![(0.0, vec![0.0; n], 0.0); cells.len()];
    for s in &slices {
        let sum = &mut sums[cell(s)];
        sum.0 += 1.0;
        sum.1[usize::from(s.predecessor)] += 1.0;
        sum.2 += s.ln_rate;
    }
    // Normal equations of the predecessors, with the mean of each cell taken out.
    let mut matrix = vec![vec![0.0; n]; n];
    let mut right = vec![0.0; n];
    let row = |s: &CarriedSlice| -> (Vec<f64>, f64) {
        let (count, of, total) = &sums[cell(s)];
        let mut x: Vec<f64> = of.iter().map(|c| -c / count).collect();
        x[usize::from(s.predecessor)] += 1.0;
        (x, s.ln_rate - total / count)
    };
    for s in &slices {
        let (x, y) = row(s);
        for i in 0..n {
            right[i] += x[i] * y;
            (0..n).for_each(|j| matrix[i][j] += x[i] * x[j]);
        }
    }
    // The effects sum to 0: without that only their differences are determined.
    matrix.iter_mut().flatten().for_each(|entry| *entry += 1.0);
    let inverse = inverse(matrix)?;
    let effects: Vec<f64> =
        inverse.iter().map(|row| row.iter().zip(&right).map(|(a, b)| a * b).sum()).collect();
    let residual = |s: &&CarriedSlice| {
        let (x, y) = row(s);
        let fitted: f64 = x.iter().zip(&effects).map(|(a, b)| a * b).sum();
        (y - fitted) * (y - fitted)
    };
    let df = slices.len() as f64 - cells.len() as f64 - (n as f64 - 1.0);
    let variance = slices.iter().map(residual).sum::<f64>() / df.max(1.0);
    Some(worst(effects, &inverse, variance, df.max(1.0), alpha))
}

fn worst(effects: Vec<f64>, inverse: &[Vec<f64>], variance: f64, df: f64, alpha: f64) -> CarryOver {
    let n = effects.len();
    let by_effect = |x: &usize, y: &usize| effects[*x].total_cmp(&effects[*y]);
    let least = (0..n).min_by(by_effect).unwrap_or(0);
    let most = (0..n).max_by(by_effect).unwrap_or(0);
    // One that leaves much behind for the others never meets it itself.
    let scale = n as f64 - 1.0;
    let bias = (effects[most] - effects[least]) / scale;
    let spread = inverse[most][most] + inverse[least][least] - 2.0 * inverse[most][least];
    let pairs = (n * (n - 1) / 2) as f64;
    let half =
        student_t::two_sided(alpha / pairs, df) * libm::sqrt((variance * spread).max(0.0)) / scale;
    let interval = Interval { low: bias - half, high: bias + half };
    CarryOver { effects, pair: (least as u16, most as u16), bias, interval }
}

/// Gauss and Jordan's method with pivots; `None` for a matrix that has no inverse.
fn inverse(mut matrix: Vec<Vec<f64>>) -> Option<Vec<Vec<f64>>> {
    let n = matrix.len();
    let one = |i: usize| (0..n).map(move |j| f64::from(u8::from(i == j)));
    matrix.iter_mut().enumerate().for_each(|(i, row)| row.extend(one(i)));
    for i in 0..n {
        let pivot = (i..n).max_by(|a, b| matrix[*a][i].abs().total_cmp(&matrix[*b][i].abs()))?;
        matrix.swap(i, pivot);
        let by = matrix[i][i];
        if by.abs() < 1e-9 {
            return None;
        }
        matrix[i].iter_mut().for_each(|entry| *entry /= by);
        let row = matrix[i].clone();
        for (_, other) in matrix.iter_mut().enumerate().filter(|(j, _)| *j != i) {
            let factor = other[i];
            other.iter_mut().zip(&row).for_each(|(entry, r)| *entry -= factor * r);
        }
    }
    Some(matrix.into_iter().map(|row| row[n..].to_vec()).collect())
}
