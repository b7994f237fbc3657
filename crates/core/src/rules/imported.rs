//! Rules over what others measured: one result of a tool, and a published comparison.
//!
//! No rule looks at the name of a study. A rule fires on figures, command lines and facts that are
//! there; what nobody stated is no evidence.

use crate::evidence::observation::Observation;
use crate::evidence::rule::{Check, Rule, Stated, checks};
use crate::evidence::{of_result, of_study};
use crate::model::finding::Finding;
use crate::model::thresholds::Thresholds;
use crate::scan::{Imported, ToolResult};
use crate::study::Study;
use crate::study::facts::Facts;

/// What limits a result, as far as its own figures and command line show it; by id.
pub fn result(result: &ToolResult) -> Vec<Finding> {
    let limits = Thresholds::default();
    let observation = Observation::of_result(&limits, result);
    let found = |(rule, check): (&Rule, &Check)| {
        if let Check::Result(check) = check {
            return check(result);
        }
        let seen = check.observed(&observation)?;
        Some(of_result(rule, seen.evidence, seen.advice))
    };
    let mut found: Vec<Finding> = checks(super::all_rules()).filter_map(found).collect();
    found.sort_by(|a, b| a.id.cmp(&b.id));
    found
}

/// What limits a comparison, each rule once, in the order of their ids; empty for a text that
/// compares nothing.
pub fn study(imported: &Imported, facts: &Facts) -> Vec<Finding> {
    let study = Study::new(imported, facts);
    if !study.is_comparison() {
        return Vec::new();
    }
    let first = |rule: &Rule| rule.checks.iter().find_map(|check| of_check(rule, check, &study));
    let mut found: Vec<Finding> = super::all_rules().filter_map(first).collect();
    found.sort_by(|a, b| a.id.cmp(&b.id));
    found
}

fn of_check(rule: &Rule, check: &Check, study: &Study) -> Option<Finding> {
    if let Check::Study(check) = check {
        return check(study);
    }
    let Check::Stated(stated) = check else { return None };
    of_fact(rule, stated, study)
}

fn of_fact(rule: &Rule, stated: &Stated, study: &Study) -> Option<Finding> {
    let fact = study.states(stated.key, stated.value)?;
    let found = of_study(rule, fact.says.clone(), stated.advice);
    Some(Finding { severity: stated.severity.unwrap_or(found.severity), ..found })
}
