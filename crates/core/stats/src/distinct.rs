//! Values without repeats.

use std::collections::BTreeSet;

/// Each value once, in the order in which it came first. For short lists: a value is held against
/// all before it.
pub fn in_order<T: PartialEq>(values: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut all: Vec<T> = Vec::new();
    for value in values {
        if !all.contains(&value) {
            all.push(value);
        }
    }
    all
}

pub fn sorted<T: Ord>(values: impl IntoIterator<Item = T>) -> Vec<T> {
    values.into_iter().collect::<BTreeSet<T>>().into_iter().collect()
}
