//! For each rule a case in which it must fire and a near one in which it must not.
//!
//! The cases are the two sides of a threshold, or one property changed.

mod asked;
mod cell;
mod place;
mod run;
mod tools;

use std::collections::BTreeSet;

use crate::evidence::rule::RULES;
use bakeoff_model::finding::Finding;

/// What a rule must find, and what it must leave alone.
#[derive(Clone, Copy)]
struct Case {
    id: &'static str,
    /// What differs between the two.
    what: &'static str,
    fires: fn() -> Vec<Finding>,
    near: fn() -> Vec<Finding>,
}

/// A row of a table.
const fn case(
    id: &'static str,
    what: &'static str,
    fires: fn() -> Vec<Finding>,
    near: fn() -> Vec<Finding>,
) -> Case {
    Case { id, what, fires, near }
}

fn cases() -> impl Iterator<Item = &'static Case> {
    let tables: [&[Case]; 5] = [place::CASES, asked::CASES, cell::CASES, run::CASES, tools::CASES];
    tables.into_iter().flatten()
}

#[test]
fn every_rule_has_a_case_and_a_near_one() {
    let covered: BTreeSet<&str> = cases().map(|case| case.id).collect();
    let listed: BTreeSet<&str> = RULES.iter().map(|rule| rule.id.as_str()).collect();
    assert_eq!(covered, listed);
}

#[test]
fn rules_fire_on_their_cases_and_not_on_near_ones() {
    let wrong: Vec<String> = cases().flat_map(wrong).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Where a rule does not do what its case requires.
fn wrong(case: &Case) -> Vec<String> {
    let mut wrong = Vec::new();
    let ids = |found: &[Finding]| found.iter().map(|f| f.id.clone()).collect::<Vec<_>>();
    let (fires, near) = ((case.fires)(), (case.near)());
    if !ids(&fires).iter().any(|id| id == case.id) {
        wrong.push(format!("{} must fire: {} ({:?})", case.id, case.what, ids(&fires)));
    }
    if ids(&near).iter().any(|id| id == case.id) {
        wrong.push(format!("{} must not fire: not {}", case.id, case.what));
    }
    for finding in near.iter().chain(&fires) {
        assert!(!finding.evidence.is_empty() && !finding.advice.is_empty(), "{finding:?}");
    }
    wrong
}
