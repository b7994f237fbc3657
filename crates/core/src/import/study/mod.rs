//! What limits a published comparison as a whole: rules over its table and its stated facts.
//!
//! Where [`crate::scan::judge`] looks at one result, these look at what was compared with what:
//! places, order, repeats, claims. None looks at the study's name. A rule fires on figures, command
//! lines and facts that are there; what nobody stated is no evidence. Numbers are those of
//! bakeoff's list of lints.

mod claims;
pub mod facts;
mod figures;
mod places;
mod stated;

#[cfg(test)]
mod close_tests;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use super::{Imported, ToolResult};
use crate::model::finding::{Finding, Scope, Severity};
use crate::scan::judge::judge;
use facts::Facts;

/// A study under the rules.
struct Study<'a> {
    results: &'a [ToolResult],
    unread: &'a [super::Unread],
    facts: &'a Facts,
    cells: Vec<Cell<'a>>,
}

/// One rate of a candidate.
#[derive(Clone, Debug)]
struct Cell<'a> {
    host: &'a str,
    device: &'a str,
    fs: &'a str,
    /// Empty when the table says nothing or `none`.
    crypt: &'a str,
    tool: &'a str,
    test: &'a str,
    /// 0 when the table does not say.
    block: u64,
    rate: f64,
}

impl Cell<'_> {
    /// The filesystem with its encryption.
    fn candidate(&self) -> String {
        format!("{} {}", self.fs, self.crypt).trim().to_string()
    }

    fn is_sequential(&self) -> bool {
        self.test.starts_with("sequential")
    }
}

impl Imported {
    /// The same, judged as one comparison with what is stated beside it.
    pub fn judged(mut self, facts: &Facts) -> Imported {
        self.findings = findings(&self, facts);
        self
    }
}

/// What limits the comparison, each rule once, in the order of their numbers; empty for a text
/// that compares nothing.
pub fn findings(imported: &Imported, facts: &Facts) -> Vec<Finding> {
    let study = Study::of(imported, facts);
    let candidates: BTreeSet<(&str, String)> =
        study.cells.iter().map(|cell| (cell.device, cell.candidate())).collect();
    let is_grid = imported.results.iter().any(|r| {
        ["journal", "scheduler"]
            .iter()
            .any(|key| r.setup.get(*key).is_some_and(|v| v.contains(';')))
    });
    if candidates.len() < 2 && !is_grid {
        return Vec::new();
    }
    let groups = [places::findings, figures::findings, claims::findings, stated::findings];
    let mut all: Vec<Finding> = groups.iter().flat_map(|rules| rules(&study)).collect();
    all.extend(study.of_commands());
    all.sort_by(|a, b| a.id.cmp(&b.id));
    all.dedup_by(|a, b| a.id == b.id);
    all
}

impl<'a> Study<'a> {
    fn of(imported: &'a Imported, facts: &'a Facts) -> Study<'a> {
        let cells = imported.results.iter().filter_map(cell).collect();
        Study { results: &imported.results, unread: &imported.unread, facts, cells }
    }

    /// What single results say once the command that the page states is known.
    fn of_commands(&self) -> Vec<Finding> {
        let mut found = Vec::new();
        for fact in self.facts.all("command") {
            let of_test = self.results.iter().find(|r| r.test.as_deref() == Some(&fact.test));
            let Some(result) = of_test else { continue };
            let result = ToolResult { command: Some(fact.value.clone()), ..result.clone() };
            let is_new = |f: &Finding| matches!(f.id.as_str(), "L13" | "L20");
            found.extend(judge(&result).into_iter().filter(is_new));
        }
        found
    }

    /// The values of a metric of rows that say how it was configured.
    fn configured(&self, metric: &str) -> Vec<f64> {
        let of = |r: &'a ToolResult| r.metrics.iter().filter(|m| m.name == metric);
        self.results.iter().flat_map(of).map(|m| m.value.as_f64()).collect()
    }
}

fn text<'a>(result: &'a ToolResult, key: &str) -> &'a str {
    result.setup.get(key).map_or("", String::as_str)
}

fn cell(result: &ToolResult) -> Option<Cell<'_>> {
    const RATES: [&str; 4] = ["throughput", "throughput_approx", "rate", "requests_per_second"];
    let metric = result.metrics.iter().find(|m| RATES.contains(&m.name.as_str()))?;
    let crypt = text(result, "encryption");
    Some(Cell {
        host: text(result, "host"),
        device: text(result, "device"),
        fs: text(result, "filesystem"),
        crypt: if crypt == "none" { "" } else { crypt },
        tool: &result.tool,
        test: result.test.as_deref().unwrap_or(""),
        block: text(result, "block_size_bytes").parse().unwrap_or(0),
        rate: metric.value.as_f64(),
    })
}

/// A finding about the comparison.
fn found(id: &str, severity: Severity, evidence: String, advice: &str) -> Finding {
    Finding {
        id: id.to_string(),
        severity,
        scope: Scope::Stack,
        workload: None,
        candidate: None,
        evidence,
        advice: advice.to_string(),
    }
}
