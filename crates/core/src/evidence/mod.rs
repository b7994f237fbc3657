//! What a cell is worth: the rules over one cell, and the list of all rules.
//!
//! A cell whose number is not what it claims to be does not count ([`is_invalid`]) and is measured
//! again. What a rule means, how severe it is for what is claimed, and an example are in
//! [`registry`].

pub mod advice;
pub mod cell;
pub mod clock;
mod figures;
mod machine;
pub mod pattern;
pub mod registry;

use crate::model::event::{Cell, Header};
use crate::model::finding::Finding;

pub use cell::{cell, invalid_reason, is_invalid};
pub use registry::{Rule, explain};

/// A finding of a rule, as severe as it is for the claims of this run.
pub(crate) fn finding(header: &Header, rule: &Rule, evidence: String, advice: &str) -> Finding {
    Finding {
        id: rule.id.to_string(),
        severity: rule.severity_in(header),
        scope: rule.scope.resolve(header),
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
