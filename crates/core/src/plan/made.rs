//! What tables of a plan became, with where they are.

use std::ops::Range;

use super::error::{PlanError, Problem};
use super::read::{Field, Key, names};

/// Something made from a table, with that table's place.
pub(super) struct Made<T> {
    pub item: T,
    pub span: Range<usize>,
    pub kept: bool,
}

/// What a combination of values becomes.
pub(super) trait Planned: Default + 'static {
    /// Its table as people write it.
    const TABLE: &'static str;
    /// The name first.
    const KEYS: &'static [Key<Self>];

    fn keys() -> Vec<&'static str> {
        names(Self::KEYS)
    }

    /// From the values of one table, of which `table` is the number.
    fn made(table: usize, fields: Vec<Field>) -> Result<Self, PlanError>;

    /// Refuses what nobody could measure.
    fn check(&self) -> Result<(), Problem>;

    /// What a key is set to, in one word, for `[[exclude]]`.
    fn value(&self, key: &str) -> String;

    /// What a value of a key comes to in the same word.
    fn valued(field: &Field) -> Result<String, PlanError> {
        // A cipher stands for every encryption with it; the whole table is seldom worth writing.
        if ["name", "crypt"].contains(&field.key) {
            return field.text().map(|text| text.trim().to_string());
        }
        let mut one = Self::default();
        field.set(&mut one, Self::KEYS)?;
        Ok(one.value(field.key))
    }
}
