//! The block device of a bench: what it is, and whether it may be written.

use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use bakeoff_core::model::host::{Place, PlaceClass};
use bakeoff_core::model::path::RawPath;
use bakeoff_core::prepare::device::System;
use bakeoff_core::prepare::guard::{self, Verdict};
use bakeoff_core::prepare::token;
use bakeoff_core::sysinfo::dev::Dev;
use rustix::fs::{Mode, OFlags, major, minor, open};

use crate::fault::Fault;
use crate::host;

/// A block device that may be used, held open exclusively while it is written.
pub struct Device {
    /// Size in bytes.
    pub size_bytes: u64,
    /// What it is made of, as a place.
    pub place: Place,
    /// Keeps others from mounting or claiming it.
    _claim: Option<File>,
}

/// Finds out about the device at `path`; for writing, asks the guard and compares the token.
pub fn open_device(path: &Path, writes: bool, erase: Option<&str>) -> Result<Device, Fault> {
    let shown = RawPath::new(path);
    let unusable = |e: std::io::Error| Fault::environment(format!("cannot use {shown}: {e}"));
    let number = std::fs::metadata(path).map_err(unusable)?.rdev();
    let dev = Dev::new(major(number), minor(number));
    let system = host::system().map_err(unusable)?;
    let device = system
        .device(dev)
        .ok_or_else(|| Fault::environment(format!("{shown} is not among the block devices")))?;
    let size_bytes = device.layer.size_bytes;
    let place = Place {
        class: PlaceClass::Block,
        dev: dev.to_string(),
        size_bytes,
        chain: system.chain(&[dev]).into_iter().map(|d| d.layer.clone()).collect(),
        ..Place::default()
    };
    let claim = if writes { Some(claim(path, dev, &system, erase)?) } else { None };
    Ok(Device { size_bytes, place, _claim: claim })
}

/// Consent first, then the guard, then the kernel's own word (open(2), O_EXCL on block devices).
fn claim(path: &Path, dev: Dev, system: &System, erase: Option<&str>) -> Result<File, Fault> {
    let shown = RawPath::new(path);
    if let Verdict::No(reasons) = guard::verdict(dev, system, false) {
        let why: Vec<&str> = reasons.iter().map(|r| r.text.as_str()).collect();
        return Err(Fault::refused(format!("{shown} is not written: {}", why.join("; "))));
    }
    let token = token::of(dev, system).map_err(Fault::refused)?;
    match erase {
        None => {
            return Err(Fault::refused(format!(
                "writing to {shown} destroys everything on it; if that is meant, add --erase {}",
                bakeoff_core::prepare::steps::shell_word(&RawPath::new(&token))
            )));
        }
        Some(typed) if !token::matches(typed, &token) => {
            return Err(Fault::refused(format!(
                "'{}' is not the erase token of {shown}; `bakeoff devices` shows each drive's",
                bakeoff_core::model::path::printable(typed.as_bytes())
            )));
        }
        Some(_) => {}
    }
    let flags = OFlags::RDWR | OFlags::EXCL | OFlags::CLOEXEC;
    let claimed = open(path, flags, Mode::empty()).map_err(|error| {
        Fault::refused(format!("{shown} is not written: the kernel says {error} (is it in use?)"))
    })?;
    Ok(File::from(claimed))
}
