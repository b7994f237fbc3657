//! Rules that say what a number or a claim may not be taken for.
//!
//! A rule looks at one cell ([`cell`]), at the places and stacks before the start ([`plan`]), or
//! at a whole run ([`run`]); each is a pure function that returns findings with their evidence in
//! numbers. How severe a finding is depends on what is claimed and is one table ([`severity`]).
//! What a rule means, with an example, is in [`registry`].

pub mod advice;
pub mod carry_over;
pub mod cause;
pub mod cell;
pub mod claim;
pub(crate) mod control;
pub mod device;
pub mod disks;
pub mod drift;
mod figures;
pub mod limit;
pub mod link;
mod machine;
pub mod outcome;
pub mod pattern;
pub mod plan;
pub mod registry;
pub mod run;
pub mod series;
pub mod severity;
pub mod stack;
pub mod thresholds;
pub mod wander;

use std::collections::BTreeMap;

use crate::model::event::{Cell, Header};
use crate::model::finding::{Finding, Scope, Severity};

pub use cell::{cell, invalid_reason, is_invalid};
pub use plan::{SystemDisk, plan};
pub use registry::{Rule, explain};

#[cfg(test)]
mod tests;

/// What can be said of a plan before any device is known: it is put on a disk of which nothing is.
/// `job_files` has the texts of those it names.
///
/// # Errors
/// What keeps it from being put on any.
pub fn of_plan(
    plan: &crate::plan::Plan,
    job_files: &BTreeMap<String, String>,
) -> Result<Vec<Finding>, crate::plan::ExpandError> {
    Ok(plan::plan(&unplaced(plan, job_files)?, &[]))
}

/// The run of a plan on a disk of which nothing is known, where everything is supported.
///
/// # Errors
/// What keeps it from being put on any.
pub fn unplaced(
    plan: &crate::plan::Plan,
    job_files: &BTreeMap<String, String>,
) -> Result<Header, crate::plan::ExpandError> {
    let here = crate::plan::Here { supports: &|_, _| Ok(()), job_files };
    let expanded = crate::plan::expand(plan, &[], &here)?;
    Ok(plan::header(plan, expanded))
}

/// A finding of rule `id`, as severe as the table says for the claims of this run.
fn finding(header: &Header, id: &str, evidence: String, advice: &str) -> Finding {
    Finding {
        id: id.to_string(),
        severity: severity::in_run(id, header).unwrap_or(Severity::Error),
        scope: registry::rule(id).map_or(Scope::Run, |r| r.scope.resolve(header)),
        workload: None,
        candidate: None,
        evidence,
        advice: advice::spelled(&header.verb, advice),
    }
}

/// Says which cell a finding is about.
fn about(mut finding: Finding, header: &Header, cell: &Cell) -> Finding {
    finding.workload = header.workloads.get(usize::from(cell.workload)).map(|w| w.name.clone());
    finding.candidate = header.candidates.get(usize::from(cell.candidate)).map(|c| c.name.clone());
    finding
}
