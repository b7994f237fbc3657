//! From the tables of a plan to its stacks and workloads: axes applied, exclusions taken out,
//! names told apart.

use std::ops::Range;

use toml::de::DeTable;

use super::axes::{self, OneOrMany};
use super::beside;
use super::document::{MOST_CASES, Plan, PlanAxis};
use super::error::{PlanError, PlanProblem};
use super::exclude::exclude;
use super::made::{Made, Planned};
use super::names::{self, Sayable};
use super::protocol::{self, ProtocolRequest};
use super::read::{Field, NAME_CHARS, Source};
use super::stack::PlannedStack;
use super::workload::{Basis, PlannedWorkload};
use bakeoff_model::job::Rw;
use bakeoff_model::path::printable;
use bakeoff_model::run::{MOST_CANDIDATES, MOST_WORKLOADS};
use bakeoff_model::workload::Workload;
use bakeoff_stats::distinct;

const AXES: &str = "[axes]";

const STATE: &str = "[state]";

const KEYS: [&str; 9] =
    ["title", "for", "region", "stack", "axes", "state", "workload", "exclude", "protocol"];

/// A plan's table `[[stack]]` or `[[workload]]` as keys with values.
struct PlanTable<'t> {
    choices: Vec<OneOrMany<'t>>,
    span: Range<usize>,
}

pub(super) fn plan<'t>(source: Source<'t>, document: &'t DeTable<'t>) -> Result<Plan, PlanError> {
    let top = source.fields(document, "a plan", &KEYS)?;
    let field = |key| top.iter().find(|field| field.key == key);
    let title = match field("title") {
        Some(title) => title.text()?.to_string(),
        None => printable(source.plan.as_bytes()),
    };
    let region = field("region").map(protocol::region).transpose()?;
    let protocol = field("protocol").map(protocol::protocol).transpose()?.unwrap_or_default();
    let drive_use = field("for").map(|field| field.variant()).transpose()?;
    let drive_use = drive_use.unwrap_or(protocol.drive_use);
    let mut shared = field("axes").map(shared_axes).transpose()?.unwrap_or_default();
    if let Some(state) = field("state") {
        use_axes(state, &mut shared)?;
    }
    let mut rows_of_stacks = rows::<PlannedStack>(field("stack"), &shared)?;
    let fs = shared.iter().find(|choices| choices.key == "fs");
    if let Some(fs) = fs.filter(|_| rows_of_stacks.is_empty()) {
        let is_of_stack = |c: &&OneOrMany| PlannedStack::keys().contains(&c.key);
        let choices = shared.iter().filter(is_of_stack).cloned().collect();
        rows_of_stacks.push(PlanTable { choices, span: fs.key_span.clone() });
    }
    let rows_of_workloads = rows::<PlannedWorkload>(field("workload"), &shared)?;
    bounded(&source, &rows_of_stacks, &rows_of_workloads)?;
    let mut stacks: Vec<Made<PlannedStack>> = make(&source, &rows_of_stacks)?;
    rows_of_workloads.iter().try_for_each(|row| has_one_basis(&source, row))?;
    let mut workloads: Vec<Made<PlannedWorkload>> = make(&source, &rows_of_workloads)?;
    beside::resolve(rows_of_workloads.iter().flat_map(|row| &row.choices), &mut workloads)?;
    if let Some(field) = field("exclude") {
        exclude(field, &mut stacks, &mut workloads)?;
    }
    stacks.retain(|one| one.kept);
    workloads.retain(|one| one.kept);
    check_cases(&source, &stacks, "candidates", MOST_CANDIDATES, |stack| {
        let recipe = stack.recipes().into_iter().next()?;
        Some(names::of_stack(stack, recipe))
    })?;
    check_cases(&source, &workloads, "workloads", MOST_WORKLOADS, |w| Some(names::of_workload(w)))?;
    some_tool_can(&source, &workloads)?;
    raw_measures_blocks(&source, &stacks, &workloads)?;
    let own = rows_of_stacks.iter().chain(&rows_of_workloads).flat_map(|rows| &rows.choices);
    let axes = shared.iter().chain(own.filter(|choices| ![AXES, STATE].contains(&choices.table)));
    Ok(Plan {
        name: printable(source.plan.as_bytes()),
        text: source.text.to_string(),
        title,
        region: region.unwrap_or_default(),
        protocol: ProtocolRequest { drive_use, ..protocol },
        axes: axes.filter(|axis| axis.values.len() > 1).map(|axis| said(axis)).collect(),
        stacks: stacks.into_iter().map(|made| made.item).collect(),
        workloads: workloads.into_iter().map(|made| made.item).collect(),
    })
}

