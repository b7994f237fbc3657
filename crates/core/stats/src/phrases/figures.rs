//! Numbers in words, rounded to what their interval supports.

use crate::paired::Interval;

/// Above this ratio "times as fast" is easier to grasp than percent.
const TIMES_FROM: f64 = 2.0;

/// How much faster `a` is than `b`: `6 % faster than b (95 % CI: 4 to 8 %)`, or from twice on
/// `3.1 times as fast as b (95 % CI: 2.9 to 3.3)`. Logarithms in; `a` is the faster one.
pub fn faster(mean: f64, interval: Interval, b: &str) -> String {
    let times = libm::exp(mean) >= TIMES_FROM;
    let scale = |y: f64| if times { libm::exp(y) } else { libm::expm1(y) * 100.0 };
    let (value, low, high) = (scale(mean), scale(interval.low), scale(interval.high));
    let mut digits = decimals((high - low) / 2.0);
    // A lower end above the same speed must not be rounded down to it.
    let same = if times { 1.0 } else { 0.0 };
    while digits < 4 && low > same && rounded(low, digits) <= same {
        digits = digits.max(0) + 1;
    }
    let show = |v: f64| text(v, digits);
    if times {
        format!("{} times as fast as {b} (95 % CI: {} to {})", show(value), show(low), show(high))
    } else {
        format!("{} % faster than {b} (95 % CI: {} to {} %)", show(value), show(low), show(high))
    }
}

/// How far ahead, in brackets: `by 6 %` or `3.1 times as fast`.
pub fn lead(mean: f64, interval: Interval) -> String {
    let scale = |y: f64| libm::expm1(y) * 100.0;
    if libm::exp(mean) >= TIMES_FROM {
        let half = (libm::exp(interval.high) - libm::exp(interval.low)) / 2.0;
        return format!("{} times as fast", text(libm::exp(mean), decimals(half)));
    }
    let digits = decimals((scale(interval.high) - scale(interval.low)) / 2.0);
    format!("by {} %", text(scale(mean), digits))
}

/// A fraction as percent, at most one decimal: `3 %`, `2.5 %`.
pub fn percent(fraction: f64) -> String {
    let value = fraction * 100.0;
    let is_whole = (value - libm::round(value)).abs() < 0.05 || value >= 10.0;
    format!("{} %", text(value, if is_whole { 0 } else { 1 }))
}

/// Decimals an uncertainty of plus or minus `half` supports; -1 rounds to tens.
fn decimals(half: f64) -> i32 {
    match half {
        h if h >= 25.0 => -1,
        h if h >= 1.0 => 0,
        h if h >= 0.1 => 1,
        _ => 2,
    }
}

fn rounded(value: f64, digits: i32) -> f64 {
    let step = libm::pow(10.0, f64::from(-digits));
    libm::round(value / step) * step
}

/// `value` with that many decimals, without a sign on zero.
fn text(value: f64, digits: i32) -> String {
    let value = rounded(value, digits);
    let value = if value == 0.0 { 0.0 } else { value };
    format!("{value:.0$}", digits.max(0) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(mean: f64, low: f64, high: f64) -> String {
        let ln = |p: f64| libm::log1p(p / 100.0);
        faster(ln(mean), Interval { low: ln(low), high: ln(high) }, "b")
    }

    #[test]
    fn as_many_digits_as_the_interval_supports() {
        assert_eq!(of(5.87, 4.12, 7.6), "6 % faster than b (95 % CI: 4 to 8 %)");
        assert_eq!(of(5.87, 5.41, 6.2), "5.9 % faster than b (95 % CI: 5.4 to 6.2 %)");
        assert_eq!(of(60.0, 20.0, 95.0), "60 % faster than b (95 % CI: 20 to 100 %)");
        assert_eq!(of(212.0, 190.0, 233.0), "3.1 times as fast as b (95 % CI: 2.9 to 3.3)");
        assert_eq!(of(5900.0, 3900.0, 9900.0), "60 times as fast as b (95 % CI: 40 to 100)");
    }

    #[test]
    fn a_lower_end_above_zero_does_not_become_zero() {
        assert_eq!(of(2.3, 0.2, 4.4), "2.3 % faster than b (95 % CI: 0.2 to 4.4 %)");
        assert_eq!(of(2.3, 0.004, 4.4), "2.300 % faster than b (95 % CI: 0.004 to 4.400 %)");
    }
}
