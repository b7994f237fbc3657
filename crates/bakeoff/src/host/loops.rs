//! Loop devices and mount points by name, for attaching, detaching and unmounting.

use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use bakeoff_core::model::path::{RawPath, bytes_path};
use bakeoff_core::model::step::Inode;
use bakeoff_core::sysinfo::mountinfo;

use super::root::Root;

/// The loop devices whose file has that name, from byte `offset_bytes` on, as `/dev/loop0`, by
/// number.
///
/// # Errors
/// When the file's real path cannot be found out; a file that is gone backs what its path says.
pub fn loops_backed_by(file: &Path, offset_bytes: u64) -> io::Result<Vec<String>> {
    let file = match std::fs::canonicalize(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => std::path::absolute(file)?,
        real => real?,
    };
    let root = Root::system();
    let is_backed = |name: &&String| {
        let offset = root.number::<u64>(format!("sys/block/{name}/loop/offset"));
        if offset.unwrap_or(0) != offset_bytes {
            return false;
        }
        let backing = root.read(format!("sys/block/{name}/loop/backing_file"));
        backing.is_ok_and(|bytes| {
            let bytes = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
            let bytes = bytes.strip_suffix(b" (deleted)").unwrap_or(bytes);
            bytes_path(bytes.to_vec()) == RawPath::new(&file)
        })
    };
    let names = root.names("sys/block");
    let mut loops: Vec<&String> =
        names.iter().filter(|name| name.starts_with("loop")).filter(is_backed).collect();
    loops.sort_by_key(|name| (name.len(), name.as_str()));
    Ok(loops.into_iter().map(|name| format!("/dev/{name}")).collect())
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
        assert_eq!(loops_backed_by(&dir.path().join("not there"), 0).unwrap(), [""; 0]);
    }
}