/// The workloads of a file that has no stacks, each with its name.
pub(super) fn workloads(field: &Field) -> Result<Vec<Workload>, PlanError> {
    let rows = rows::<PlannedWorkload>(Some(field), &[])?;
    rows.iter().try_for_each(|row| has_one_basis(&field.source, row))?;
    let made: Vec<Made<PlannedWorkload>> = make(&field.source, &rows)?;
    let named = |one: &Made<PlannedWorkload>| {
        let name = one.item.name.clone();
        let is_plain = one.item.basis == Basis::Words && one.item.beside.is_none();
        let made = name.filter(|_| is_plain).map(|name| one.item.workload(&name));
        made.filter(Workload::can_be_sliced).ok_or_else(|| {
            let what = "a workload of an application needs a name and rw, and cannot have \
                        rate_iops, profile, job or beside";
            field.source.error(one.span.clone(), what)
        })
    };
    made.iter().map(named).collect()
}

/// `[axes]`: keys of stacks and of workloads, names excepted.
fn shared_axes<'t>(field: &Field<'t>) -> Result<Vec<OneOrMany<'t>>, PlanError> {
    let keys = [&PlannedStack::keys()[1..], &PlannedWorkload::keys()[1..]].concat();
    axes::of_table(field.source, field.table(protocol::TABLE)?, AXES, &keys)
}

/// `[state]`: how every stack is used that does not say so itself.
fn use_axes<'t>(field: &Field<'t>, shared: &mut Vec<OneOrMany<'t>>) -> Result<(), PlanError> {
    let axes =
        axes::of_table(field.source, field.table(protocol::TABLE)?, STATE, &["fill", "age"])?;
    let twice = axes.iter().find(|axis| shared.iter().any(|other| other.key == axis.key));
    if let Some(axis) = twice {
        let what = format!("{} is in {AXES} too; keep one of them", axis.key);
        return Err(field.source.error(axis.key_span.clone(), what));
    }
    shared.extend(axes);
    Ok(())
}

/// The tables of one kind; what a table does not set itself it takes from `[axes]`.
fn rows<'t, T: Planned>(
    field: Option<&Field<'t>>,
    shared: &[OneOrMany<'t>],
) -> Result<Vec<PlanTable<'t>>, PlanError> {
    let Some(field) = field else { return Ok(Vec::new()) };
    let (mut rows, keys) = (Vec::new(), T::keys());
    for (table, span) in field.tables()? {
        let mut choices = axes::of_table(field.source, table, T::TABLE, &keys)?;
        let is_missing = |c: &&OneOrMany| keys.contains(&c.key) && !table.contains_key(c.key);
        choices.extend(shared.iter().filter(is_missing).cloned());
        rows.push(PlanTable { choices, span });
    }
    Ok(rows)
}

fn bounded(
    source: &Source,
    stacks: &[PlanTable],
    workloads: &[PlanTable],
) -> Result<(), PlanError> {
    let sum = |rows: &[PlanTable]| {
        rows.iter().map(|row| axes::count(&row.choices)).fold(0, u64::saturating_add)
    };
    let stacks = sum(stacks);
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
    if cases > MOST_CASES {
        Err(source.whole(PlanProblem::too_many("cases", cases, MOST_CASES)))
    } else {
        Ok(())
    }
}

fn make<T: Planned>(source: &Source, rows: &[PlanTable]) -> Result<Vec<Made<T>>, PlanError> {
    let mut made = Vec::new();
    for (table, row) in rows.iter().enumerate() {
        for picked in axes::combinations(&row.choices) {
            let item = T::made(table, picked)?;
            item.check().map_err(|problem| source.error(row.span.clone(), problem))?;
            made.push(Made { item, span: row.span.clone(), kept: true });
        }
    }
    Ok(made)
}

fn has_one_basis(source: &Source, row: &PlanTable) -> Result<(), PlanError> {
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
        return Err(source.whole(PlanProblem::too_many(what, found, most)));
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

fn raw_measures_blocks(
    source: &Source,
    stacks: &[Made<PlannedStack>],
    workloads: &[Made<PlannedWorkload>],
) -> Result<(), PlanError> {
    let needs_files = |w: &Made<PlannedWorkload>| {
        let is_block = matches!(w.item.basis, Basis::Words | Basis::BuiltIn(_));
        w.item.job.rw == Rw::SmallFiles || !is_block || w.item.beside.is_some()
    };
    let raw = stacks.iter().find(|stack| stack.item.is_raw());
    let what = "raw has no files, and a workload of this plan needs files: use two plans";
    match raw.filter(|_| workloads.iter().any(needs_files)) {
        Some(raw) => Err(source.error(raw.span.clone(), what)),
        None => Ok(()),
    }
}

fn said(axis: &OneOrMany) -> PlanAxis {
    let written = |field: &Field| {
        let whole = || field.source.text.get(field.value.span()).unwrap_or_default();
        let text = field.value.get_ref().as_str().unwrap_or_else(whole);
        printable(text.split_whitespace().collect::<Vec<_>>().join(" ").as_bytes())
    };
    PlanAxis { table: axis.table, key: axis.key, values: axis.values.iter().map(written).collect() }
}
