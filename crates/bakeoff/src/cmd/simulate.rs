//! `bakeoff simulate`: the decision machinery against disks whose truth is known.

use std::io::{IsTerminal, Write};

use bakeoff_core::report;
use bakeoff_core::simulate::simulate;

use super::stored;
use crate::cli::{Format, Global, Simulate};
use crate::fault::{Fault, Outcome};
use crate::ui::say;

/// The seed unless one is given: the figures in the documentation can be had again by typing the
/// command they name.
const SEED: u64 = 20_261_120;

/// Runs the command.
pub fn run(global: &Global, args: &Simulate) -> Result<Outcome, Fault> {
    let format =
        stored::format(global, "simulate", &[Format::Text, Format::Markdown, Format::Json])?;
    // Progress is for who looks on.
    let quiet = global.quiet || !std::io::stderr().is_terminal();
    let done = simulate(args.runs, global.seed.unwrap_or(SEED), |o| {
        say::note(quiet, format_args!("{} (k {}, W {})", o.name, o.k, o.w));
    });
    let simulation = done.map_err(Fault::bug)?;
    let text = match format {
        Format::Json => report::simulate_json(&simulation) + "\n",
        Format::Markdown => report::simulate_markdown(&simulation),
        _ => report::simulate_text(&simulation),
    };
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(Outcome::Done)
}
