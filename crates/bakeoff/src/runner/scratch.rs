//! Our scratch directory inside a directory of the user's.
//!
//! Made with mkdirat(2) and mode 0700, opened without following links, and removed through
//! descriptors: only names bakeoff makes, only what lies on the same filesystem, never across a
//! mount. A name in it that is not ours is left alone and reported.

use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, fstat, mkdirat, openat, statat, unlinkat};
use rustix::io::Errno;

/// The file cells read and overwrite.
pub const DATA: &str = "data";
/// The file append cells write anew.
pub const APPEND: &str = "append";
/// The file the sentinel reads.
pub const SENTINEL: &str = "sentinel";
/// The file a short burst of direct writes goes to.
pub const PROBE: &str = "probe";
/// The directory metadata cells and profiles work in.
pub const SMALL: &str = "small";
/// The directory with files that several measurements read.
pub const KEPT: &str = "kept";
/// The image stacks are made on.
pub const IMAGE: &str = "image";
/// Where stacks are mounted.
pub const MOUNT: &str = "mnt";

const FILES: [&str; 5] = [DATA, APPEND, SENTINEL, PROBE, IMAGE];

/// An open scratch directory.
#[derive(Debug)]
pub struct Scratch {
    fd: OwnedFd,
    path: PathBuf,
}

impl Scratch {
    /// Makes `name` in `parent`; an error when it is there already.
    pub fn make(parent: &Path, name: &str) -> io::Result<Scratch> {
        let parent_fd = open_dir(CWD, parent.as_os_str(), OFlags::empty())?;
        mkdirat(&parent_fd, name, Mode::RWXU)?;
        let fd = open_dir(&parent_fd, OsStr::new(name), OFlags::NOFOLLOW)?;
        Ok(Scratch { fd, path: parent.join(name) })
    }

    /// Opens `name` in `parent`, which has to be there.
    pub fn open(parent: &Path, name: &str) -> io::Result<Scratch> {
        let parent_fd = open_dir(CWD, parent.as_os_str(), OFlags::empty())?;
        let fd = open_dir(&parent_fd, OsStr::new(name), OFlags::NOFOLLOW)?;
        Ok(Scratch { fd, path: parent.join(name) })
    }

    /// Its path, for programs that take one.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes a new empty file of our own names and gives its path.
    pub fn create(&self, name: &str) -> io::Result<PathBuf> {
        let flags =
            OFlags::CREATE | OFlags::EXCL | OFlags::RDWR | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        openat(&self.fd, name, flags, Mode::RUSR | Mode::WUSR)?;
        Ok(self.path.join(name))
    }

    /// Makes a new directory of our own names and gives its path.
    pub fn make_dir(&self, name: &str) -> io::Result<PathBuf> {
        mkdirat(&self.fd, name, Mode::RWXU)?;
        Ok(self.path.join(name))
    }

    /// Removes one of our files; that it is not there is fine.
    pub fn remove_file(&self, name: &str) -> io::Result<()> {
        gone_is_fine(unlinkat(&self.fd, name, AtFlags::empty()))
    }

    /// Empties and removes the metadata directory; that it is not there is fine.
    pub fn remove_small(&self) -> io::Result<()> {
        self.remove_dir(SMALL)
    }

    fn remove_dir(&self, name: &str) -> io::Result<()> {
        match open_dir(&self.fd, OsStr::new(name), OFlags::NOFOLLOW) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
            Ok(dir) => {
                bakeoff_engine::clear(&dir)?;
                gone_is_fine(unlinkat(&self.fd, name, AtFlags::REMOVEDIR))
            }
        }
    }
}

/// Removes the scratch directory `name` of `parent` with everything of ours in it. Gone already,
/// parent and all, is success.
pub fn remove(parent: &Path, name: &str) -> io::Result<()> {
    let parent_fd = match open_dir(CWD, parent.as_os_str(), OFlags::empty()) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        other => other?,
    };
    let fd = match open_dir(&parent_fd, OsStr::new(name), OFlags::NOFOLLOW) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        other => other?,
    };
    let scratch = Scratch { fd, path: parent.join(name) };
    if fstat(&scratch.fd)?.st_uid != rustix::process::geteuid().as_raw() {
        return Err(io::Error::other(format!(
            "{} belongs to somebody else; look at it and remove it by hand",
            scratch.path.display()
        )));
    }
    for file in FILES {
        scratch.remove_file(file)?;
    }
    scratch.remove_small()?;
    scratch.remove_dir(KEPT)?;
    remove_mount_point(&scratch)?;
    match unlinkat(&parent_fd, name, AtFlags::REMOVEDIR) {
        Err(Errno::NOTEMPTY) => Err(io::Error::other(format!(
            "{} holds files that are not bakeoff's; look at them and remove the directory by hand",
            scratch.path.display()
        ))),
        result => gone_is_fine(result),
    }
}

