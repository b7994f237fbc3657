//! What `make bench-truth` does: the tables of docs/truth.md, and the false alarms of
//! docs/diagnosis.md.
//!
//! The figures come from `bakeoff simulate`, from disks of emulated machines and from runs on this
//! machine; here they are only put between marks of each page, whose words are written by hand.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::alarms;
use crate::vm::{self, CAPPED_PAIRS, measure_capped};

mod capped;

const HELP: &str = "usage: cargo xtask bench-truth [--runs N] [--seed S] [--clean N] [--capped N]
 \
                    [--pair NAME] [--causes yes|no] [--binary PATH]

  --runs    simulated runs of \
                    each scenario (2000); 0 leaves docs/truth.md unchanged
  --seed    seed of the \
                    random numbers (20261120)
  --clean   real runs on this machine while it is \
                    idle (50); 0 leaves docs/diagnosis.md unchanged
  --capped  runs of each pair \
                    of rate-limited disks on an emulated machine (20)
  --pair    only this pair: \
                    40-38, 40-32 or 40-40
  --causes  whether to create causes there, which \
                    bakeoff must report (yes)
  --binary  program to test there instead of the \
                    built ones
";
/// The part of a page that has no other name.
const FIGURES: &str = "figures";

/// Measures and writes the pages; whether disks of known speed were ranked as they should be.
pub fn bench(root: &Path, arguments: &[&str]) -> Result<bool> {
    let (mut capped, mut only, mut binary) = ("20", None, None);
    let (mut runs, mut seed, mut clean, mut causes) = ("2000", "20261120", "50", "yes");
    for pair in arguments.chunks(2) {
        match pair {
            ["--runs", n] => runs = n,
            ["--seed", s] => seed = s,
            ["--clean", n] => clean = n,
            ["--capped", n] => capped = n,
            ["--pair", name] => only = Some(name),
            ["--causes", "yes" | "no"] => causes = pair[1],
            ["--binary", path] => binary = Some(Path::new(path)),
            _ => bail!("{HELP}"),
        }
    }
    let page = root.join("docs/truth.md");
    let clean: usize = clean.parse().context("--clean is a number")?;
    let bakeoff = binary.map_or_else(|| root.join("target/release/bakeoff"), Path::to_path_buf);
    let is_built = bakeoff.exists() || (runs == "0" && clean == 0);
    ensure!(is_built, "{} is not built: run `make build`", bakeoff.display());
    if runs != "0" {
        write(&page, FIGURES, &format!("\n{}\n", simulated(&bakeoff, runs, seed)?))?;
    }
    if clean > 0 {
        let told = alarms::measure(root, &bakeoff, clean)?;
        write(&root.join("docs/diagnosis.md"), FIGURES, &format!("\n{told}\n"))?;
    }
    let capped = capped.parse().context("--capped is a number")?;
    let mut is_right = true;
    let wanted = CAPPED_PAIRS.iter().filter(|pair| only.is_none_or(|name| pair.name == *name));
    let pairs: Vec<_> = wanted.filter(|_| capped > 0).collect();
    for (pair, said) in pairs.iter().zip(measure_capped(root, binary, &pairs, capped)?) {
        write(&page, pair.name, &capped::in_words(pair, &said))?;
        is_right &= capped::is_right(&said);
    }
    if causes == "yes" {
        let built = binary.map(|path| path.display().to_string());
        let binary = built.iter().flat_map(|path| ["--binary", path]);
        is_right &= vm::test(root, &binary.chain(["causes/"]).collect::<Vec<_>>())?;
    }
    Ok(is_right)
}

/// What `bakeoff simulate` prints, with the command before it.
fn simulated(bakeoff: &Path, runs: &str, seed: &str) -> Result<String> {
    let words = ["simulate", "--runs", runs, "--seed", seed, "--format", "markdown"];
    let done = Command::new(bakeoff).args(words).output().context("cannot start bakeoff")?;
    ensure!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let tables = String::from_utf8(done.stdout).context("the tables are no UTF-8")?;
    Ok(format!("`bakeoff {}`\n\n{tables}", words.join(" ")))
}

/// Prints what was found and puts it between the marks of its part of a page.
pub fn write(page: &Path, part: &str, found: &str) -> Result<()> {
    let text =
        std::fs::read_to_string(page).with_context(|| format!("cannot read {}", page.display()))?;
    let text = between(&text, part, found)
        .with_context(|| format!("{} has lost its marks of {part}", page.display()))?;
    print!("{found}");
    std::fs::write(page, text).with_context(|| format!("cannot write {}", page.display()))
}

/// The page with `found` between the marks of `part`.
fn between(page: &str, part: &str, found: &str) -> Option<String> {
    let begin = format!("<!-- {part}: begin -->\n");
    let end = format!("<!-- {part}: end -->\n");
    let (head, rest) = page.split_once(&begin)?;
    let (_, tail) = rest.split_once(&end)?;
    Some(format!("{head}{begin}{found}{end}{tail}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pages_have_their_marks() {
        let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
        let pairs = CAPPED_PAIRS.iter().map(|pair| ("truth.md", pair.name));
        for (page, part) in [
            ("truth.md", FIGURES),
            ("diagnosis.md", FIGURES),
            ("live.md", "live"),
            ("live.md", "netdata"),
            ("fleet.md", "boards"),
        ]
        .into_iter()
        .chain(pairs)
        {
            let text = std::fs::read_to_string(docs.join(page)).unwrap();
            assert!(between(&text, part, "").is_some(), "{page} {part}");
        }
    }

    #[test]
    fn only_what_is_between_the_marks_of_its_part_changes() {
        let marked = |words| format!("<!-- a: begin -->\n{words}<!-- a: end -->\n");
        let rest = "<!-- b: begin -->\nB\n<!-- b: end -->\n";
        let page = format!("# A\n{}{rest}", marked("old\n"));
        let wanted = format!("# A\n{}{rest}", marked("new\n"));
        assert_eq!(between(&page, "a", "new\n"), Some(wanted));
        assert_eq!(between(&page, "c", "new\n"), None);
    }
}
