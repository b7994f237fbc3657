//! A run without what identifies its machine and owner, for everything that others may read, and
//! the list of what was replaced, shown before anything is written.

use bakeoff_model::path::sanitize;
use bakeoff_model::run::Run;
use bakeoff_report::bundle::{Head, SCHEMA};
use bakeoff_report::cut;
use bakeoff_report::redact::{self, Kind, Redactor, Replacement};
use bakeoff_stats::phrases;
use serde_json::Value;

use super::consent;
use crate::cli::{Global, Show};
use crate::fault::Fault;
use crate::store::{Records, RunId, folded};
use crate::ui::say;

const FEW: usize = 12;
const LISTED: usize = 1_000;
const LONGEST_VALUE: usize = 60;

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

/// Replaces every private value in a run; each value has one pseudonym. It stays a run that any
/// bakeoff adds.
pub fn redact(original: Exported) -> Result<(Exported, Vec<Replacement>), Fault> {
    let Exported { head, lines } = original;
    let mut redactor = Redactor::of_run(&head.run);
    let events = events(&head, &lines)?;
    events.iter().for_each(|event| redact::learn(&mut redactor, event));
    if let Some(label) = &head.label {
        redactor.learn(Kind::Label, label);
    }
    let lines = events.iter().map(|event| redact::event(&mut redactor, event).to_string());
    let lines = lines.collect();
    let label = head.label.as_deref().map(|label| redactor.field(Kind::Label, label));
    let exported = Exported { head: Head { label, ..head }, lines };
    Ok((exported, redactor.replaced()))
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

/// Shows what was replaced, a few lines of it, and `keep`: how to keep it.
pub fn show_few(global: &Global, replaced: &[Replacement], keep: &str) {
    if !replaced.is_empty() && !global.quiet {
        show(replaced, FEW, keep);
    }
}

fn show(replaced: &[Replacement], most: usize, keep: &str) {
    let count = phrases::count(u32::try_from(replaced.len()).unwrap_or(u32::MAX), "private value");
    let shown = &replaced[..replaced.len().min(most)];
    say::line(format_args!("Replaced {count}{keep}:\n{}", replaced_text(shown).trim_end()));
    if replaced.len() > most {
        say::line(format_args!("  and {} more", replaced.len() - most));
    }
}

fn replaced_text(replaced: &[Replacement]) -> String {
    let longest = replaced.iter().map(|r| r.pseudonym.len()).max().unwrap_or(0);
    let line = |r: &Replacement| {
        let original = cut(&sanitize(&r.original), LONGEST_VALUE);
        let times = phrases::count(u32::try_from(r.times).unwrap_or(u32::MAX), "time");
        format!("  {:<longest$}  for {original} ({times})\n", r.pseudonym)
    };
    replaced.iter().map(line).collect()
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
