//! Whether values are one group or two, and where they part.
//!
//! The best split of the sorted values into two groups of equal spread, against one group, by the
//! integrated classification likelihood: Biernacki, Celeux and Govaert, "Assessing a mixture model
//! for clustering with the integrated completed likelihood", IEEE PAMI 22 (2000). It is the BIC
//! with the cost of saying which value belongs to which group: `n ln(S / W) - 2 n H - 2 ln n`,
//! where `S` and `W` are the sums of squares around one mean and around two, and `H` is the entropy
//! of the two shares. Of a normal sample it is about `-0.37 n`, of a uniform one about `0`: a trend
//! is no second group. Evidence above 10 is "very strong" in Kass and Raftery, "Bayes factors",
//! JASA 90 (1995).

pub const VERY_STRONG: f64 = 10.0;

/// Distance of the two means in standard deviations of the groups, from which on there is nothing
/// between them. The best split of a normal sample has 2.6, that of a uniform one 3.5; Ashman, Bird
/// and Zepf, "Detecting bimodality in astronomical datasets", AJ 108 (1994), ask for 2 of groups
/// that are not cut.
pub const APART: f64 = 4.5;

/// The smallest spread that counts, on the scale of the values: with less, rounding would be
/// evidence. Values here are logarithms, so that this is one percent.
const LEAST_SPREAD: f64 = 0.01;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TwoGroups {
    pub low: f64,
    pub high: f64,
    pub low_count: usize,
    pub high_count: usize,
    pub border: f64,
    /// Evidence for two groups against one; above [`VERY_STRONG`] they are certain.
    pub evidence: f64,
    /// Distance of the means in standard deviations inside the groups; see [`APART`].
    pub distance: f64,
}

impl TwoGroups {
    pub fn are_two(&self) -> bool {
        self.evidence > VERY_STRONG && self.distance >= APART
    }

    pub fn smaller_share(&self) -> f64 {
        let all = self.low_count + self.high_count;
        self.low_count.min(self.high_count) as f64 / all.max(1) as f64
    }
}

/// The split of `values` with the most evidence; `None` for fewer than four values, and where one
/// is not finite.
pub fn two_groups(values: &[f64]) -> Option<TwoGroups> {
    if values.len() < 4 || values.iter().any(|v| !v.is_finite()) {
        return None;
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len() as f64;
    let centre = sorted.iter().sum::<f64>() / n;
    let spread = n * LEAST_SPREAD * LEAST_SPREAD;
    let (sum, squares) = sums(&sorted, centre);
    let whole = squares - sum * sum / n + spread;
    let (mut left, mut left_squares) = (0.0, 0.0);
    let mut best: Option<TwoGroups> = None;
    for (i, value) in sorted.iter().enumerate().take(sorted.len() - 1) {
        let off = value - centre;
        left += off;
        left_squares += off * off;
        let (a, b) = ((i + 1) as f64, n - (i + 1) as f64);
        let right = sum - left;
        let inside = (left_squares - left * left / a).max(0.0)
            + (squares - left_squares - right * right / b).max(0.0)
            + spread;
        let entropy = -(a / n) * libm::log(a / n) - (b / n) * libm::log(b / n);
        let evidence = n * libm::log(whole / inside) - 2.0 * n * entropy - 2.0 * libm::log(n);
        if best.is_none_or(|best| evidence > best.evidence) {
            best = Some(TwoGroups {
                low: centre + left / a,
                high: centre + right / b,
                low_count: i + 1,
                high_count: sorted.len() - i - 1,
                border: sorted[i + 1],
                evidence,
                distance: (left / a - right / b).abs() / libm::sqrt(inside / n),
            });
        }
    }
    best
}

fn sums(values: &[f64], centre: f64) -> (f64, f64) {
    let off = values.iter().map(|v| v - centre);
    off.fold((0.0, 0.0), |(sum, squares), v| (sum + v, squares + v * v))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prng::NormalDeviates;
    use crate::prng::SplitMix64;

    fn normal(seed: u64, n: usize, sd: f64) -> Vec<f64> {
        let mut random = NormalDeviates(SplitMix64::derive(seed, &[7]));
        (0..n).map(|_| sd * random.deviate()).collect()
    }

    #[test]
    fn two_speeds_are_two_groups_and_their_shares_and_means_are_told() {
        let mut values = normal(1, 60, 0.1);
        values.iter_mut().skip(40).for_each(|v| *v += 2.8);
        let of = two_groups(&values).unwrap();
        assert_eq!((of.low_count, of.high_count), (40, 20));
        assert!((of.high - of.low - 2.8).abs() < 0.1, "{of:?}");
        assert!(
            of.are_two() && of.evidence > 100.0 && (of.smaller_share() - 1.0 / 3.0).abs() < 1e-12,
            "{of:?}"
        );
    }

    /// Normal samples, uniform ones (a trend), and equal values: one group each, whatever the size.
    #[test]
    fn one_group_is_one_group_in_all_but_few_of_a_hundred_samples() {
        let mut fired = [0; 3];
        for seed in 0..500 {
            for n in [8, 24, 96] {
                let mut random = SplitMix64::derive(seed, &[n as u64]);
                let uniform: Vec<f64> =
                    (0..n).map(|_| random.below(1 << 40) as f64 / 1e12).collect();
                let samples = [normal(seed, n, 0.3), uniform, vec![1.0; n]];
                for (count, sample) in fired.iter_mut().zip(samples) {
                    *count += u32::from(two_groups(&sample).unwrap().are_two());
                }
            }
        }
        assert!(fired.iter().all(|n| *n <= 15), "{fired:?} of 1500");
    }

    #[test]
    fn too_few_values_and_such_that_are_none_have_no_groups() {
        assert_eq!(two_groups(&[1.0, 2.0, 3.0]), None);
        assert_eq!(two_groups(&[1.0, 2.0, f64::NAN, 4.0]), None);
        let same = two_groups(&[5.0; 30]).unwrap();
        assert!(same.evidence < 0.0, "{same:?}");
    }
}
