//! `--since`: a date, or a time span before now.

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use thiserror::Error;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Since {
    /// A point in time, nanoseconds since 1970.
    At(i64),
    Ago(u64),
}

/// A text that is neither a date nor a time span.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error(
    "'{0}' is not a date or time span. Write 2026-11-01, '2026-11-01 14:30' (UTC), or 90m, 12h, \
     7d, 4w"
)]
pub struct NotSince(String);

const UNITS: [(char, u64); 4] = [('m', 60), ('h', 3_600), ('d', 86_400), ('w', 604_800)];

impl Since {
    /// Reads a date in UTC, as listings show it, or a span.
    ///
    /// # Errors
    /// When the text is neither.
    pub fn parse(text: &str) -> Result<Since, NotSince> {
        span(text)
            .map(Since::Ago)
            .or_else(|| date(text).map(Since::At))
            .ok_or_else(|| NotSince(bakeoff_model::path::printable(text.as_bytes())))
    }

    pub fn unix_ns(self, now_unix_ns: i64) -> i64 {
        match self {
            Since::At(unix_ns) => unix_ns,
            Since::Ago(ns) => now_unix_ns.saturating_sub_unsigned(ns),
        }
    }
}

fn span(text: &str) -> Option<u64> {
    let unit = text.chars().next_back()?;
    let (_, seconds) = UNITS.iter().find(|(name, _)| *name == unit)?;
    let number: u64 = text[..text.len() - unit.len_utf8()].parse().ok()?;
    number.checked_mul(*seconds)?.checked_mul(1_000_000_000)
}

fn date(text: &str) -> Option<i64> {
    let midnight = || Some(text.parse::<Date>().ok()?.at(0, 0, 0, 0));
    let at: DateTime = match text.contains([' ', 'T']) {
        true => text.parse().ok()?,
        false => midnight()?,
    };
    let at = at.to_zoned(TimeZone::UTC).ok()?;
    i64::try_from(at.timestamp().as_nanosecond()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_dates_and_spans_and_nothing_else() {
        let day = 86_400_000_000_000;
        assert_eq!(Since::parse("1970-01-03"), Ok(Since::At(2 * day)));
        assert_eq!(Since::parse("1970-01-03 12:00"), Ok(Since::At(2 * day + day / 2)));
        assert_eq!(Since::parse("2w"), Ok(Since::Ago(14 * day as u64)));
        assert_eq!(Since::parse("90m").map(|s| s.unix_ns(day)), Ok(day - 5_400_000_000_000));
        for text in ["", "d", "-3d", "7", "2026-13-01", "yesterday", "99999999999w", "7µ"] {
            assert!(Since::parse(text).is_err(), "{text}");
        }
        assert!(Since::parse("\u{1b}[2J").unwrap_err().to_string().contains("\\x1b"));
        assert_eq!(Since::Ago(u64::MAX).unix_ns(0), i64::MIN);
    }
}
