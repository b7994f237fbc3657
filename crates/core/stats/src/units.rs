//! Sizes and durations, read as fio and people write them, printed as engineers expect.
//!
//! Stored: bytes and nanoseconds. Read: `4k` is 4096 bytes as in fio; a bare duration is seconds.
//! Printed: MB/s is 10^6 bytes a second, MiB is 2^20; never a bare "KB".

use thiserror::Error;

/// What is wrong with a size or duration, and what would be right.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("'{text}' is not a {kind}: {hint}")]
pub struct UnitError {
    text: String,
    kind: &'static str,
    hint: &'static str,
}

/// What is wrong with a number that 64 bits do not hold.
const TOO_LARGE: &str = "the value is too large; use a smaller one";

/// Reads a size: `512`, `4k`, `4K`, `4KiB`, `4Ki`, `1.5g`, `2t`. Every prefix is a power of 1024.
pub fn parse_size(text: &str) -> Result<u64, UnitError> {
    let error = || UnitError {
        text: text.to_string(),
        kind: "size",
        hint: "use bytes, or a number with k, m, g or t, such as 4k (= 4096) or 1g",
    };
    let (number, unit) = split(text).ok_or_else(error)?;
    let unit = unit.to_ascii_lowercase();
    let unit = unit.strip_suffix("ib").or(unit.strip_suffix('b')).unwrap_or(&unit);
    let shift = match unit {
        "" => 0,
        "k" | "ki" => 10,
        "m" | "mi" => 20,
        "g" | "gi" => 30,
        "t" | "ti" => 40,
        _ => return Err(error()),
    };
    scale(number, 1u64 << shift).ok_or_else(|| UnitError { hint: TOO_LARGE, ..error() })
}

/// Reads a duration into nanoseconds: `90`, `90s`, `1.5m`, `2h`, `500ms`, `2m30s`, and what
/// [`duration`] prints.
pub fn parse_duration_ns(text: &str) -> Result<u64, UnitError> {
    let error = || UnitError {
        text: text.to_string(),
        kind: "duration",
        hint: "use seconds, or numbers with ms, s, m or h, such as 90s, 5m or 2m30s",
    };
    let (mut total, mut left) = (0u64, text);
    loop {
        let (number, after) = split(left).ok_or_else(error)?;
        let end = after.find(|c: char| c.is_ascii_digit()).unwrap_or(after.len());
        let (unit, rest) = after.split_at(end);
        let ns = match unit.trim().to_ascii_lowercase().as_str() {
            "ms" => 1_000_000,
            "s" => 1_000_000_000,
            "" if left == text => 1_000_000_000,
            "m" | "min" => 60_000_000_000,
            "h" => 3_600_000_000_000,
            _ => return Err(error()),
        };
        let part = scale(number, ns).and_then(|part| total.checked_add(part));
        total = part.ok_or_else(|| UnitError { hint: TOO_LARGE, ..error() })?;
        if rest.is_empty() {
            return Ok(total);
        }
        left = rest;
    }
}

/// `12.5k` into `12.5` and `k`.
fn split(text: &str) -> Option<(&str, &str)> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let digits = number.bytes().filter(u8::is_ascii_digit).count();
    (digits > 0 && number.bytes().filter(|b| *b == b'.').count() <= 1)
        .then_some((number, unit.trim()))
}

/// `number x factor` in integers, exact for whole numbers; `None` when over 64 bits.
fn scale(number: &str, factor: u64) -> Option<u64> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let whole: u64 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let mut total = u128::from(whole) * u128::from(factor);
    let fraction = &fraction[..fraction.len().min(15)];
    if !fraction.is_empty() {
        let numerator: u128 = fraction.parse().ok()?;
        total += numerator * u128::from(factor) / 10u128.pow(fraction.len() as u32);
    }
    u64::try_from(total).ok()
}

/// `1.5 GiB`, `4 KiB`, `17 B`: binary, at most one decimal.
pub fn size(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
    let mut unit = 0;
    let mut tenths = u128::from(bytes) * 10;
    while tenths >= 10_240 && unit + 1 < UNITS.len() {
        tenths = (tenths + 512) / 1024;
        unit += 1;
    }
    if tenths.is_multiple_of(10) {
        format!("{} {}", tenths / 10, UNITS[unit])
    } else {
        format!("{}.{} {}", tenths / 10, tenths % 10, UNITS[unit])
    }
}

/// A size as a drive's label says it, in powers of 1000: `256 GB`, `1.0 TB`.
pub fn size_decimal(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["B", "kB", "MB", "GB", "TB", "PB"];
    let mut unit = 0;
    let mut value = bytes as f64;
    while value >= 999.5 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    if value >= 9.95 || unit == 0 {
        format!("{value:.0} {}", UNITS[unit])
    } else {
        format!("{value:.1} {}", UNITS[unit])
    }
}

/// `512` as `512`, `4096` as `4k`: fio's way to name a block size.
pub fn block_size(bytes: u64) -> String {
    for (shift, unit) in [(30, "g"), (20, "m"), (10, "k")] {
        if bytes > 0 && bytes.is_multiple_of(1 << shift) {
            return format!("{}{unit}", bytes >> shift);
        }
    }
    bytes.to_string()
}

