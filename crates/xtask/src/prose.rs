//! Spelling of everything, style of the docs, and Python (ruff.toml), by programs that others keep:
//! typos, proselint and ruff.
//!
//! They come from PyPI into target/prose. Where they cannot be had, the check is skipped and says
//! why. The words of bakeoff's own style are refused by `scripts/tidy.py`.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use crate::tool;

/// What is fetched; proselint is a module, the others are programs.
const PACKAGES: [&str; 3] = ["typos==1.52.0", "proselint==0.16.0", "ruff==0.17.6"];
/// Checks of proselint that fire on code and tables: quotes of TOML, `p99 p99`, `NO_COLOR`.
const LEFT_OUT: [&str; 3] = ["typography.", "lexical_illusions", "spelling.consistency"];
/// Pages that users read, beside those in docs.
const PAGES: [&str; 4] = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "fuzz/README.md"];

/// Checks everything; `false` where something is to be mended.
pub fn check(root: &Path) -> Result<bool> {
    let folder = tool::target().join("prose");
    if let Err(error) = tool::fetch_from_pypi(&folder, &PACKAGES, 60) {
        return tool::skip("prose", "PyPI", &format!("{error:#}")).map(|()| true);
    }
    let holds = |program: &str, words: &[&str]| -> Result<bool> {
        let mut command = Command::new(folder.join("bin").join(program));
        let status = command.args(words).current_dir(root).status();
        Ok(status.with_context(|| format!("cannot run {program}"))?.success())
    };
    let is_spelled = holds("typos", &["--format", "brief"])?;
    let is_formatted = holds("ruff", &["format", "--check", "--quiet"])?;
    let is_linted = holds("ruff", &["check", "--quiet", "--output-format", "concise"])?;
    let found = style(root, &folder)?;
    found.iter().for_each(|line| println!("{line}"));
    Ok(is_spelled && is_formatted && is_linted && found.is_empty())
}

/// What proselint says of the docs, less what is no prose.
fn style(root: &Path, folder: &Path) -> Result<Vec<String>> {
    let mut pages: Vec<_> = PAGES.iter().map(|page| root.join(page)).collect();
    pages.extend(tool::files_of(&root.join("docs"), "md")?);
    let said = Command::new("python3")
        .args(["-m", "proselint", "check"])
        .args(&pages)
        .env("PYTHONPATH", folder)
        .stdin(Stdio::null())
        .output()
        .context("cannot run proselint")?;
    let text = String::from_utf8_lossy(&said.stdout).into_owned();
    // It ends with 1 where it found something, which is not always what counts here.
    anyhow::ensure!(
        matches!(said.status.code(), Some(0 | 1)),
        "proselint ended with {}: {}",
        said.status,
        tool::last_lines(&String::from_utf8_lossy(&said.stderr))
    );
    Ok(text.lines().filter(|line| counts(line)).map(str::to_string).collect())
}

/// `/path/page.md:43:29: redundancy.misc: …`, of a check that is not left out.
fn counts(line: &str) -> bool {
    let check = line.splitn(4, ':').nth(3).map(str::trim_start);
    check.is_some_and(|check| !LEFT_OUT.iter().any(|left_out| check.starts_with(left_out)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drops_what_is_no_prose() {
        let line = |check: &str| format!("/a/docs/plans.md:43:29: {check}: Use another word.");
        assert!(counts(&line("redundancy.misc.after_the_deadline")));
        assert!(!counts(&line("typography.symbols.curly_quotes")));
        assert!(!counts(&line("lexical_illusions")) && !counts("E E' - a phrase is repeated."));
    }
}
