//! The tables of docs/install.md: what was installed on which system, and how large the files are.

use std::fmt::Write;
use std::path::Path;

use anyhow::{Context, Result};

use super::case::{Case, Outcome};

const PAGE: &str = "docs/install.md";
const BEGIN: &str = "<!-- tested: begin -->\n";
const END: &str = "<!-- tested: end -->\n";

/// Writes them into the page.
pub fn write(root: &Path, files: &Path, rows: &[(&Case, Outcome)]) -> Result<()> {
    let path = root.join(PAGE);
    let page = std::fs::read_to_string(&path).with_context(|| PAGE.to_owned())?;
    let text = format!("{}\n{}", tested(rows)?, sizes(files)?);
    std::fs::write(&path, between(&page, &text)?).with_context(|| PAGE.to_owned())
}

fn between(page: &str, text: &str) -> Result<String> {
    let marks = || format!("{PAGE} has no lines `{}` and `{}`", BEGIN.trim(), END.trim());
    let (before, rest) = page.split_once(BEGIN).with_context(marks)?;
    let (_, after) = rest.split_once(END).with_context(marks)?;
    Ok(format!("{before}{BEGIN}{text}{END}{after}"))
}

fn tested(rows: &[(&Case, Outcome)]) -> Result<String> {
    let mut table =
        String::from("| file | system | commands | installed | time |\n|---|---|---|--:|--:|\n");
    for (case, outcome) in rows {
        let mut system = case.system.said.to_owned();
        if !case.note.is_empty() {
            write!(system, ", {}", case.note)?;
        }
        let installed = match outcome.size_kb {
            0 => "–".to_owned(),
            size_kb => format!("{:.1} MB", size_kb as f64 / 1000.0),
        };
        let (file, ran, took) = (case.artefact, &outcome.ran, outcome.took_s);
        writeln!(table, "| {file} | {system} | {ran} | {installed} | {took} s |")?;
    }
    Ok(table)
}

fn sizes(files: &Path) -> Result<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(files)? {
        let entry = entry?;
        if entry.path().is_file() {
            found.push((entry.file_name().to_string_lossy().into_owned(), entry.metadata()?.len()));
        }
    }
    found.sort();
    let mut table = String::from("| file of the release | size |\n|---|--:|\n");
    for (name, size_bytes) in found {
        let size = match size_bytes {
            0..100_000 => format!("{:.1} kB", size_bytes as f64 / 1e3),
            _ => format!("{:.1} MB", size_bytes as f64 / 1e6),
        };
        writeln!(table, "| `{name}` | {size} |")?;
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_between_the_lines_changes() {
        let page = format!("# Install\n\n{BEGIN}old\n{END}\nrest\n");
        let new = between(&page, "new\n").unwrap();
        assert_eq!(new, format!("# Install\n\n{BEGIN}new\n{END}\nrest\n"));
        assert!(between("# Install\n", "new\n").is_err());
    }
}
