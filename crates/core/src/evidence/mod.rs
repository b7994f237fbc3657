//! What a cell is worth: the rules over one cell, and what a rule is.
//!
//! A cell whose number is not what it claims to be does not count ([`is_invalid`]) and is measured
//! again. The rules over anything else are in [`crate::rules`].

pub mod advice;
pub mod cell;
pub mod clock;
pub mod observation;
pub mod pattern;
pub mod rule;

use crate::model::design::Design;
use crate::model::event::Cell;
use crate::model::finding::{Finding, Scope, Severity};
use crate::model::protocol::Isolation;
use crate::model::setting::Setting;
use crate::model::verb::Verb;

use advice::Advice;
pub(crate) use cell::reads_drive;
pub use cell::{cell, discarded, invalid_reason, is_invalid};
pub use rule::Rule;

/// A finding of a rule, as severe as it is for the claims of this run.
pub(crate) fn finding<'a>(
    design: impl Into<Design<'a>>,
    rule: &Rule,
    evidence: String,
    advice: impl Into<Advice>,
) -> Finding {
    let design = design.into();
    Finding {
        id: rule.id.to_string(),
        severity: rule.severity_for(Setting::of(design)),
        scope: rule.scope.resolve(design),
        workload: None,
        candidate: None,
        evidence,
        advice: advice.into().spelled(design.verb),
    }
}

/// A finding about a common cause: what others do on the machine, or drift of the drive. It meets
/// candidates that are measured in turns alike, and their intervals say what it cost.
pub(crate) fn of_common_cause<'a>(
    design: impl Into<Design<'a>>,
    rule: &Rule,
    evidence: String,
    advice: impl Into<Advice>,
) -> Finding {
    let design = design.into();
    let found = finding(design, rule, evidence, advice);
    match design.protocol.isolation {
        Isolation::Slices => Finding { severity: found.severity.min(Severity::Warn), ..found },
        Isolation::Visit => found,
    }
}

/// A finding about one result of another tool, of which no more is claimed than of a place.
pub(crate) fn of_result(rule: &Rule, evidence: String, advice: impl Into<Advice>) -> Finding {
    Finding {
        id: rule.id.to_string(),
        severity: rule.severity_for(Setting::Places),
        scope: Scope::Cell,
        workload: None,
        candidate: None,
        evidence,
        advice: advice.into().spelled(&Verb::Bench),
    }
}

/// Says which cell a finding is about.
pub(crate) fn about<'a>(
    mut finding: Finding,
    design: impl Into<Design<'a>>,
    cell: &Cell,
) -> Finding {
    let design = design.into();
    finding.workload = cell.workload.get(design.workloads).map(|w| w.name.clone());
    finding.candidate = cell.candidate.get(design.candidates).map(|c| c.name.clone());
    finding
}
