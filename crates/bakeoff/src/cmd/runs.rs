//! `bakeoff runs`: what is stored, the latest first.

use std::io::IsTerminal;

use bakeoff_judge::analyse::analyse;
use bakeoff_judge::history::facts::Facts;
use bakeoff_judge::history::filter::Filter;
use bakeoff_report::runs::{self, LeftOut, Row, State};

use super::answer;
use super::stored;
use crate::cli::history::Runs;
use crate::cli::{Format, Global};
use crate::fault::{Fault, Outcome};
use crate::host;
use crate::store::listed::digest_of;
use crate::store::{Digest, Latest, Records, RunId, Sqlite, Summary, folded};
use crate::ui::out;

const AT_ONCE: usize = 200;
const MOST: u64 = 100;
const ALL: u64 = u64::MAX;

type Made = (RunId, Digest, Facts);

pub fn run(global: &Global, args: &Runs) -> Result<Outcome, Fault> {
    let format = stored::format(global, "runs")?;
    let filter = Filter {
        drive: args.drive.clone(),
        host: args.host.clone(),
        plan: args.plan.clone(),
        label: args.label.clone(),
        since_unix_ns: args.since.map(|since| since.unix_ns(host::unix_ns())),
        ..Filter::default()
    };
    let is_for_people = matches!(format, Format::Text | Format::Markdown);
    let most = match args.limit.map(u64::from) {
        None if is_for_people => MOST,
        None | Some(0) => ALL,
        Some(limit) => limit,
    };
    let (rows, left_out) = match stored::open(global)? {
        Some(mut store) => list(&mut *store, &filter, (most, args.all), is_for_people)?,
        None => (Vec::new(), LeftOut::default()),
    };
    let left_out = LeftOut { is_filtered: !filter.is_empty(), ..left_out };
    let text = if format == Format::Json {
        runs::json(&rows, left_out)
    } else if format == Format::Csv {
        runs::csv(&rows)
    } else if format == Format::Text && !std::io::stdout().is_terminal() {
        // A pipe has no width, and a program that reads it wants whole lines.
        runs::document(&rows, left_out).text(usize::MAX, false)
    } else {
        answer::laid_out(&runs::document(&rows, left_out), format)
    };
    out::print(global.format, &text)?;
    Ok(Outcome::Done)
}

/// At most so many of the runs that are wanted, the latest first, and only with `all` those in
/// which there is nothing.
fn list(
    store: &mut dyn Records,
    filter: &Filter,
    (most, all): (u64, bool),
    is_for_people: bool,
) -> Result<(Vec<Row>, LeftOut), Fault> {
    let Latest { summaries, more, unmeasured } = match most {
        ALL => Latest { summaries: store.search(filter)?, ..Latest::default() },
        most => store.latest(filter, most, all)?,
    };
    let mut left_out = LeftOut { unmeasured, more, is_filtered: false };
    let (mut rows, mut shown, mut made) = (Vec::new(), Vec::new(), Vec::new());
    for summary in summaries {
        let run = summary.run.clone();
        if rows.len() as u64 >= most && is_shown(&summary) {
            left_out.more += 1;
            continue;
        }
        let Some((row, is_measured)) = row_of(store, summary, filter, &mut made)? else { continue };
        if made.len() == AT_ONCE {
            keep(store, &mut made);
        }
        if !is_measured && !all {
            left_out.unmeasured += 1;
        } else if rows.len() as u64 >= most {
            left_out.more += 1;
        } else {
            rows.push(row);
            shown.push(run);
        }
    }
    keep(store, &mut made);
    // Machines read whole ids.
    if is_for_people {
        let digits = store.short_digits(&shown)?;
        for row in &mut rows {
            row.short = row.run.chars().take(digits).collect();
        }
    }
    Ok((rows, left_out))
}

fn is_shown(summary: &Summary) -> bool {
    summary.digest.as_ref().is_some_and(|digest| digest.cells > 0 || summary.label.is_some())
}

/// Keeps what was made of runs. A store that cannot be written to is read in full each time:
/// slower, and nothing else.
fn keep(store: &mut dyn Records, made: &mut Vec<Made>) {
    if !made.is_empty() {
        let _ = store.set_digests(made);
        made.clear();
    }
}

/// The line of a run, and whether there is anything in it: a measurement, a label, a process that
/// measures it, or a record that cannot be read. `None` for a run that is not wanted, as its events
/// show. What had to be made of it is added to `made`.
fn row_of(
    store: &dyn Records,
    mut summary: Summary,
    filter: &Filter,
    made: &mut Vec<Made>,
) -> Result<Option<(Row, bool)>, Fault> {
    let id = summary.run.clone();
    if summary.digest.is_none() {
        match folded::read(store, &id) {
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
                let row = Row { error, ..summary.into_row(State::Unreadable) };
                return Ok(Some((row, true)));
            }
        }
    }
    let has_cells = summary.digest.as_ref().is_some_and(|digest| digest.cells > 0);
    let state = store.state(&id, summary.is_stopped())?;
    let is_open = matches!(state, State::Running | State::Unfinished);
    let row = summary.into_row(state);
    let is_measured = has_cells || is_open || row.label.is_some();
    Ok(Some((row, is_measured)))
}

/// Keeps what lists and searches need of a run that came from elsewhere. One that cannot be read
/// is shown as such by the next list.
pub(super) fn keep_digest(store: &mut Sqlite, id: &RunId) {
    if let Ok(run) = folded::read(store, id) {
        let (digest, facts) = digest_of(&run, &analyse(&run));
        keep(store, &mut vec![(id.clone(), digest, facts)]);
    }
}
