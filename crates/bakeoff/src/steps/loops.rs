//! Our loop devices: attached by descriptor, marked with run and step, found by that, and detached.

use std::os::fd::AsFd;

use bakeoff_engine::loops::Part;
use bakeoff_machine::prepare::steps;
use bakeoff_model::event::Action;
use bakeoff_model::path::RawPath;
use bakeoff_model::step::Inode;

use super::action;
use super::error::{StepError, io_error};
use crate::host::{self, Opened};

/// Attaches an open file as the action says, and checks that it is the one behind the device
/// then.
pub fn attach(action: &Action, file: &Opened, mark: &str) -> Result<RawPath, StepError> {
    let Action::AttachLoop { offset_bytes, size_bytes, sector_bytes, .. } = action else {
        return Err(StepError::Lost(format!("{} attached no device", steps::describe(action))));
    };
    let part = Part {
        name: mark,
        offset_bytes: *offset_bytes,
        size_bytes: *size_bytes,
        sector_bytes: *sector_bytes,
    };
    let attached = bakeoff_engine::loops::attach(file.as_fd(), &part);
    let device = RawPath::new(attached.map_err(io_error("attach a loop device"))?);
    // The kernel names no file behind a loop device that is on another device.
    if file.is_device() {
        Ok(device)
    } else {
        check(&device, file.inode(), *offset_bytes).map(|()| device)
    }
}

pub fn check(device: &RawPath, inode: Inode, offset_bytes: u64) -> Result<(), StepError> {
    let opened = std::fs::File::open(device.as_path());
    match opened.and_then(|opened| bakeoff_engine::loops::status(opened.as_fd())) {
        Ok(known) if (known.inode, known.offset_bytes) == (inode, offset_bytes) => Ok(()),
        Ok(_) => Err(StepError::Lost(format!("{device} is backed by a different file"))),
        Err(error) => Err(StepError::Lost(format!("{device} is no longer attached: {error}"))),
    }
}

/// Detaches every loop device with that mark: a name of the run and the step that attached it. The
/// kernel detaches a busy one when its last user lets go, so it is looked for until it is gone.
pub fn detach(mark: &str) -> Result<(), StepError> {
    let MarkedLoops { marked, unasked } = look_for(mark)?;
    // Another one that cannot be asked is none of ours where ours is found.
    if let Some(why) = unasked.filter(|_| marked.is_empty()) {
        return Err(StepError::Other(why));
    }
    let what = format!("losetup --detach the loop device marked {mark}");
    action::retry_while_busy(&what, || {
        for device in marked.iter().filter(|device| has(device, mark)) {
            // What another detached meanwhile is gone all the same.
            let opened = std::fs::File::open(device.as_path());
            let detached = opened.and_then(|open| bakeoff_engine::loops::detach(open.as_fd()));
            if let Err(error) = detached
                && error.raw_os_error() != Some(rustix::io::Errno::NXIO.raw_os_error())
            {
                return Err(io_error(&what)(error));
            }
        }
        match marked.iter().find(|device| has(device, mark)) {
            None => Ok(()),
            Some(device) => Err(StepError::Tool {
                command: format!("losetup --detach {device}"),
                how: "the device is still in use".to_string(),
                said: String::new(),
            }),
        }
    })
}

/// The loop devices with a mark, and why one that is attached could not be asked for its own.
struct MarkedLoops {
    marked: Vec<RawPath>,
    unasked: Option<String>,
}

fn look_for(mark: &str) -> Result<MarkedLoops, StepError> {
    let all = host::attached_loops().map_err(io_error("list the loop devices"))?;
    let mut looked = MarkedLoops { marked: Vec::new(), unasked: None };
    for device in all {
        match name(&device) {
            Ok(name) if name == mark.as_bytes() => looked.marked.push(device),
            Ok(_) => {}
            // The kernel asks the filesystem of the backing file, which may not answer.
            Err(error) if host::is_attached(&device) => {
                looked.unasked = Some(format!(
                    "{device} may be a loop device of the run and cannot be examined: {error}. Run \
                     `sudo bakeoff clean` outside any container, or detach it if it is not the \
                     run's: sudo losetup --detach {device}"
                ));
            }
            // Another one detached it meanwhile.
            Err(_) => {}
        }
    }
    Ok(looked)
}

fn name(device: &RawPath) -> std::io::Result<Vec<u8>> {
    let open = std::fs::File::open(device.as_path())?;
    bakeoff_engine::loops::status(open.as_fd()).map(|status| status.name)
}

fn has(device: &RawPath, mark: &str) -> bool {
    name(device).map_or_else(|_| host::is_attached(device), |name| name == mark.as_bytes())
}
