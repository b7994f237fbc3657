//! From the tables of a plan to its stacks and workloads: axes applied, exclusions taken out,
//! names told apart.

use std::ops::Range;

use toml::de::DeTable;

use super::axes::{self, Choices};
use super::document::{Axis, MOST_CASES, Plan};
use super::error::{PlanError, Problem};
use super::exclude::exclude;
use super::made::Made;
use super::names::{self, Sayable};
use super::protocol;
use super::read::{Entry, NAME_CHARS, Source, Value};
use super::stack::{self, PlannedStack};
use super::workload::{self, Basis, PlannedWorkload};
use crate::model::job::Rw;
use crate::model::path::printable;
use crate::model::run::{MOST_CANDIDATES, MOST_WORKLOADS};

const STACK: &str = "[[stack]]";
const WORKLOAD: &str = "[[workload]]";
const AXES: &str = "[axes]";

/// A plan's table `[[stack]]` or `[[workload]]` as keys with values.
struct Rows<'a, 't> {
    choices: Vec<Choices<'a, 't>>,
    span: Range<usize>,
}

struct TableKind {
    name: &'static str,
    keys: &'static [&'static str],
    lists: &'static [&'static str],
    expected: &'static str,
}

const STACKS: TableKind = TableKind {
    name: STACK,
    keys: &stack::KEYS,
    lists: &stack::LISTS,
    expected: "tables, each under [[stack]]",
};

const WORKLOADS: TableKind = TableKind {
    name: WORKLOAD,
    keys: &workload::KEYS,
    lists: &[],
    expected: "tables, each under [[workload]]",
};

pub(super) fn plan(
    source: &Source,
    document: &DeTable,
    keys: &[&'static str],
) -> Result<Plan, PlanError> {
    let top = source.entries(document, "a plan", keys)?;
    let of = |key| top.iter().find(|entry| entry.key == key);
    let table = |key: &'static str| -> Result<Option<&DeTable>, PlanError> {
        let Some(entry) = of(key) else { return Ok(None) };
        source.table(key, entry.value, "a table, in square brackets").map(Some)
    };
    let title = match of("title") {
        Some(entry) => source.text("title", entry.value)?.to_string(),
        None => printable(source.plan.as_bytes()),
    };
    let region = table("region")?.map(|t| protocol::region(source, t)).transpose()?;
    let protocol = table("protocol")?.map(|t| protocol::protocol(source, t)).transpose()?;
    let shared = match table("axes")? {
        Some(axes) => shared_axes(source, axes)?,
        None => Vec::new(),
    };
    let mut rows_of_stacks = rows(source, of("stack"), &STACKS, &shared)?;
    let fs = shared.iter().find(|choices| choices.key == "fs");
    if let Some(fs) = fs.filter(|_| rows_of_stacks.is_empty()) {
        let choices = shared.iter().filter(|c| stack::KEYS.contains(&c.key)).cloned().collect();
        rows_of_stacks.push(Rows { choices, span: fs.key_span.clone() });
    }
    let rows_of_workloads = rows(source, of("workload"), &WORKLOADS, &shared)?;
    let included = included(source, of("include"))?;
    bounded(source, &rows_of_stacks, included.len(), &rows_of_workloads)?;
    let mut stacks = make_stacks(source, &rows_of_stacks)?;
    let mut workloads = make_workloads(source, &rows_of_workloads)?;
    if let Some(entry) = of("exclude") {
        exclude(source, entry, &mut stacks, &mut workloads)?;
    }
    stacks.extend(included);
    let stacks = checked_stacks(source, stacks)?;
    let workloads = checked_workloads(source, workloads)?;
    raw_measures_blocks(source, &stacks, &workloads)?;
    let mut said: Vec<Axis> = axes_of(source, AXES, &shared);
    rows_of_stacks.iter().for_each(|r| said.extend(own_axes(source, STACK, r, &shared)));
    rows_of_workloads.iter().for_each(|r| said.extend(own_axes(source, WORKLOAD, r, &shared)));
    Ok(Plan {
        name: printable(source.plan.as_bytes()),
        text: source.text.to_string(),
        title,
        region: region.unwrap_or_default(),
        protocol: protocol.unwrap_or_default(),
        stacks: stacks.into_iter().map(|made| made.item).collect(),
        workloads: workloads.into_iter().map(|made| made.item).collect(),
        axes: said,
    })
}

/// `[axes]`: keys of stacks and of workloads, names excepted.
fn shared_axes<'a, 't>(
    source: &Source,
    table: &'t DeTable<'a>,
) -> Result<Vec<Choices<'a, 't>>, PlanError> {
    let keys: Vec<&str> = stack::KEYS[1..].iter().chain(&workload::KEYS[1..]).copied().collect();
    let entries = source.entries(table, AXES, &keys)?;
    entries.iter().map(|entry| Choices::from_entry(source, entry, &stack::LISTS)).collect()
}

