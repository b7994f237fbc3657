//! The block device of a bench: what it is, and whether it may be written.

use std::fs::File;
use std::path::Path;

use bakeoff_model::host::Place;
use bakeoff_model::path::RawPath;
use rustix::io::Errno;

use super::consent;
use crate::fault::Fault;
use crate::host;
use crate::steps::locked_target::LockedTarget;
use crate::steps::target;

/// A block device that may be used, locked and claimed while it is written.
pub struct ClaimedDevice {
    pub place: Place,
    _held: Option<LockedTarget>,
}

/// Finds out about the device at `path`; for writing, asks the guard and for the token.
pub fn open_device(path: &Path, writes: bool, erase: Option<&str>) -> Result<ClaimedDevice, Fault> {
    if !writes {
        return to_read(path);
    }
    let target = target::look(path, false)?;
    let given: Vec<String> = erase.map(str::to_string).into_iter().collect();
    consent::to_erase(&[&target], &given)?;
    let held = target.take(false)?;
    Ok(ClaimedDevice { place: target.place, _held: Some(held) })
}

fn to_read(path: &Path) -> Result<ClaimedDevice, Fault> {
    let unusable =
        |e: std::io::Error| Fault::environment(format!("cannot use {}: {e}", RawPath::new(path)));
    let found = std::fs::metadata(path).map_err(unusable)?;
    let dev = host::dev_of(&found).ok_or_else(|| Fault::bug("it is not a block device"))?;
    File::open(path).map_err(|error| match error.raw_os_error() {
        Some(code) if code == Errno::PERM.raw_os_error() => {
            let shown = RawPath::new(path);
            Fault::environment(format!(
                "Cannot open {shown}: the kernel forbids it to root too (EPERM). In a container, \
                 allow the device: docker run --device={shown}"
            ))
        }
        _ => unusable(error),
    })?;
    let place = target::place_of(path, dev, &host::system().map_err(unusable)?)?;
    Ok(ClaimedDevice { place, _held: None })
}
