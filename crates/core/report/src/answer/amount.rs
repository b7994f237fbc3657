//! Differences as people read them: three significant digits at most, bounds rounded to the safe
//! side.
//!
//! A difference is a fraction as in [`bakeoff_model::lead`]: 0.12 is 12 % faster, 1.6 is 2.6 times
//! as fast.

/// An interval of a factor wider than this says nothing that anybody could use.
pub const WIDEST: f64 = 3.0;

/// Whether an interval of ratios is too wide to be told.
pub fn is_unknown(low: f64, high: f64) -> bool {
    !(low > 0.0 && high.is_finite() && high / low <= WIDEST)
}

/// A lower bound in percent: `9 %`, `1.4 %`; rounded down.
pub fn at_least(fraction: f64) -> String {
    percent(fraction, |v| libm::floor(v + 1e-9))
}

/// An upper bound in percent: `13 %`, `0.5 %`; rounded up.
pub fn at_most(fraction: f64) -> String {
    percent(fraction, |v| libm::ceil(v - 1e-9))
}

/// A share of 1: `89 %`, `0.4 %`.
pub fn share(fraction: f64) -> String {
    percent(fraction, libm::round)
}

/// Whole numbers from 2 % on, two digits below.
fn percent(fraction: f64, round: impl Fn(f64) -> f64) -> String {
    let value = fraction.max(0.0) * 100.0;
    if value >= 1000.0 {
        return format!("{} %", three_digits(value));
    }
    // Below 2 % a whole number would hide half of the difference.
    match (round(value * 10.0), round(value * 100.0)) {
        (t, hundredths) if t < 1.0 || value < 0.1 => match hundredths / 100.0 {
            0.0 => "0 %".to_string(),
            small => format!("{} %", trim_zeros(small)),
        },
        (t, _) if t < 20.0 => format!("{} %", trim_zeros(t / 10.0)),
        _ => format!("{:.0} %", round(value)),
    }
}

/// `2.6`, `12`, `120`: times as fast, from a lower bound; rounded down.
pub fn times(fraction: f64) -> String {
    let value = 1.0 + fraction;
    match value {
        v if v < 10.0 => trim_zeros(libm::floor(v * 10.0 + 1e-9) / 10.0),
        v => three_digits(libm::floor(v)),
    }
}

/// How much slower the other one is, from how much faster the leader is at least: `11 % slower`,
/// `2.6 times slower`.
pub fn slower(fraction: f64) -> String {
    format!("{} slower", slower_by(fraction))
}

/// The same without "slower": `11 %`, `2.6 times`.
pub fn slower_by(fraction: f64) -> String {
    match fraction {
        f if f >= 1.0 => format!("{} times", times(f)),
        f => at_least(1.0 - 1.0 / (1.0 + f)),
    }
}

/// How much faster the leader is at least: `9 % faster than`, `2.6 times as fast as`.
pub fn faster(fraction: f64) -> String {
    match fraction {
        f if f >= 1.0 => format!("{} times as fast as", times(f)),
        f => format!("{} faster than", at_least(f)),
    }
}

/// How much faster another may be at most: `13 % faster`, `2.6 times as fast`.
pub fn could_be(fraction: f64) -> String {
    match fraction {
        f if f >= 1.0 => {
            format!("{} times as fast", trim_zeros(libm::ceil((1.0 + f) * 10.0 - 1e-9) / 10.0))
        }
        f => format!("{} faster", at_most(f)),
    }
}

fn trim_zeros(value: f64) -> String {
    format!("{value:.2}").trim_end_matches('0').trim_end_matches('.').to_string()
}

fn three_digits(value: f64) -> String {
    let mut unit = 1.0;
    while value / unit >= 1000.0 {
        unit *= 10.0;
    }
    format!("{:.0}", libm::floor(value / unit) * unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_rounded_to_the_safe_side() {
        assert_eq!((at_least(0.0999), at_most(0.1201)), ("9 %".to_string(), "13 %".to_string()));
        assert_eq!((at_least(0.05), at_most(0.05)), ("5 %".to_string(), "5 %".to_string()));
        assert_eq!((at_least(0.0149), at_most(0.0141)), ("1.4 %".into(), "1.5 %".to_string()));
        assert_eq!((at_least(0.0004), at_most(0.0004)), ("0.04 %".into(), "0.04 %".to_string()));
        assert_eq!((at_least(0.00004), at_most(0.00004)), ("0 %".into(), "0.01 %".to_string()));
        assert_eq!((at_most(0.0), share(0.887)), ("0 %".to_string(), "89 %".to_string()));
    }

    #[test]
    fn a_factor_is_told_from_twice_on() {
        assert_eq!(slower(1.6), "2.6 times slower");
        assert_eq!(slower(0.25), "20 % slower");
        assert_eq!(faster(0.09), "9 % faster than");
        assert_eq!(faster(27.4), "28 times as fast as");
        assert_eq!(times(12345.0), "12300");
        assert_eq!(could_be(1.0), "2 times as fast");
    }

    #[test]
    fn an_interval_of_more_than_a_factor_of_three_is_unknown() {
        assert!(!is_unknown(0.5, 1.4) && is_unknown(0.5, 1.6));
        assert!(
            is_unknown(0.0, 1.0) && is_unknown(f64::NAN, 1.0) && is_unknown(1.0, f64::INFINITY)
        );
    }
}
