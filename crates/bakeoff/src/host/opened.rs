//! Files and directories of ours that are held open, and the way children get at them.
//!
//! A path below a directory of somebody else leads elsewhere whenever its owner likes. A descriptor
//! does not: `/proc/PID/fd/N` leads to the very file that was opened, whatever has its name by then
//! (proc(5)). So what was made is held open, and engine and tools are given that link.

use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, OnceLock};

use bakeoff_model::step::Inode;
use rustix::fs::{CWD, FileType, Mode, OFlags, Stat, fstat, openat};
use rustix::io::Errno;

/// An open file or directory of ours. Clones share the descriptor.
#[derive(Clone, Debug)]
pub struct Opened {
    fd: Arc<OwnedFd>,
    inode: Inode,
    path: PathBuf,
    shown: PathBuf,
}

impl Opened {
    pub fn new(fd: OwnedFd, shown: PathBuf) -> io::Result<Opened> {
        let inode = inode_in(&fstat(&fd)?);
        let path = link(&fd)?;
        Ok(Opened { fd: Arc::new(fd), inode, path, shown })
    }

    /// The link to the descriptor, for this process and its children: valid while this lives.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where it was found, for people; it may be another file's name by now.
    pub fn shown(&self) -> &Path {
        &self.shown
    }

    pub fn is_device(&self) -> bool {
        fstat(&self.fd)
            .is_ok_and(|found| FileType::from_raw_mode(found.st_mode) == FileType::BlockDevice)
    }

    pub fn inode(&self) -> Inode {
        self.inode
    }
}

impl AsFd for Opened {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

/// Opens a block device for reading and writing, following no link.
///
/// # Errors
/// Those of the system, and where it is no block device.
pub fn open_device(path: &Path) -> io::Result<Opened> {
    let path = std::fs::canonicalize(path)?;
    let flags = OFlags::RDWR | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let opened = Opened::new(openat(CWD, &path, flags, Mode::empty())?, path)?;
    if opened.is_device() { Ok(opened) } else { Err(io::Error::other("it is not a block device")) }
}

fn inode_in(found: &Stat) -> Inode {
    // Their widths differ between architectures.
    #[allow(clippy::useless_conversion, clippy::unnecessary_cast)]
    Inode { dev: found.st_dev as u64, ino: found.st_ino as u64 }
}

/// The link to a descriptor of ours that other processes can follow. Our number is the one that
/// this /proc knows us by: it may be that of a PID namespace above ours.
fn link(fd: &OwnedFd) -> io::Result<PathBuf> {
    static OURSELVES: OnceLock<PathBuf> = OnceLock::new();
    let ourselves = match OURSELVES.get() {
        Some(known) => known,
        None => {
            let number = std::fs::read_link("/proc/self")?;
            OURSELVES.get_or_init(|| Path::new("/proc").join(number).join("fd"))
        }
    };
    Ok(ourselves.join(fd.as_raw_fd().to_string()))
}

pub fn reopen(file: impl AsFd, shown: &Path) -> io::Result<Opened> {
    let path = format!("/proc/self/fd/{}", file.as_fd().as_raw_fd());
    let fd = openat(CWD, path, OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())?;
    Opened::new(fd, shown.to_path_buf())
}

/// Opens a directory by its real path. A symbolic link anywhere in it is an error: whoever owns a
/// directory above put it there after the path was resolved and shown.
pub fn open_directory(path: &Path) -> io::Result<OwnedFd> {
    let opened = walk(&std::path::absolute(path)?);
    opened.map_err(|errno| match errno {
        Errno::LOOP => io::Error::new(
            io::ErrorKind::NotADirectory,
            "the path contains a symbolic link; was the directory replaced?",
        ),
        errno => errno.into(),
    })
}

fn walk(path: &Path) -> Result<OwnedFd, Errno> {
    let step = OFlags::DIRECTORY | OFlags::PATH | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let mut at = openat(CWD, "/", step, Mode::empty())?;
    for part in path.components() {
        let name: &OsStr = match part {
            Component::Normal(name) => name,
            Component::ParentDir => OsStr::new(".."),
            Component::RootDir | Component::CurDir | Component::Prefix(_) => continue,
        };
        at = match openat(&at, name, step, Mode::empty()) {
            // O_DIRECTORY refuses a link before O_NOFOLLOW does.
            Err(Errno::NOTDIR) => return Err(Errno::LOOP),
            at => at?,
        };
    }
    openat(&at, ".", OFlags::DIRECTORY | OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_link_anywhere_in_a_path_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let real = fs::canonicalize(dir.path()).unwrap();
        fs::create_dir_all(real.join("a/b")).unwrap();
        symlink(real.join("a"), real.join("link")).unwrap();
        symlink(real.join("a/b"), real.join("a/last")).unwrap();
        for (path, works) in [("a/b", true), ("link/b", false), ("a/last", false)] {
            assert_eq!(open_directory(&real.join(path)).is_ok(), works, "{path}");
        }
    }

    #[test]
    fn a_descriptor_leads_to_the_file_whatever_has_its_name() {
        let dir = tempfile::tempdir().unwrap();
        let name = dir.path().join("file");
        fs::write(&name, "ours").unwrap();
        let opened = Opened::new(fs::File::open(&name).unwrap().into(), name.clone()).unwrap();
        fs::rename(&name, dir.path().join("moved")).unwrap();
        fs::write(&name, "theirs").unwrap();
        assert_eq!(fs::read(opened.path()).unwrap(), b"ours");
        assert_ne!(super::super::inode_of(&name), Some(opened.inode()));
        assert_eq!(super::super::inode_of(opened.path()), Some(opened.inode()));
    }
}
