//! The tables of docs/install.md: what was installed on which system, and how large the files are.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::case::{Case, Outcome};
use crate::page::{
    self,
    Column::{Left, Right},
};
use crate::tool;

/// Writes them into the page.
pub fn write(root: &Path, files: &Path, rows: &[(&Case, Outcome)]) -> Result<()> {
    let text = format!("{}\n{}", tested(rows), sizes(files)?);
    page::write(&root.join("docs/install.md"), "tested", &text)
}

fn tested(rows: &[(&Case, Outcome)]) -> String {
    let row = |(case, outcome): &(&Case, Outcome)| {
        let system = match case.note {
            "" => case.system.said.to_owned(),
            note => format!("{}, {note}", case.system.said),
        };
        let installed = match outcome.size_kb {
            0 => "–".to_owned(),
            size_kb => format!("{:.1} MB", size_kb as f64 / 1000.0),
        };
        let took = format!("{} s", outcome.took_s);
        [case.artefact.to_owned(), system, outcome.ran.clone(), installed, took]
    };
    let columns =
        [Left("file"), Left("system"), Left("commands"), Right("installed"), Right("time")];
    page::table(columns, rows.iter().map(row))
}

fn sizes(files: &Path) -> Result<String> {
    let row = |path: PathBuf| {
        let size_bytes = path.metadata()?.len();
        let size = match size_bytes {
            0..100_000 => format!("{:.1} kB", size_bytes as f64 / 1e3),
            _ => format!("{:.1} MB", size_bytes as f64 / 1e6),
        };
        Ok([format!("`{}`", tool::name(&path)), size])
    };
    let rows: Vec<_> = tool::files(files)?.into_iter().map(row).collect::<Result<_>>()?;
    Ok(page::table([Left("file of the release"), Right("size")], rows))
}
