//! Values out of a plan's TOML, each with its place, each refused when it is not what it should be.
//!
//! Not serde: a list is allowed wherever one value is expected, and an error has to say which word
//! would have been right. A table of keys says in one place what there is and what it sets.

use std::fmt::Display;
use std::ops::{Range, RangeInclusive};

use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

use super::error::{PlanError, PlanProblem};
use bakeoff_model::path::printable;
use bakeoff_stats::phrases;
use bakeoff_stats::units;

/// Most characters of a name: tables have to fit a terminal.
pub const NAME_CHARS: usize = 40;

pub(super) type Value<'a> = Spanned<DeValue<'a>>;

/// A plan's name and text, which every error repeats a part of.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub plan: &'a str,
    pub text: &'a str,
}

pub(super) type Key<T> = (&'static str, fn(&mut T, &Field) -> Result<(), PlanError>);

pub(super) fn names<T>(keys: &[Key<T>]) -> Vec<&'static str> {
    keys.iter().map(|(name, _)| *name).collect()
}

#[derive(Clone)]
pub(super) struct Field<'t> {
    pub source: Source<'t>,
    pub key: &'t str,
    pub key_span: Range<usize>,
    pub value: &'t Value<'t>,
}

impl<'t> Source<'t> {
    pub fn error(&self, span: Range<usize>, problem: impl Into<PlanProblem>) -> PlanError {
        PlanError::at(self.plan, self.text, span, problem.into())
    }

    pub fn whole(&self, problem: impl Into<PlanProblem>) -> PlanError {
        let plan = printable(self.plan.as_bytes());
        PlanError { plan, spot: None, problem: problem.into() }
    }

    /// The fields of a table in the order in which they are written; unknown keys are refused.
    pub fn fields(
        self,
        table: &'t DeTable<'t>,
        name: &str,
        keys: &[&'t str],
    ) -> Result<Vec<Field<'t>>, PlanError> {
        let mut found = Vec::new();
        for (key, value) in table {
            let word = key.get_ref();
            let Some(known) = keys.iter().copied().find(|k| k == word) else {
                let hint = phrases::did_you_mean(word, keys);
                let shown = printable(word.as_bytes());
                let problem = format!("unknown key '{shown}' in {name}; {hint}");
                return Err(self.error(key.span(), problem));
            };
            found.push(Field { source: self, key: known, key_span: key.span(), value });
        }
        found.sort_by_key(|field| field.key_span.start);
        Ok(found)
    }

    pub fn set<T>(
        self,
        made: &mut T,
        table: &'t DeTable<'t>,
        name: &str,
        keys: &[Key<T>],
    ) -> Result<(), PlanError> {
        let fields = self.fields(table, name, &names(keys))?;
        fields.iter().try_for_each(|field| field.set(made, keys))
    }
}

impl<'t> Field<'t> {
    pub fn error(&self, problem: impl Into<PlanProblem>) -> PlanError {
        self.source.error(self.value.span(), problem)
    }

    pub fn set<T>(&self, made: &mut T, keys: &[Key<T>]) -> Result<(), PlanError> {
        let key = keys.iter().find(|(name, _)| *name == self.key);
        key.map_or(Ok(()), |(_, set)| set(made, self))
    }

