//! A printed number with its unit, and how far off it may be.
//!
//! Tools print one quantity in several ways, rounded each time. [`Span`] says which values a
//! printed figure can have been printed from, so that two of them can be compared.

use super::decimal::Decimal;
use super::result::Metrics;

/// Units of bytes that are powers of two, in the spelling of the IEC.
pub const IEC: [(&str, u64); 6] = [
    ("B", 1),
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("TiB", 1 << 40),
    ("PiB", 1 << 50),
];

/// A number and what one of its units is worth.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantity {
    number: Decimal,
    unit: u64,
    pub raw: String,
}

/// The values that a figure can have been printed from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    low: f64,
    high: f64,
}

impl Quantity {
    pub fn with_unit(number: &str, unit: u64) -> Option<Quantity> {
        Some(Quantity { number: Decimal::parse(number)?, unit, raw: number.to_string() })
    }

    /// Reads `4.50 KiB`: a number and one of these units.
    pub fn parse(text: &str, units: &[(&str, u64)]) -> Option<Quantity> {
        let text = text.trim();
        let (number, name) = text.split_once(' ').unwrap_or((text, ""));
        let unit = units.iter().find(|(known, _)| *known == name.trim())?.1;
        Some(Quantity { raw: text.to_string(), ..Quantity::with_unit(number, unit)? })
    }

    /// Reads `8M`, `4.50KiB` or `16 Kb`: a number and the first of these units that ends the text.
    pub fn suffixed(text: &str, units: &[(&str, u64)]) -> Option<Quantity> {
        let text = text.trim();
        let read = |(name, unit): &(&str, u64)| {
            Quantity::with_unit(text.strip_suffix(name)?.trim_end(), *unit)
        };
        Some(Quantity { raw: text.to_string(), ..units.iter().find_map(read)? })
    }

    /// In single units, rounded.
    pub fn whole(&self) -> Option<u64> {
        self.number.times(self.unit)
    }

    pub fn value(&self) -> f64 {
        self.number.value() * self.unit as f64
    }

    pub fn span(&self) -> Span {
        let slack = self.slack() * 1.01;
        Span { low: (self.value() - slack).max(0.0), high: self.value() + slack }
    }

    /// What rounding may have taken or given: one unit of the last digit.
    pub fn slack(&self) -> f64 {
        self.number.last_digit() * self.unit as f64
    }

    /// Whether it was printed as a whole number of single units.
    pub fn is_plain(&self) -> bool {
        self.is_whole() && self.unit == 1
    }

    /// Whether it was printed without a fraction.
    pub fn is_whole(&self) -> bool {
        self.number.is_whole()
    }

    /// The same of a count, which is exact where it was printed without a fraction.
    pub fn count_span(&self) -> Span {
        if self.is_whole() { Span::exactly(self.value()) } else { self.span() }
    }

    /// Adds it, as a whole number where that is its unit.
    pub fn give(&self, name: &str, unit: &'static str, line: u64, metrics: &mut Metrics) {
        match unit {
            "bytes" | "ns" | "count" => self.give_whole(name, unit, line, metrics),
            unit => self.give_real(name, unit, line, metrics),
        }
    }

    pub fn give_whole(&self, name: &str, unit: &'static str, line: u64, metrics: &mut Metrics) {
        if let Some(value) = self.whole() {
            metrics.whole(name, value, unit, (&self.raw, line));
        }
    }

    /// Adds it as a number with a fraction.
    pub fn give_real(&self, name: &str, unit: &'static str, line: u64, metrics: &mut Metrics) {
        metrics.real(name, self.value(), unit, (&self.raw, line));
    }
}

impl Span {
    pub fn exactly(value: f64) -> Span {
        Span { low: value, high: value }
    }

    pub fn between(low: f64, high: f64) -> Span {
        Span { low, high }
    }

    pub fn times(self, other: Span) -> Span {
        Span { low: self.low * other.low, high: self.high * other.high }
    }

    pub fn plus(self, other: Span) -> Span {
        Span { low: self.low + other.low, high: self.high + other.high }
    }

    pub fn meets(self, other: Span) -> bool {
        self.low <= other.high && other.low <= self.high
    }

    pub fn is_at_most(self, other: Span) -> bool {
        self.low <= other.high
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_agrees_with_what_it_was_rounded_from() {
        let of = |text: &str| Quantity::parse(text, &IEC).unwrap();
        assert_eq!(of("36 KiB").whole(), Some(36_864));
        let product = Span::exactly(100.0).times(of("4 KiB").span());
        assert!(product.meets(of("400 KiB").span()) && !product.meets(of("600 KiB").span()));
        assert!(Quantity::parse("4 Ki", &IEC).is_none());
        assert!(Quantity::parse("4", &IEC).is_none());
    }
}
