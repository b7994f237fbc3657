//! What the tests of rules need, and what all rules have in common.

pub mod before;
mod cases;
pub mod imported;
pub mod session;

use super::*;
use crate::analyse::analyse;
use crate::evidence::rule::{RULES, Rule};
use bakeoff_model::finding::Severity;
use bakeoff_model::run::Run;

/// Ids of what is found in a header alone.
fn before(run: &Run) -> Vec<String> {
    plan(&run.header, &[]).into_iter().map(|f| f.id).collect()
}

/// Ids of what is found in the whole run.
fn after(run: &Run) -> Vec<String> {
    analyse(run).findings.into_iter().map(|f| f.id).collect()
}

/// Rules that are about what something is, and not how much: their evidence names it.
const NAMES: [&str; 3] = ["L20", "L68", "device-error"];

/// Fires on one and not on the other, with evidence that has a number or a name in it.
pub fn told(found: &[Finding], id: &str) -> Option<Finding> {
    let of = found.iter().find(|f| f.id == id).cloned();
    if let Some(f) = &of {
        assert!(!f.evidence.is_empty() && !f.advice.is_empty(), "{f:?}");
        let has_number = f.evidence.contains(|c: char| c.is_ascii_digit());
        assert!(has_number || NAMES.contains(&f.id.as_str()), "{}: {}", f.id, f.evidence);
        assert!(f.advice.split('{').skip(1).all(|rest| rest.starts_with(' ')), "{f:?}");
        assert!(!f.advice.ends_with('.') && !f.evidence.ends_with('.'), "{f:?}");
    }
    of
}

#[test]
fn rules_are_found_by_number_and_by_name() {
    assert_eq!(Rule::find("l36").map(|r| r.slug.as_str()), Some("autocorrelation"));
    assert_eq!(Rule::find("Warm-Cache").map(|r| r.id.as_str()), Some("L16"));
    assert!(Rule::find("L00").is_none());
}

/// A check of an unlisted rule would have no severity, and a rule without a check would say
/// nothing.
#[test]
fn every_rule_is_in_the_table_and_has_a_check() {
    let of_designs = [place::CHECKS, asked::CHECKS].into_iter().flatten().map(|of| of.0);
    let checked = of_designs.chain(of_observations().map(|of| of.0));
    let checked = checked.chain(run::CHECKS.iter().map(|of| of.0));
    let elsewhere = [
        runs::TOOL_VERSION,
        runs::RUNS_DIFFER,
        unlike_promises::DURABILITY,
        unlike_promises::IMPLEMENTATION,
    ];
    let mut checked: Vec<&str> = checked.chain(elsewhere).collect();
    checked.sort_unstable();
    checked.dedup();
    assert_eq!(checked, RULES.iter().map(|rule| rule.id.as_str()).collect::<Vec<_>>());
}

#[test]
fn more_is_claimed_the_further_right() {
    for rule in RULES.iter() {
        assert!(rule.severity.is_sorted(), "{}", rule.id);
    }
}

#[test]
fn texts_are_whole_sentences_and_short() {
    for rule in RULES.iter() {
        assert!(rule.explain.ends_with('.') && rule.explain.len() < 250, "{}", rule.id);
        assert!(!rule.condition.is_empty() && !rule.condition.ends_with('.'), "{}", rule.id);
    }
}
