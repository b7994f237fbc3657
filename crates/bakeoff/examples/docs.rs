//! Writes the pages of docs/ that are made from tables of the code. A test of each table holds its
//! page to it.

use std::path::Path;

use bakeoff_report::testing::{
    applications_markdown, filesystems_markdown, rules_markdown, usual_markdown,
};

fn main() -> std::io::Result<()> {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    std::fs::write(docs.join("filesystems.md"), filesystems_markdown())?;
    std::fs::write(docs.join("fit.md"), applications_markdown())?;
    std::fs::write(docs.join("findings.md"), rules_markdown())?;
    std::fs::write(docs.join("normal.md"), usual_markdown())
}
