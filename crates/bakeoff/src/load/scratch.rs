//! Our scratch directory inside a directory of the user's.
//!
//! Made with mkdirat(2) and mode 0700, opened without following links, and held open: nobody but
//! its owner can change a name in it, and who renames the directory itself changes nothing for
//! those who have its descriptor. It is removed through descriptors: only names bakeoff makes, only
//! what is on the same filesystem, never across a mount. A name in it that is not ours is left
//! alone and reported.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::sync::Arc;

use rustix::fs::{AtFlags, FileType, Mode, OFlags, fstat, mkdirat, openat, statat, unlinkat};
use rustix::io::Errno;
use thiserror::Error;

use crate::host::{self, Opened};

pub const DATA: &str = "data";
pub const TREE: &str = "tree";
pub const APPEND: &str = "append";
pub const SENTINEL: &str = "sentinel";
pub const PROBE: &str = "probe";
pub const SMALL: &str = "small";
pub const KEPT: &str = "kept";
pub const BESIDE: &str = "beside";
pub const IMAGE: &str = "image";
pub const MOUNT: &str = "mnt";

pub const MOST_STANDS: usize = 16;

const FILES: [&str; 4] = [DATA, APPEND, SENTINEL, PROBE];

/// One of several names of a kind: `image`, `image1`, `image2`.
pub fn numbered(name: &str, number: usize) -> String {
    if number == 0 { name.to_string() } else { format!("{name}{number}") }
}

const RENAMES: u32 = 1000;

/// An open scratch directory. Clones share the descriptors.
#[derive(Clone, Debug)]
pub struct Scratch {
    dir: Opened,
    parent: Option<Arc<OwnedFd>>,
}

