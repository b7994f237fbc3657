//! L31 tool-version: candidates were measured with different versions or defaults of a tool.

use crate::evidence::rule::Hit;
use bakeoff_model::finding::Finding;
use bakeoff_model::path::printable;
use bakeoff_model::run::Run;

pub const ID: &str = "L31";

/// Most versions that are looked at in one run.
const VERSIONS_LIMIT: usize = 32;

/// Runs of different versions of bakeoff or of the tools it ran.
pub fn over_runs(runs: &[&Run]) -> Option<Finding> {
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
    Some(Hit::new(shown.join("; "), advice).finding(&first.header, ID))
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
        let found = over_runs(&[&old, &new]).expect("fires");
        assert_eq!(
            (found.id.as_str(), found.evidence.as_str()),
            ("L31", "bakeoff 0.1.0; bakeoff 0.2.0")
        );
        assert_eq!(over_runs(&[&old, &old]), None);
    }
}
