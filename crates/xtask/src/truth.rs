//! What `make bench-truth` does: the simulated part of docs/truth.md, and the false alarms of
//! docs/diagnosis.md.
//!
//! The figures come from `bakeoff simulate` and from runs on this machine; here they are only put
//! between two marks of each page, whose words are written by hand.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::alarms;

const HELP: &str = "\
usage: cargo xtask bench-truth [--runs N] [--seed S] [--clean N]

  --runs    simulated runs of each scenario (2000); 0 leaves docs/truth.md as it is
  --seed    where the random numbers start (20261120)
  --clean   real runs on this machine while it does nothing else (50); 0 leaves docs/diagnosis.md
";
const BEGIN: &str = "<!-- figures: begin -->\n";
const END: &str = "<!-- figures: end -->\n";

/// Simulates and writes the page.
pub fn bench(root: &Path, arguments: &[&str]) -> Result<bool> {
    let (mut runs, mut seed, mut clean) = ("2000", "20261120", "50");
    for pair in arguments.chunks(2) {
        match pair {
            ["--runs", n] => runs = n,
            ["--seed", s] => seed = s,
            ["--clean", n] => clean = n,
            _ => bail!("{HELP}"),
        }
    }
    let bakeoff = root.join("target/release/bakeoff");
    ensure!(bakeoff.exists(), "{} is not built: run `make build`", bakeoff.display());
    if runs != "0" {
        let tables = simulated(&bakeoff, runs, seed)?;
        write(&root.join("docs/truth.md"), &tables)?;
    }
    let clean: usize = clean.parse().context("--clean is a number")?;
    if clean > 0 {
        write(&root.join("docs/diagnosis.md"), &alarms::measure(root, &bakeoff, clean)?)?;
    }
    Ok(true)
}

/// What `bakeoff simulate` prints, with the command before it.
fn simulated(bakeoff: &Path, runs: &str, seed: &str) -> Result<String> {
    let words = ["simulate", "--runs", runs, "--seed", seed, "--format", "markdown"];
    let done = Command::new(bakeoff).args(words).output().context("cannot start bakeoff")?;
    ensure!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let tables = String::from_utf8(done.stdout).context("the tables are no UTF-8")?;
    Ok(format!("`bakeoff {}`\n\n{tables}", words.join(" ")))
}

/// Prints the tables and puts them between the marks of a page.
fn write(page: &Path, tables: &str) -> Result<()> {
    let text =
        std::fs::read_to_string(page).with_context(|| format!("cannot read {}", page.display()))?;
    let text = between(&text, &format!("\n{tables}\n"))
        .with_context(|| format!("{} has lost its marks", page.display()))?;
    print!("{tables}");
    std::fs::write(page, text).with_context(|| format!("cannot write {}", page.display()))
}

/// The page with `tables` between its marks.
fn between(page: &str, tables: &str) -> Option<String> {
    let (head, rest) = page.split_once(BEGIN)?;
    let (_, tail) = rest.split_once(END)?;
    Some(format!("{head}{BEGIN}{tables}{END}{tail}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_pages_have_their_marks() {
        let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
        for page in ["truth.md", "diagnosis.md"] {
            let text = std::fs::read_to_string(docs.join(page)).unwrap();
            assert!(between(&text, "").is_some(), "{page}");
        }
    }

    #[test]
    fn only_what_is_between_the_marks_changes() {
        let page = format!("# A\n{BEGIN}old\n{END}rest\n");
        assert_eq!(between(&page, "new\n").unwrap(), format!("# A\n{BEGIN}new\n{END}rest\n"));
        assert_eq!(between("no marks", "new"), None);
    }
}
