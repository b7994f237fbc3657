//! The distribution of the signed-rank statistic of Wilcoxon, counted out.
//!
//! Source: Wilcoxon, "Individual comparisons by ranking methods", Biometrics Bulletin 1 (1945).

pub const EXACT_MOST: usize = 50;

/// In how many of the `2^n` ways to choose signs the positive ranks sum to 0, 1, 2, …; exact up to
/// 2^53 in each entry, which 50 ranks do not reach.
pub fn counts(n: usize) -> Vec<f64> {
    let mut counts = vec![0.0; n * (n + 1) / 2 + 1];
    counts[0] = 1.0;
    let mut reached = 0;
    for rank in 1..=n {
        reached += rank;
        for sum in (rank..=reached).rev() {
            counts[sum] += counts[sum - rank];
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_every_choice_of_signs() {
        assert_eq!(counts(3), [1.0, 1.0, 1.0, 2.0, 1.0, 1.0, 1.0]);
        assert_eq!(counts(20).iter().sum::<f64>(), f64::from(1 << 20));
    }
}