/// The tables of one kind; what a table does not set itself it takes from `[axes]`.
fn rows<'a, 't>(
    source: &Source,
    entry: Option<&Entry<'a, 't>>,
    of: &TableKind,
    shared: &[Choices<'a, 't>],
) -> Result<Vec<Rows<'a, 't>>, PlanError> {
    let Some(entry) = entry else { return Ok(Vec::new()) };
    let TableKind { name, keys, lists, expected } = *of;
    let mut rows = Vec::new();
    for (table, span) in source.tables(entry.key, entry.value, expected)? {
        let own = source.entries(table, name, keys)?;
        let mut choices: Vec<Choices> =
            own.iter().map(|e| Choices::from_entry(source, e, lists)).collect::<Result<_, _>>()?;
        let missing = |c: &&Choices| keys.contains(&c.key) && own.iter().all(|e| e.key != c.key);
        choices.extend(shared.iter().filter(missing).cloned());
        rows.push(Rows { choices, span });
    }
    Ok(rows)
}

/// `[[include]]`: single stacks that no axis and no exclusion touches.
fn included(source: &Source, entry: Option<&Entry>) -> Result<Vec<Made<PlannedStack>>, PlanError> {
    let Some(entry) = entry else { return Ok(Vec::new()) };
    let mut made = Vec::new();
    let tables = source.tables("include", entry.value, "tables, each under [[include]]")?;
    for (at, (table, span)) in tables.into_iter().enumerate() {
        // Numbers no table of [[stack]] has.
        let mut item = PlannedStack { table: usize::MAX - at, ..PlannedStack::default() };
        for entry in source.entries(table, "[[include]]", &stack::KEYS)? {
            item.set(source, entry.key, entry.value)?;
        }
        item.check().map_err(|problem| source.error(span.clone(), problem))?;
        made.push(Made { item, span, kept: true });
    }
    Ok(made)
}

/// Refuses, before anything is made, what nobody could measure.
fn bounded(
    source: &Source,
    stacks: &[Rows],
    included: usize,
    workloads: &[Rows],
) -> Result<(), PlanError> {
    let sum = |rows: &[Rows]| {
        rows.iter().map(|row| axes::count(&row.choices)).fold(0, u64::saturating_add)
    };
    let stacks = sum(stacks).saturating_add(included as u64);
    let workloads = sum(workloads);
    let none = match (stacks, workloads) {
        (0, _) => Some("it has no stack; add a table [[stack]] with fs = \"ext4\""),
        (_, 0) => Some("it has no workload; add a table [[workload]] with name = \"randwrite\""),
        _ => None,
    };
    if let Some(why) = none {
        return Err(source.whole(format!("the plan has no cases: {why}")));
    }
    let cases = stacks.saturating_mul(workloads);
    match cases > MOST_CASES {
        true => Err(source.whole(Problem::too_many("cases", cases, MOST_CASES))),
        false => Ok(()),
    }
}

fn make_stacks(source: &Source, rows: &[Rows]) -> Result<Vec<Made<PlannedStack>>, PlanError> {
    let mut made = Vec::new();
    for (table, row) in rows.iter().enumerate() {
        for picked in axes::combinations(&row.choices) {
            let mut item = PlannedStack { table, ..PlannedStack::default() };
            for (key, value) in picked {
                item.set(source, key, value)?;
            }
            item.check().map_err(|problem| source.error(row.span.clone(), problem))?;
            made.push(Made { item, span: row.span.clone(), kept: true });
        }
    }
    Ok(made)
}

fn make_workloads(source: &Source, rows: &[Rows]) -> Result<Vec<Made<PlannedWorkload>>, PlanError> {
    const BASES: [&str; 4] = ["profile", "job", "rw", "name"];
    let mut made = Vec::new();
    for (table, row) in rows.iter().enumerate() {
        let of = |key: &&str| row.choices.iter().find(|c| c.key == *key);
        let has = |key: &&str| of(key).is_some();
        let bases: Vec<&Choices> = BASES[..3].iter().filter_map(of).collect();
        if !BASES.iter().any(has) {
            let what = "a workload needs rw, profile or job, or the name of a built-in one: \
                        name = \"randwrite\"";
            return Err(source.error(row.span.clone(), what));
        }
        if let [first, second, ..] = bases[..] {
            let (key, other) = (first.key, second.key);
            let what = format!("a workload takes {key} or {other}, not both");
            // The later of the two, in whichever table it stands.
            let spans = [first, second].map(|c| c.key_span.clone());
            let span = spans.into_iter().max_by_key(|span| span.start).unwrap_or_default();
            return Err(source.error(span, what));
        }
        for picked in axes::combinations(&row.choices) {
            let mut item = PlannedWorkload::from_values(source, picked)?;
            item.table = table;
            item.check().map_err(|what| source.error(row.span.clone(), what))?;
            made.push(Made { item, span: row.span.clone(), kept: true });
        }
    }
    Ok(made)
}

