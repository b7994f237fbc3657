//! `bakeoff` and `bakeoff devices`: the drives, what is on them, whether they are safe to erase,
//! and what to type next. Looks only; opens no drive.

use std::io::Write;

use bakeoff_core::report::devices::Devices;

use crate::cli::{Format, Global};
use crate::fault::{Fault, Outcome};
use crate::host;

/// Lists the drives.
pub fn run(global: &Global) -> Result<Outcome, Fault> {
    let write = match global.format.unwrap_or(Format::Text) {
        Format::Text => Devices::text,
        Format::Json => Devices::json,
        Format::Csv => Devices::csv,
        Format::Markdown => Devices::markdown,
        Format::Jsonl | Format::Bundle | Format::FioJson | Format::Gnuplot => {
            return Err(Fault::usage("devices knows --format text, json, csv and markdown"));
        }
    };
    let system = host::system().map_err(|error| {
        Fault::environment(format!(
            "cannot read what is mounted: {error}\nMount /proc (`mount -t proc proc /proc`) and \
             try again; without it no drive can be called unused."
        ))
    })?;
    let devices = Devices::new(&system, rustix::process::geteuid().is_root());
    std::io::stdout().write_all(write(&devices).as_bytes())?;
    Ok(Outcome::Done)
}
