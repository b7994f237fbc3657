//! `bakeoff check --engine`: what the load generator itself costs on this machine.

use std::io::Write;

use bakeoff_core::report;
use bakeoff_engine::own_cost;

use super::stored;
use crate::cli::{Format, Global};
use crate::fault::{Fault, Outcome};

/// Runs the command. Here and not in a child: nothing else runs in this process meanwhile.
pub fn run(global: &Global) -> Result<Outcome, Fault> {
    let format = global.format.unwrap_or(Format::Text);
    if !matches!(format, Format::Text | Format::Json) {
        return Err(stored::no_format(format, "check", "text or json"));
    }
    let cost = own_cost().map_err(Fault::environment)?;
    let text = match format {
        Format::Json => format!("{:#}\n", report::own_cost_json(&cost)),
        _ => report::own_cost_text(&cost),
    };
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(Outcome::Done)
}
