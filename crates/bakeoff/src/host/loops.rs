//! Loop devices and mount points by name, for attaching, detaching and unmounting.

use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use bakeoff_machine::sysinfo::mountinfo;
use bakeoff_model::path::RawPath;
use bakeoff_model::step::Inode;

use super::root::Root;

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

/// Which file this is; none for devices, and where there is no file.
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
