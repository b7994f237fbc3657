//! Rounding for people: a number is printed to the place its uncertainty supports, and no further.
//!
//! The rule is the usual one of laboratory practice (JCGM 100:2008, 7.2.6): the last digit shown
//! stands where the first digit of the uncertainty stands. Two digits are always shown, four at
//! most.

/// `value` rounded to the place of the first digit of `half_width`; three digits when `None`.
pub fn to_support(value: f64, half_width: Option<f64>) -> String {
    if !value.is_finite() {
        return "-".to_string();
    }
    let magnitude = leading_place(value);
    let place = match half_width {
        Some(h) if h.is_finite() && h > 0.0 => leading_place(h).clamp(magnitude - 3, magnitude - 1),
        _ => magnitude - 2,
    };
    at_place(value, place)
}

/// Decimal place of the first digit: 2 for 123, 0 for 1.5, -1 for 0.2.
fn leading_place(value: f64) -> i32 {
    let value = value.abs();
    if value == 0.0 { 0 } else { libm::floor(libm::log10(value)) as i32 }
}

fn at_place(value: f64, place: i32) -> String {
    if place <= 0 {
        return format!("{value:.*}", (-place).min(6) as usize);
    }
    let unit = libm::pow(10.0, f64::from(place));
    format!("{:.0}", libm::round(value / unit) * unit)
}

/// A relative difference with its interval, in percent, all three at the same place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PercentChange {
    /// Best estimate: `-8`.
    pub mid: String,
    pub low: String,
    pub high: String,
}

impl PercentChange {
    /// From ratios: 0.92 is -8 %. An end that is not 0 is never rounded to 0, so that an interval
    /// which excludes "no difference" is also seen to.
    pub fn from_ratios(mid: f64, low: f64, high: f64) -> PercentChange {
        let half_width = (high - low).abs() * 50.0;
        let mut decimals = (-leading_place(half_width)).clamp(0, 2) as usize;
        let hides = |r: f64, d: usize| r != 1.0 && is_zero(&signed(r, d));
        while decimals < 2 && (hides(low, decimals) || hides(high, decimals)) {
            decimals += 1;
        }
        PercentChange {
            mid: signed(mid, decimals),
            low: signed(low, decimals),
            high: signed(high, decimals),
        }
    }
}

fn signed(ratio: f64, decimals: usize) -> String {
    let text = format!("{:+.decimals$}", (ratio - 1.0) * 100.0);
    if is_zero(&text) { text[1..].to_string() } else { text }
}

fn is_zero(text: &str) -> bool {
    text.bytes().all(|b| matches!(b, b'+' | b'-' | b'0' | b'.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_follow_the_uncertainty() {
        assert_eq!(to_support(123.456, Some(6.2)), "123");
        assert_eq!(to_support(123.456, Some(18.0)), "120");
        assert_eq!(to_support(123.456, Some(0.2)), "123.5");
        assert_eq!(to_support(123.456, Some(900.0)), "120");
        assert_eq!(to_support(123.456, Some(1e-9)), "123.5");
        assert_eq!(to_support(0.123456, Some(0.002)), "0.123");
        assert_eq!(to_support(56_789.0, None), "56800");
        assert_eq!(to_support(0.0, None), "0.00");
        assert_eq!(to_support(f64::NAN, None), "-");
    }

    #[test]
    fn changes_share_their_place() {
        let change = |m, l, h| {
            let c = PercentChange::from_ratios(m, l, h);
            format!("{} ({} to {})", c.mid, c.low, c.high)
        };
        assert_eq!(change(0.92, 0.90, 0.94), "-8 (-10 to -6)");
        assert_eq!(change(1.0, 0.9961, 1.0041), "0.0 (-0.4 to +0.4)");
        assert_eq!(change(0.5, 0.3, 0.7), "-50 (-70 to -30)");
    }

    #[test]
    fn an_interval_that_excludes_zero_does_not_round_onto_it() {
        let c = PercentChange::from_ratios(1.04, 1.003, 1.08);
        assert_eq!(c.low, "+0.3");
    }
}