/// `2 h 5 min`, `4 min 50 s`, `12 s`, `2.5 s`, `340 ms`: for people, two units at most.
pub fn duration(ns: u64) -> String {
    let seconds = ns.saturating_add(500_000_000) / 1_000_000_000;
    match seconds {
        3600.. => match ((seconds + 30) / 3600, (seconds + 30) % 3600 / 60) {
            (h, 0) => format!("{h} h"),
            (h, m) => format!("{h} h {m} min"),
        },
        60.. => match (seconds / 60, seconds % 60) {
            (m, 0) => format!("{m} min"),
            (m, s) => format!("{m} min {s} s"),
        },
        10.. => format!("{seconds} s"),
        _ if ns >= 1_000_000_000 => {
            let tenths = (ns + 50_000_000) / 100_000_000;
            format!("{}.{} s", tenths / 10, tenths % 10)
        }
        _ => latency(ns),
    }
}

/// A latency: `850 ns`, `12.3 µs`, `4.56 ms`, `1.20 s`; three significant digits.
pub fn latency(ns: u64) -> String {
    match ns {
        0..=999 => format!("{ns} ns"),
        1_000..=999_499 => format!("{} µs", three_digits(ns as f64 / 1e3)),
        999_500..=999_499_999 => format!("{} ms", three_digits(ns as f64 / 1e6)),
        _ => format!("{} s", three_digits(ns as f64 / 1e9)),
    }
}

/// A rate in bytes a second as `123 MB/s`, `1.20 GB/s`, `56.0 kB/s`; powers of 1000.
pub fn rate(bytes_per_s: f64) -> String {
    let (value, unit) = match bytes_per_s {
        r if r >= 999.5e6 => (r / 1e9, "GB/s"),
        r if r >= 999.5e3 => (r / 1e6, "MB/s"),
        r if r >= 999.5 => (r / 1e3, "kB/s"),
        r => (r, "B/s"),
    };
    format!("{} {unit}", three_digits(value))
}

/// A count a second: `950`, `12.3k`, `1.20M`.
pub fn count(per_s: f64) -> String {
    match per_s {
        r if r >= 999.5e3 => format!("{}M", three_digits(r / 1e6)),
        r if r >= 9_999.5 => format!("{}k", three_digits(r / 1e3)),
        r if r >= 99.5 => format!("{r:.0}"),
        r => three_digits(r),
    }
}

pub fn three_digits(value: f64) -> String {
    match value {
        v if v >= 99.95 => format!("{v:.0}"),
        v if v >= 9.995 => format!("{v:.1}"),
        v => format!("{v:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_as_fio_reads_them() {
        for (text, bytes) in [
            ("512", 512),
            ("4k", 4096),
            ("4KiB", 4096),
            ("1.5g", 1_610_612_736),
            ("2T", 2_199_023_255_552),
            (" 1 m ", 1_048_576),
            ("16777215t", 16_777_215 << 40),
        ] {
            assert_eq!(parse_size(text), Ok(bytes), "{text}");
        }
        for text in ["", "k", "4x", "-1", "1.2.3k", "16777216t", "99999999999999999999", "4kk"] {
            assert!(parse_size(text).is_err(), "{text}");
        }
    }

    #[test]
    fn durations_and_their_errors() {
        assert_eq!(parse_duration_ns("90"), Ok(90_000_000_000));
        assert_eq!(parse_duration_ns("5m"), Ok(300_000_000_000));
        assert_eq!(parse_duration_ns("0.5s"), Ok(500_000_000));
        assert_eq!(parse_duration_ns("2h"), Ok(7_200_000_000_000));
        assert_eq!(parse_duration_ns("2m30s"), Ok(150_000_000_000));
        assert_eq!(parse_duration_ns(&duration(3_900_000_000_000)), Ok(3_900_000_000_000));
        for odd in ["2m30", "m", "1h-5m", "2m 30 parsecs"] {
            assert!(parse_duration_ns(odd).is_err(), "{odd}");
        }
        let error = parse_duration_ns("5 parsecs").unwrap_err().to_string();
        assert!(error.contains("5 parsecs") && error.contains("90s"), "{error}");
    }

    #[test]
    fn printed_for_people() {
        assert_eq!(size(4096), "4 KiB");
        assert_eq!(size(1_610_612_736), "1.5 GiB");
        assert_eq!(size_decimal(256_060_514_304), "256 GB");
        assert_eq!(block_size(1 << 20), "1m");
        assert_eq!(duration(290_000_000_000), "4 min 50 s");
        assert_eq!(duration(2_500_000_000), "2.5 s");
        assert_eq!(latency(4_561_000), "4.56 ms");
        assert_eq!(rate(123.4e6), "123 MB/s");
        assert_eq!(count(12_345.0), "12.3k");
    }

    /// 1.99 s was "1.9 s".
    #[test]
    fn durations_are_rounded_and_not_cut() {
        assert_eq!(duration(1_990_000_000), "2.0 s");
        assert_eq!(duration(1_949_999_999), "1.9 s");
        assert_eq!(duration(9_499_999_999), "9.5 s");
        assert_eq!(duration(9_500_000_000), "10 s");
        assert_eq!(duration(7199 * 1_000_000_000), "2 h");
    }

    #[test]
    fn the_longest_duration_does_not_overflow() {
        assert_eq!(duration(u64::MAX), "5124095 h 35 min");
    }

    #[test]
    fn a_latency_that_rounds_up_takes_the_next_unit() {
        assert_eq!((latency(999_499), latency(999_500)), ("999 µs".into(), "1.00 ms".into()));
        assert_eq!(
            (latency(999_499_999), latency(999_500_000)),
            ("999 ms".into(), "1.00 s".into())
        );
    }
}
