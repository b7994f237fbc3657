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

pub const KERNEL_MISMATCH: &str = "L63";

pub fn kernels_differ(header: &Header, kernel: &Difference) -> Finding {
    let advice = "measure on one kernel, or compare kernels with --across kernel";
    Hit::new(kernel.to_string(), advice).finding(header, KERNEL_MISMATCH)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::RunBuilder;

    #[test]
    fn l31_versions_that_differ_and_versions_that_do_not() {
        let run = |version: &str| {
            let builder = RunBuilder::stacks(&["ext4", "xfs"]);
            builder.header(|h| h.version = version.to_string()).build()
        };
        let (old, new) = (run("0.1.0"), run("0.2.0"));
        let found = tool_versions(&[&old, &new]).expect("fires");
        assert_eq!(
            (found.id.as_str(), found.evidence.as_str()),
            ("L31", "bakeoff 0.1.0; bakeoff 0.2.0")
        );
        assert_eq!(tool_versions(&[&old, &old]), None);
    }
}
