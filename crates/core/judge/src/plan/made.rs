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

    /// Whether it is what setting the field would make of it, for `[[exclude]]`.
    fn has(&self, field: &Field) -> Result<bool, PlanError>;
}