/// Removes the mount point unless something is mounted on it.
fn remove_mount_point(scratch: &Scratch) -> io::Result<()> {
    let Ok(inside) = statat(&scratch.fd, MOUNT, AtFlags::SYMLINK_NOFOLLOW) else { return Ok(()) };
    if inside.st_dev != fstat(&scratch.fd)?.st_dev {
        let path = scratch.path.join(MOUNT);
        return Err(io::Error::other(format!("something is still mounted at {}", path.display())));
    }
    gone_is_fine(unlinkat(&scratch.fd, MOUNT, AtFlags::REMOVEDIR))
}

fn open_dir(at: impl AsFd, name: &OsStr, extra: OFlags) -> io::Result<OwnedFd> {
    Ok(openat(
        at,
        name,
        OFlags::DIRECTORY | OFlags::RDONLY | OFlags::CLOEXEC | extra,
        Mode::empty(),
    )?)
}

fn gone_is_fine(result: rustix::io::Result<()>) -> io::Result<()> {
    match result {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn what_is_made_is_removed_and_nothing_else() {
        let parent = tempfile::tempdir().unwrap();
        fs::write(parent.path().join("theirs"), "keep").unwrap();
        let scratch = Scratch::make(parent.path(), ".bakeoff-1").unwrap();
        scratch.create(DATA).unwrap();
        let small = scratch.make_dir(SMALL).unwrap();
        fs::write(small.join("f0"), "x").unwrap();
        fs::write(scratch.make_dir(KEPT).unwrap().join("test_file.0"), "x").unwrap();
        scratch.make_dir(MOUNT).unwrap();
        remove(parent.path(), ".bakeoff-1").unwrap();
        let left: Vec<_> =
            fs::read_dir(parent.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(left, ["theirs"]);
        remove(parent.path(), ".bakeoff-1").unwrap();
    }

    #[test]
    fn a_file_that_is_not_ours_survives_and_is_named() {
        let parent = tempfile::tempdir().unwrap();
        let scratch = Scratch::make(parent.path(), ".bakeoff-2").unwrap();
        scratch.create(DATA).unwrap();
        let theirs = scratch.path().join("letter.txt");
        fs::write(&theirs, "dear").unwrap();
        let error = remove(parent.path(), ".bakeoff-2").unwrap_err().to_string();
        assert!(error.contains("not bakeoff's"), "{error}");
        assert!(theirs.exists());
    }

    #[test]
    fn a_link_in_place_of_the_scratch_directory_is_not_followed() {
        let parent = tempfile::tempdir().unwrap();
        let theirs = tempfile::tempdir().unwrap();
        fs::write(theirs.path().join(DATA), "keep").unwrap();
        std::os::unix::fs::symlink(theirs.path(), parent.path().join(".bakeoff-3")).unwrap();
        assert!(remove(parent.path(), ".bakeoff-3").is_err());
        assert!(theirs.path().join(DATA).exists());
        assert!(Scratch::make(parent.path(), ".bakeoff-3").is_err());
    }

    #[test]
    fn a_link_in_place_of_a_file_is_removed_not_followed() {
        let parent = tempfile::tempdir().unwrap();
        let theirs = parent.path().join("theirs");
        fs::write(&theirs, "keep").unwrap();
        let scratch = Scratch::make(parent.path(), ".bakeoff-4").unwrap();
        std::os::unix::fs::symlink(&theirs, scratch.path().join(DATA)).unwrap();
        assert!(scratch.create(DATA).is_err());
        remove(parent.path(), ".bakeoff-4").unwrap();
        assert_eq!(fs::read(&theirs).unwrap(), b"keep");
    }
}
