//! From the tables of a plan to its stacks and workloads: axes applied, exclusions taken out,
//! names told apart.

use std::ops::Range;

use toml::de::DeTable;

use super::axes::{self, OneOrMany};
use super::document::{Axis, MOST_CASES, Plan};
use super::error::{PlanError, Problem};
use super::exclude::exclude;
use super::made::{Made, Planned};
use super::names::{self, Sayable};
use super::protocol;
use super::read::{NAME_CHARS, Source, Value};
use super::stack::PlannedStack;
use super::workload::{Basis, PlannedWorkload};
use crate::distinct;
use crate::model::job::Rw;
use crate::model::path::printable;
use crate::model::run::{MOST_CANDIDATES, MOST_WORKLOADS};

const AXES: &str = "[axes]";

const KEYS: [&str; 8] =
    ["title", "region", "stack", "axes", "workload", "include", "exclude", "protocol"];

/// A plan's table `[[stack]]` or `[[workload]]` as keys with values.
struct Row<'a, 't> {
    choices: Vec<OneOrMany<'a, 't>>,
    span: Range<usize>,
}

pub(super) fn plan(source: &Source, document: &DeTable) -> Result<Plan, PlanError> {
    source.entries(document, "a plan", &KEYS)?;
    let table = |key: &str| -> Result<Option<&DeTable>, PlanError> {
        let Some(value) = document.get(key) else { return Ok(None) };
        source.table(key, value, "a table, in square brackets").map(Some)
    };
    let title = match document.get("title") {
        Some(title) => source.text("title", title)?.to_string(),
        None => printable(source.plan.as_bytes()),
    };
    let region = table("region")?.map(|t| protocol::region(source, t)).transpose()?;
    let protocol = table("protocol")?.map(|t| protocol::protocol(source, t)).transpose()?;
    // Keys of stacks and of workloads, names excepted.
    let keys = [&PlannedStack::KEYS[1..], &PlannedWorkload::KEYS[1..]].concat();
    let shared = table("axes")?.map(|table| axes::of_table(source, table, AXES, &keys));
    let shared = shared.transpose()?.unwrap_or_default();
    let mut rows_of_stacks = rows::<PlannedStack>(source, document, &shared)?;
    let fs = shared.iter().find(|choices| choices.key == "fs");
    if let Some(fs) = fs.filter(|_| rows_of_stacks.is_empty()) {
        let is_of_stack = |c: &&OneOrMany| PlannedStack::KEYS.contains(&c.key);
        let choices = shared.iter().filter(is_of_stack).cloned().collect();
        rows_of_stacks.push(Row { choices, span: fs.key_span.clone() });
    }
    let rows_of_workloads = rows::<PlannedWorkload>(source, document, &shared)?;
    let included = included(source, document)?;
    bounded(source, &rows_of_stacks, included.len(), &rows_of_workloads)?;
    let mut stacks: Vec<Made<PlannedStack>> = make(source, &rows_of_stacks)?;
    rows_of_workloads.iter().try_for_each(|row| has_one_basis(source, row))?;
    let mut workloads: Vec<Made<PlannedWorkload>> = make(source, &rows_of_workloads)?;
    exclude(source, document, &mut stacks, &mut workloads)?;
    stacks.extend(included);
    stacks.retain(|one| one.kept);
    workloads.retain(|one| one.kept);
    check_cases(source, &stacks, "candidates", MOST_CANDIDATES, |stack| {
        let recipe = stack.recipes().into_iter().next()?;
        Some(names::of_stack(stack, recipe))
    })?;
    check_cases(source, &workloads, "workloads", MOST_WORKLOADS, |w| Some(names::of_workload(w)))?;
    some_tool_can(source, &workloads)?;
    raw_measures_blocks(source, &stacks, &workloads)?;
    let own = rows_of_stacks.iter().chain(&rows_of_workloads).flat_map(|rows| &rows.choices);
    let axes = shared.iter().chain(own.filter(|choices| choices.table != AXES));
    Ok(Plan {
        name: printable(source.plan.as_bytes()),
        text: source.text.to_string(),
        title,
        region: region.unwrap_or_default(),
        protocol: protocol.unwrap_or_default(),
        axes: axes.filter(|axis| axis.values.len() > 1).map(|axis| said(source, axis)).collect(),
        stacks: stacks.into_iter().map(|made| made.item).collect(),
        workloads: workloads.into_iter().map(|made| made.item).collect(),
    })
}

