//! Runs without what identifies their machine and owner, for everything that others may read, and
//! the list of what was replaced, shown before anything is written.

use bakeoff_judge::analyse::analyse;
use bakeoff_model::run::Run;
use bakeoff_model::verdict::Analysis;
use bakeoff_report::bundle::{Head, SCHEMA};
use bakeoff_report::facts;
use bakeoff_report::redact::{self, Kind, Redactor, Replacement};
use bakeoff_stats::phrases;
use serde_json::Value;

use super::consent;
use crate::cli::{Global, Show};
use crate::fault::Fault;
use crate::store::{Records, RunId, folded};
use crate::ui::say;

/// Most replacements that are listed unasked.
const FEW: usize = 12;
/// Most replacements that are listed at all.
const LISTED: usize = 1_000;

/// A run as it leaves the store.
pub struct Exported {
    pub head: Head,
    pub lines: Vec<String>,
}

impl Exported {
    pub fn read(store: &dyn Records, id: &RunId) -> Result<Exported, Fault> {
        let summary = store.list()?.into_iter().find(|summary| summary.run == *id);
        let head = Head {
            schema: SCHEMA.to_string(),
            run: id.to_string(),
            version: env!("CARGO_PKG_VERSION").to_string(),
            label: summary.and_then(|summary| summary.label),
        };
        Ok(Exported { head, lines: store.lines(id)? })
    }

    pub fn run(&self) -> Result<Run, Fault> {
        let id = RunId::parse(&self.head.run).ok_or_else(|| Fault::bug("a run without an id"))?;
        Ok(folded::fold(&id, &self.lines)?)
    }
}

pub struct Redacted {
    pub exported: Vec<Exported>,
    pub replaced: Vec<Replacement>,
}

/// Replaces every value in runs that go into one document; each value has one pseudonym there. They
/// stay runs that any bakeoff imports.
pub fn redact_all(originals: Vec<Exported>) -> Result<Redacted, Fault> {
    let first = originals.first().map_or("", |original| original.head.run.as_str());
    let mut redactor = Redactor::of_run(first);
    let mut parsed = Vec::new();
    for Exported { head, lines } in originals {
        let events = events(&head, &lines)?;
        events.iter().for_each(|event| redact::learn(&mut redactor, event));
        if let Some(label) = &head.label {
            redactor.learn(Kind::Label, label);
        }
        parsed.push((head, events));
    }
    let mut exported = Vec::new();
    for (head, events) in parsed {
        let lines = events.iter().map(|event| redact::event(&mut redactor, event).to_string());
        let lines = lines.collect();
        let label = head.label.as_deref().map(|label| redactor.field(Kind::Label, label));
        exported.push(Exported { head: Head { label, ..head }, lines });
    }
    Ok(Redacted { exported, replaced: redactor.replaced() })
}

fn events(head: &Head, lines: &[String]) -> Result<Vec<Value>, Fault> {
    let parse = |(at, line): (usize, &String)| {
        serde_json::from_str(line).map_err(|error| {
            Fault::environment(format!(
                "event {at} of run {} cannot be read ({error}), so private values in it cannot be \
                 replaced. Nothing was written. To save the run as it is, add --no-redact",
                head.run
            ))
        })
    };
    lines.iter().enumerate().map(parse).collect()
}

/// The same runs, redacted, from the store that they were read from.
pub fn analysed(
    global: &Global,
    store: &dyn Records,
    runs: &[(Run, Analysis)],
) -> Result<Vec<(Run, Analysis)>, Fault> {
    let read = |(run, _): &(Run, Analysis)| Exported::read(store, &store.find(&run.header.run)?);
    let redacted = redact_all(runs.iter().map(read).collect::<Result<_, _>>()?)?;
    show_few(global, &redacted.replaced, "");
    let analyse = |exported: &Exported| {
        let run = exported.run()?;
        let analysis = analyse(&run);
        Ok((run, analysis))
    };
    redacted.exported.iter().map(analyse).collect()
}

/// Shows what was replaced, a few lines of it, and `keep`: how to keep it.
pub fn show_few(global: &Global, replaced: &[Replacement], keep: &str) {
    if !replaced.is_empty() && !global.quiet {
        show(replaced, FEW, keep);
    }
}

fn show(replaced: &[Replacement], most: usize, keep: &str) {
    let count = phrases::count(u32::try_from(replaced.len()).unwrap_or(u32::MAX), "private value");
    let shown = &replaced[..replaced.len().min(most)];
    say::line(format_args!("Replaced {count}{keep}:\n{}", facts::replaced_text(shown).trim_end()));
    if replaced.len() > most {
        say::line(format_args!("  and {} more", replaced.len() - most));
    }
}

/// Shows what an export replaces. With `--redact` it shows all of it, and asks at a terminal
/// whether to write it.
pub fn is_agreed(global: &Global, args: &Show, to_file: bool, replaced: &[Replacement]) -> bool {
    if !args.redact {
        let whole = if replaced.len() > FEW { ", list all with --redact" } else { "" };
        show_few(global, replaced, &format!(" (keep them with --no-redact{whole})"));
        return true;
    }
    show(replaced, LISTED, "");
    say::line(format_args!(
        "Titles, notes and process names are kept, apart from these values. Read them before you \
         share the file."
    ));
    args.yes || !to_file || !consent::can_ask() || consent::says_yes("Write the file?")
}
