//! What tables of a plan became, with where they are.

use std::ops::Range;

/// Something made from a table, with that table's place.
pub(super) struct Made<T> {
    pub item: T,
    pub span: Range<usize>,
    pub kept: bool,
}