/// The tables of one kind; what a table does not set itself it takes from `[axes]`.
fn rows<'a, 't, T: Planned>(
    source: &Source,
    document: &'t DeTable<'a>,
    shared: &[OneOrMany<'a, 't>],
) -> Result<Vec<Row<'a, 't>>, PlanError> {
    let mut rows = Vec::new();
    for (table, span) in source.tables(document, T::NAME)? {
        let mut choices = axes::of_table(source, table, T::TABLE, T::KEYS)?;
        let is_missing = |c: &&OneOrMany| T::KEYS.contains(&c.key) && !table.contains_key(c.key);
        choices.extend(shared.iter().filter(is_missing).cloned());
        rows.push(Row { choices, span });
    }
    Ok(rows)
}

/// `[[include]]`: single stacks that no axis and no exclusion touches.
fn included(source: &Source, document: &DeTable) -> Result<Vec<Made<PlannedStack>>, PlanError> {
    let mut made = Vec::new();
    for (at, (table, span)) in source.tables(document, "include")?.into_iter().enumerate() {
        let entries = source.entries(table, "[[include]]", PlannedStack::KEYS)?;
        let values = entries.into_iter().map(|entry| (entry.key, entry.value)).collect();
        // Numbers no table of [[stack]] has.
        let item = PlannedStack::made(source, usize::MAX - at, values)?;
        item.check().map_err(|problem| source.error(span.clone(), problem))?;
        made.push(Made { item, span, kept: true });
    }
    Ok(made)
}

/// Refuses, before anything is made, what nobody could measure.
fn bounded(
    source: &Source,
    stacks: &[Row],
    included: usize,
    workloads: &[Row],
) -> Result<(), PlanError> {
    let sum = |rows: &[Row]| {
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

fn make<T: Planned>(source: &Source, rows: &[Row]) -> Result<Vec<Made<T>>, PlanError> {
    let mut made = Vec::new();
    for (table, row) in rows.iter().enumerate() {
        for picked in axes::combinations(&row.choices) {
            let item = T::made(source, table, picked)?;
            item.check().map_err(|problem| source.error(row.span.clone(), problem))?;
            made.push(Made { item, span: row.span.clone(), kept: true });
        }
    }
    Ok(made)
}

fn has_one_basis(source: &Source, row: &Row) -> Result<(), PlanError> {
    let choice = |key: &&str| row.choices.iter().find(|c| c.key == *key);
    let bases: Vec<&OneOrMany> = ["profile", "job", "rw"].iter().filter_map(choice).collect();
    match (&bases[..], choice(&"name")) {
        ([first, second, ..], _) => {
            let what = format!("a workload takes {} or {}, not both", first.key, second.key);
            // The later of the two, in whichever table it stands.
            let spans = [first, second].map(|c| c.key_span.clone());
            let span = spans.into_iter().max_by_key(|span| span.start).unwrap_or_default();
            Err(source.error(span, what))
        }
        ([], None) => {
            let what = "a workload needs rw, profile or job, or the name of a built-in one: \
                        name = \"randwrite\"";
            Err(source.error(row.span.clone(), what))
        }
        _ => Ok(()),
    }
}

/// What a tool cannot do is left out once names are given; a plan with nothing else is refused.
fn some_tool_can(source: &Source, workloads: &[Made<PlannedWorkload>]) -> Result<(), PlanError> {
    let reasons: Option<Vec<String>> = workloads.iter().map(|w| w.item.unsupported()).collect();
    match (reasons, workloads.first()) {
        (Some(reasons), Some(first)) => {
            Err(source.error(first.span.clone(), distinct::in_order(reasons).join("; ")))
        }
        _ => Ok(()),
    }
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
            let why = format!("two {what} are named '{name}'; remove or rename one of them");
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

/// An axis as the plan writes it, without the quotes of its texts.
fn said(source: &Source, axis: &OneOrMany) -> Axis {
    let written = |value: &&Value| {
        let whole = || source.text.get(value.span()).unwrap_or_default();
        let text = value.get_ref().as_str().unwrap_or_else(whole);
        printable(text.split_whitespace().collect::<Vec<_>>().join(" ").as_bytes())
    };
    Axis { table: axis.table, key: axis.key, values: axis.values.iter().map(written).collect() }
}
