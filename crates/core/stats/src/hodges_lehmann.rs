//! The Hodges-Lehmann estimate of a difference and its interval: the cross-check of the paired t
//! where a few wild blocks may have moved the mean.
//!
//! Source: Hodges and Lehmann, "Estimates of location based on rank tests", Annals of Mathematical
//! Statistics 34 (1963): the median of all means of two differences (Walsh averages); the interval
//! takes as many of them off each end as the signed-rank test allows. Checked against R's
//! `wilcox.test(conf.int = TRUE)`.

use super::paired::Interval;
use super::wilcoxon;

/// Most differences; their means of two are then 1.3 million.
pub const MOST: usize = 1_600;

/// The estimate; `None` for nothing, for more than [`MOST`] or for what is no number.
pub fn estimate(differences: &[f64]) -> Option<f64> {
    let walsh = walsh_averages(differences)?;
    let middle = walsh.len() / 2;
    Some(match walsh.len() % 2 {
        1 => walsh[middle],
        _ => (walsh[middle - 1] + walsh[middle]) / 2.0,
    })
}

/// The two-sided interval at `alpha` for at most [`wilcoxon::EXACT_MOST`] differences; `None` where
/// so few cannot give one (five differences reach no better than alpha 0.0625).
pub fn interval(differences: &[f64], alpha: f64) -> Option<Interval> {
    let n = differences.len();
    if n > wilcoxon::EXACT_MOST {
        return None;
    }
    let walsh = walsh_averages(differences)?;
    let counts = wilcoxon::counts(n);
    let all: f64 = counts.iter().sum();
    let mut tail = 0.0;
    let mut off = 0;
    for count in &counts {
        tail += count / all;
        if tail > alpha / 2.0 {
            break;
        }
        off += 1;
    }
    (off > 0).then(|| Interval { low: walsh[off - 1], high: walsh[walsh.len() - off] })
}

fn walsh_averages(values: &[f64]) -> Option<Vec<f64>> {
    let n = values.len();
    if n == 0 || n > MOST || values.iter().any(|v| !v.is_finite()) {
        return None;
    }
    let mut walsh: Vec<f64> =
        (0..n).flat_map(|i| (i..n).map(move |j| (values[i] + values[j]) / 2.0)).collect();
    walsh.sort_by(f64::total_cmp);
    Some(walsh)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    #[test]
    fn agrees_with_r() {
        let cases = testing::fixture().hodges_lehmann;
        assert!(cases.len() >= 20);
        for (differences, alpha, want, low, high) in cases {
            let got = estimate(&differences).unwrap();
            assert!((got - want).abs() <= 1e-12, "{differences:?}: {got}, not {want}");
            let interval = interval(&differences, alpha).unwrap();
            let off = (interval.low - low).abs().max((interval.high - high).abs());
            assert!(off <= 1e-12, "{differences:?} at {alpha}: {interval:?}, not {low} to {high}");
        }
    }

    #[test]
    fn one_wild_block_hardly_moves_it() {
        let calm = [0.01, 0.02, 0.03, 0.02, 0.01, 0.03, 0.02, 0.02];
        let mut wild = calm;
        wild[3] = 5.0;
        let moved = estimate(&wild).unwrap() - estimate(&calm).unwrap();
        assert!(moved.abs() < 0.01, "{moved}");
        assert_eq!(interval(&calm[..5], 0.05), None);
        assert_eq!((estimate(&[]), estimate(&[f64::NAN])), (None, None));
    }
}
