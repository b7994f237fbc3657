//! The directory a profile works in: an empty one of ours, and empty again when it is let go.
//!
//! Everything goes through descriptors and never through a symbolic link. What is removed is what
//! lies in the directory on the same filesystem; the profile is the only one that puts anything
//! there.

use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{
    AtFlags, Dir, FileType, Mode, OFlags, fstat, mkdirat, openat, renameat, unlinkat,
};
use rustix::io::Errno;

use super::block::{self, BlockBuffer};
use crate::error::EngineError;
use crate::target::Spot;

/// Deeper than any profile lays out, and a limit on recursion.
const DEPTH_MAX: u32 = 8;

#[derive(Debug)]
pub struct Workdir {
    dir: OwnedFd,
}

impl Workdir {
    /// Opens `path`, which has to be an empty directory.
    pub fn open<'p>(at: impl Into<Spot<'p>>) -> Result<Workdir, EngineError> {
        let dir = at.into().open(OFlags::RDONLY | OFlags::DIRECTORY)?;
        let mut found = Dir::read_from(&dir)
            .map_err(|e| EngineError::io("reading the directory of the profile", e))?;
        let is_theirs = |name: &std::ffi::CStr| name != c"." && name != c"..";
        if found.any(|entry| entry.is_ok_and(|entry| is_theirs(entry.file_name()))) {
            return Err(EngineError::invalid(
                "a profile needs an empty directory, and this one is not empty: name another",
            ));
        }
        Ok(Workdir { dir })
    }

    pub fn dir(&self) -> &OwnedFd {
        &self.dir
    }

    pub fn create(&self, name: &str, extra: OFlags) -> Result<OwnedFd, EngineError> {
        let flags = OFlags::CREATE | OFlags::TRUNC | extra;
        file(&self.dir, name, flags).map_err(|e| EngineError::io("creating a file", e))
    }

    pub fn open_file(&self, name: &str, flags: OFlags) -> Result<OwnedFd, EngineError> {
        file(&self.dir, name, flags).map_err(|e| EngineError::io("opening a file", e))
    }

    /// Opens a file with at least `size` bytes, which are laid out where they are not there.
    pub fn whole(
        &self,
        name: &str,
        block: &mut BlockBuffer,
        size: u64,
    ) -> Result<OwnedFd, EngineError> {
        let file = self.open_file(name, OFlags::RDWR | OFlags::CREATE)?;
        let found = fstat(&file).map_err(|e| EngineError::io("inspecting a file", e))?;
        // A size is never negative.
        if (found.st_size as u64) < size {
            block::lay_out(&file, block, size)?;
        }
        Ok(file)
    }

    pub fn rename(&self, from: &str, to: &str) -> Result<(), EngineError> {
        renameat(&self.dir, from, &self.dir, to).map_err(|e| EngineError::io("renaming a file", e))
    }

    pub fn remove(&self, name: &str) -> Result<(), EngineError> {
        match unlinkat(&self.dir, name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(e) => Err(EngineError::io("removing a file", e)),
        }
    }

    pub fn make_dir(&self, name: &str) -> Result<Workdir, EngineError> {
        mkdirat(&self.dir, name, Mode::RWXU)
            .map_err(|e| EngineError::io("creating a directory", e))?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let dir = openat(&self.dir, name, flags, Mode::empty())
            .map_err(|e| EngineError::io("opening a directory", e))?;
        Ok(Workdir { dir })
    }

    pub fn clear(&self) -> Result<(), EngineError> {
        clear(&self.dir).map_err(|e| EngineError::io("removing the files of the profile", e))
    }
}

impl Drop for Workdir {
    fn drop(&mut self) {
        // On the way out of an error there is nobody left to tell; the parent removes the
        // directory and says so if it cannot.
        let _ = self.clear();
    }
}

fn file(dir: &OwnedFd, name: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
    openat(dir, name, flags | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::RUSR | Mode::WUSR)
}

/// Removes everything in a directory of ours, on its own filesystem and not through links.
pub fn clear(dir: &OwnedFd) -> Result<(), Errno> {
    let device = fstat(dir)?.st_dev;
    clear_below(dir, device, 0)
}

fn clear_below(dir: impl AsFd, device: u64, depth: u32) -> Result<(), Errno> {
    for entry in Dir::read_from(&dir)? {
        let entry = entry?;
        let name = entry.file_name();
        if name == c"." || name == c".." {
            continue;
        }
        let removed = if entry.file_type() == FileType::Directory && depth < DEPTH_MAX {
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let inner = openat(&dir, name, flags, Mode::empty())?;
            if fstat(&inner)?.st_dev != device {
                return Err(Errno::XDEV);
            }
            clear_below(&inner, device, depth + 1)?;
            unlinkat(&dir, name, AtFlags::REMOVEDIR)
        } else {
            unlinkat(&dir, name, AtFlags::empty())
        };
        match removed {
            Ok(()) | Err(Errno::NOENT) => {}
            Err(e) => return Err(e),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn what_was_made_is_gone_and_links_are_not_followed() {
        let parent = tempfile::tempdir().unwrap();
        let theirs = tempfile::tempdir().unwrap();
        fs::write(theirs.path().join("keep"), "x").unwrap();
        let workdir = Workdir::open(parent.path()).unwrap();
        let inner = workdir.make_dir("a").unwrap();
        drop(inner.create("f", OFlags::WRONLY).unwrap());
        std::os::unix::fs::symlink(theirs.path(), parent.path().join("a/link")).unwrap();
        fs::create_dir_all(parent.path().join("b/c/d")).unwrap();
        fs::write(parent.path().join("b/c/d/f"), "x").unwrap();
        assert!(Workdir::open(&parent.path().join("a/link")).is_err());
        drop(workdir);
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
        assert!(theirs.path().join("keep").exists());
    }

    #[test]
    fn a_directory_with_files_of_others_is_refused_and_left_alone() {
        let parent = tempfile::tempdir().unwrap();
        fs::write(parent.path().join("letter"), "dear").unwrap();
        let error = Workdir::open(parent.path()).unwrap_err().to_string();
        assert!(error.contains("empty"), "{error}");
        assert!(parent.path().join("letter").exists());
    }
}
