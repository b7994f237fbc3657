//! `[[exclude]]`: combinations that are left out.

use super::axes::Choices;
use super::error::PlanError;
use super::made::Made;
use super::read::{Entry, Source, Value};
use super::stack::{self, PlannedStack};
use super::workload::{self, PlannedWorkload};

/// Most comparisons of a combination with a value to exclude: half a second on a small board.
const MOST_COMPARISONS: usize = 1_000_000;

/// `[[exclude]]`: takes out every stack, or every workload, that has all the values of a table.
pub(super) fn exclude(
    source: &Source,
    entry: &Entry,
    stacks: &mut [Made<PlannedStack>],
    workloads: &mut [Made<PlannedWorkload>],
) -> Result<(), PlanError> {
    let made = (stacks.len() + workloads.len()).max(1);
    let (mut found, most) = (0, (MOST_COMPARISONS / made).max(100));
    let keys: Vec<&str> = stack::KEYS.iter().chain(&workload::KEYS[1..]).copied().collect();
    for (table, span) in source.tables("exclude", entry.value, "tables, each under [[exclude]]")? {
        let entries = source.entries(table, "[[exclude]]", &keys)?;
        let values = |e: &Entry| e.value.get_ref().as_array().map_or(1, |list| list.len().max(1));
        found += entries.iter().map(values).sum::<usize>();
        if found > most {
            let what = format!("at most {most} values may be excluded of so many combinations");
            return Err(source.error(span, what));
        }
        let of_stack = |key: &str| stack::KEYS[1..].contains(&key);
        let of_workload = |key: &str| workload::KEYS[1..].contains(&key);
        let names_stack = entries.iter().any(|e| of_stack(e.key));
        let names_workload = entries.iter().any(|e| of_workload(e.key));
        let matched = match (names_stack, names_workload) {
            _ if entries.is_empty() => 0,
            (true, true) => {
                let what = "an exclusion applies to stacks or to workloads, not to both: \
                            candidates are comparable only with the same workloads";
                return Err(source.error(span, what));
            }
            (_, true) => {
                take_out(source, &entries, workloads, PlannedWorkload::valued, |w, key| {
                    w.value(key)
                })?
            }
            (true, _) => take_out(source, &entries, stacks, read_stack, |s, key| s.value(key))?,
            (false, false) => {
                take_out(source, &entries, stacks, read_stack, |s, key| s.value(key))?
                    + take_out(source, &entries, workloads, read_name, |w, key| w.value(key))?
            }
        };
        if matched == 0 {
            let what = "this excludes nothing: no case has these values";
            return Err(source.error(span, what));
        }
    }
    Ok(())
}

fn read_stack(source: &Source, key: &'static str, value: &Value) -> Result<String, PlanError> {
    let mut one = PlannedStack::default();
    // A cipher stands for every encryption with it; the whole table is seldom worth writing.
    if key == "crypt" {
        return source.text(key, value).map(str::to_string);
    }
    one.set(source, key, value)?;
    Ok(one.value(key))
}

fn read_name(source: &Source, key: &'static str, value: &Value) -> Result<String, PlanError> {
    source.text(key, value).map(str::to_string)
}

/// Marks what has all these values; returns how many there were.
fn take_out<T>(
    source: &Source,
    entries: &[Entry],
    made: &mut [Made<T>],
    read: fn(&Source, &'static str, &Value) -> Result<String, PlanError>,
    value_of: fn(&T, &str) -> String,
) -> Result<usize, PlanError> {
    let mut wanted: Vec<(&str, Vec<String>)> = Vec::new();
    for entry in entries {
        let choices = Choices::from_entry(source, entry, &stack::LISTS)?;
        let values = choices.values.iter().map(|value| read(source, entry.key, value));
        wanted.push((entry.key, values.collect::<Result<_, _>>()?));
    }
    let mut matched = 0;
    for one in made {
        if wanted.iter().all(|(key, values)| values.contains(&value_of(&one.item, key))) {
            one.kept = false;
            matched += 1;
        }
    }
    Ok(matched)
}
