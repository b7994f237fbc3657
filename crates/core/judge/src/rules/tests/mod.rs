//! What the tests of rules need, and what all rules have in common.

pub mod before;
mod cases;
pub mod imported;
pub mod session;
mod specified;

use super::*;
use crate::analyse::analyse;
use crate::evidence::rule::{RULES, Rule};
use bakeoff_model::finding::Severity;
use bakeoff_model::run::Run;
use bakeoff_model::setting::Setting;

/// Ids of what is found in a header alone.
fn before(run: &Run) -> Vec<String> {
    plan(&run.header, &[]).into_iter().map(|f| f.id).collect()
}

/// Ids of what is found in the whole run.
fn after(run: &Run) -> Vec<String> {
    analyse(run).findings.into_iter().map(|f| f.id).collect()
}

/// Rules that are about what something is, and not how much: their evidence names it.
const NAMES: [&str; 7] = ["L05", "L20", "L29", "L59", "L60", "L68", "device-error"];

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
        place::drives::SERVED,
        published::runs::TOOL_VERSION,
        published::runs::KERNEL_MISMATCH,
        published::runs::RUNS_DIFFER,
        unlike_promises::DURABILITY,
        unlike_promises::IMPLEMENTATION,
    ];
    let mut checked: Vec<&str> = checked.chain(elsewhere).collect();
    checked.sort_unstable();
    checked.dedup();
    assert_eq!(checked, RULES.iter().map(|rule| rule.id.as_str()).collect::<Vec<_>>());
}

#[test]
fn a_directory_beside_the_system_is_a_warning_and_a_device_an_error() {
    let rule = Rule::find("L10").unwrap();
    assert_eq!(rule.severity_for(Setting::Places), Severity::Warn);
    assert_eq!(rule.severity_for(Setting::Decide), Severity::Error);
}

#[test]
fn more_is_claimed_the_further_right() {
    for rule in RULES.iter() {
        assert!(rule.severity.is_sorted(), "{}", rule.id);
    }
}

#[test]
fn every_number_is_there_but_those_of_published_comparisons() {
    let ids: Vec<&str> = RULES.iter().map(|r| r.id.as_str()).collect();
    assert!(ids.windows(2).all(|w| w[0] != w[1]), "{ids:?}");
    for number in (1..=68).filter(|number| ![4, 27, 33, 44, 64, 65].contains(number)) {
        assert!(ids.contains(&format!("L{number:02}").as_str()), "L{number:02}");
    }
}

/// What was measured, by whom or how much: a figure, or a study.
#[test]
fn every_rule_with_a_number_has_an_example() {
    let has_example =
        |text: &str| text.contains(|c: char| c.is_ascii_digit()) || text.contains("stud");
    for rule in RULES.iter().filter(|rule| rule.id.starts_with('L')) {
        assert!(has_example(&rule.explain), "{}: {}", rule.id, rule.explain);
    }
}

#[test]
fn texts_are_whole_sentences_with_something_measured_or_to_type() {
    for rule in RULES.iter() {
        assert!(rule.explain.ends_with('.') && rule.explain.len() > 80, "{}", rule.id);
        assert!(!rule.explain.contains("  ") && !rule.when.is_empty(), "{}", rule.id);
        assert!(!rule.condition.ends_with('.'), "{}", rule.id);
    }
}