#[derive(Debug, Error)]
pub enum MakeError {
    #[error("{0}")]
    Distrust(String),
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl Scratch {
    /// Makes `name` in `parent`, where nobody else can be; an error when it is there already.
    pub fn make(parent: &Path, name: &str) -> io::Result<Scratch> {
        let parent_fd = Arc::new(host::open_directory(parent)?);
        mkdirat(&parent_fd, name, Mode::RWXU)?;
        Scratch::open_at(&parent_fd, parent, name)
    }

    /// The same in a directory of somebody else's, who may rename it or put another in its place at
    /// any time.
    pub fn make_among_others(parent: &Path, name: &str) -> Result<Scratch, MakeError> {
        let parent_fd = Arc::new(host::open_directory(parent)?);
        host::check_directory(&parent_fd, parent).map_err(MakeError::Distrust)?;
        mkdirat(&parent_fd, name, Mode::RWXU).map_err(io::Error::from)?;
        let scratch = Scratch::open_at(&parent_fd, parent, name)?;
        host::check_made(&scratch.dir, &parent_fd, parent).map_err(MakeError::Distrust)?;
        Ok(scratch)
    }

    /// Opens `name` in `parent`, where nobody else can be; it has to be there.
    pub fn open(parent: &Path, name: &str) -> io::Result<Scratch> {
        Scratch::open_at(&Arc::new(host::open_directory(parent)?), parent, name)
    }

    fn open_at(parent_fd: &Arc<OwnedFd>, parent: &Path, name: &str) -> io::Result<Scratch> {
        let fd = open_dir(parent_fd, OsStr::new(name))?;
        let dir = Opened::new(fd, parent.join(name))?;
        Ok(Scratch { dir, parent: Some(Arc::clone(parent_fd)) })
    }

    pub fn from_opened(dir: Opened) -> Scratch {
        Scratch { dir, parent: None }
    }

    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    pub fn dir(&self) -> &Opened {
        &self.dir
    }

    pub fn create(&self, name: &str) -> io::Result<Opened> {
        self.open_name(name, OFlags::CREATE | OFlags::EXCL)
    }

    pub fn open_file(&self, name: &str) -> io::Result<Opened> {
        self.open_name(name, OFlags::NONBLOCK)
    }

    fn open_name(&self, name: &str, extra: OFlags) -> io::Result<Opened> {
        let flags = OFlags::RDWR | OFlags::NOFOLLOW | OFlags::CLOEXEC | extra;
        let fd = openat(&self.dir, name, flags, Mode::RUSR | Mode::WUSR)?;
        let found = fstat(&fd)?;
        let is_ours =
            FileType::from_raw_mode(found.st_mode) == FileType::RegularFile && found.st_nlink == 1;
        if is_ours {
            Opened::new(fd, self.dir.shown().join(name))
        } else {
            Err(io::Error::other(format!("bakeoff did not create the file {name}")))
        }
    }

    pub fn make_dir(&self, name: &str) -> io::Result<Opened> {
        mkdirat(&self.dir, name, Mode::RWXU)?;
        self.open_dir(name)
    }

    /// A new directory, also where one that failed has left its own.
    pub fn make_anew(&self, name: &str) -> io::Result<Opened> {
        self.remove_dir(name)?;
        self.make_dir(name)
    }

    pub fn open_dir(&self, name: &str) -> io::Result<Opened> {
        let fd = open_dir(&self.dir, OsStr::new(name))?;
        Opened::new(fd, self.dir.shown().join(name))
    }

    pub fn remove_file(&self, name: &str) -> io::Result<()> {
        gone_is_fine(unlinkat(&self.dir, name, AtFlags::empty()))
    }

    /// Empties and removes the metadata directory; that it is not there is fine.
    pub fn remove_small(&self) -> io::Result<()> {
        self.remove_dir(SMALL)
    }

    pub fn clear_cell(&self) -> io::Result<()> {
        self.remove_file(APPEND).and(self.remove_small()).and(self.remove_dir(BESIDE))
    }

    pub fn empty(&self) -> io::Result<()> {
        for file in FILES {
            self.remove_file(file)?;
        }
        for number in 0..MOST_STANDS {
            self.remove_file(&numbered(IMAGE, number))?;
            self.remove_file(&numbered(APPEND, number))?;
        }
        self.remove_small()?;
        self.remove_dir(BESIDE)?;
        self.remove_dir(KEPT)
    }

    /// Removes it with everything of ours in it, whatever it is called by now. Its owner may rename
    /// what is in a directory of theirs, and cannot move a directory of ours into another one.
    ///
    /// # Errors
    /// When something in it is not ours, or it is renamed faster than it can be looked at.
    pub fn remove(&self) -> io::Result<()> {
        self.empty_with_mount_points()?;
        let Some(parent) = &self.parent else { return Ok(()) };
        let mut is_full = false;
        for _ in 0..RENAMES {
            let Some(ours) = self.identity()? else { return Ok(()) };
            let name = self.name_now()?;
            let found = statat(parent, &name, AtFlags::SYMLINK_NOFOLLOW);
            if !found.is_ok_and(|found| (found.st_dev, found.st_ino) == ours) {
                continue;
            }
            // Should something else have the name by now, rmdir(2) removes at most an empty
            // directory that the parent's owner put there.
            match unlinkat(parent, &name, AtFlags::REMOVEDIR) {
                Ok(()) | Err(Errno::NOENT | Errno::NOTDIR) => is_full = false,
                Err(Errno::NOTEMPTY) => is_full = true,
                Err(error) => return Err(error.into()),
            }
        }
        if is_full {
            Err(not_ours_in(&self.dir))
        } else {
            Err(io::Error::other(format!(
                "{} keeps being renamed. Remove it manually",
                self.dir.shown().display()
            )))
        }
    }

    /// Its device and inode; `None` once it is removed, of which NFS and FUSE know nothing more.
    fn identity(&self) -> io::Result<Option<(u64, u64)>> {
        match fstat(&self.dir) {
            Ok(found) if found.st_nlink == 0 => Ok(None),
            Ok(found) => Ok(Some((found.st_dev, found.st_ino))),
            Err(Errno::STALE | Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Its name by the descriptor: proc(5).
    fn name_now(&self) -> io::Result<OsString> {
        let path = std::fs::read_link(self.dir.path())?;
        Ok(path.file_name().map(OsStr::to_os_string).unwrap_or_default())
    }

    fn empty_with_mount_points(&self) -> io::Result<()> {
        self.empty()?;
        (0..MOST_STANDS).try_for_each(|slot| remove_mount_point(self, &numbered(MOUNT, slot)))
    }

    fn remove_dir(&self, name: &str) -> io::Result<()> {
        match open_dir(&self.dir, OsStr::new(name)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
            Ok(dir) => {
                bakeoff_engine::clear(&dir)?;
                gone_is_fine(unlinkat(&self.dir, name, AtFlags::REMOVEDIR))
            }
        }
    }
}

/// Removes the scratch directory `name` of `parent` with everything of ours in it. Gone already,
/// parent and all, is success.
pub fn remove(parent: &Path, name: &str) -> io::Result<()> {
    let parent_fd = match host::open_directory(parent) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        other => Arc::new(other?),
    };
    let scratch = match Scratch::open_at(&parent_fd, parent, name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            return Err(io::Error::other(format!(
                "the owner of {} replaced it, and bakeoff's original may be beside it under \
                 another name. Check both and remove them manually",
                parent.display()
            )));
        }
        other => other?,
    };
    let is_ours = fstat(&scratch.dir)?.st_uid == rustix::process::geteuid().as_raw();
    if !is_ours && host::keeps_links(&scratch.dir) {
        return Err(io::Error::other(format!(
            "{} belongs to another user. Check it and remove it manually",
            scratch.dir.shown().display()
        )));
    }
    scratch.empty_with_mount_points()?;
    match unlinkat(&parent_fd, name, AtFlags::REMOVEDIR) {
        Err(Errno::NOTEMPTY) => Err(not_ours_in(&scratch.dir)),
        result => gone_is_fine(result),
    }
}

fn not_ours_in(dir: &Opened) -> io::Error {
    io::Error::other(format!(
        "{} contains files that bakeoff did not create. Check them and remove the directory \
         manually",
        dir.shown().display()
    ))
}

fn remove_mount_point(scratch: &Scratch, name: &str) -> io::Result<()> {
    let Ok(inside) = statat(&scratch.dir, name, AtFlags::SYMLINK_NOFOLLOW) else { return Ok(()) };
    if inside.st_dev != fstat(&scratch.dir)?.st_dev {
        let path = scratch.dir.shown().join(name);
        return Err(io::Error::other(format!(
            "a filesystem is still mounted on {}",
            path.display()
        )));
    }
    gone_is_fine(unlinkat(&scratch.dir, name, AtFlags::REMOVEDIR))
}

fn open_dir(at: impl AsFd, name: &OsStr) -> io::Result<OwnedFd> {
    let flags = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(openat(at, name, flags, Mode::empty())?)
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
        fs::write(small.path().join("f0"), "x").unwrap();
        fs::write(scratch.make_dir(KEPT).unwrap().path().join("test_file.0"), "x").unwrap();
        scratch.make_dir(MOUNT).unwrap();
        remove(parent.path(), ".bakeoff-1").unwrap();
        let left: Vec<_> =
            fs::read_dir(parent.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(left, ["theirs"]);
        remove(parent.path(), ".bakeoff-1").unwrap();
    }

    /// A directory that its parent's owner renamed stayed, under the other name.
    #[test]
    fn what_was_renamed_is_removed_and_what_has_its_name_stays() {
        let parent = tempfile::tempdir().unwrap();
        let at = |name: &str| parent.path().join(name);
        let scratch = Scratch::make(parent.path(), ".bakeoff-5").unwrap();
        scratch.create(IMAGE).unwrap();
        fs::rename(at(".bakeoff-5"), at("other (deleted)")).unwrap();
        fs::create_dir(at(".bakeoff-5")).unwrap();
        scratch.remove().unwrap();
        assert!(!at("other (deleted)").exists() && at(".bakeoff-5").exists());
        scratch.remove().unwrap();
    }

    #[test]
    fn a_file_that_is_not_ours_survives_and_is_named() {
        let parent = tempfile::tempdir().unwrap();
        let scratch = Scratch::make(parent.path(), ".bakeoff-2").unwrap();
        scratch.create(DATA).unwrap();
        let theirs = scratch.path().join("letter.txt");
        fs::write(&theirs, "dear").unwrap();
        let error = remove(parent.path(), ".bakeoff-2").unwrap_err().to_string();
        assert!(error.contains("bakeoff did not create"), "{error}");
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
