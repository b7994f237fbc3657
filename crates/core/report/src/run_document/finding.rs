//! Findings in words; those that say the same about several candidates are one.

use bakeoff_model::finding::{Finding, Scope, Severity};
use bakeoff_model::path::sanitize;
use bakeoff_stats::phrases::capital;

const CELLS: &str = "cells";

const SUBJECTS_MAX: usize = 4;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FindingView {
    pub id: String,
    pub severity: Severity,
    pub severity_word: &'static str,
    pub scope: &'static str,
    /// Candidates and workloads it is about; empty for all.
    pub subjects: Vec<String>,
    is_of_workload: bool,
    /// What was seen; of several that differ, of the first.
    evidence: String,
    is_of_first: bool,
    pub advice: String,
}

impl FindingView {
    pub fn new(finding: &Finding) -> FindingView {
        let scope = match finding.scope {
            Scope::Cell => CELLS,
            Scope::Place => "places",
            Scope::Stack => "stacks",
            Scope::Device => "devices",
            Scope::Run => "the run",
        };
        FindingView {
            id: sanitize(&finding.id),
            severity: finding.severity,
            severity_word: match finding.severity {
                Severity::Refuse => "prevents a verdict",
                Severity::Error => "error",
                Severity::Warn => "warning",
                Severity::Info => "note",
            },
            scope,
            subjects: subject(finding).into_iter().collect(),
            is_of_workload: finding.workload.is_some(),
            evidence: sentence(&finding.evidence),
            is_of_first: false,
            advice: capital(&sentence(&finding.advice)),
        }
    }

    pub fn evidence(&self) -> String {
        match self.subjects.first().filter(|_| self.is_of_first) {
            Some(first) => format!("for {first}: {}", self.evidence),
            None => self.evidence.clone(),
        }
    }

    /// What it is about: "places: /home; /mnt".
    pub fn about(&self) -> String {
        let named = &self.subjects[..self.subjects.len().min(SUBJECTS_MAX)];
        let more = match self.subjects.len() - named.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        match named {
            [] => self.scope.to_string(),
            named => format!("{}: {}{more}", self.scope, named.join("; ")),
        }
    }

    /// All of it in a line: what it limits, what was seen, what mends it, and its code.
    pub fn line(&self) -> String {
        format!("{} {}", self.severity_word, self.told())
    }

    pub fn told(&self) -> String {
        let advice =
            if self.advice.is_empty() { String::new() } else { format!(" {}", self.advice) };
        format!("({}): {}{advice} ({})", self.about(), self.evidence(), self.id)
    }

    /// Whether both say the same, though perhaps about different candidates or workloads. Of cells,
    /// and where it limits nothing of single workloads, a rule says the same whatever the figures:
    /// the first stands for all.
    pub fn says_as(&self, other: &FindingView) -> bool {
        let is_cell = self.scope == CELLS && other.scope == CELLS;
        let is_warning = self.severity <= Severity::Warn && self.scope == other.scope;
        let is_of_workloads = is_warning && self.is_of_workload && other.is_of_workload;
        let is_same_text = self.evidence == other.evidence || is_of_workloads;
        (&self.id, self.severity) == (&other.id, other.severity)
            && (is_cell || is_same_text && self.advice == other.advice)
    }
}

fn subject(finding: &Finding) -> Option<String> {
    let parts = [&finding.candidate, &finding.workload].into_iter().flatten();
    let parts: Vec<String> = parts.map(|p| sanitize(p)).collect();
    (!parts.is_empty()).then(|| parts.join(" on "))
}

fn sentence(text: &str) -> String {
    let text = sanitize(text.trim());
    let stop = if text.is_empty() || text.ends_with(['.', '!', '?', ':']) { "" } else { "." };
    format!("{text}{stop}")
}

/// Findings in words, in the order of the analysis; those that say the same are one, about all.
pub fn findings(findings: &[Finding]) -> Vec<FindingView> {
    let mut said: Vec<FindingView> = Vec::new();
    for view in findings.iter().map(FindingView::new) {
        match said.iter_mut().find(|f| f.says_as(&view)) {
            None => said.push(view),
            // One of them is about everything, and so is what both say.
            Some(same) if same.subjects.is_empty() || view.subjects.is_empty() => {
                same.subjects.clear();
            }
            Some(same) => {
                if same.scope != CELLS && same.evidence != view.evidence {
                    same.is_of_first = true;
                }
                let new = view.subjects.into_iter().filter(|s| !same.subjects.contains(s));
                let new: Vec<String> = new.collect();
                same.subjects.extend(new);
            }
        }
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::sample::warning;

    #[test]
    fn what_is_said_of_several_candidates_is_said_once() {
        let of = |name: &str| Finding { candidate: Some(name.to_string()), ..warning() };
        let other = Finding { evidence: "something else".to_string(), ..of("b") };
        let views = findings(&[of("a"), of("b"), of("a"), other]);
        let abouts: Vec<String> = views.iter().map(FindingView::about).collect();
        assert_eq!(abouts, ["places: a; b", "places: b"]);
        assert_eq!(views[1].evidence(), "something else.");
    }

    #[test]
    fn what_one_rule_warns_of_for_many_workloads_is_said_once() {
        let of = |workload: &str, severity, evidence: &str| Finding {
            workload: Some(workload.to_string()),
            evidence: evidence.to_string(),
            severity,
            ..warning()
        };
        let views = findings(&[
            of("randread", Severity::Warn, "2 of 2 cells"),
            of("seqread", Severity::Warn, "3 of 4 cells"),
            of("boot", Severity::Warn, "1 of 1 cells"),
        ]);
        assert_eq!(views.len(), 1);
        assert_eq!(views[0].subjects.len(), 3);
        assert_eq!(views[0].evidence(), "for randread: 2 of 2 cells.");
        let refusals = ["a", "b"]
            .map(|workload| of(workload, Severity::Refuse, &format!("{workload} is off")));
        assert_eq!(findings(&refusals).len(), 2, "what refuses is told of each");
    }

    #[test]
    fn what_one_rule_says_of_many_cells_is_said_once() {
        let of = |n: usize| Finding {
            scope: Scope::Cell,
            candidate: Some(format!("c{n}")),
            workload: Some("randread".to_string()),
            evidence: format!("{n} MiB"),
            ..warning()
        };
        let views = findings(&(0..6).map(of).collect::<Vec<_>>());
        assert_eq!(views.len(), 1);
        assert_eq!(views[0].evidence(), "0 MiB.");
        let named = "c0 on randread; c1 on randread; c2 on randread; c3 on randread";
        assert_eq!(views[0].about(), format!("cells: {named} and 2 more"));
    }
}
