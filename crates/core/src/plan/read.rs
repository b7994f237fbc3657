//! Values out of a plan's TOML, each with its place, each refused when it is not what it should be.
//!
//! Not serde: a list is allowed wherever one value is expected, and an error has to say which word
//! would have been right.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::{PlanError, Problem};
use crate::model::path::printable;
use crate::{phrases, units};

/// Most characters of a name: tables have to fit a terminal.
pub const NAME_CHARS: usize = 40;

pub(super) type Value<'a> = Spanned<DeValue<'a>>;

/// A plan's name and text, which every error repeats a part of.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub plan: &'a str,
    pub text: &'a str,
}

/// A key of a table with its value.
#[derive(Clone)]
pub(super) struct Entry<'k, 'a, 't> {
    pub key: &'k str,
    pub key_span: Range<usize>,
    pub value: &'t Value<'a>,
}

impl Source<'_> {
    pub fn error(&self, span: Range<usize>, problem: impl Into<Problem>) -> PlanError {
        PlanError::at(self.plan, self.text, span, problem.into())
    }

    pub fn whole(&self, problem: impl Into<Problem>) -> PlanError {
        let plan = printable(self.plan.as_bytes());
        PlanError { plan, spot: None, problem: problem.into() }
    }

    /// The entries of a table in the order in which they are written; unknown keys are refused.
    pub fn entries<'k, 'a, 't>(
        &self,
        table: &'t DeTable<'a>,
        name: &str,
        keys: &[&'k str],
    ) -> Result<Vec<Entry<'k, 'a, 't>>, PlanError> {
        let mut found = Vec::new();
        for (key, value) in table {
            let word = key.get_ref();
            let Some(known) = keys.iter().copied().find(|k| k == word) else {
                let hint = phrases::did_you_mean(word, keys);
                let shown = printable(word.as_bytes());
                let problem = format!("unknown key '{shown}' in {name}; {hint}");
                return Err(self.error(key.span(), problem));
            };
            found.push(Entry { key: known, key_span: key.span(), value });
        }
        found.sort_by_key(|entry| entry.key_span.start);
        Ok(found)
    }

    fn kind<T>(
        &self,
        key: &str,
        value: &Value,
        expected: &str,
        got: Option<T>,
    ) -> Result<T, PlanError> {
        let found = kind_of(value.get_ref());
        let problem = || format!("{key} must be {expected}, not {found}");
        got.ok_or_else(|| self.error(value.span(), problem()))
    }

    pub fn table<'a, 't>(
        &self,
        key: &str,
        value: &'t Value<'a>,
        expected: &str,
    ) -> Result<&'t DeTable<'a>, PlanError> {
        self.kind(key, value, expected, value.get_ref().as_table())
    }

    /// The tables `[[key]]`, each with its place.
    pub fn tables<'a, 't>(
        &self,
        document: &'t DeTable<'a>,
        key: &str,
    ) -> Result<Vec<(&'t DeTable<'a>, Range<usize>)>, PlanError> {
        let Some(value) = document.get(key) else { return Ok(Vec::new()) };
        let expected = format!("tables, each under [[{key}]]");
        if value.get_ref().as_table().is_some() {
            let what = format!("there can be several {key} tables: write [[{key}]], not [{key}]");
            return Err(self.error(value.span(), what));
        }
        let list = self.kind(key, value, &expected, value.get_ref().as_array())?;
        let mut tables = Vec::new();
        for item in list.iter() {
            tables.push((self.table(key, item, &expected)?, item.span()));
        }
        Ok(tables)
    }

    /// Printable text of at least one character.
    pub fn text<'t>(&self, key: &str, value: &'t Value) -> Result<&'t str, PlanError> {
        let text = self.kind(key, value, "a string in quotes", value.get_ref().as_str())?;
        let sanitize = printable(text.as_bytes()) == text;
        match text.trim().is_empty() || !sanitize {
            false => Ok(text),
            true if sanitize => Err(self.error(value.span(), format!("{key} is empty"))),
            true => Err(self.error(
                value.span(),
                format!("{key} contains unprintable characters; remove them"),
            )),
        }
    }

    /// A name: printable text that fits a table.
    pub fn name(&self, value: &Value) -> Result<String, PlanError> {
        let name = self.text("name", value)?.trim();
        match name.chars().count() {
            0..=NAME_CHARS => Ok(name.to_string()),
            n => Err(self.error(
                value.span(),
                format!("a name has at most {NAME_CHARS} characters; this one has {n}"),
            )),
        }
    }

    pub fn word<T: Copy>(
        &self,
        key: &str,
        value: &Value,
        choices: &[(&'static str, T)],
    ) -> Result<T, PlanError> {
        let word = self.text(key, value)?;
        let found = choices.iter().find(|(name, _)| *name == word);
        found.map(|(_, choice)| *choice).ok_or_else(|| {
            let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
            let hint = phrases::did_you_mean(word, &names);
            self.error(value.span(), Problem::unknown_word(word, key, &hint))
        })
    }

    pub fn variant<T>(&self, key: &str, value: &Value) -> Result<T, PlanError>
    where
        T: Copy + strum::VariantArray + Into<&'static str>,
    {
        self.word(key, value, &phrases::choices())
    }

    pub fn list(&self, key: &str, value: &Value, expected: &str) -> Result<Vec<String>, PlanError> {
        let list = self.kind(key, value, expected, value.get_ref().as_array())?;
        list.iter().map(|item| self.text(key, item).map(str::to_string)).collect()
    }

    pub fn switch(&self, key: &str, value: &Value) -> Result<bool, PlanError> {
        let as_fio_writes_it = match whole(value.get_ref()) {
            Some(0) => Some(false),
            Some(1) => Some(true),
            _ => None,
        };
        let got = value.get_ref().as_bool().or(as_fio_writes_it);
        self.kind(key, value, "true or false (or 1 or 0)", got)
    }

    /// A whole number of 32 bits within `range`.
    pub fn number(
        &self,
        key: &str,
        value: &Value,
        range: std::ops::RangeInclusive<u64>,
    ) -> Result<u64, PlanError> {
        let number = self.kind(key, value, "a whole number", whole(value.get_ref()))?;
        if range.contains(&number) {
            return Ok(number);
        }
        let (low, high) = range.into_inner();
        let what = match high {
            _ if high >= u64::from(u32::MAX) && number < low => {
                format!("{key} must be at least {low}")
            }
            _ => format!("{key} must be between {low} and {high}"),
        };
        Err(self.error(value.span(), what))
    }

    /// The same in 32 bits.
    pub fn number32(&self, key: &str, value: &Value, least: u32) -> Result<u32, PlanError> {
        let number = self.number(key, value, u64::from(least)..=u64::from(u32::MAX))?;
        Ok(u32::try_from(number).unwrap_or(u32::MAX))
    }

    /// Bytes: a number, or a text such as `4k`.
    pub fn size(&self, key: &str, value: &Value) -> Result<u64, PlanError> {
        self.unit(key, value, "a size: \"4k\", \"1g\" or a number of bytes", units::parse_size)
    }

    /// Nanoseconds: a number of seconds, or a text such as `5m`.
    pub fn duration_ns(&self, key: &str, value: &Value) -> Result<u64, PlanError> {
        let expected = "a time: \"90s\", \"5m\" or a number of seconds";
        self.unit(key, value, expected, units::parse_duration_ns)
    }

    fn unit(
        &self,
        key: &str,
        value: &Value,
        expected: &str,
        parse: fn(&str) -> Result<u64, units::UnitError>,
    ) -> Result<u64, PlanError> {
        let text = match value.get_ref().as_str() {
            Some(text) => Some(text.to_string()),
            None => whole(value.get_ref()).map(|n| n.to_string()),
        };
        let text = self.kind(key, value, expected, text)?;
        let amount = parse(&printable(text.as_bytes()))
            .map_err(|error| self.error(value.span(), format!("{key}: {error}")))?;
        match amount {
            0 => Err(self.error(value.span(), format!("{key} must be above 0"))),
            amount => Ok(amount),
        }
    }
}

fn whole(value: &DeValue) -> Option<u64> {
    let integer = value.as_integer()?;
    u64::from_str_radix(integer.as_str(), integer.radix()).ok()
}

fn kind_of(value: &DeValue) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(number) if number.as_str().starts_with('-') => "a negative number",
        DeValue::Integer(_) if whole(value).is_none() => "a number that is out of range",
        DeValue::Integer(_) => "a number",
        DeValue::Float(_) => "a decimal number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

/// `0.03` or `"3%"`.
pub(super) fn fraction(
    source: &Source,
    key: &str,
    value: &Value,
    least: f64,
    most: f64,
) -> Result<f64, PlanError> {
    let of_percent = |text: &str| {
        let percent = text.trim().strip_suffix('%')?.trim().parse::<f64>().ok()?;
        Some(percent / 100.0)
    };
    let written = value.get_ref();
    let read = match written.as_float() {
        Some(number) => number.as_str().parse().ok(),
        None => written.as_str().and_then(of_percent),
    };
    match read {
        Some(fraction) if (least..=most).contains(&fraction) => Ok(fraction),
        _ => Err(source.error(
            value.span(),
            format!(
                "{key} must be a fraction between {least} and {most}, or a percentage: 0.03 or \
                 \"3%\""
            ),
        )),
    }
}