fn checked_stacks(
    source: &Source,
    mut made: Vec<Made<PlannedStack>>,
) -> Result<Vec<Made<PlannedStack>>, PlanError> {
    made.retain(|one| one.kept);
    check_cases(source, &made, "candidates", MOST_CANDIDATES, |stack| {
        let recipe = stack.recipes().into_iter().next()?;
        Some(names::of_stack(stack, recipe))
    })?;
    Ok(made)
}

fn checked_workloads(
    source: &Source,
    mut made: Vec<Made<PlannedWorkload>>,
) -> Result<Vec<Made<PlannedWorkload>>, PlanError> {
    made.retain(|one| one.kept);
    check_cases(source, &made, "workloads", MOST_WORKLOADS, |w| Some(names::of_workload(w)))?;
    // What a tool cannot do is left out once names are given; a plan with nothing else is refused.
    let reason = |one: &Made<PlannedWorkload>| one.item.unsupported();
    let reasons: Option<Vec<String>> = made.iter().map(reason).collect();
    if let (Some(mut reasons), Some(first)) = (reasons, made.first()) {
        let mut known = std::collections::BTreeSet::new();
        reasons.retain(|reason| known.insert(reason.clone()));
        return Err(source.error(first.span.clone(), reasons.join("; ")));
    }
    Ok(made)
}

/// Refuses none, too many, and two of one name.
fn check_cases<T>(
    source: &Source,
    made: &[Made<T>],
    what: &'static str,
    most: usize,
    say: impl Fn(&T) -> Option<Sayable>,
) -> Result<(), PlanError> {
    if made.is_empty() {
        return Err(source.whole("the plan has no cases: [[exclude]] removes every case"));
    }
    if made.len() > most {
        let (found, most) = (made.len() as u64, most as u64);
        return Err(source.whole(Problem::too_many(what, found, most)));
    }
    let said: Vec<Sayable> = made.iter().filter_map(|one| say(&one.item)).collect();
    let names = names::names(&said, NAME_CHARS);
    for (at, name) in names.iter().enumerate() {
        if names[..at].contains(name) {
            let why = format!(
                "two {what} are named '{name}'; remove or rename one of \
                               them"
            );
            return Err(source.error(made[at].span.clone(), why));
        }
    }
    Ok(())
}

/// A device without a filesystem has no files to make.
fn raw_measures_blocks(
    source: &Source,
    stacks: &[Made<PlannedStack>],
    workloads: &[Made<PlannedWorkload>],
) -> Result<(), PlanError> {
    let needs_files = |w: &&Made<PlannedWorkload>| {
        w.item.job.rw == Rw::SmallFiles || !matches!(w.item.basis, Basis::Words | Basis::BuiltIn(_))
    };
    let raw = stacks.iter().find(|stack| stack.item.is_raw());
    match (raw, workloads.iter().find(needs_files)) {
        (Some(raw), Some(_)) => Err(source.error(
            raw.span.clone(),
            "raw has no files, and a workload of this plan needs files: use two plans",
        )),
        _ => Ok(()),
    }
}

fn axes_of(source: &Source, table: &'static str, choices: &[Choices]) -> Vec<Axis> {
    let many = choices.iter().filter(|choices| choices.values.len() > 1);
    many.map(|choices| Axis {
        table,
        key: choices.key,
        values: choices.values.iter().map(|value| written(source, value)).collect(),
    })
    .collect()
}

fn own_axes(source: &Source, name: &'static str, rows: &Rows, shared: &[Choices]) -> Vec<Axis> {
    let is_shared = |c: &&Choices| shared.iter().any(|s| s.key_span == c.key_span);
    let own: Vec<Choices> = rows.choices.iter().filter(|c| !is_shared(c)).cloned().collect();
    axes_of(source, name, &own)
}

/// A value as the plan writes it, without the quotes of a text.
fn written(source: &Source, value: &Value) -> String {
    let text = match value.get_ref().as_str() {
        Some(text) => text,
        None => source.text.get(value.span()).unwrap_or_default(),
    };
    printable(text.split_whitespace().collect::<Vec<_>>().join(" ").as_bytes())
}
