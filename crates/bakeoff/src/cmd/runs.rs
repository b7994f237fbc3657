//! `bakeoff runs`: what is stored, the latest first.

use std::io::IsTerminal;

use bakeoff_judge::analyse::analyse;
use bakeoff_report::runs::{self, LeftOut, Row, State};

use super::answer;
use super::stored;
use crate::cli::history::Runs;
use crate::cli::{Format, Global};
use crate::fault::{Fault, Outcome};
use crate::store::listed::digest_of;
use crate::store::{Records, folded};
use crate::ui::out;

/// Most runs in a list for people.
const MOST: usize = 100;

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
    let (mut rows, mut made, mut more) = (Vec::new(), Vec::new(), 0);
    for mut summary in store.list()? {
        let id = summary.run.clone();
        let is_full = is_for_people && rows.len() == MOST;
        if summary.digest.is_none() && !is_full {
            match folded::read(store, &id) {
                Ok(run) => {
                    let digest = digest_of(&run, &analyse(&run));
                    made.push((id.clone(), digest.clone()));
                    summary.digest = Some(digest);
                }
                // Its row has the reason. The others are listed all the same.
                Err(fault) => {
                    let error = Some(fault.to_string());
                    rows.push(Row { error, ..summary.into_row(State::Unreadable) });
                    continue;
                }
            }
        }
        if text.is_some_and(|text| !summary.has(text)) {
            continue;
        }
        if is_full {
            more += 1;
            continue;
        }
        let state = store.state(&id, summary.is_stopped())?;
        rows.push(summary.into_row(state));
    }
    if !made.is_empty() {
        // A store that cannot be written to is read in full each time: slower, and nothing else.
        let _ = store.set_digests(&made);
    }
    Ok((rows, more))
}
