//! Rules over a result of another tool. A rule fires on figures and command lines that are there;
//! what nobody stated is no evidence.

use crate::evidence::observation::Observation;
use crate::evidence::of_result;
use crate::evidence::rule::{Check, Rule, checks};
use crate::model::finding::Finding;
use crate::model::thresholds::Thresholds;
use crate::scan::ToolResult;

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
