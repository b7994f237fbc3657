//! What the gate says, in words and for programs.

use serde_json::{Value, json};

use super::answer::{self, amount, figure_words};
use super::document::{Document, Table, number, words};
use super::side_by_side::change;
use bakeoff_judge::gate::{Gate, GateRow, GateState, GateVerdict};
use bakeoff_stats::phrases;

/// Rates that a sentence names.
const NAMED: usize = 6;

/// Values of the key `gate`.
pub(super) fn json(gate: &Gate) -> Value {
    let mut document = json!(gate);
    document["sentence"] = json!(sentence(gate));
    document
}

pub(super) fn write(gate: &Gate, out: &mut Document) {
    out.headline(sentence(gate));
    reasons(gate).into_iter().for_each(|reason| out.bullet(reason));
    out.gap();
    let is_one = is_of_one(gate);
    let mut columns = vec![words("workload")];
    if !is_one {
        columns.push(words("candidate"));
    }
    columns.extend(["before", "now", "ratio (95 % CI)"].map(number));
    columns.push(words("result"));
    let rows = gate.rows.iter().map(|row| {
        let mut cells = vec![answer::workload_name(&row.workload)];
        if !is_one {
            cells.push(row.candidate.clone());
        }
        let figure = |value: Option<f64>| {
            value.map_or_else(|| "-".to_string(), |value| figure_words(row.metric, value))
        };
        cells.extend([figure(row.base), figure(row.new), change(row.change)]);
        cells.push(state(row.state).to_string());
        cells
    });
    out.table(Table::new(columns, rows));
}

fn state(state: GateState) -> &'static str {
    match state {
        GateState::NotSlower => "not slower",
        GateState::Slower => "slower",
        GateState::Unknown => "unknown",
        GateState::Missing => "no figure",
        GateState::Forbidden => "no claim",
    }
}

fn sentence(gate: &Gate) -> String {
    let limit = amount::share(gate.limit);
    match gate.verdict {
        GateVerdict::NotSlower => {
            let rates = phrases::count(gate.rows.len(), "rate");
            format!("Not slower by {limit}: certain for {rates}.")
        }
        GateVerdict::Slower => {
            format!(
                "Slower by more than {limit}: {}.",
                named(gate, |state| state == GateState::Slower)
            )
        }
        GateVerdict::Unknown if !gate.unlike.is_empty() => {
            let all: Vec<String> = gate.unlike.iter().map(ToString::to_string).collect();
            format!("Cannot tell: the runs differ in {}.", phrases::list(&all))
        }
        GateVerdict::Unknown if gate.rows.is_empty() => {
            "Cannot tell: the first run has no figures.".to_string()
        }
        GateVerdict::Unknown => {
            let open = named(gate, |state| state != GateState::NotSlower);
            format!("Cannot tell whether it is slower by {limit}: {open}.")
        }
    }
}

/// The rates in these states; their candidates are named where there are several.
fn named(gate: &Gate, is_named: fn(GateState) -> bool) -> String {
    let name = |row: &GateRow| {
        let workload = answer::workload_name(&row.workload);
        if is_of_one(gate) { workload } else { format!("{workload} on {}", row.candidate) }
    };
    let names: Vec<String> = gate.rows.iter().filter(|row| is_named(row.state)).map(name).collect();
    match names.len() {
        0..=NAMED => phrases::list(&names),
        all => format!("{} and {} more", names[..NAMED].join(", "), all - NAMED),
    }
}

fn is_of_one(gate: &Gate) -> bool {
    gate.rows.iter().all(|row| row.candidate == gate.rows[0].candidate)
}

/// What keeps the answer from being known, and what would help.
fn reasons(gate: &Gate) -> Vec<String> {
    let has = |state| gate.rows.iter().any(|row| row.state == state);
    if gate.verdict != GateVerdict::Unknown || !gate.unlike.is_empty() {
        return Vec::new();
    }
    let mut all = Vec::new();
    if has(GateState::Missing) {
        all.push(
            "A run has no figure for a rate of the first run. Measure the same workloads."
                .to_string(),
        );
    }
    if has(GateState::Forbidden) {
        all.push("A finding forbids claims about a workload. See `bakeoff show RUN`.".to_string());
    }
    let is_between = gate.rows.iter().any(|row| row.state == GateState::Unknown && row.is_between);
    match gate.times {
        Some(times) => {
            let blocks = gate.rows.iter().map(|row| row.blocks).max().unwrap_or(0);
            let blocks = libm::ceil(f64::from(blocks) * times);
            all.push(if is_of_one(gate) { format!(
                    "Measure about {blocks:.0} blocks in every run: bakeoff quick DIR --blocks \
                     {blocks:.0}"
                ) } else { format!(
                    "Measure about {blocks:.0} blocks in every run, {:.1} times as many.",
                    libm::ceil(times * 10.0) / 10.0
                ) });
        }
        None if is_between => all.push(
            "The earlier runs differ from each other. More of them would narrow the interval."
                .to_string(),
        ),
        None if has(GateState::Unknown) => all.push(
            "The change is too close to the limit, or the noise too large, for more blocks to tell."
                .to_string(),
        ),
        None => {}
    }
    all
}
