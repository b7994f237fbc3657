//! Decimal numbers exactly as a tool printed them: no binary fraction before the unit is applied.
//!
//! A point or a comma may mark the fraction, because the tools follow the locale. More than one
//! mark is no number: `1.234.567` could be grouped or broken, and nothing here guesses.

/// A printed number: `digits` times ten to the power of `-scale`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decimal {
    digits: u64,
    scale: i32,
}

fn ten(power: u32) -> u128 {
    10u128.pow(power)
}

impl Decimal {
    /// Reads digits, at most one `.` or `,` between them, and an exponent (`2.3427e-05`).
    pub fn parse(text: &str) -> Option<Decimal> {
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
            None => (text, 0),
        };
        if !(-30..=30).contains(&exponent) {
            return None;
        }
        let mark = mantissa.find(['.', ',']);
        let places = mark.map_or(0, |at| mantissa.len() - at - 1);
        let edge = |c: Option<u8>| c.is_some_and(|c| c.is_ascii_digit());
        let is_framed = edge(mantissa.bytes().next()) && edge(mantissa.bytes().next_back());
        if !is_framed || mantissa.len() > 24 {
            return None;
        }
        let mut digits: u64 = 0;
        for (at, byte) in mantissa.bytes().enumerate() {
            if Some(at) == mark {
                continue;
            }
            let digit = (byte as char).to_digit(10)?;
            digits = digits.checked_mul(10)?.checked_add(u64::from(digit))?;
        }
        Some(Decimal { digits, scale: i32::try_from(places).ok()? - exponent })
    }

    /// The number times `factor`, rounded to the nearest whole; `None` when it does not fit.
    pub fn times(self, factor: u64) -> Option<u64> {
        let product = u128::from(self.digits) * u128::from(factor);
        if self.scale <= 0 {
            let shift = ten(self.scale.unsigned_abs().min(38));
            return u64::try_from(product.checked_mul(shift)?).ok();
        }
        if self.scale > 38 {
            return Some(0);
        }
        let shift = ten(self.scale.unsigned_abs());
        u64::try_from((product + shift / 2) / shift).ok()
    }

    /// The number as a binary fraction.
    pub fn value(self) -> f64 {
        let power = ten(self.scale.unsigned_abs().min(38)) as f64;
        if self.scale >= 0 { self.digits as f64 / power } else { self.digits as f64 * power }
    }

    /// One unit of the last printed digit: what rounding may have taken or given at most.
    pub fn last_digit(self) -> f64 {
        Decimal { digits: 1, scale: self.scale }.value()
    }

    /// Whether it was printed without a fraction and without an exponent.
    pub fn is_whole(self) -> bool {
        self.scale == 0
    }

    /// Whether `exact` can have been printed like this, `parts` being how many units of `exact`
    /// one printed unit is worth.
    pub fn can_be(self, exact: f64, parts: f64) -> bool {
        ((exact / parts) - self.value()).abs() <= self.last_digit() * 1.01
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_become_nanoseconds_without_a_binary_fraction() {
        for (text, ns) in [
            ("234,011", 234_011_000_000),
            ("2.3427e-05", 23_427),
            ("0.00349442", 3_494_420),
            ("1", 1_000_000_000),
            ("1e+02", 100_000_000_000),
            ("300.0140", 300_014_000_000),
        ] {
            assert_eq!(Decimal::parse(text).unwrap().times(1_000_000_000), Some(ns), "{text}");
        }
    }

    #[test]
    fn what_could_mean_two_things_is_no_number() {
        for text in ["", ".", "1.", ",5", "1.234.567", "1,234.5", "-1", "0x1", "1e99", "1 2", "∞"]
        {
            assert_eq!(Decimal::parse(text), None, "{text}");
        }
        assert_eq!(Decimal::parse("99999999999999999999999"), None);
        assert_eq!(Decimal::parse("18446744073709.55").unwrap().times(u64::MAX), None);
    }

    #[test]
    fn a_rounded_figure_agrees_with_what_it_was_rounded_from() {
        assert!(Decimal::parse("4.2").unwrap().can_be(4_194_304.0, 1e6));
        assert!(!Decimal::parse("4.4").unwrap().can_be(4_194_304.0, 1e6));
        assert!(Decimal::parse("746").unwrap().can_be(745_522_227.0, 1e6));
    }
}
