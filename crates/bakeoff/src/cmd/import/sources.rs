//! What a command line's words stand for: a file, standard input, or all files below a directory.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bakeoff_core::model::path::RawPath;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags, open};

/// Most files of one directory, however deep.
const FILES_LIMIT: usize = 10_000;
/// Longest time for a FIFO or a device.
const LONGEST: Duration = Duration::from_secs(10);
/// How deep a directory is looked into.
const DEPTH_LIMIT: u32 = 32;

/// One thing to read.
pub struct Source {
    /// Its name for people.
    pub name: RawPath,
    /// Whether a directory was named, not this file.
    pub is_below_directory: bool,
    path: Option<PathBuf>,
}

/// What a word stands for.
#[derive(Default)]
pub struct Listed {
    /// In the order of their names.
    pub sources: Vec<Source>,
    /// Directories that could not be read.
    pub failures: Vec<(RawPath, io::Error)>,
}

impl Source {
    /// Opens it.
    pub fn open(&self) -> io::Result<Box<dyn Read>> {
        Ok(match &self.path {
            Some(path) if is_endless(path) => Box::new(Patient::open(path)?),
            Some(path) => Box::new(File::open(path)?),
            None => Box::new(io::stdin().lock()),
        })
    }
}

/// Whether it may never end, or never begin: a FIFO, a terminal, a device of characters.
fn is_endless(path: &Path) -> bool {
    let kind = fs::metadata(path).map(|metadata| metadata.file_type());
    kind.is_ok_and(|kind| kind.is_fifo() || kind.is_char_device() || kind.is_socket())
}

/// Reads what may have nothing to say, for a limited time.
struct Patient {
    file: File,
    until: Instant,
}

impl Patient {
    fn open(path: &Path) -> io::Result<Patient> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = File::from(open(path, flags, Mode::empty())?);
        Ok(Patient { file, until: Instant::now() + LONGEST })
    }
}

impl Read for Patient {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.until.saturating_duration_since(Instant::now());
        let wait = Timespec::try_from(left).map_err(io::Error::other)?;
        let mut fds = [PollFd::new(&self.file, PollFlags::IN)];
        if left.is_zero() || poll(&mut fds, Some(&wait))? == 0 {
            let why = format!("no end within {} s. Redirect it into a file", LONGEST.as_secs());
            return Err(io::Error::new(io::ErrorKind::TimedOut, why));
        }
        self.file.read(buffer)
    }
}

/// Lists what `word` stands for. A link inside a directory is not followed, so nothing is read
/// twice and no walk is endless.
pub fn list(word: &OsStr) -> Listed {
    let mut listed = Listed::default();
    if word == "-" {
        let source = Source { name: RawPath::new(word), is_below_directory: false, path: None };
        listed.sources.push(source);
        return listed;
    }
    if Path::new(word).is_dir() {
        walk(Path::new(word), 0, &mut listed);
    } else {
        listed.add(Path::new(word), false);
    }
    listed
}

impl Listed {
    fn add(&mut self, path: &Path, is_below_directory: bool) {
        let (name, path) = (RawPath::new(path), Some(path.to_path_buf()));
        self.sources.push(Source { name, is_below_directory, path });
    }
}

fn walk(directory: &Path, depth: u32, listed: &mut Listed) {
    let entries =
        fs::read_dir(directory).and_then(|entries| entries.collect::<Result<Vec<_>, _>>());
    let mut entries = match entries {
        Ok(entries) => entries,
        Err(error) => return listed.failures.push((RawPath::new(directory), error)),
    };
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let is_too_many = listed.sources.len() >= FILES_LIMIT || depth >= DEPTH_LIMIT;
        if is_too_many {
            let why =
                format!("more than {FILES_LIMIT} files or {DEPTH_LIMIT} levels. Name fewer files");
            listed.failures.push((RawPath::new(directory), io::Error::other(why)));
            return;
        }
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => walk(&path, depth + 1, listed),
            Ok(kind) if kind.is_file() => listed.add(&path, true),
            Ok(_) => {}
            Err(error) => listed.failures.push((RawPath::new(&path), error)),
        }
    }
}
