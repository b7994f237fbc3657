//! The simulated part of docs/truth.md: what `make bench-truth` does.
//!
//! The figures come from `bakeoff simulate`; here they are only put between two marks of the page,
//! whose words are written by hand.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

const HELP: &str = "\
usage: cargo xtask bench-truth [--runs N] [--seed S]

  --runs    runs of each scenario (2000)
  --seed    where the random numbers start (20261120)
";
const BEGIN: &str = "<!-- simulation: begin -->\n";
const END: &str = "<!-- simulation: end -->\n";

/// Simulates and writes the page.
pub fn bench(root: &Path, arguments: &[&str]) -> Result<bool> {
    let (mut runs, mut seed) = ("2000", "20261120");
    for pair in arguments.chunks(2) {
        match pair {
            ["--runs", n] => runs = n,
            ["--seed", s] => seed = s,
            _ => bail!("{HELP}"),
        }
    }
    let bakeoff = root.join("target/release/bakeoff");
    ensure!(bakeoff.exists(), "{} is not built: run `make build`", bakeoff.display());
    let words = ["simulate", "--runs", runs, "--seed", seed, "--format", "markdown"];
    let done = Command::new(&bakeoff).args(words).output().context("cannot start bakeoff")?;
    ensure!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let tables = String::from_utf8(done.stdout).context("the tables are no UTF-8")?;
    let page = root.join("docs/truth.md");
    let text = std::fs::read_to_string(&page)
        .with_context(|| format!("cannot read {}", page.display()))?;
    let command = format!("`bakeoff {}`\n\n", words.join(" "));
    let text = between(&text, &format!("\n{command}{tables}\n"))
        .with_context(|| format!("{} has lost its marks", page.display()))?;
    std::fs::write(&page, text).with_context(|| format!("cannot write {}", page.display()))?;
    print!("{tables}");
    Ok(true)
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
    fn only_what_is_between_the_marks_changes() {
        let page = format!("# A\n{BEGIN}old\n{END}rest\n");
        assert_eq!(between(&page, "new\n").unwrap(), format!("# A\n{BEGIN}new\n{END}rest\n"));
        assert_eq!(between("no marks", "new"), None);
    }
}
