//! What a cell is worth: the rules over one cell, and the list of all rules.
//!
//! A cell whose number is not what it claims to be does not count ([`is_invalid`]) and is measured
//! again. How severe a finding is depends on what is claimed and is one table ([`severity`]). What
//! a rule means, with an example, is in [`registry`].

pub mod advice;
pub mod cell;
pub mod clock;
mod figures;
mod machine;
pub mod pattern;
pub mod registry;
pub mod severity;

use crate::model::event::{Cell, Header};
use crate::model::finding::{Finding, Scope, Severity};

pub use cell::{cell, invalid_reason, is_invalid};
pub use registry::{Rule, explain};

/// A finding of rule `id`, as severe as the table says for the claims of this run.
pub(crate) fn finding(header: &Header, id: &str, evidence: String, advice: &str) -> Finding {
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
pub(crate) fn about(mut finding: Finding, header: &Header, cell: &Cell) -> Finding {
    finding.workload = header.workloads.get(usize::from(cell.workload)).map(|w| w.name.clone());
    finding.candidate = header.candidates.get(usize::from(cell.candidate)).map(|c| c.name.clone());
    finding
}
