//! Numbers as fio's text prints them: four digits, a suffix, a unit.

use crate::scan::decimal::Decimal;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rounded {
    pub value: f64,
    pub slack: f64,
}

/// A count with a suffix of 1000: `51.2k`, `4624.6k`, `199`.
pub fn count(text: &str) -> Option<Rounded> {
    let text = text.trim();
    let (number, factor) = match text.chars().next_back()? {
        'k' | 'K' => (&text[..text.len() - 1], 1e3),
        'm' | 'M' => (&text[..text.len() - 1], 1e6),
        'g' | 'G' => (&text[..text.len() - 1], 1e9),
        _ => (text, 1.0),
    };
    let number = Decimal::parse(number)?;
    Some(Rounded { value: number.value() * factor, slack: number.last_digit() * factor })
}

/// A size or rate: `200MiB`, `3264kB`, `4096B`. `is_old` says that `KB` means KiB, as in version 2.
pub fn size(text: &str, is_old: bool) -> Option<Rounded> {
    let text = text.trim();
    let at = text.find(|c: char| c.is_ascii_alphabetic())?;
    let unit = &text[at..];
    let prefix = unit.trim_end_matches("iB").trim_end_matches('B');
    let power = match prefix {
        "" => 0,
        "k" | "K" => 1,
        "M" => 2,
        "G" => 3,
        "T" => 4,
        "P" => 5,
        _ => return None,
    };
    let base: f64 = if unit.ends_with("iB") || is_old { 1024.0 } else { 1000.0 };
    let factor = (0..power).fold(1.0, |product, _| product * base);
    let number = Decimal::parse(&text[..at])?;
    Some(Rounded { value: number.value() * factor, slack: number.last_digit() * factor })
}

/// What a printed rate may mean: what it says; one more where its fraction is zero, as fio before
/// 3.26 dropped the carry of rounding (20.0 for 20.99, num2str.c); and in version 2, which divided
/// some rates by 1000 under the name of KB, the same in that base. `unit_base=1` makes it bits; the
/// sum over clients names no unit (`13.1Mi`, `0`) in 3.33 and means bytes.
pub fn rates(text: &str, is_old: bool) -> Vec<Rounded> {
    let text = text.strip_suffix("/s").unwrap_or(text);
    if let Some(bits) = text.strip_suffix("bit") {
        let bytes = |r: Rounded| Rounded { value: r.value / 8.0, slack: r.slack / 8.0 };
        return rates(&format!("{bits}B"), is_old).into_iter().map(bytes).collect();
    }
    let named = format!("{text}B");
    let text = if text.ends_with('B') { text } else { &named };
    let bases: &[bool] = if is_old { &[true, false] } else { &[false] };
    let mut all: Vec<Rounded> = bases.iter().filter_map(|old| size(text, *old)).collect();
    let fraction = text.split_once('.').map(|(_, rest)| rest.trim_end_matches(char::is_alphabetic));
    if let Some(digits) = fraction.filter(|f| !f.is_empty() && f.bytes().all(|b| b == b'0')) {
        let whole = (0..digits.len()).fold(1.0, |all, _| all * 10.0);
        let carried = |r: &Rounded| Rounded { value: r.value + r.slack * whole, ..*r };
        all.extend(all.iter().map(carried).collect::<Vec<_>>());
    }
    all
}

/// The rate that was printed with more digits than the bytes were; none where it may mean two.
pub fn finer(rates: &[Rounded], bytes: Rounded, ms: f64) -> Option<f64> {
    let mut all = rates.iter().filter(|rate| is_rate(bytes, ms, **rate));
    let rate = all.next().filter(|rate| rate.slack * bytes.value < bytes.slack * rate.value)?;
    all.next().is_none().then_some(rate.value)
}

/// Nanoseconds of the unit a latency line names.
pub fn unit_ns(text: &str) -> Option<f64> {
    match text {
        "nsec" => Some(1.0),
        "usec" => Some(1e3),
        "msec" => Some(1e6),
        "sec" => Some(1e9),
        _ => None,
    }
}

/// The value of `key=value` in a text of such pairs, up to a comma, blank or bracket. A comma in a
/// number is none of fio's, and what it means there is not known.
pub fn value<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let mut from = 0;
    loop {
        let at = from + text[from..].find(key)?;
        let is_word = at == 0 || !text.as_bytes()[at - 1].is_ascii_alphanumeric();
        let rest = &text[at + key.len()..];
        if let Some(rest) = rest.strip_prefix('=').filter(|_| is_word) {
            let rest = rest.trim_start();
            let end = rest.find([',', ' ', ')', ']', ';']).unwrap_or(rest.len());
            let after = rest[end..].strip_prefix(',');
            if after.is_some_and(|after| after.starts_with(|c: char| c.is_ascii_digit())) {
                return None;
            }
            return Some(&rest[..end]).filter(|value| !value.is_empty());
        }
        from = at + key.len();
    }
}

pub fn is_rate(bytes: Rounded, ms: f64, rate: Rounded) -> bool {
    let least = (bytes.value - bytes.slack) * 1000.0 / (ms + 1.0) - rate.slack * 1.01;
    let most = (bytes.value + bytes.slack) * 1000.0 / (ms - 1.0).max(0.5) + rate.slack * 1.01;
    rate.value >= least && rate.value <= most
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 25 of 219 posted jobs were refused, latencies included.
    #[test]
    fn a_rate_whose_carry_was_dropped_or_that_has_another_base_agrees() {
        let can_be = |text, is_old, bytes: f64, ms| {
            let bytes = Rounded { value: bytes, slack: 1.0 };
            rates(text, is_old).into_iter().any(|rate| is_rate(bytes, ms, rate))
        };
        let mib = 1048576.0;
        assert!(can_be("20.0MiB", false, 20.99 * mib * 10.0, 10_000.0));
        assert!(can_be("20.0MiB", false, 20.0 * mib * 10.0, 10_000.0));
        assert!(!can_be("20.0MiB", false, 20.5 * mib * 10.0, 10_000.0));
        assert!(!can_be("20.1MiB", false, 20.99 * mib * 10.0, 10_000.0));
        assert!(can_be("1078.9KB", true, 63235.0 * 1024.0, 60_014.0));
        assert!(!can_be("1178.9KB", true, 63235.0 * 1024.0, 60_014.0));
    }

    #[test]
    fn suffixes_and_units_have_the_base_that_fio_means() {
        assert_eq!(count("4624.6k").unwrap().value.round(), 4_624_600.0);
        assert_eq!(size("200MiB", false).unwrap().value, 209_715_200.0);
        assert_eq!(size("210MB", false).unwrap().value, 210e6);
        assert_eq!(size("27752KB", true).unwrap().value, 27752.0 * 1024.0);
        assert_eq!(value("min= 3168, max=3232", "max"), Some("3232"));
        assert_eq!(
            value("IOPS=51.2k, BW=200MiB/s (210MB/s)(8192KiB/40msec)", "BW"),
            Some("200MiB/s")
        );
        assert_eq!(value("xmin=3", "min"), None);
    }
}
