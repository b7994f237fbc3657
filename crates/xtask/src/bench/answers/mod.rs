//! How soon and how surely a demo answers: what `cargo xtask bench --answers` does.
//!
//! Demos run one after the other, quiet and beside a compiler, and beside two busy users of the
//! disk in turn with an earlier program where one is given. Nothing here passes or fails.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::machine;
use crate::page;
use crate::tool;
use load::Load;
use measured::Measured;

mod load;
mod measured;
mod section;

/// What was asked for.
#[derive(clap::Args)]
pub struct Options {
    /// Demos on an idle machine, one after the other
    #[arg(long, default_value_t = 10)]
    demos: usize,
    /// Demos while a compiler runs
    #[arg(long, default_value_t = 3)]
    compiler: usize,
    /// Earlier bakeoff to alternate with this one while two programs use the disk
    #[arg(long, value_name = "PROGRAM")]
    against: Option<PathBuf>,
    /// Number of such pairs
    #[arg(long, default_value_t = 6)]
    pairs: usize,
    /// Directory for the files
    #[arg(long, default_value_os_t = tool::target())]
    dir: PathBuf,
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

/// Runs everything and writes the section of the page.
pub fn bench(root: &Path, options: &Options) -> Result<bool> {
    let bakeoff = super::released()?;
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
    page::write(&root.join("docs/performance.md"), "answers", &section)?;
    std::fs::remove_dir_all(&dir)?;
    Ok(true)
}
