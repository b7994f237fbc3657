//! A name in a directory that is held open, and what may be done with it.
//!
//! The path is walked name by name with `O_NOFOLLOW` (openat(2)). A symbolic link is followed only
//! when root or the caller made it: the kernel's own rule (`fs.protected_symlinks`) covers only
//! sticky directories, and not every system has it on.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use bakeoff_model::path::RawPath;
use rustix::fs::{
    AtFlags, CWD, FileType, Mode, OFlags, RenameFlags, Stat, fstat, mkdirat, openat, readlinkat,
    renameat, renameat_with, stat, statat, unlinkat,
};
use rustix::io::Errno;
use rustix::process::geteuid;
use rustix::rand::{GetRandomFlags, getrandom};

use super::FileError;
use super::user::{OtherUser, is_callers};

/// Most links on a path, as in the kernel (path_resolution(7)).
const LINKS_MAX: u32 = 40;
const HOLD: OFlags =
    OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
const LOOK: OFlags = OFlags::PATH.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
/// Opens a regular file. A FIFO or terminal that takes its place does not keep us waiting.
const READ: OFlags = OFlags::RDONLY.union(OFlags::NONBLOCK);
const LIST: OFlags = OFlags::RDONLY.union(OFlags::CLOEXEC);
const MAKE: OFlags = OFlags::RDWR.union(OFlags::CREATE).union(OFlags::EXCL);

/// The mode of a new directory, and whose it is.
pub type Making<'a> = (u32, Option<&'a OtherUser>);

/// A directory that is held open. Clones share the descriptor.
#[derive(Clone, Debug)]
pub struct Directory {
    fd: Arc<OwnedFd>,
    path: PathBuf,
}

/// A name in a directory that is held open, whether or not anything has it.
#[derive(Clone, Debug)]
pub struct Entry {
    dir: Directory,
    name: OsString,
}

impl Directory {
    pub fn entry(&self, name: impl Into<OsString>) -> Entry {
        Entry { dir: self.clone(), name: name.into() }
    }

    fn start(path: &Path) -> io::Result<Directory> {
        let root = Path::new("/");
        let (path, at) = if path.is_absolute() {
            (root.to_path_buf(), root)
        } else {
            (std::env::current_dir()?, Path::new("."))
        };
        Ok(Directory { fd: Arc::new(openat(CWD, at, HOLD, Mode::empty())?), path })
    }

    fn enter(&self, name: &OsStr) -> Result<Directory, Errno> {
        let mut path = self.path.clone();
        if name == ".." {
            path.pop();
        } else {
            path.push(name);
        }
        Ok(Directory { fd: Arc::new(openat(&self.fd, name, HOLD, Mode::empty())?), path })
    }

    /// Files in /dev are made by the kernel: one of ours there is a mistyped name of a drive.
    fn refuse_devices(&self) -> Result<(), FileError> {
        let is_devices = self.path.starts_with("/dev")
            && !self.path.starts_with("/dev/shm")
            && stat("/dev").and_then(|dev| Ok(dev.st_dev == fstat(&self.fd)?.st_dev))?;
        if is_devices {
            Err(FileError::Refused("there is no such device, and /dev is for devices".into()))
        } else {
            Ok(())
        }
    }
}

impl Entry {
    /// Finds the directory of a path and holds it open.
    ///
    /// # Errors
    /// The directory is missing, or another user's link leads there.
    pub fn of(path: &Path) -> Result<Entry, FileError> {
        walk(path, None)
    }

    pub fn making(path: &Path, making: Making) -> Result<Entry, FileError> {
        walk(path, Some(making))
    }

    pub fn path(&self) -> PathBuf {
        self.dir.path.join(&self.name)
    }

    pub fn beside(&self, end: &str) -> Entry {
        let mut name = self.name.clone();
        name.push(end);
        self.dir.entry(name)
    }

