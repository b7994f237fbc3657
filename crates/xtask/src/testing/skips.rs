//! Tests that could not run: why, and whether that is excused.
//!
//! A test that lacks something appends a line to the file named by `BAKEOFF_SKIPS` (the helper in
//! crates/bakeoff/tests/support/skip.rs does), since cargo hides what passing tests print. What
//! scripts/install.sh installs is no excuse in CI.

use std::path::Path;

use anyhow::{Context, Result};

/// One test that did not run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Skip {
    /// Its name.
    pub test: String,
    /// The command, package or kernel feature it lacks.
    pub needs: String,
    /// In words.
    pub reason: String,
}

/// Reads the file, in order and without repeats.
pub fn read(path: &Path) -> Result<Vec<Skip>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("{}", path.display()))?;
    parse(&text)
}

fn parse(text: &str) -> Result<Vec<Skip>> {
    let mut skips = Vec::new();
    for line in text.lines() {
        let mut parts = line.splitn(3, '\t').map(str::to_owned);
        let (Some(test), Some(needs), Some(reason)) = (parts.next(), parts.next(), parts.next())
        else {
            anyhow::bail!("a skip is test, need and reason with tabs between, not {line:?}");
        };
        skips.push(Skip { test, needs, reason });
    }
    skips.sort();
    skips.dedup();
    Ok(skips)
}

/// Those that lack something the install script would have installed.
pub fn unexcused(skips: &[Skip], root: &Path) -> Result<Vec<Skip>> {
    let table = std::fs::read_to_string(root.join("scripts/packages"))
        .context("scripts/packages, the table of what is installed")?;
    let is_installed = |skip: &&Skip| provides(&table, &skip.needs);
    Ok(skips.iter().filter(is_installed).cloned().collect())
}

/// Whether the table names a command or package.
fn provides(table: &str, what: &str) -> bool {
    table.lines().filter(|line| !line.starts_with('#')).any(|line| {
        let mut columns = line.split_whitespace().skip(1);
        let probe = columns.next().unwrap_or_default();
        probe.split('|').any(|command| command == what) || columns.next() == Some(what)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_skip() {
        let skips =
            parse("b\tmkfs.xfs\tno xfs here\na\troot\tnot root\nb\tmkfs.xfs\tno xfs here\n");
        let names: Vec<_> = skips.unwrap().into_iter().map(|skip| skip.test).collect();
        assert_eq!(names, ["a", "b"]);
        assert!(parse("a skip without tabs\n").is_err());
    }

    #[test]
    fn what_is_installed_is_no_excuse() {
        let table = "# groups probe package why\ntest mkfs.xfs|xfs xfsprogs xfs candidates\n";
        for (what, expected) in
            [("xfs", true), ("xfsprogs", true), ("root", false), ("probe", false)]
        {
            assert_eq!(provides(table, what), expected, "{what}");
        }
    }
}
