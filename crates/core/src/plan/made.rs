//! What tables of a plan became, with where they are.

use std::ops::Range;

use super::error::{PlanError, Problem};
use super::read::{Source, Value};

/// Something made from a table, with that table's place.
pub(super) struct Made<T> {
    pub item: T,
    pub span: Range<usize>,
    pub kept: bool,
}

/// What a combination of values becomes.
pub(super) trait Planned: Sized {
    const NAME: &'static str;
    /// Its table as people write it.
    const TABLE: &'static str;
    /// The name first.
    const KEYS: &'static [&'static str];

    /// From the values of one table, of which `table` is the number.
    fn made(
        source: &Source,
        table: usize,
        picked: Vec<(&'static str, &Value)>,
    ) -> Result<Self, PlanError>;

    /// Refuses what nobody could measure.
    fn check(&self) -> Result<(), Problem>;

    /// What a value of a key comes to in one word, for `[[exclude]]`.
    fn valued(source: &Source, key: &'static str, value: &Value) -> Result<String, PlanError>;

    /// What a key is set to, in the same word.
    fn value(&self, key: &str) -> String;
}