    /// What has the name now: neither opened nor followed.
    pub fn look(&self) -> Result<Option<Stat>, Errno> {
        match statat(&self.dir.fd, &self.name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(found) => Ok(Some(found)),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Opens the regular file of that name for reading; `None` where nothing has the name.
    ///
    /// # Errors
    /// It is anything else, which is not opened.
    pub fn open(&self) -> Result<Option<(File, Stat)>, FileError> {
        let Some(found) = self.look()? else { return Ok(None) };
        regular(&found)?;
        let (file, found) = match self.open_with(READ, 0) {
            Err(FileError::Io(e)) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
            other => other?,
        };
        regular(&found)?;
        Ok(Some((file, found)))
    }

    /// Makes a file for reading and writing.
    ///
    /// # Errors
    /// Something has the name.
    pub fn create(&self, mode: u32, user: Option<&OtherUser>) -> Result<File, FileError> {
        let (file, _) = self.open_with(MAKE, mode)?;
        if let Some(user) = user {
            user.give(&file)?;
        }
        Ok(file)
    }

    pub fn refuse_devices(&self) -> Result<(), FileError> {
        self.dir.refuse_devices()
    }

    /// Opens it with these flags and `O_NOFOLLOW`; gives what was opened.
    pub fn open_with(&self, flags: OFlags, mode: u32) -> Result<(File, Stat), FileError> {
        let flags = flags | OFlags::NOFOLLOW | OFlags::NOCTTY | OFlags::CLOEXEC;
        if flags.contains(OFlags::CREATE) {
            self.refuse_devices()?;
        }
        let file = File::from(openat(&self.dir.fd, &self.name, flags, Mode::from_raw_mode(mode))?);
        let found = fstat(&file)?;
        Ok((file, found))
    }

    /// Opens it as a directory; a link is none.
    pub fn directory(&self) -> Result<Directory, FileError> {
        match self.dir.enter(&self.name) {
            Err(Errno::NOTDIR | Errno::LOOP) => {
                let kind = self.look()?.map_or("no directory", |found| kind(&found));
                Err(FileError::Refused(format!(
                    "{} is {kind} and not a directory. Remove it",
                    RawPath::new(self.path())
                )))
            }
            other => Ok(other?),
        }
    }

    pub fn make_directory(&self, (mode, user): Making) -> Result<Directory, FileError> {
        self.dir.refuse_devices()?;
        match mkdirat(&self.dir.fd, &self.name, Mode::from_raw_mode(mode)) {
            Err(Errno::EXIST) => self.directory(),
            Err(error) => Err(error.into()),
            Ok(()) => {
                let made = self.directory()?;
                // Whoever owns the directory above may have put one of theirs in its place.
                let is_ours = fstat(&made.fd)?.st_uid == geteuid().as_raw();
                if let Some(user) = user.filter(|_| is_ours) {
                    user.give(openat(&made.fd, ".", LIST, Mode::empty())?)?;
                }
                Ok(made)
            }
        }
    }

    pub fn remove(&self) -> Result<(), Errno> {
        unlinkat(&self.dir.fd, &self.name, AtFlags::empty())
    }

    pub fn names(&self, file: impl AsFd) -> Result<bool, Errno> {
        let open = fstat(file)?;
        Ok(self
            .look()?
            .is_some_and(|named| (named.st_dev, named.st_ino) == (open.st_dev, open.st_ino)))
    }

    /// Puts a whole new file in place of whatever has the name: `fill` writes it under another name
    /// first. When anything fails, the entry is as it was.
    ///
    /// # Errors
    /// Those of `fill` and of the system; `keep`ing what is there, something has the name by now.
    pub fn replace(
        &self,
        (mode, keep): (u32, bool),
        fill: impl FnOnce(&mut File) -> io::Result<()>,
    ) -> Result<(), FileError> {
        let (written, mut file) = self.temporary(mode)?;
        let done = fill(&mut file)
            .and_then(|()| file.sync_all())
            .and_then(|()| Ok(self.take(&written, keep)?));
        if let Err(error) = done {
            // What failed matters more than that it cannot be removed.
            let _ = written.remove();
            return Err(error.into());
        }
        if self.names(&file)? {
            Ok(())
        } else {
            Err(FileError::Refused("another user replaced it at the same moment".into()))
        }
    }

    fn take(&self, from: &Entry, keep: bool) -> Result<(), Errno> {
        let (to, dir) = (&self.name, &self.dir.fd);
        if keep {
            match renameat_with(dir, &from.name, dir, to, RenameFlags::NOREPLACE) {
                // Before Linux 3.15, and filesystems that do not know it.
                Err(Errno::INVAL | Errno::NOSYS) => {}
                done => return done,
            }
        }
        renameat(dir, &from.name, dir, to)
    }

    pub fn rename(&self, to: &Entry) -> Result<(), Errno> {
        to.take(self, false)
    }

    pub fn sync_names(&self) -> io::Result<()> {
        let dir = openat(&self.dir.fd, ".", LIST, Mode::empty())?;
        File::from(dir).sync_all()
    }

    fn temporary(&self, mode: u32) -> Result<(Entry, File), FileError> {
        let mut random = [0; 8];
        loop {
            // So few bytes are never cut short (getrandom(2)).
            getrandom(&mut random, GetRandomFlags::empty())?;
            let entry = self.dir.entry(format!(".bakeoff-{:016x}", u64::from_le_bytes(random)));
            match entry.create(mode, None) {
                Err(FileError::Io(error)) if error.kind() == io::ErrorKind::AlreadyExists => {}
                other => return Ok((entry, other?)),
            }
        }
    }
}

/// Finds the entry of a path; with `making`, missing directories are made.
fn walk(path: &Path, making: Option<Making>) -> Result<Entry, FileError> {
    let mut dir = Directory::start(path)?;
    let mut rest: Vec<OsString> = Vec::new();
    push(&mut rest, path);
    let mut links = 0;
    while let Some(name) = rest.pop() {
        if name == ".." {
            dir = dir.enter(&name)?;
            continue;
        }
        let is_last = rest.is_empty();
        let entry = dir.entry(&name);
        if !is_last {
            match dir.enter(&name) {
                // A link or a file.
                Err(Errno::NOTDIR | Errno::LOOP) => {}
                other => {
                    dir = match (other, making) {
                        (Err(Errno::NOENT), Some(making)) => entry.make_directory(making)?,
                        (other, _) => other?,
                    };
                    continue;
                }
            }
        }
        let found = match openat(&dir.fd, &name, LOOK, Mode::empty()) {
            Err(Errno::NOENT) if is_last => return Ok(entry),
            other => other?,
        };
        let what = fstat(&found)?;
        links += 1;
        if links > LINKS_MAX {
            return Err(Errno::LOOP.into());
        }
        let kind = FileType::from_raw_mode(what.st_mode);
        if kind != FileType::Symlink {
            if is_last {
                return Ok(entry);
            }
            if kind != FileType::Directory {
                return Err(Errno::NOTDIR.into());
            }
            // It was a link a moment ago.
            rest.push(name);
            continue;
        }
        if what.st_uid != 0 && !is_callers(what.st_uid) {
            let link = RawPath::new(entry.path());
            let uid = what.st_uid;
            return Err(FileError::Refused(format!(
                "{link} is a symbolic link that user {uid} made. Specify the path it leads to"
            )));
        }
        let target = readlinkat(&found, "", Vec::new())?;
        let target = Path::new(OsStr::from_bytes(target.as_bytes()));
        if target.is_absolute() {
            dir = Directory::start(target)?;
        }
        push(&mut rest, target);
    }
    // "/", "..", "." or a link to one of them.
    Err(FileError::Io(io::ErrorKind::IsADirectory.into()))
}

fn push(rest: &mut Vec<OsString>, path: &Path) {
    rest.extend(path.components().rev().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_os_string()),
        Component::ParentDir => Some("..".into()),
        Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
    }));
}

fn regular(found: &Stat) -> Result<(), FileError> {
    match FileType::from_raw_mode(found.st_mode) {
        FileType::RegularFile => Ok(()),
        FileType::Directory => Err(FileError::Io(io::ErrorKind::IsADirectory.into())),
        _ => Err(FileError::Refused(format!("it is {}", kind(found)))),
    }
}

pub fn kind(found: &Stat) -> &'static str {
    match FileType::from_raw_mode(found.st_mode) {
        FileType::RegularFile => "a regular file",
        FileType::Directory => "a directory",
        FileType::Symlink => "a symbolic link",
        FileType::BlockDevice => "a block device",
        FileType::CharacterDevice => "a character device",
        FileType::Fifo => "a FIFO",
        FileType::Socket => "a socket",
        FileType::Unknown => "of an unknown kind",
    }
}
