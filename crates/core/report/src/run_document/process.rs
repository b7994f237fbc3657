//! What was done: steps with their output, cells thrown away.

use bakeoff_machine::prepare::steps::{describe, describe_undo};
use bakeoff_model::index::{BlockIx, CandidateIx, WorkloadIx};
use bakeoff_model::path::sanitize;
use bakeoff_model::run::{Run, StepRecord};
use bakeoff_model::secrets;
use bakeoff_stats::units;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepView {
    pub number: u32,
    pub why: String,
    pub command: String,
    pub undo: Option<String>,
    /// "exit 0, 1.2 s", "not run".
    pub outcome: String,
    pub is_ok: bool,
    /// What it printed, line by line harmless.
    pub output: String,
}

pub fn name(run: &Run, candidate: CandidateIx) -> String {
    let found = candidate.get(&run.header.candidates);
    found.map_or_else(|| format!("candidate {candidate}"), |c| sanitize(&c.name))
}

fn workload_name(run: &Run, workload: WorkloadIx) -> String {
    let found = workload.get(&run.header.workloads);
    found.map_or_else(|| format!("workload {workload}"), |w| sanitize(&w.name))
}

/// Cells that were tried and thrown away.
pub fn invalid(run: &Run) -> Vec<String> {
    let line =
        |(block, candidate, workload, reason): &(BlockIx, CandidateIx, WorkloadIx, String)| {
            let (candidate, workload) = (name(run, *candidate), workload_name(run, *workload));
            format!("block {block}, {candidate}, {workload}: {}", sanitize(reason))
        };
    run.invalid.iter().map(line).collect()
}

pub fn steps(run: &Run) -> Vec<StepView> {
    run.steps.iter().map(|record| step(&run.header.run, record)).collect()
}

fn step(run: &str, record: &StepRecord) -> StepView {
    let outcome = match (&record.done, record.undone) {
        (None, true) => "did not take effect".to_string(),
        (None, false) => "unknown whether it ran".to_string(),
        (Some(done), undone) => {
            let undone = if undone { ", undone later" } else { "" };
            format!("exit {}, {}{undone}", done.status, units::duration(done.took_ns))
        }
    };
    let output = record.done.as_ref().map(|d| d.output.as_str()).unwrap_or_default();
    let output: Vec<String> = output.lines().map(sanitize).collect();
    StepView {
        number: record.step.step,
        why: sanitize(&record.step.why),
        command: describe(&record.step.action),
        undo: record
            .step
            .undo
            .as_ref()
            .map(|undo| sanitize(&describe_undo(undo, run, record.step.step))),
        outcome,
        is_ok: record.done.as_ref().is_some_and(|d| d.status == 0),
        output: output.join("\n"),
    }
}

/// The command line with its seed: the same plan in the same order.
pub fn repeat(run: &Run) -> String {
    let mut words = secrets::command(run.header.command.clone());
    if words.is_empty() {
        words = vec!["bakeoff".into(), run.header.verb.to_string()];
    }
    let has_seed = words.iter().any(|w| w == "--seed" || w.starts_with("--seed="));
    if !has_seed {
        words.extend(["--seed".to_string(), run.header.seed.to_string()]);
    }
    super::words(&words)
}
