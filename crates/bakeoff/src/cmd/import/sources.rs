//! What a command line's words stand for: a file, standard input, or all files below a directory.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bakeoff_model::path::RawPath;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags, open};

const FILES_LIMIT: usize = 10_000;
const SOON: Duration = Duration::from_secs(10);
const SILENCE: Duration = Duration::from_secs(3600);
const DEPTH_LIMIT: u32 = 32;

pub struct Source {
    pub name: RawPath,
    pub is_below_directory: bool,
    path: Option<PathBuf>,
}

#[derive(Default)]
pub struct ListedSource {
    pub sources: Vec<Source>,
    pub failures: Vec<(RawPath, io::Error)>,
}

impl Source {
    pub fn open(&self) -> io::Result<Box<dyn Read>> {
        Ok(match &self.path {
            Some(path) => match patience(path) {
                Some(patience) => Box::new(Patient::open(path, patience)?),
                None => Box::new(File::open(path)?),
            },
            None => Box::new(io::stdin().lock()),
        })
    }
}

/// How long something that is no regular file is waited for; `None` for a file.
fn patience(path: &Path) -> Option<Patience> {
    let kind = fs::metadata(path).ok()?.file_type();
    match () {
        () if kind.is_fifo() => Some(Patience::Fifo),
        () if kind.is_char_device() => Some(Patience::Device),
        () => None,
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Patience {
    /// A pipe: a writer has to come soon, and then may work for long, as in `<(fio job)`.
    Fifo,
    Device,
}

/// Reads what may have nothing to say, for a limited time.
struct Patient {
    file: File,
    patience: Patience,
    opened: Instant,
    has_begun: bool,
}

impl Patient {
    fn open(path: &Path, patience: Patience) -> io::Result<Patient> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = File::from(open(path, flags, Mode::empty())?);
        Ok(Patient { file, patience, opened: Instant::now(), has_begun: false })
    }

    fn wait(&self, longest: Duration) -> io::Result<PollFlags> {
        let timeout = Timespec::try_from(longest).map_err(io::Error::other)?;
        let mut fds = [PollFd::new(&self.file, PollFlags::IN)];
        match poll(&mut fds, Some(&timeout))? {
            0 => Err(too_long("no data", longest)),
            _ => Ok(fds[0].revents()),
        }
    }
}

fn too_long(what: &str, longest: Duration) -> io::Error {
    let why = format!("{what} within {} s. Redirect it to a file", longest.as_secs());
    io::Error::new(io::ErrorKind::TimedOut, why)
}

impl Read for Patient {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let left = SOON.saturating_sub(self.opened.elapsed());
            if self.patience == Patience::Device && left.is_zero() {
                return Err(too_long("no end", SOON));
            }
            match self.file.read(buffer) {
                // Without a writer a pipe is at its end before it has begun.
                Ok(0) if self.patience == Patience::Fifo && !self.has_begun => {
                    self.has_begun = self.wait(left)?.contains(PollFlags::HUP);
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.has_begun = true;
                    self.wait(if self.patience == Patience::Fifo { SILENCE } else { left })?;
                }
                read => {
                    self.has_begun = true;
                    return read;
                }
            }
        }
    }
}

/// Lists what `word` stands for. A link inside a directory is not followed, so nothing is read
/// twice and no walk is endless.
pub fn list(word: &OsStr) -> ListedSource {
    let mut listed = ListedSource::default();
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

impl ListedSource {
    fn add(&mut self, path: &Path, is_below_directory: bool) {
        let (name, path) = (RawPath::new(path), Some(path.to_path_buf()));
        self.sources.push(Source { name, is_below_directory, path });
    }
}

fn walk(directory: &Path, depth: u32, listed: &mut ListedSource) {
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
            let why = format!(
                "more than {FILES_LIMIT} files or {DEPTH_LIMIT} levels. Specify fewer files"
            );
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
