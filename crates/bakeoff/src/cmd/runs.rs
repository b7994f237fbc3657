//! `bakeoff runs`: what is stored, the latest first.

use std::io::IsTerminal;

use bakeoff_core::analyse::analyse;
use bakeoff_core::history::facts::Facts;
use bakeoff_core::history::filter::Filter;
use bakeoff_core::model::run::Run;
use bakeoff_core::model::verdict::Analysis;
use bakeoff_core::report::runs::{self, LeftOut, Row, State};

use super::answer;
use super::stored;
use crate::cli::history::Runs;
use crate::cli::{Format, Global, formats};
use crate::fault::{Fault, Outcome};
use crate::store::{Digest, Records, RunId, Sqlite, Summary};
use crate::ui::out;

/// Runs whose digests are kept in one transaction.
const AT_ONCE: usize = 200;

/// What was made of a run.
type Made = (RunId, Digest, Facts);

/// Runs the command.
pub fn run(global: &Global, args: &Runs) -> Result<Outcome, Fault> {
    let format = stored::format(global, "runs", formats::of("runs"))?;
    let filter = Filter {
        drive: args.drive.clone(),
        host: args.host.clone(),
        plan: args.plan.clone(),
        label: args.label.clone(),
        since_unix_ns: args.since.map(|since| since.unix_ns(now_unix_ns())),
        ..Filter::default()
    };
    let mut rows = match stored::open(global)? {
        Some(mut store) => rows(&mut *store, &filter)?,
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
fn rows(store: &mut dyn Records, filter: &Filter) -> Result<Vec<(Row, bool)>, Fault> {
    // What tells the runs apart has to be unique among all of them.
    let digits = store.short_digits()?;
    let (mut rows, mut made) = (Vec::new(), Vec::new());
    for summary in store.search(filter)? {
        rows.extend(row(store, summary, filter, &mut made)?);
        if made.len() == AT_ONCE {
            keep(store, &mut made);
        }
    }
    keep(store, &mut made);
    for (row, _) in &mut rows {
        row.short = row.run.chars().take(digits).collect();
    }
    Ok(rows)
}

/// Keeps what was made of runs. A store that cannot be written to is read in full each time:
/// slower, and nothing else.
fn keep(store: &mut dyn Records, made: &mut Vec<Made>) {
    if !made.is_empty() {
        let _ = store.set_digests(made);
        made.clear();
    }
}

/// `None` for a run that is not wanted, as its events show. What had to be made of it is added to
/// `made`.
fn row(
    store: &dyn Records,
    mut summary: Summary,
    filter: &Filter,
    made: &mut Vec<Made>,
) -> Result<Option<(Row, bool)>, Fault> {
    let id = summary.run.clone();
    if summary.digest.is_none() {
        match stored::read(store, &id) {
            Ok(run) => {
                let (digest, facts) = digest_of(&run, &analyse(&run));
                made.push((id.clone(), digest.clone(), facts.clone()));
                if !filter.admits(&facts) {
                    return Ok(None);
                }
                summary.digest = Some(digest);
            }
            // Said in its row: it takes nothing from the others.
            Err(fault) => {
                let error = Some(fault.to_string());
                let row = Row { state: State::Unreadable, error, ..summary.into_row(false) };
                return Ok(Some((row, true)));
            }
        }
    }
    let has_cells = summary.digest.as_ref().is_some_and(|digest| digest.cells > 0);
    let row = summary.into_row(store.is_held(&id)?);
    let is_measured = has_cells || row.state == State::Running || row.label.is_some();
    Ok(Some((row, is_measured)))
}

/// Keeps what lists and searches need of a run that came from elsewhere. One that cannot be read
/// is shown as such by the next list.
pub(super) fn keep_digest(store: &mut Sqlite, id: &RunId) {
    if let Ok(run) = stored::read(store, id) {
        let (digest, facts) = digest_of(&run, &analyse(&run));
        keep(store, &mut vec![(id.clone(), digest, facts)]);
    }
}

/// What lists and searches need of a run.
pub(super) fn digest_of(run: &Run, analysis: &Analysis) -> (Digest, Facts) {
    let digest = Digest {
        events: run.next_seq,
        blocks: analysis.blocks,
        cells: run.blocks.iter().map(|block| block.cells.len() as u64).sum(),
        verdict: runs::short(analysis),
        is_stopped: run.stopped.is_some(),
    };
    (digest, Facts::of(&run.header))
}
