//! Lists as axes: every combination of the values of one table's keys.

use std::ops::Range;

use toml::de::{DeArray, DeTable};

use super::error::PlanError;
use super::read::{Source, Value};

/// Keys that take a list of words; a list of such lists is an axis.
const LISTS: [&str; 2] = ["mkfs", "mount"];

/// A key with one value or many.
#[derive(Clone)]
pub(super) struct OneOrMany<'a, 't> {
    /// The table it stands in, as people write it.
    pub table: &'static str,
    pub key: &'static str,
    pub key_span: Range<usize>,
    pub values: Vec<&'t Value<'a>>,
}

/// What the keys of a table are set to, in the order of its lines.
pub(super) fn of_table<'a, 't>(
    source: &Source,
    table: &'t DeTable<'a>,
    name: &'static str,
    keys: &[&'static str],
) -> Result<Vec<OneOrMany<'a, 't>>, PlanError> {
    let mut made = Vec::new();
    for entry in source.entries(table, name, keys)? {
        let (key, value) = (entry.key, entry.value);
        let is_axis = |items: &&DeArray| {
            !LISTS.contains(&key) || items.iter().any(|item| item.get_ref().is_array())
        };
        let items = value.get_ref().as_array().filter(is_axis);
        let values: Vec<&Value> = items.map_or(vec![value], |items| items.iter().collect());
        if values.is_empty() {
            let what = format!("an empty list leaves no cases; omit {key} or give it a value");
            return Err(source.error(value.span(), what));
        }
        made.push(OneOrMany { table: name, key, key_span: entry.key_span, values });
    }
    Ok(made)
}

/// How many combinations there are; `u64::MAX` for more than that.
pub(super) fn count(choices: &[OneOrMany]) -> u64 {
    choices.iter().map(|c| c.values.len() as u64).fold(1, u64::saturating_mul)
}

/// Every combination, the last key varying fastest. Callers check [`count`] first.
pub(super) fn combinations<'a, 't, 'c>(
    choices: &'c [OneOrMany<'a, 't>],
) -> impl Iterator<Item = Vec<(&'static str, &'t Value<'a>)>> + use<'a, 't, 'c> {
    (0..count(choices)).map(move |number| {
        let mut rest = number;
        let pick = |choice: &OneOrMany<'a, 't>| {
            let n = choice.values.len() as u64;
            // The remainder is below a length, so it fits.
            let at = usize::try_from(rest % n).unwrap_or(0);
            rest /= n;
            (choice.key, choice.values[at])
        };
        let mut picked: Vec<_> = choices.iter().rev().map(pick).collect();
        picked.reverse();
        picked
    })
}
