//! Rules over several runs that are compared.

use crate::evidence::rule::Hit;
use bakeoff_model::difference::Difference;
use bakeoff_model::event::Header;
use bakeoff_model::finding::Finding;
use bakeoff_model::path::printable;
use bakeoff_model::run::Run;
use bakeoff_stats::phrases;

pub const TOOL_VERSION: &str = "L31";

const VERSIONS_LIMIT: usize = 32;

pub fn tool_versions(runs: &[&Run]) -> Option<Finding> {
    let of = |run: &&Run| {
        let mut all = vec![format!("bakeoff {}", run.header.version)];
        for tool in run.complete_cells().filter_map(|cell| cell.measurement.tool.as_ref()) {
            let text = format!("{} {}", tool.driver.name(), tool.version);
            if !all.contains(&text) && all.len() < VERSIONS_LIMIT {
                all.push(text);
            }
        }
        all.sort_unstable();
        all.join(", ")
    };
    let each: Vec<String> = runs.iter().map(of).collect();
    let first = runs.first().filter(|_| each.iter().any(|v| *v != each[0]))?;
    let shown: Vec<String> = each.iter().map(|v| printable(v.as_bytes())).collect();
    let advice = "measure all runs with the same versions of bakeoff and of the tools";
    Some(Hit::new(shown.join("; "), advice).finding(&first.header, TOOL_VERSION))
}

pub const RUNS_DIFFER: &str = "runs-differ";

const NAMED_LIMIT: usize = 4;

pub fn runs_differ(header: &Header, unlike: &[&Difference]) -> Finding {
    let advice = "measure again with only one change, and specify it with --across";
    Hit::new(named(unlike), advice).finding(header, RUNS_DIFFER)
}

/// The first few in words, and how many more there are: all of them are listed besides.
pub fn named(differences: &[&Difference]) -> String {
    let mut all: Vec<String> =
        differences.iter().take(NAMED_LIMIT).map(ToString::to_string).collect();
    match differences.len().saturating_sub(NAMED_LIMIT) {
        0 => {}
        1 => all.push("one more property".to_string()),
        more => all.push(format!("{more} more properties")),
    }
    phrases::list(&all)
}
