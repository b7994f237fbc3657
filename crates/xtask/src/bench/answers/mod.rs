//! How soon and how surely a demo answers: what `cargo xtask bench --answers` does.
//!
//! Demos run one after the other, quiet and beside a compiler, and beside two busy users of the
//! disk in turn with an earlier program where one is given. Nothing here passes or fails.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use super::machine;
use load::Load;
use measured::Measured;

mod load;
mod measured;
mod section;

const HELP: &str = "usage: cargo xtask bench --answers [--demos N] [--compiler N] [--against \
                    PROGRAM] [--pairs N]

  --demos     demos on an idle machine, one after the \
                    other (10)
  --compiler  demos while a compiler runs (3)
  --against   earlier \
                    bakeoff to alternate with this one while two programs use the disk
  --pairs   \
                    number of such pairs (6)
  --dir       directory for the files (target)
  \
                    --out       page to write (docs/performance.md)
";

/// What was asked for.
struct Options {
    demos: usize,
    compiler: usize,
    against: Option<PathBuf>,
    pairs: usize,
    dir: PathBuf,
    out: PathBuf,
}

impl Options {
    fn parse(root: &Path, arguments: &[&str]) -> Result<Options> {
        let mut options = Options {
            demos: 10,
            compiler: 3,
            against: None,
            pairs: 6,
            dir: root.join("target"),
            out: root.join("docs/performance.md"),
        };
        let mut arguments = arguments.iter();
        while let Some(name) = arguments.next() {
            let value = arguments.next().with_context(|| format!("{name} wants a value\n\n{HELP}"));
            match *name {
                "--demos" => options.demos = value?.parse().context("--demos is a number")?,
                "--compiler" => {
                    options.compiler = value?.parse().context("--compiler is a number")?
                }
                "--against" => options.against = Some(value?.into()),
                "--pairs" => options.pairs = value?.parse().context("--pairs is a number")?,
                "--dir" => options.dir = value?.into(),
                "--out" => options.out = value?.into(),
                "--help" => bail!("{HELP}"),
                _ => bail!("no such option: {name}\n\n{HELP}"),
            }
        }
        Ok(options)
    }
}

/// All that was measured.
struct Answers {
    quiet: Vec<Measured>,
    compiler: Vec<Measured>,
    /// This program and the earlier one, beside the same users of the disk.
    pairs: Vec<(Measured, Measured)>,
    /// Seconds that `quick` on two directories took.
    quick_s: Vec<f64>,
}

/// A page with the section that the file has had so far.
pub fn kept(path: &Path, page: String) -> String {
    let had = std::fs::read_to_string(path).unwrap_or_default();
    match section::kept(&had) {
        Some(section) => section::with(&page, section),
        None => page,
    }
}

/// Runs everything and writes the section of the page.
pub fn bench(root: &Path, arguments: &[&str]) -> Result<bool> {
    let options = Options::parse(root, arguments)?;
    let bakeoff = root.join("target/release/bakeoff");
    ensure!(bakeoff.exists(), "{} is not built: run `make build`", bakeoff.display());
    let dir = options.dir.join("bench-answers");
    // An earlier program does not read the store of a later one.
    let apart = dir.join("earlier");
    std::fs::create_dir_all(&apart).with_context(|| format!("cannot create {}", dir.display()))?;
    let mut answers =
        Answers { quiet: Vec::new(), compiler: Vec::new(), pairs: Vec::new(), quick_s: Vec::new() };
    for _ in 0..options.demos {
        answers.quiet.push(measured::demo(&bakeoff, &dir)?);
        answers.quick_s.push(measured::quick(&bakeoff, &dir)?);
    }
    for _ in 0..options.compiler {
        let _load = Load::compiler(root, &dir)?;
        answers.compiler.push(measured::demo(&bakeoff, &dir)?);
    }
    if let Some(earlier) = &options.against {
        for _ in 0..options.pairs {
            let _load = Load::disk_users(&dir)?;
            let ours = measured::demo(&bakeoff, &dir)?;
            answers.pairs.push((ours, measured::demo(earlier, &apart)?));
        }
    }
    let facts = machine::describe(&options.dir)?;
    let section = section::section(&facts, &answers);
    print!("{section}");
    section::write(&options.out, &section)?;
    std::fs::remove_dir_all(&dir)?;
    Ok(true)
}
