//! Files, and the loop devices and mount points that are made of them.

use std::fs::{Metadata, OpenOptions};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use bakeoff_engine::loops;
use bakeoff_machine::prepare::device::{BlockDevice, System};
use bakeoff_machine::sysinfo::dev::Dev;
use bakeoff_machine::sysinfo::mountinfo;
use bakeoff_model::host::LayerKind;
use bakeoff_model::path::RawPath;
use bakeoff_model::step::Inode;
use rustix::fs::OFlags;

use super::drive::{dev, dev_of};
use super::root::Root;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Under {
    File(Inode),
    Device(Dev),
}

/// What is under a device: the kernel's word, or else by the path in /sys, which may be another
/// file's by now. `None` for what is no loop device in use, and where only the path is known and
/// leads to no file.
pub fn under(root: &Root, device: &BlockDevice) -> Option<Under> {
    if device.layer.kind != LayerKind::Loop || !root.is_system() {
        return None;
    }
    // The node may be another device's in a container.
    let asked = asked(&device.layer.name).filter(|(_, node)| *node == Some(device.dev));
    asked.map(|(under, _)| under).or_else(|| {
        let path = device.layer.backing_file.as_ref()?;
        inode_of(&root.path(path.as_path())).map(Under::File)
    })
}

/// What the kernel says about a loop device, and the number of its node. It takes permission to
/// open it.
fn asked(name: &str) -> Option<(Under, Option<Dev>)> {
    let flags = (OFlags::NONBLOCK | OFlags::CLOEXEC).bits() as i32;
    let node = Path::new("/dev").join(name);
    let opened = OpenOptions::new().read(true).custom_flags(flags).open(node).ok()?;
    let status = loops::status(opened.as_fd()).ok()?;
    let under = match status.rdevice {
        0 => Under::File(status.inode),
        number => Under::Device(dev(number)),
    };
    Some((under, dev_of(&opened.metadata().ok()?)))
}

/// The filesystem of the file behind a loop device. The kernel is asked: the run may not see where
/// it is mounted.
pub fn filesystem_below(name: &str) -> Option<Dev> {
    match asked(name)?.0 {
        Under::File(file) => Some(dev(file.dev)),
        Under::Device(_) => None,
    }
}

/// Every loop device that has a file behind it.
///
/// # Errors
/// When /sys cannot be read.
pub fn attached_loops() -> io::Result<Vec<RawPath>> {
    let mut attached = Vec::new();
    for entry in std::fs::read_dir("/sys/block")? {
        let entry = entry?;
        if entry.path().join("loop").is_dir() {
            attached.push(RawPath::new(Path::new("/dev").join(entry.file_name())));
        }
    }
    Ok(attached)
}

pub fn is_attached(device: &RawPath) -> bool {
    let name = device.as_path().file_name().unwrap_or_default();
    Path::new("/sys/block").join(name).join("loop").is_dir()
}

pub fn inode_of(path: &Path) -> Option<Inode> {
    let metadata = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
    Some(Inode { dev: metadata.dev(), ino: metadata.ino() })
}

/// Whether something is mounted at exactly this path.
///
/// # Errors
/// When the mount table or the path cannot be read; a path that is not there is no mount point.
pub fn is_mount_point(path: &Path) -> io::Result<bool> {
    let path = match std::fs::canonicalize(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        // A FUSE daemon that died leaves a mount that cannot be entered; its name still counts.
        Err(error) if error.kind() == io::ErrorKind::NotConnected => std::path::absolute(path)?,
        real => real?,
    };
    let mounts = mountinfo::parse(&Root::system().read("proc/self/mountinfo")?);
    Ok(mounts.iter().any(|mount| mount.mount_point.as_path() == path))
}

/// Kernel names of the loop devices that a file backs, by whichever of its names.
pub fn loops_of_file(file: Inode, system: &System) -> Vec<String> {
    let is_it = |device: &&BlockDevice| device.backing == Some(file);
    system.devices.iter().filter(is_it).map(|device| device.layer.name.clone()).collect()
}

/// Sources of mounts and swap files that are this file, whatever it is called there.
pub fn used_as(file: Inode, system: &System) -> Vec<RawPath> {
    let is_it = |path: &RawPath| inode_of(path.as_path()) == Some(file);
    let sources = system.mounts.iter().map(|m| &m.mount.source);
    // The source of most mounts is a word, or a path under /dev.
    let sources = sources.filter(|source| {
        let bytes = source.as_bytes();
        bytes.starts_with(b"/") && !bytes.starts_with(b"/dev/") && is_it(source)
    });
    let swaps = system.swaps.iter().filter(|s| s.file == Some(file)).map(|s| &s.swap.path);
    sources.chain(swaps).cloned().collect()
}

pub fn is_same(a: &Metadata, b: &Metadata) -> bool {
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

/// Whether two paths lead to the same file; a path that leads nowhere leads to no file.
pub fn is_same_file(a: &Path, b: &Path) -> bool {
    let looked = std::fs::metadata(a).and_then(|a| Ok((a, std::fs::metadata(b)?)));
    looked.is_ok_and(|(a, b)| is_same(&a, &b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_is_a_mount_point_and_a_directory_in_it_is_not() {
        assert!(is_mount_point(Path::new("/")).unwrap());
        assert!(is_mount_point(Path::new("/proc/../proc")).unwrap());
        let dir = tempfile::tempdir().unwrap();
        assert!(!is_mount_point(dir.path()).unwrap());
        assert!(!is_mount_point(&dir.path().join("not there")).unwrap());
    }
}
