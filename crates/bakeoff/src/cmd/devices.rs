//! `bakeoff` and `bakeoff devices [DRIVE]`: the drives, what is on them, whether they are safe to
//! erase, and what to type next; of one drive also what limits it. Looks only. As root it reads the
//! signatures of every drive, which are part of the erase token.

use std::ffi::OsStr;
use std::fs::Metadata;
use std::path::Path;

use bakeoff_machine::fitness;
use bakeoff_machine::guard::{self, GuardVerdict};
use bakeoff_machine::prepare::device::{BlockDevice, System};
use bakeoff_model::host::LayerKind;
use bakeoff_model::path::RawPath;
use bakeoff_report::devices::{Asker, Devices};

use super::{answer, setup, stored};
use crate::cli::{DevicesArgs, Format, Global};
use crate::exec::find_program;
use crate::fault::{Fault, Outcome, denied_advice, is_missing};
use crate::host;
use crate::signals::Cancel;
use crate::ui::{out, say};

pub fn run(global: &Global, args: &DevicesArgs) -> Result<Outcome, Fault> {
    let format = stored::format(global, "devices")?;
    let mut system = host::system().map_err(|error| {
        Fault::environment(format!(
            "cannot read the mount table: {error}\nMount /proc (`mount -t proc proc /proc`) and \
             try again; bakeoff needs it to confirm that a drive is unused."
        ))
    })?;
    look_into(&mut system, global);
    let mut devices = Devices::new(&system, &asker());
    if let Some(drive) = &args.drive {
        let cancel = Cancel::listen().map_err(Fault::environment)?;
        let disk = disk_of(drive, &system)?;
        let facts = host::fitness(std::slice::from_ref(&disk.layer), &cancel);
        if cancel.is_set() {
            return Err(Fault::interrupted("interrupted; nothing was changed"));
        }
        let checks = facts.disks.iter().flat_map(|disk| fitness::of_drive(disk, &facts));
        devices.keep(&disk.layer, checks.collect());
    }
    let text = if format == Format::Json {
        devices.json()
    } else if format == Format::Csv {
        devices.csv()
    } else if format == Format::Markdown {
        devices.markdown()
    } else {
        answer::laid_out(&devices.document(), format)
    };
    out::print(global.format, &text)?;
    Ok(Outcome::Done)
}

/// The drive that a path names, or that it is a partition of.
fn disk_of<'s>(path: &Path, system: &'s System) -> Result<&'s BlockDevice, Fault> {
    let shown = RawPath::new(path);
    let dev = host::dev_of(&metadata_of(path)?).ok_or_else(|| {
        Fault::usage(format!("{shown} is not a drive. List the drives with `bakeoff devices`"))
    })?;
    let chain = system.chain(&[dev]);
    let disks: Vec<_> = chain.into_iter().filter(|d| d.layer.kind == LayerKind::Disk).collect();
    match disks.as_slice() {
        [disk] => Ok(disk),
        _ => Err(Fault::usage(format!(
            "{shown} ({dev}) is not one drive. List the drives with `bakeoff devices`"
        ))),
    }
}

pub fn metadata_of(path: &Path) -> Result<Metadata, Fault> {
    let shown = RawPath::new(path);
    std::fs::metadata(path).map_err(|error| {
        if is_missing(&error) {
            Fault::usage(format!("{shown} does not exist. List the drives with `bakeoff devices`"))
        } else {
            Fault::environment(format!("cannot inspect {shown}: {error}{}", denied_advice(&error)))
        }
    })
}

fn asker() -> Asker {
    use rustix::fs::{Access, access};
    let is_installed = |program: &&str| find_program(OsStr::new(program)).is_some();
    Asker {
        is_root: rustix::process::geteuid().is_root(),
        can_become_root: setup::AS_ROOT.iter().any(is_installed),
        has_loop_devices: Path::new("/dev/loop-control").exists(),
        writes_here: access(".", Access::WRITE_OK | Access::EXEC_OK).is_ok(),
    }
}

/// Reads what is on every drive. One that cannot be read has no token, for which the reason is
/// reported.
fn look_into(system: &mut System, global: &Global) {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let is_drive = |d: &&BlockDevice| {
        d.layer.kind == LayerKind::Disk && d.unfit.is_none() && d.layer.size_bytes > 0
    };
    let drives = system.devices.iter().filter(is_drive);
    let drives: Vec<_> = drives.map(|d| (d.dev, d.layer.name.replace('!', "/"))).collect();
    for (dev, name) in drives {
        let read = host::look_into(system, dev, &Path::new("/dev").join(&name));
        // One that is in use has no token anyway.
        if let Err(error) = read
            && guard::verdict(dev, system, false) == GuardVerdict::Safe
        {
            say::note(global.quiet, format_args!("No erase token for {name}: {error}"));
        }
    }
}
