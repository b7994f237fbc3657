//! One cell of a table: its numbers with their unit, and which mark begins their fractions.

use super::table::known_unit;
use bakeoff_tools::scan::decimal::Decimal;
use bakeoff_tools::scan::result::Metrics;

/// What a number says of the mark that begins a fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DecimalMark {
    Point,
    Comma,
    /// Its point begins one, or parts the thousands: `1.234`.
    Unclear,
}

pub(super) struct Number {
    decimal: Decimal,
    unit: String,
    raw: String,
    pub(super) mark: Option<DecimalMark>,
}

pub(super) fn is_blank(cell: &str) -> bool {
    matches!(cell, "" | "-" | "–" | "n/a" | "N/A")
}

/// Words of a line, a unit joined with the number in front of it.
pub(super) fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let is_unit = word.ends_with("/s") && word.starts_with(|c: char| c.is_alphabetic());
        match words.last_mut().filter(|last| is_unit && Decimal::parse(last).is_some()) {
            Some(last) => *last = format!("{last} {word}"),
            None => words.push(word.to_string()),
        }
    }
    words
}

pub(super) fn numbers(cell: &str, unit: &str) -> Vec<Number> {
    let at = cell.find(|c: char| c.is_alphabetic() || c == '%').unwrap_or(cell.len());
    let (values, own) = cell.split_at(at);
    let own = own.trim();
    // "1e3", "5 s (of 3)": more than a number and its unit.
    if own.contains(|c: char| c.is_ascii_digit()) {
        return Vec::new();
    }
    let unit = if own.is_empty() { unit } else { own };
    let read = |value: &str| {
        let value = value.trim();
        let decimal = Decimal::parse(value)?;
        let mark = mark(value).ok()?;
        Some(Number { decimal, unit: unit.to_string(), raw: format!("{value} {unit}"), mark })
    };
    values.split('/').map(read).collect::<Option<Vec<_>>>().unwrap_or_default()
}

/// The mark in a number. With a comma in front of three digits nobody can say what it is: no
/// number.
fn mark(value: &str) -> Result<Option<DecimalMark>, ()> {
    let Some(at) = value.find(['.', ',']) else { return Ok(None) };
    let (head, tail) = (&value[..at], &value[at + 1..]);
    let is_unclear = tail.len() == 3 && head.len() <= 3 && head != "0";
    match (value.as_bytes()[at], is_unclear) {
        (b'.', true) => Ok(Some(DecimalMark::Unclear)),
        (b'.', false) => Ok(Some(DecimalMark::Point)),
        (_, true) => Err(()),
        (_, false) => Ok(Some(DecimalMark::Comma)),
    }
}

impl Number {
    pub(super) fn give(&self, line: u64, metrics: &mut Metrics) {
        let known = known_unit(&self.unit);
        let (factor, unit) = known.unwrap_or((1, ""));
        let name = match unit {
            "bytes/s" => "throughput",
            "1/s" => "rate",
            "ns" => "time",
            _ => "value",
        };
        match self.decimal.times(factor).filter(|_| matches!(unit, "ns" | "bytes" | "count")) {
            Some(value) => metrics.whole(name, value, unit, (&self.raw, line)),
            None => {
                let value = self.decimal.value() * factor as f64;
                metrics.real(name, value, unit, (&self.raw, line));
            }
        }
        if let (None, Some(last)) = (known, metrics.0.last_mut()) {
            last.unit = self.unit.clone().into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_clear_unless_three_digits_follow() {
        for (text, expected) in [
            ("12", Ok(None)),
            ("12.5", Ok(Some(DecimalMark::Point))),
            ("12,5", Ok(Some(DecimalMark::Comma))),
            ("0.123", Ok(Some(DecimalMark::Point))),
            ("0,123", Ok(Some(DecimalMark::Comma))),
            ("1234.567", Ok(Some(DecimalMark::Point))),
            ("1.234", Ok(Some(DecimalMark::Unclear))),
            ("123.456", Ok(Some(DecimalMark::Unclear))),
            ("1,234", Err(())),
        ] {
            assert_eq!(mark(text), expected, "{text}");
        }
    }

    /// 1.5e3 was read as 1.5 of the unit e3.
    #[test]
    fn more_than_a_number_and_its_unit_is_no_number() {
        for text in ["1.5e3", "5 MB/s (of 3)", "104 MB/s / 124 MB/s", "12±3", "~5", "5h12m"] {
            assert!(numbers(text, "MB/s").is_empty(), "{text}");
        }
    }
}
