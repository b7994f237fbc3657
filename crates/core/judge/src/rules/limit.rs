//! Which findings limit a verdict, and when they forbid it.

use std::collections::{BTreeMap, BTreeSet};

use bakeoff_model::finding::{Finding, Scope, Severity};

/// The findings among `all` that limit a claim about `scope` on `workload`; most severe first.
pub fn limiting(all: &[Finding], scope: Scope, workload: &str) -> Vec<Finding> {
    let is_about = |f: &&Finding| {
        let same_scope = f.scope == scope || matches!(f.scope, Scope::Cell | Scope::Run);
        let same_workload = f.workload.as_deref().is_none_or(|w| w == workload);
        same_scope && same_workload
    };
    sorted(all.iter().filter(is_about).cloned().collect())
}

/// The findings that forbid the claim: every R, or the E of two different rules or more.
pub fn forbidding(findings: &[Finding]) -> Vec<&Finding> {
    let of = |severity| findings.iter().filter(move |f| f.severity == severity);
    let refusals: Vec<&Finding> = of(Severity::Refuse).collect();
    if !refusals.is_empty() {
        return refusals;
    }
    let errors: Vec<&Finding> = of(Severity::Error).collect();
    let is_several = errors.iter().any(|f| f.id != errors[0].id);
    if is_several { errors } else { Vec::new() }
}

pub fn forbidding_ids(findings: &[Finding]) -> Vec<String> {
    let ids: BTreeSet<&String> = forbidding(findings).into_iter().map(|found| &found.id).collect();
    ids.into_iter().cloned().collect()
}

/// What forbids the claim, with the rule of each: `evidence (L10)`.
pub fn reasons(findings: &[Finding]) -> Vec<String> {
    let of = |found: &Finding| format!("{} ({})", found.evidence, found.id);
    let mut reasons: Vec<String> = forbidding(findings).into_iter().map(of).collect();
    reasons.dedup();
    reasons
}

/// Most severe first, then by rule, workload and candidate.
pub fn sorted(mut findings: Vec<Finding>) -> Vec<Finding> {
    let key = |f: &Finding| {
        (std::cmp::Reverse(f.severity), f.id.clone(), f.workload.clone(), f.candidate.clone())
    };
    findings.sort_by(|a, b| key(a).cmp(&key(b)).then_with(|| a.cmp(b)));
    findings.dedup();
    findings
}

/// The findings of each cell as one for each rule, workload and candidate: the evidence of the
/// first, and in how many of the candidate's cells it was seen.
pub fn merged(of_cells: Vec<Vec<Finding>>, cells: impl Fn(&Finding) -> u32) -> Vec<Finding> {
    let mut groups: BTreeMap<_, (Finding, BTreeSet<usize>)> = BTreeMap::new();
    for (cell, of_cell) in of_cells.into_iter().enumerate() {
        for finding in of_cell {
            let key = (finding.id.clone(), finding.workload.clone(), finding.candidate.clone());
            let new = || (finding.clone(), BTreeSet::new());
            let (first, seen) = groups.entry(key).or_insert_with(new);
            first.severity = first.severity.max(finding.severity);
            seen.insert(cell);
        }
    }
    let tell = |(mut finding, seen): (Finding, BTreeSet<usize>)| {
        let (seen, all) = (seen.len(), cells(&finding));
        if all > 1 {
            finding.evidence = format!("in {seen} of {all} cells; first: {}", finding.evidence);
        }
        finding
    };
    groups.into_values().map(tell).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(id: &str, severity: Severity) -> Finding {
        Finding {
            id: id.to_string(),
            severity,
            scope: Scope::Place,
            workload: None,
            candidate: None,
            evidence: "e".to_string(),
            advice: "a".to_string(),
        }
    }

    #[test]
    fn one_error_is_said_and_two_forbid() {
        let forbids = |f: &[Finding]| !forbidding(f).is_empty();
        assert!(!forbids(&[of("L25", Severity::Error), of("L10", Severity::Warn)]));
        assert!(!forbids(&[of("L25", Severity::Error), of("L25", Severity::Error)]));
        assert!(forbids(&[of("L25", Severity::Error), of("L52", Severity::Error)]));
        assert!(forbids(&[of("L36", Severity::Refuse)]));
    }

    #[test]
    fn findings_about_others_limit_nothing() {
        let about = |workload: Option<&str>, scope| Finding {
            workload: workload.map(str::to_string),
            scope,
            ..of("x", Severity::Warn)
        };
        let limits = |f: Finding| !limiting(&[f], Scope::Place, "randread").is_empty();
        assert!(limits(about(None, Scope::Place)));
        assert!(limits(about(Some("randread"), Scope::Cell)));
        assert!(limits(about(None, Scope::Run)));
        assert!(!limits(about(Some("seqread"), Scope::Place)));
        assert!(!limits(about(None, Scope::Stack)));
    }

    #[test]
    fn cells_are_counted() {
        let [warning, error] = [Severity::Warn, Severity::Error].map(|s| of("x", s));
        let found = merged(vec![vec![warning.clone()], vec![error.clone()]], |_| 5);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].evidence, "in 2 of 5 cells; first: e");
        assert_eq!(found[0].severity, Severity::Error);
        // "In 9 of 5 cells": a cell may break a rule in two ways.
        let found = merged(vec![vec![warning, error]], |_| 5);
        assert_eq!(found[0].evidence, "in 1 of 5 cells; first: e");
    }
}