    pub fn items(&self, items: &'t DeArray<'t>) -> impl Iterator<Item = Field<'t>> {
        items.iter().map(|value| Field { value, ..self.clone() })
    }

    fn kind<T>(&self, expected: &str, got: Option<T>) -> Result<T, PlanError> {
        let (key, found) = (self.key, kind_of(self.value.get_ref()));
        got.ok_or_else(|| self.error(format!("{key} must be {expected}, not {found}")))
    }

    pub fn table(&self, expected: &str) -> Result<&'t DeTable<'t>, PlanError> {
        self.kind(expected, self.value.get_ref().as_table())
    }

    pub fn tables(&self) -> Result<Vec<(&'t DeTable<'t>, Range<usize>)>, PlanError> {
        let key = self.key;
        let expected = format!("tables, each under [[{key}]]");
        if self.value.get_ref().is_table() {
            let what = format!("there can be several {key} tables: write [[{key}]], not [{key}]");
            return Err(self.error(what));
        }
        let list = self.kind(&expected, self.value.get_ref().as_array())?;
        self.items(list).map(|item| Ok((item.table(&expected)?, item.value.span()))).collect()
    }

    /// Printable text of at least one character.
    pub fn text(&self) -> Result<&'t str, PlanError> {
        let text = self.kind("a string in quotes", self.value.get_ref().as_str())?;
        let key = self.key;
        match text.trim().is_empty() {
            _ if printable(text.as_bytes()) != text => {
                Err(self.error(format!("{key} contains unprintable characters; remove them")))
            }
            true => Err(self.error(format!("{key} is empty"))),
            false => Ok(text),
        }
    }

    /// A name: printable text that fits a table.
    pub fn name(&self) -> Result<String, PlanError> {
        let name = self.text()?.trim();
        match name.chars().count() {
            0..=NAME_CHARS => Ok(name.to_string()),
            n => {
                Err(self
                    .error(format!("a name has at most {NAME_CHARS} characters; this one has {n}")))
            }
        }
    }

    pub fn word<T: Copy>(&self, what: &str, choices: &[(&'static str, T)]) -> Result<T, PlanError> {
        let word = self.text()?;
        let found = choices.iter().find(|(name, _)| *name == word);
        found.map(|(_, choice)| *choice).ok_or_else(|| {
            let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
            let hint = phrases::did_you_mean(word, &names);
            self.error(PlanProblem::unknown_word(word, what, &hint))
        })
    }

    pub fn variant<T>(&self) -> Result<T, PlanError>
    where
        T: Copy + strum::VariantArray + Into<&'static str>,
    {
        self.word(self.key, &phrases::choices())
    }

    pub fn list(&self, expected: &str) -> Result<Vec<String>, PlanError> {
        let list = self.kind(expected, self.value.get_ref().as_array())?;
        self.items(list).map(|item| item.text().map(str::to_string)).collect()
    }

    pub fn switch(&self) -> Result<bool, PlanError> {
        let written = self.value.get_ref();
        let as_fio_writes_it = whole(written).filter(|digit| *digit <= 1).map(|digit| digit == 1);
        self.kind("true or false (or 1 or 0)", written.as_bool().or(as_fio_writes_it))
    }

    /// A whole number within `range`, in as many bits as that has.
    pub fn number<T>(&self, range: RangeInclusive<T>) -> Result<T, PlanError>
    where
        T: TryFrom<u64> + PartialOrd + Copy + Display + Into<u64>,
    {
        let number = self.kind("a whole number", whole(self.value.get_ref()))?;
        let (key, low, high) = (self.key, *range.start(), *range.end());
        let what = match T::try_from(number).ok().filter(|number| range.contains(number)) {
            Some(number) => return Ok(number),
            _ if high.into() >= u64::from(u32::MAX) && number < low.into() => {
                format!("{key} must be at least {low}")
            }
            _ => format!("{key} must be between {low} and {high}"),
        };
        Err(self.error(what))
    }

    /// Bytes: a number, or a text such as `4k`.
    pub fn size(&self) -> Result<u64, PlanError> {
        self.amount("a size: \"4k\", \"1g\" or a number of bytes", units::parse_size)
    }

    /// Nanoseconds: a number of seconds, or a text such as `5m`.
    pub fn duration_ns(&self) -> Result<u64, PlanError> {
        let expected = "a time: \"90s\", \"5m\" or a number of seconds";
        self.amount(expected, units::parse_duration_ns)
    }

    fn amount(
        &self,
        expected: &str,
        parse: fn(&str) -> Result<u64, units::UnitError>,
    ) -> Result<u64, PlanError> {
        let written = self.value.get_ref();
        let number = || whole(written).map(|number| number.to_string());
        let text = written.as_str().map(str::to_string).or_else(number);
        let text = printable(self.kind(expected, text)?.as_bytes());
        match parse(&text) {
            Ok(0) => Err(self.error(format!("{} must be above 0", self.key))),
            Ok(amount) => Ok(amount),
            Err(error) => Err(self.error(format!("{}: {error}", self.key))),
        }
    }

    /// `0.03` or `"3%"`.
    pub fn fraction(&self, least: f64, most: f64) -> Result<f64, PlanError> {
        let percent = |text: &str| {
            let percent = text.trim().strip_suffix('%')?.trim().parse::<f64>().ok()?;
            Some(percent / 100.0)
        };
        let written = self.value.get_ref();
        let read = match written.as_float() {
            Some(number) => number.as_str().parse().ok(),
            None => written.as_str().and_then(percent),
        };
        read.filter(|fraction| (least..=most).contains(fraction)).ok_or_else(|| {
            self.error(format!(
                "{} must be a fraction between {least} and {most}, or a percentage: 0.03 or \
                 \"3%\"",
                self.key
            ))
        })
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
