//! `bakeoff runs`: what is stored, the latest first.

use std::io::{IsTerminal, Write};

use bakeoff_core::analyse::analyse;
use bakeoff_core::report::runs::{self, Row, State};

use super::answer;
use super::stored;
use crate::cli::{Format, Global};
use crate::fault::{Fault, Outcome};
use crate::store::{Digest, RunId, Sqlite, Store, Summary};

/// Runs the command.
pub fn run(global: &Global) -> Result<Outcome, Fault> {
    let format = stored::format(
        global,
        "runs",
        &[Format::Text, Format::Json, Format::Csv, Format::Markdown],
    )?;
    let rows = match stored::open(global)? {
        Some(mut store) => rows(&mut store)?,
        None => Vec::new(),
    };
    let text = match format {
        Format::Json => runs::json(&rows),
        Format::Csv => runs::csv(&rows),
        Format::Markdown => runs::markdown(&rows),
        // A pipe has no width, and a program that reads it wants whole lines.
        _ => {
            runs::text(&rows, std::io::stdout().is_terminal().then(|| answer::text_options().width))
        }
    };
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(Outcome::Done)
}

fn rows(store: &mut Sqlite) -> Result<Vec<Row>, Fault> {
    let summaries = store.list()?;
    let ids: Vec<RunId> = summaries.iter().map(|summary| summary.run.clone()).collect();
    summaries.into_iter().map(|summary| row(store, summary, &ids)).collect()
}

fn row(store: &mut Sqlite, summary: Summary, ids: &[RunId]) -> Result<Row, Fault> {
    let id = summary.run.clone();
    let mut row = Row {
        run: id.to_string(),
        short: id.short(ids).to_string(),
        created_unix_ns: summary.created_unix_ns,
        verb: summary.verb,
        title: summary.title,
        label: summary.label,
        imported: summary.is_imported,
        events: summary.events,
        state: State::Unreadable,
        blocks: None,
        verdict: None,
        error: None,
    };
    let digest = match summary.digest {
        Some(digest) => digest,
        None => match digest(store, &id) {
            Ok(digest) => digest,
            // Said in its row: it takes nothing from the others.
            Err(fault) => {
                row.error = Some(fault.to_string());
                return Ok(row);
            }
        },
    };
    row.state = match (stored::is_held(store, &id)?, digest.is_stopped) {
        (true, _) => State::Running,
        (false, true) => State::Stopped,
        (false, false) => State::Dead,
    };
    row.blocks = Some(digest.blocks);
    row.verdict = Some(digest.verdict);
    Ok(row)
}

/// Reads the whole run, once, and keeps what the list needs of it.
fn digest(store: &mut Sqlite, id: &RunId) -> Result<Digest, Fault> {
    let run = stored::read(store, id)?;
    let analysis = analyse(&run);
    let digest = Digest {
        events: run.next_seq,
        blocks: analysis.blocks,
        verdict: runs::short(&analysis),
        is_stopped: run.stopped.is_some(),
    };
    // A store that cannot be written to is read in full each time: slower, and nothing else.
    let _ = store.set_digest(id, &digest);
    Ok(digest)
}
