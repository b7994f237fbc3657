//! `bakeoff runs`: what is stored, the latest first.

use std::io::IsTerminal;

use bakeoff_core::analyse::analyse;
use bakeoff_core::history::facts::Facts;
use bakeoff_core::history::filter::Filter;
use bakeoff_core::report::runs::{self, LeftOut, Row, State};

use super::answer;
use super::stored;
use crate::cli::history::Runs;
use crate::cli::{Format, Global, formats};
use crate::fault::{Fault, Outcome};
use crate::store::{Digest, RunId, Sqlite, Store, Summary};
use crate::ui::out;

/// Runs the command.
pub fn run(global: &Global, args: &Runs) -> Result<Outcome, Fault> {
    let format = stored::format(global, "runs", formats::of("runs"))?;
    let filter = Filter {
        drive: args.drive.clone(),
        host: args.host.clone(),
        plan: args.plan.clone(),
        label: args.label.clone(),
        since_unix_ns: args.since.map(|since| since.unix_ns(now_unix_ns())),
    };
    let mut rows = match stored::open(global)? {
        Some(mut store) => rows(&mut store, &filter)?,
        None => Vec::new(),
    };
    let found = rows.len();
    rows.retain(|(_, is_measured)| *is_measured || args.all);
    let unmeasured = (found - rows.len()) as u64;
    let left_out = LeftOut { unmeasured, is_filtered: !filter.is_empty() };
    let rows: Vec<Row> = rows.into_iter().map(|(row, _)| row).collect();
    let text = match format {
        Format::Json => runs::json(&rows, left_out),
        Format::Csv => runs::csv(&rows),
        Format::Markdown => runs::markdown(&rows),
        // A pipe has no width, and a program that reads it wants whole lines.
        _ => {
            let width = std::io::stdout().is_terminal().then(|| answer::text_options().width);
            runs::text(&rows, left_out, width)
        }
    };
    out::print(global.format, &text)?;
    Ok(Outcome::Done)
}

/// Nanoseconds since 1970.
pub(super) fn now_unix_ns() -> i64 {
    i64::try_from(jiff::Timestamp::now().as_nanosecond()).unwrap_or(i64::MAX)
}

/// Each run that is wanted, and whether there is anything in it: a measurement, a label, a process
/// that measures it, or a record that cannot be read.
fn rows(store: &mut Sqlite, filter: &Filter) -> Result<Vec<(Row, bool)>, Fault> {
    let ids: Vec<RunId> = match filter.is_empty() {
        true => Vec::new(),
        // What tells the runs apart has to be unique among all of them.
        false => store.list()?.into_iter().map(|summary| summary.run).collect(),
    };
    let summaries = store.search(filter)?;
    let ids = match filter.is_empty() {
        true => summaries.iter().map(|summary| summary.run.clone()).collect(),
        false => ids,
    };
    let all = summaries.into_iter().map(|summary| row(store, summary, filter, &ids));
    all.filter_map(Result::transpose).collect()
}

/// `None` for a run that is not wanted, as its events show.
fn row(
    store: &mut Sqlite,
    summary: Summary,
    filter: &Filter,
    ids: &[RunId],
) -> Result<Option<(Row, bool)>, Fault> {
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
            Ok((_, facts)) if !filter.admits(&facts) => return Ok(None),
            Ok((digest, _)) => digest,
            // Said in its row: it takes nothing from the others.
            Err(fault) => {
                row.error = Some(fault.to_string());
                return Ok(Some((row, true)));
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
    let is_measured = digest.cells > 0 || row.state == State::Running || row.label.is_some();
    Ok(Some((row, is_measured)))
}

/// Reads the whole run, once, and keeps what lists and searches need of it.
pub(super) fn digest(store: &mut Sqlite, id: &RunId) -> Result<(Digest, Facts), Fault> {
    let run = stored::read(store, id)?;
    let analysis = analyse(&run);
    let digest = Digest {
        events: run.next_seq,
        blocks: analysis.blocks,
        cells: run.blocks.iter().map(|block| block.cells.len() as u64).sum(),
        verdict: runs::short(&analysis),
        is_stopped: run.stopped.is_some(),
    };
    let facts = Facts::of(&run.header);
    // A store that cannot be written to is read in full each time: slower, and nothing else.
    let _ = store.set_digest(id, &digest, &facts);
    Ok((digest, facts))
}
