//! `bakeoff export --redact`: a run without what identifies its machine and owner, and what was
//! replaced in it, shown before anything is written.

use std::path::Path;

use bakeoff_core::bundle::Head;
use bakeoff_core::redact::{self, Kind, Redactor, Replacement};
use bakeoff_core::report::facts;
use serde_json::Value;

use super::consent;
use super::export::Exported;
use crate::cli::Export;
use crate::fault::Fault;
use crate::ui::say;

/// Most replacements that are listed.
const LISTED: usize = 200;

/// A run whose values were replaced.
pub struct Redacted {
    /// What leaves the machine.
    pub exported: Exported,
    /// What was replaced.
    pub replaced: Vec<Replacement>,
}

/// Replaces every value in a run. It stays a run that any bakeoff imports.
pub fn of(original: Exported) -> Result<Redacted, Fault> {
    let Exported { head, lines } = original;
    let parse = |line: &String| serde_json::from_str::<Value>(line).map_err(Fault::bug);
    let mut redactor = Redactor::default();
    for line in &lines {
        redact::learn(&mut redactor, &parse(line)?);
    }
    let redacted = lines.iter().map(|line| Ok(redact::replace(&mut redactor, &parse(line)?)));
    let redacted: Vec<Value> = redacted.collect::<Result<_, Fault>>()?;
    let label = head.label.as_deref().map(|label| redactor.field(Kind::Label, label));
    let lines = redacted.iter().map(Value::to_string).collect();
    let exported = Exported { head: Head { label, ..head }, lines };
    Ok(Redacted { exported, replaced: redactor.replaced() })
}

/// Shows what was replaced, and asks at a terminal whether to write it.
pub fn is_agreed(args: &Export, replaced: &[Replacement]) -> bool {
    let shown = &replaced[..replaced.len().min(LISTED)];
    say::line(format_args!("Replaced:\n{}", facts::replaced_text(shown).trim_end()));
    if replaced.len() > LISTED {
        say::line(format_args!("  and {} more", replaced.len() - LISTED));
    }
    say::line(format_args!(
        "Titles, notes and process names are kept, apart from these values. Read them before you \
         share the file."
    ));
    let to_file = args.output.as_deref().is_some_and(|output| output != Path::new("-"));
    args.yes || !to_file || !consent::can_ask() || consent::says_yes("Write the file?")
}
