//! The findings of a run: recorded, seen in its cells, and following from the whole.

use crate::evidence;
use crate::rules::run::ComparedRun;
use crate::rules::{self, limit};
use bakeoff_model::event::Cell;
use bakeoff_model::finding::{Finding, Scope, Severity};
use bakeoff_model::run::{BlockState, Run};

pub fn findings(whole: &ComparedRun) -> Vec<Finding> {
    let run = whole.run;
    let mut found = run.findings.clone();
    found.extend(rules::plan(&run.header, &[]));
    found.extend(whole.findings());
    found.extend(of_cells(run));
    limit::sorted(found)
}

/// Findings of cells in complete blocks, one for each rule, workload and candidate. A cell that
/// was thrown away limits no verdict, but is told.
fn of_cells(run: &Run) -> Vec<Finding> {
    let header = &run.header;
    let mut found = Vec::new();
    for cell in run.complete_cells() {
        let of_cell = evidence::cell(header, cell);
        let forbids = |f: &Finding| f.severity == Severity::Refuse && f.scope == Scope::Cell;
        if of_cell.iter().any(forbids) {
            let told = of_cell.into_iter().filter(forbids).map(|f| Finding {
                severity: Severity::Warn,
                evidence: format!("discarded: {}", f.evidence),
                ..f
            });
            found.push(told.collect());
        } else {
            found.push(of_cell);
        }
    }
    let cells = |f: &Finding| {
        let is_of = |c: &&Cell| {
            let workload = &header.workloads[c.workload].name;
            let candidate = &header.candidates[c.candidate].name;
            f.workload.as_ref() == Some(workload) && f.candidate.as_ref() == Some(candidate)
        };
        run.complete_cells().filter(is_of).count() as u32
    };
    limit::merged(found, cells)
}

pub fn cell_counts(run: &Run) -> (u32, u32) {
    let is_invalid = |c: &&Cell| evidence::is_invalid(&run.header, c);
    let all = run.complete_cells().count();
    let invalid = run.complete_cells().filter(is_invalid).count();
    let superseded: usize = run
        .blocks
        .iter()
        .filter(|b| b.state == BlockState::Superseded)
        .map(|b| b.cells.len())
        .sum();
    ((all - invalid) as u32, (invalid + superseded + run.invalid.len()) as u32)
}
