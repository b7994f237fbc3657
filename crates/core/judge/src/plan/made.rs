//! What tables of a plan became, with where they are.

use std::ops::Range;

use super::error::{PlanError, PlanProblem};
use super::read::{Field, Key, names};

/// Something made from a table, with that table's place.
pub(super) struct Made<T> {
    pub item: T,
    pub span: Range<usize>,
    pub kept: bool,
}

pub(super) trait Planned: Default + 'static {
    const TABLE: &'static str;
    const KEYS: &'static [Key<Self>];

    fn keys() -> Vec<&'static str> {
        names(Self::KEYS)
    }

    fn made(table: usize, fields: Vec<Field>) -> Result<Self, PlanError>;

    fn check(&self) -> Result<(), PlanProblem>;

    fn has(&self, field: &Field) -> Result<bool, PlanError>;
}
