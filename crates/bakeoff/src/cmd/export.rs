//! `bakeoff export`: a stored run for other programs, or whole for another machine.

use std::io::Write;

use bakeoff_core::analyse::analyse;
use bakeoff_core::bundle::{Head, SCHEMA, Sealer};
use bakeoff_core::report;

use super::stored;
use crate::cli::{Export, Format, Global};
use crate::fault::{Fault, Outcome};
use crate::store::{RunId, Sqlite, Store};

const FORMATS: &str = "json, csv, jsonl or bundle";

/// Runs the command.
pub fn run(global: &Global, args: &Export) -> Result<Outcome, Fault> {
    let Some(format) = global.format else {
        return Err(Fault::usage(format!("export as what? Add --format with {FORMATS}")));
    };
    if matches!(format, Format::Text | Format::Markdown) {
        return Err(stored::no_format(format, "export", FORMATS));
    }
    let (store, id) = stored::find(global, &args.run)?;
    let output = args.output.as_deref();
    match format {
        Format::Json => {
            let run = stored::read(&store, &id)?;
            let text = report::json_text(&run, &analyse(&run));
            stored::write(output, |out| out.write_all(text.as_bytes()))?;
        }
        Format::Csv => {
            let text = report::csv(&stored::read(&store, &id)?);
            stored::write(output, |out| out.write_all(text.as_bytes()))?;
        }
        Format::Jsonl => {
            let lines = store.lines(&id)?;
            stored::write(output, |out| lines.iter().try_for_each(|line| writeln!(out, "{line}")))?;
        }
        _ => {
            // A run that does not fold would not import either: better said here than there.
            stored::read(&store, &id)?;
            let (head, lines) = (head(&store, &id)?, store.lines(&id)?);
            stored::write(output, |out| write_bundle(out, &head, &lines))?;
        }
    }
    Ok(Outcome::Done)
}

fn head(store: &Sqlite, id: &RunId) -> Result<String, Fault> {
    let summary = store.list()?.into_iter().find(|summary| summary.run == *id);
    let head = Head {
        schema: SCHEMA.to_string(),
        run: id.to_string(),
        version: env!("CARGO_PKG_VERSION").to_string(),
        label: summary.and_then(|summary| summary.label),
    };
    serde_json::to_string(&head).map_err(Fault::bug)
}

fn write_bundle(out: &mut dyn Write, head: &String, lines: &[String]) -> std::io::Result<()> {
    let mut sealer = Sealer::default();
    for line in std::iter::once(head).chain(lines) {
        sealer.add(line.as_bytes());
        writeln!(out, "{line}")?;
    }
    writeln!(out, "{}", sealer.seal())
}
