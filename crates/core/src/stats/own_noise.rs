//! Does one candidate scatter more than the others do in the same blocks?
//!
//! Two candidates: whether sum and difference correlate (Pitman, "A note on normal correlation",
//! Biometrika 31, 1939; Morgan, "A test for the significance of the difference between the two
//! variances in a sample from a normal bivariate population", the same volume), which holds
//! whatever both have in common. More: the variance of the candidate's differences from the mean
//! of the others against what the others differ among themselves, an F test (the two are
//! independent under equal independent noise). One-sided.

use super::{beta, sample, student_t};

/// Probability that equal independent noise makes `own` scatter so much more than `others`, each
/// with as many values as `own`, one a block; `None` for fewer than four blocks, for no others, or
/// where nothing scatters at all.
pub fn own_noise(own: &[f64], others: &[&[f64]]) -> Option<f64> {
    if own.len() < 4 || others.iter().any(|o| o.len() != own.len()) {
        return None;
    }
    match others {
        [] => None,
        [other] => pitman_morgan(own, other),
        _ => against_several(own, others),
    }
}

fn pitman_morgan(own: &[f64], other: &[f64]) -> Option<f64> {
    let pairs = || own.iter().zip(other);
    let sums = centred(pairs().map(|(a, b)| a + b).collect())?;
    let differences = centred(pairs().map(|(a, b)| a - b).collect())?;
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    let scale = libm::sqrt(dot(&sums, &sums) * dot(&differences, &differences));
    if scale <= 0.0 {
        return None;
    }
    let r = (dot(&sums, &differences) / scale).clamp(-1.0, 1.0);
    let df = own.len() as f64 - 2.0;
    let rest = 1.0 - r * r;
    let t = if rest > 0.0 { r * libm::sqrt(df / rest) } else { r * f64::INFINITY };
    Some(if t.is_finite() { student_t::upper_tail(t, df) } else { f64::from(r < 0.0) })
}

fn against_several(own: &[f64], others: &[&[f64]]) -> Option<f64> {
    let (blocks, q) = (own.len(), others.len() as f64);
    let in_block = |b: usize| others.iter().map(|o| o[b]).sum::<f64>() / q;
    let own = centred((0..blocks).map(|b| own[b] - in_block(b)).collect())?;
    let mut rest = 0.0;
    for other in others {
        let left = centred((0..blocks).map(|b| other[b] - in_block(b)).collect())?;
        rest += left.iter().map(|d| d * d).sum::<f64>();
    }
    let (df, df_rest) = (blocks as f64 - 1.0, (blocks as f64 - 1.0) * (q - 1.0));
    let variance = own.iter().map(|d| d * d).sum::<f64>() / df / (1.0 + 1.0 / q);
    let expected = rest / df_rest;
    (variance + expected > 0.0).then(|| f_upper_tail(variance, expected, df, df_rest))
}

/// `P(F > above / below)`: Abramowitz and Stegun 26.6.2.
fn f_upper_tail(above: f64, below: f64, df_above: f64, df_below: f64) -> f64 {
    let (a, b) = (df_above * above, df_below * below);
    beta::regularised(b / (a + b), df_below / 2.0, df_above / 2.0)
}

fn centred(values: Vec<f64>) -> Option<Vec<f64>> {
    let mean = sample::mean(&values)?;
    Some(values.into_iter().map(|v| v - mean).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prng::SplitMix64;
    use crate::simulate::disk::Normal;

    #[test]
    fn agrees_with_scipy() {
        for (own, others, p) in crate::stats::oracle::fixture().own_noise {
            let others: Vec<&[f64]> = others.iter().map(Vec::as_slice).collect();
            let got = own_noise(&own, &others).unwrap();
            assert!((got - p).abs() <= 1e-9 * p.max(1e-3), "{own:?}: {got}, not {p}");
        }
    }

    #[test]
    fn the_level_holds_whatever_all_have_in_common_and_much_noise_is_found() {
        for (k, blocks) in [(2u64, 5u64), (2, 12), (4, 5), (4, 12)] {
            let mut normal = Normal(SplitMix64::new(k * 100 + blocks));
            let mut share = |factor: f64| {
                let runs = 2000;
                let mut found = 0;
                for _ in 0..runs {
                    let common: Vec<f64> = (0..blocks).map(|_| 3.0 * normal.deviate()).collect();
                    let mut values = |sd: f64| -> Vec<f64> {
                        common.iter().map(|c| c + sd * normal.deviate()).collect()
                    };
                    let own = values(factor);
                    let others: Vec<Vec<f64>> = (1..k).map(|_| values(1.0)).collect();
                    let others: Vec<&[f64]> = others.iter().map(Vec::as_slice).collect();
                    found += u32::from(own_noise(&own, &others).unwrap() < 0.1);
                }
                f64::from(found) / f64::from(runs)
            };
            let level = share(1.0);
            assert!((0.075..0.125).contains(&level), "{level} of k {k} at {blocks}");
            assert!(share(30.0) > 0.9, "k {k} at {blocks}");
        }
    }

    #[test]
    fn too_little_says_nothing() {
        assert_eq!(own_noise(&[1.0, 2.0, 3.0], &[&[1.0, 2.0, 2.0]]), None);
        assert_eq!(own_noise(&[1.0; 5], &[]), None);
        assert_eq!(own_noise(&[1.0; 5], &[&[2.0; 5]]), None);
        assert_eq!(own_noise(&[1.0; 5], &[&[2.0; 5], &[2.0; 5]]), None);
        // One that does not scatter at all beside one that does.
        let noisy = [1.0, 2.0, 1.0, 3.0, 2.0];
        assert!(own_noise(&noisy, &[&[5.0; 5]]).unwrap() < 1e-6);
        assert!(own_noise(&[5.0; 5], &[&noisy]).unwrap() > 1.0 - 1e-6);
        assert_eq!(own_noise(&noisy, &[&[5.0; 5], &[7.0; 5]]), Some(0.0));
    }
}
