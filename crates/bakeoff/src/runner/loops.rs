//! Our loop devices: attached by descriptor, found by the file behind them, and detached.

use std::os::fd::AsFd;
use std::path::Path;

use bakeoff_core::model::event::Action;
use bakeoff_core::model::path::RawPath;
use bakeoff_core::model::step::Inode;
use bakeoff_core::prepare::steps;
use bakeoff_core::sysinfo::dev::Dev;
use bakeoff_core::sysinfo::losetup;
use bakeoff_engine::loops::{Backing, Part};
use rustix::fs::{major, minor};

use super::action::{self, ActionError, Done};
use crate::host::{self, Opened};
use crate::signals::Cancel;

/// Attaches an open file as the action says, and checks that it is the one behind the device then.
pub fn attach(action: &Action, file: &Opened) -> Result<RawPath, ActionError> {
    let Action::AttachLoop { offset_bytes, size_bytes, sector_bytes, .. } = action else {
        return Err(ActionError::Lost(format!("{} attaches nothing", steps::describe(action))));
    };
    let part = Part {
        name: file.shown(),
        offset_bytes: *offset_bytes,
        size_bytes: *size_bytes,
        sector_bytes: *sector_bytes,
    };
    let attached = bakeoff_engine::loops::attach(file.as_fd(), &part);
    let device = RawPath::new(attached.map_err(action::io_error("attach a loop device"))?);
    check(&device, file.inode(), *offset_bytes).inspect_err(|_| {
        // It is no use to us, and has a number that the record does not know.
        let argv = ["losetup".into(), "--detach".into(), device.as_path().into()];
        let _ = action::run_argv(&argv, "losetup --detach", &Cancel::default());
    })?;
    Ok(device)
}

/// Whether that file, from that offset on, still is behind a loop device.
pub fn check(device: &RawPath, inode: Inode, offset_bytes: u64) -> Result<(), ActionError> {
    let opened = std::fs::File::open(device.as_path());
    let backing = opened.and_then(|opened| bakeoff_engine::loops::backing(opened.as_fd()));
    match backing {
        Ok(backing) if backing == (Backing { inode, offset_bytes }) => Ok(()),
        Ok(_) => Err(ActionError::Lost(format!("{device} has another file behind it"))),
        Err(error) => Err(ActionError::Lost(format!("{device} is no longer attached: {error}"))),
    }
}

/// The loop devices a file backs from that offset on, as `/dev/loopN`.
///
/// With an `inode` those of that file, whatever it is called meanwhile and whatever has its name
/// now; without, of what has the name.
pub fn of(
    file: &Path,
    inode: Option<Inode>,
    offset_bytes: u64,
) -> Result<Vec<String>, ActionError> {
    let Some(inode) = inode else {
        let found = host::loops_backed_by(file, offset_bytes);
        return found.map_err(action::io_error("list the loop devices"));
    };
    let words = ["losetup"].into_iter().chain(losetup::LIST);
    let argv: Vec<_> = words.map(std::ffi::OsString::from).collect();
    let listed = action::run_argv(&argv, "losetup --list", &Cancel::default())?;
    let dev = Dev::new(major(inode.dev), minor(inode.dev));
    let all = losetup::parse(listed.output.as_bytes()).into_iter();
    let ours = all.filter(|found| {
        (found.backing_dev, found.backing_ino, found.offset_bytes) == (dev, inode.ino, offset_bytes)
    });
    Ok(ours.map(|found| found.device.to_string()).collect())
}

/// Detaches every loop device that this file backs from that offset on. The kernel detaches a busy
/// one when its last user lets go, so the device is looked for again until it is gone.
pub fn detach(
    file: &RawPath,
    inode: Option<Inode>,
    offset_bytes: u64,
) -> Result<Done, ActionError> {
    let what = steps::describe(&Action::DetachLoop { file: file.clone(), inode, offset_bytes });
    action::retry_while_busy(&what, || {
        let devices = of(file.as_path(), inode, offset_bytes)?;
        for device in &devices {
            let argv = ["losetup".into(), "--detach".into(), device.into()];
            action::run_argv(&argv, "losetup --detach", &Cancel::default())?;
        }
        match of(file.as_path(), inode, offset_bytes)?.first() {
            None => Ok(Done::default()),
            Some(device) => Err(ActionError::Tool {
                command: format!("losetup --detach {device}"),
                how: "the device is still in use".to_string(),
                said: String::new(),
            }),
        }
    })
}
