//! Lists as axes: every combination of the values of one table's keys.

use std::ops::Range;

use toml::de::{DeArray, DeTable};

use super::error::PlanError;
use super::read::{Field, Source};

const LISTS: [&str; 2] = ["mkfs", "mount"];

#[derive(Clone)]
pub(super) struct OneOrMany<'t> {
    pub table: &'static str,
    pub key: &'static str,
    pub key_span: Range<usize>,
    pub values: Vec<Field<'t>>,
}

pub(super) fn of_table<'t>(
    source: Source<'t>,
    table: &'t DeTable<'t>,
    name: &'static str,
    keys: &[&'static str],
) -> Result<Vec<OneOrMany<'t>>, PlanError> {
    let mut made = Vec::new();
    for field in source.fields(table, name, keys)? {
        let Some(key) = keys.iter().copied().find(|key| *key == field.key) else { continue };
        let is_axis = |items: &&DeArray| {
            !LISTS.contains(&key) || items.iter().any(|item| item.get_ref().is_array())
        };
        let items = field.value.get_ref().as_array().filter(is_axis);
        let values = items.map_or(vec![field.clone()], |items| field.items(items).collect());
        if values.is_empty() {
            let what = format!("an empty list leaves no cases; omit {key} or give it a value");
            return Err(field.error(what));
        }
        made.push(OneOrMany { table: name, key, key_span: field.key_span, values });
    }
    Ok(made)
}

/// How many combinations there are; `u64::MAX` for more than that.
pub(super) fn count(choices: &[OneOrMany]) -> u64 {
    choices.iter().map(|c| c.values.len() as u64).fold(1, u64::saturating_mul)
}

/// Every combination, the last key varying fastest. Callers check [`count`] first.
pub(super) fn combinations<'t>(choices: &[OneOrMany<'t>]) -> impl Iterator<Item = Vec<Field<'t>>> {
    (0..count(choices)).map(move |number| {
        let mut rest = number;
        let pick = |choice: &OneOrMany<'t>| {
            let n = choice.values.len() as u64;
            // The remainder is below a length, so it fits.
            let at = usize::try_from(rest % n).unwrap_or(0);
            rest /= n;
            choice.values[at].clone()
        };
        let mut picked: Vec<_> = choices.iter().rev().map(pick).collect();
        picked.reverse();
        picked
    })
}
