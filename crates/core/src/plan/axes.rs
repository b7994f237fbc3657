//! Lists as axes: every combination of the values of one table's keys.

use std::ops::Range;

use super::error::PlanError;
use super::read::{Entry, Source, Value};

/// A key with the values it takes, at least one.
#[derive(Clone)]
pub(super) struct Choices<'a, 't> {
    pub key: &'static str,
    pub key_span: Range<usize>,
    pub values: Vec<&'t Value<'a>>,
}

impl<'a, 't> Choices<'a, 't> {
    /// The values of an entry: the items of a list, except where the key itself takes a list of
    /// words; there a list of lists is an axis.
    pub fn from_entry(
        source: &Source,
        entry: &Entry<'a, 't>,
        lists: &[&str],
    ) -> Result<Choices<'a, 't>, PlanError> {
        let takes_list = lists.contains(&entry.key);
        let items = entry.value.get_ref().as_array().filter(|items| {
            !takes_list || items.iter().any(|item| item.get_ref().as_array().is_some())
        });
        let values: Vec<&Value> = match items {
            Some(items) => items.iter().collect(),
            None => vec![entry.value],
        };
        if values.is_empty() {
            let key = entry.key;
            return Err(source.error(
                entry.value.span(),
                format!("an empty list leaves no cases; omit {key} or give it a value"),
            ));
        }
        Ok(Choices { key: entry.key, key_span: entry.key_span.clone(), values })
    }
}

/// How many combinations there are; `u64::MAX` for more than that.
pub(super) fn count(choices: &[Choices]) -> u64 {
    choices.iter().map(|c| c.values.len() as u64).fold(1, u64::saturating_mul)
}

/// Every combination, the last key varying fastest. Callers check [`count`] first.
pub(super) fn combinations<'a, 't, 'c>(
    choices: &'c [Choices<'a, 't>],
) -> impl Iterator<Item = Vec<(&'static str, &'t Value<'a>)>> + use<'a, 't, 'c> {
    (0..count(choices)).map(move |number| {
        let mut rest = number;
        let mut picked: Vec<_> = choices
            .iter()
            .rev()
            .map(|choice| {
                let n = choice.values.len() as u64;
                // The remainder is below a length, so it fits.
                let at = usize::try_from(rest % n).unwrap_or(0);
                rest /= n;
                (choice.key, choice.values[at])
            })
            .collect();
        picked.reverse();
        picked
    })
}
