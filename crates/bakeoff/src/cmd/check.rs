//! `bakeoff check [TARGET]`: whether this machine and target are ready for measuring, and what they
//! are.

use std::path::{Path, PathBuf};

use bakeoff_machine::fitness::facts::Target;
use bakeoff_machine::fitness::{self, Status};
use bakeoff_machine::guard::{self, GuardVerdict};
use bakeoff_machine::prepare::device::System;
use bakeoff_machine::sysinfo::dev::Dev;
use bakeoff_model::path::RawPath;
use bakeoff_report as report;

use super::{answer, stored};
use crate::cli::{CheckArgs, Format, Global};
use crate::fault::{self, Fault, Outcome, is_missing};
use crate::host;
use crate::signals::Cancel;
use crate::ui::{out, say};

pub fn run(global: &Global, args: &CheckArgs) -> Result<Outcome, Fault> {
    let format = stored::format(global, "check")?;
    let path = args.target.as_deref().unwrap_or(Path::new("."));
    let cancel = Cancel::listen().map_err(Fault::environment)?;
    let system = host::system().map_err(|error| {
        Fault::environment(format!(
            "cannot read the mount table: {error}; mount /proc (`mount -t proc proc /proc`)"
        ))
    })?;
    let target = target(path, &system)?;
    let is_seen = global.quiet || !rustix::termios::isatty(std::io::stderr());
    say::note(is_seen, format_args!("Checking the idle machine for a few seconds…"));
    let facts = host::fitness(target, &system, &cancel);
    if cancel.is_set() {
        return Err(Fault::interrupted("interrupted; nothing was changed"));
    }
    let checks = fitness::checks(&facts);
    let text = if format == Format::Json {
        format!("{:#}\n", report::fitness::json(&facts, &checks))
    } else {
        answer::laid_out(&report::fitness::document(&facts, &checks, say::typed), format)
    };
    let printed = out::print(Some(format), &text);
    let outcome = match fitness::verdict(&checks) {
        Status::Stop => Outcome::Open,
        Status::Pass | Status::Unknown | Status::Warn => Outcome::Done,
    };
    fault::after_printing(printed, Ok(outcome))
}

/// What is asked about, and the layers below it.
pub(super) fn target(path: &Path, system: &System) -> Result<Target, Fault> {
    let shown = RawPath::new(path);
    let metadata = std::fs::metadata(path).map_err(|error| match is_missing(&error) {
        true => Fault::usage(format!(
            "{shown} does not exist. Specify a directory or a device (list the drives with \
             `bakeoff devices`)"
        )),
        false => Fault::environment(format!(
            "cannot inspect {shown}: {error}{}",
            fault::denied_advice(&error)
        )),
    })?;
    if let Some(dev) = host::dev_of(&metadata) {
        return device(shown, dev, system);
    }
    if !metadata.is_dir() && !metadata.is_file() {
        return Err(Fault::usage(format!(
            "{shown} is not a directory, file or block device. List the drives with `bakeoff \
             devices`"
        )));
    }
    let place = host::place(path).map_err(Fault::environment)?;
    let name = std::fs::canonicalize(path).unwrap_or_else(|_| PathBuf::from(path));
    Ok(Target::Place { name: RawPath::new(name).to_string(), place: Box::new(place) })
}

fn device(shown: RawPath, dev: Dev, system: &System) -> Result<Target, Fault> {
    if system.device(dev).is_none() {
        return Err(Fault::environment(format!(
            "{shown} ({dev}) is not in /sys: it is empty, detached, or in another container. List \
             the drives with `bakeoff devices`"
        )));
    }
    let in_use = match guard::verdict(dev, system, false) {
        GuardVerdict::Safe => Vec::new(),
        GuardVerdict::No(reasons) => reasons,
    };
    let chain = system.chain(&[dev]).into_iter().map(|d| d.layer.clone()).collect();
    Ok(Target::Device { name: shown.to_string(), chain, in_use })
}
