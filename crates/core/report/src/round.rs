//! Rounding for people: a figure has three digits wherever it is shown, so that tables and charts
//! show the same; a difference has as many as its interval supports.

/// `value` with three digits: `56800`, `1.23`.
pub fn three_digits(value: f64) -> String {
    digits(value, 3)
}

/// The same with so many digits.
pub fn digits(value: f64, count: i32) -> String {
    if !value.is_finite() {
        return "-".to_string();
    }
    let place = leading_place(value) - count + 1;
    if place <= 0 {
        return format!("{value:.*}", (-place).min(6) as usize);
    }
    let unit = libm::pow(10.0, f64::from(place));
    format!("{:.0}", libm::round(value / unit) * unit)
}

/// Decimal place of the first digit: 2 for 123, 0 for 1.5, -1 for 0.2.
fn leading_place(value: f64) -> i32 {
    let value = value.abs();
    if value == 0.0 { 0 } else { libm::floor(libm::log10(value)) as i32 }
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
    fn a_figure_has_three_digits() {
        let shown = [123.456, 0.123456, 56_789.0, 0.0, f64::NAN].map(three_digits);
        assert_eq!(shown, ["123", "0.123", "56800", "0.00", "-"]);
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
