//! What a loop device is attached to, by number: asked of the kernel, or else by the path in /sys.

use std::fs::OpenOptions;
use std::os::fd::AsFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

use bakeoff_engine::loops;
use bakeoff_machine::prepare::device::BlockDevice;
use bakeoff_machine::sysinfo::dev::Dev;
use bakeoff_model::host::LayerKind;
use bakeoff_model::step::Inode;
use rustix::fs::OFlags;

use super::device_number::{dev, dev_of};
use super::root::Root;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Under {
    File(Inode),
    Device(Dev),
}

/// What is under a device; `None` for what is no loop device in use, and where only the path is
/// known and leads to no file.
pub fn under(root: &Root, device: &BlockDevice) -> Option<Under> {
    if device.layer.kind != LayerKind::Loop || !root.is_system() {
        return None;
    }
    ask(device).or_else(|| by_path(root, device))
}

/// The kernel's word, which takes permission to open the loop device.
fn ask(device: &BlockDevice) -> Option<Under> {
    let node = PathBuf::from("/dev").join(&device.layer.name);
    let flags = (OFlags::NONBLOCK | OFlags::CLOEXEC).bits() as i32;
    let opened = OpenOptions::new().read(true).custom_flags(flags).open(node).ok()?;
    // The node may be another device's in a container.
    if dev_of(&opened.metadata().ok()?) != Some(device.dev) {
        return None;
    }
    let status = loops::status(opened.as_fd()).ok()?;
    Some(match status.rdevice {
        0 => Under::File(status.inode),
        number => Under::Device(dev(number)),
    })
}

/// By the path, which may be another file's by now.
fn by_path(root: &Root, device: &BlockDevice) -> Option<Under> {
    let path = device.layer.backing_file.as_ref()?;
    super::inode_of(&root.path(path.as_path())).map(Under::File)
}
