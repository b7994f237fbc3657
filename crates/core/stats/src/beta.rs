//! The regularised incomplete beta function, from which Student's t follows.
//!
//! Source: NIST Digital Library of Mathematical Functions, 8.17.22 (the continued fraction) and
//! 8.17.4 (the symmetry that keeps it fast); evaluated by Lentz's method, "Generating Bessel
//! functions in Mie scattering calculations using continued fractions", Applied Optics 15 (1976).

/// Most terms of the fraction; for the arguments of this crate about 60 are used.
const MAX_TERMS: u32 = 10_000;

/// `I_x(a, b)` for `a`, `b` above 0 and `x` in 0 to 1; relative error about 1e-13.
///
/// NaN for arguments outside that range.
pub fn regularised(x: f64, a: f64, b: f64) -> f64 {
    let in_range = (0.0..=1.0).contains(&x) && a > 0.0 && b > 0.0;
    if !in_range {
        return f64::NAN;
    }
    if x == 0.0 || x == 1.0 {
        return x;
    }
    if x < (a + 1.0) / (a + b + 2.0) {
        front(x, a, b) * fraction(x, a, b) / a
    } else {
        1.0 - front(1.0 - x, b, a) * fraction(1.0 - x, b, a) / b
    }
}

/// `x^a (1-x)^b / B(a, b)`.
fn front(x: f64, a: f64, b: f64) -> f64 {
    let ln_beta = libm::lgamma(a) + libm::lgamma(b) - libm::lgamma(a + b);
    libm::exp(a * libm::log(x) + b * libm::log1p(-x) - ln_beta)
}

/// The continued fraction `1 / (1 + d1 / (1 + d2 / ...))`.
fn fraction(x: f64, a: f64, b: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let mut c = 1.0;
    let mut d = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0), TINY);
    let mut value = d;
    for term in 1..=MAX_TERMS {
        let m = f64::from(term);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / away_from_zero(1.0 + even * d, TINY);
        c = away_from_zero(1.0 + even / c, TINY);
        value *= d * c;
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / away_from_zero(1.0 + odd * d, TINY);
        c = away_from_zero(1.0 + odd / c, TINY);
        let step = d * c;
        value *= step;
        if (step - 1.0).abs() < 1e-16 {
            break;
        }
    }
    value
}

fn away_from_zero(value: f64, tiny: f64) -> f64 {
    if value.abs() < tiny { tiny } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closed_forms() {
        // I_x(1, b) = 1 - (1 - x)^b and I_x(a, 1) = x^a.
        for x in [0.01, 0.3, 0.5, 0.9, 0.999] {
            assert!((regularised(x, 1.0, 3.0) - (1.0 - libm::pow(1.0 - x, 3.0))).abs() < 1e-14);
            assert!((regularised(x, 2.5, 1.0) - libm::pow(x, 2.5)).abs() < 1e-14);
            let both = regularised(x, 13.0, 0.5) + regularised(1.0 - x, 0.5, 13.0);
            assert!((both - 1.0).abs() < 1e-13);
        }
        assert_eq!(regularised(0.0, 2.0, 2.0), 0.0);
        assert_eq!(regularised(1.0, 2.0, 2.0), 1.0);
    }

    #[test]
    fn nonsense_is_not_a_number() {
        for (x, a, b) in [(-0.1, 1.0, 1.0), (1.1, 1.0, 1.0), (0.5, 0.0, 1.0), (0.5, 1.0, -1.0)] {
            assert!(regularised(x, a, b).is_nan());
        }
        assert!(regularised(f64::NAN, 1.0, 1.0).is_nan());
    }
}
