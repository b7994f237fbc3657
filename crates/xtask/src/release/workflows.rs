//! The workflow files for those who host the project on a public forge: they call the make targets
//! and nothing of their own, and actionlint finds nothing in them.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::tool;

/// Through Go's own client, as tested.
const ACTIONLINT: &str = "github.com/rhysd/actionlint/cmd/actionlint@v1.7.12";

/// Checks them with actionlint.
pub fn check(root: &Path) -> Result<bool> {
    let folder = root.join(".github/workflows");
    let mut go = Command::new("go");
    go.current_dir(root).args(["run", ACTIONLINT]);
    for entry in std::fs::read_dir(&folder)? {
        go.arg(entry?.path());
    }
    tool::show(&mut go).context("actionlint takes Go 1.24 or later, and the network")?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    /// What a workflow calls of make exists.
    #[test]
    fn workflows_call_targets_of_the_makefile() {
        let makefile = include_str!("../../../../Makefile");
        let mut called = 0;
        for workflow in [
            include_str!("../../../../.github/workflows/ci.yml"),
            include_str!("../../../../.github/workflows/release.yml"),
        ] {
            for line in workflow.lines().filter(|line| line.trim().starts_with("run: ")) {
                let mut words = line.split_whitespace();
                let Some(target) = words.find(|word| *word == "make").and_then(|_| words.next())
                else {
                    continue;
                };
                let rule = format!("\n{target}:");
                assert!(makefile.contains(&rule), "no target {target} in the Makefile");
                called += 1;
            }
        }
        assert_eq!(called, 5);
    }
}
