//! `bakeoff runs`: what is stored, the latest first.

use std::io::IsTerminal;

use bakeoff_judge::analyse::analyse;
use bakeoff_judge::history::facts::Facts;
use bakeoff_report::runs::{self, LeftOut, Row, State};

use super::answer;
use super::stored;
use crate::cli::history::Runs;
use crate::cli::{Format, Global};
use crate::fault::{Fault, Outcome};
use crate::store::listed::digest_of;
use crate::store::{Digest, Records, RunId, Sqlite, Summary, folded};
use crate::ui::out;

const AT_ONCE: usize = 200;
/// Most runs in a list for people.
const MOST: usize = 100;

type Made = (RunId, Digest, Facts);

pub fn run(global: &Global, args: &Runs) -> Result<Outcome, Fault> {
    let format = stored::format(global, "runs")?;
    let text = args.text.as_deref();
    let is_for_people = matches!(format, Format::Text | Format::Markdown);
    let (rows, more) = match stored::open(global)? {
        Some(mut store) => list(&mut *store, text, is_for_people)?,
        None => (Vec::new(), 0),
    };
    let left_out = LeftOut { more, is_filtered: text.is_some() };
    let shown = if format == Format::Json {
        runs::json(&rows)
    } else if format == Format::Csv {
        runs::csv(&rows)
    } else if format == Format::Text && !std::io::stdout().is_terminal() {
        // A pipe has no width, and a program that reads it wants whole lines.
        runs::document(&rows, left_out).text(usize::MAX, false)
    } else {
        answer::laid_out(&runs::document(&rows, left_out), format)
    };
    out::print(global.format, &shown)?;
    Ok(Outcome::Done)
}

/// The runs that match, the latest first, and how many more there are than people are shown.
pub fn list(
    store: &mut dyn Records,
    text: Option<&str>,
    is_for_people: bool,
) -> Result<(Vec<Row>, u64), Fault> {
    let (mut rows, mut shown, mut made, mut more) = (Vec::new(), Vec::new(), Vec::new(), 0);
    for summary in store.search(text)? {
        if is_for_people && rows.len() == MOST {
            more += 1;
            continue;
        }
        let run = summary.run.clone();
        let Some(row) = row_of(store, summary, text, &mut made)? else { continue };
        if made.len() == AT_ONCE {
            keep(store, &mut made);
        }
        rows.push(row);
        shown.push(run);
    }
    keep(store, &mut made);
    // Machines read whole ids.
    if is_for_people {
        let digits = store.short_digits(&shown)?;
        for row in &mut rows {
            row.short = row.run.chars().take(digits).collect();
        }
    }
    Ok((rows, more))
}

/// Keeps what was made of runs. A store that cannot be written to is read in full each time:
/// slower, and nothing else.
fn keep(store: &mut dyn Records, made: &mut Vec<Made>) {
    if !made.is_empty() {
        let _ = store.set_digests(made);
        made.clear();
    }
}

/// The line of a run. `None` for one that does not match, as its events show. What had to be
/// computed from them is added to `made`.
fn row_of(
    store: &dyn Records,
    mut summary: Summary,
    text: Option<&str>,
    made: &mut Vec<Made>,
) -> Result<Option<Row>, Fault> {
    let id = summary.run.clone();
    if summary.digest.is_none() {
        match folded::read(store, &id) {
            Ok(run) => {
                let (digest, facts) = digest_of(&run, &analyse(&run));
                let is_match = text.is_none_or(|text| summary.has(text) || facts.has(text));
                made.push((id.clone(), digest.clone(), facts));
                if !is_match {
                    return Ok(None);
                }
                summary.digest = Some(digest);
            }
            // Said in its row: it takes nothing from the others.
            Err(fault) => {
                let error = Some(fault.to_string());
                return Ok(Some(Row { error, ..summary.into_row(State::Unreadable) }));
            }
        }
    }
    let state = store.state(&id, summary.is_stopped())?;
    Ok(Some(summary.into_row(state)))
}

/// Keeps what lists and searches need of a run that came from elsewhere. One that cannot be read
/// is shown as such by the next list.
pub(super) fn keep_digest(store: &mut Sqlite, id: &RunId) {
    if let Ok(run) = folded::read(store, id) {
        let (digest, facts) = digest_of(&run, &analyse(&run));
        keep(store, &mut vec![(id.clone(), digest, facts)]);
    }
}
