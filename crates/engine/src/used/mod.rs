//! Fills a directory and makes it used: does the deeds of a [`History`].
//!
//! What was written is flushed every few megabytes, as time does on a drive in use: files that come
//! and go in memory leave no trace on it.

mod history;
mod sizes;

use std::os::fd::OwnedFd;

use bakeoff_model::job::{Job, Rw};
use bakeoff_model::use_state::{FileHistory, TreeLeft};
use rustix::fs::{AtFlags, Mode, OFlags, mkdirat, openat, unlinkat};
use rustix::io::Errno;

use self::history::{Deed, History};
use crate::error::EngineError;
use crate::live::Live;
use crate::profile::{BlockBuffer, syncfs, write_at};
use crate::target::Spot;
use crate::windows::Counts;

const FLUSH_BYTES: u64 = 16 << 20;
const WRITE_BYTES: u64 = 1 << 20;

/// Does a history in the empty directory `target`.
///
/// # Errors
/// Those of the filesystem: that it has no room, above all.
pub fn make(of: &FileHistory, target: Spot<'_>, live: &Live<'_>) -> Result<TreeLeft, EngineError> {
    let mut job = Job::new(Rw::Write, WRITE_BYTES, WRITE_BYTES);
    job.seed = of.seed;
    let dir = target.open(OFlags::RDONLY | OFlags::DIRECTORY)?;
    let block = BlockBuffer::new(&job, WRITE_BYTES, 0)?;
    let mut doer = Doer { dir, block, path: String::new() };
    let mut history = History::new(*of);
    let mut counts = Counts::default();
    while let Some(deed) = history.next() {
        history.write_path(file_of(deed), &mut doer.path);
        doer.apply(deed)?;
        counts.ios += 1;
        counts.write_bytes += deed.written_bytes();
        if counts.write_bytes >= FLUSH_BYTES {
            syncfs(&doer.dir)?;
            live.publish(std::mem::take(&mut counts), 0);
        }
    }
    syncfs(&doer.dir)?;
    let (files, bytes) = history.left();
    Ok(TreeLeft { files, bytes, written_bytes: history.written_bytes() })
}

fn file_of(deed: Deed) -> u32 {
    match deed {
        Deed::Create { file, .. }
        | Deed::Grow { file, .. }
        | Deed::Overwrite { file, .. }
        | Deed::Delete { file } => file,
    }
}

struct Doer {
    dir: OwnedFd,
    block: BlockBuffer,
    path: String,
}

impl Doer {
    fn apply(&mut self, deed: Deed) -> Result<(), EngineError> {
        match deed {
            Deed::Create { bytes, .. } => {
                let file = self.create()?;
                self.write(&file, 0, bytes)
            }
            Deed::Grow { at, bytes, .. } | Deed::Overwrite { at, bytes, .. } => {
                let file = self.open(OFlags::WRONLY).map_err(failed("opening a file"))?;
                self.write(&file, at, bytes)
            }
            Deed::Delete { .. } => unlinkat(&self.dir, self.path.as_str(), AtFlags::empty())
                .map_err(failed("removing a file")),
        }
    }

    fn open(&self, flags: OFlags) -> Result<OwnedFd, Errno> {
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        openat(&self.dir, self.path.as_str(), flags, Mode::RUSR | Mode::WUSR)
    }

    /// Creates the file, and the directories above it where they are not there.
    fn create(&self) -> Result<OwnedFd, EngineError> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
        match self.open(flags) {
            Err(Errno::NOENT) => {
                for (at, _) in self.path.match_indices('/') {
                    match mkdirat(&self.dir, &self.path[..at], Mode::RWXU) {
                        Ok(()) | Err(Errno::EXIST) => {}
                        Err(error) => return Err(failed("creating a directory")(error)),
                    }
                }
                self.open(flags).map_err(failed("creating a file"))
            }
            made => made.map_err(failed("creating a file")),
        }
    }

    fn write(&mut self, file: &OwnedFd, at: u64, bytes: u64) -> Result<(), EngineError> {
        let mut done = 0;
        while done < bytes {
            let len = WRITE_BYTES.min(bytes - done);
            write_at(file, self.block.fill(at + done, len as usize), at + done)?;
            done += len;
        }
        Ok(())
    }
}

fn failed(doing: &'static str) -> impl Fn(Errno) -> EngineError {
    move |error| EngineError::io(doing, error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn sum(dir: &Path) -> (u64, u64) {
        let mut all = (0, 0);
        for entry in std::fs::read_dir(dir).unwrap() {
            let (entry, path) = entry.map(|e| (e.metadata().unwrap(), e.path())).unwrap();
            let (files, bytes) = if entry.is_dir() { sum(&path) } else { (1, entry.len()) };
            all = (all.0 + files, all.1 + bytes);
        }
        all
    }

    #[test]
    fn what_is_made_is_what_is_told() {
        let dir = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        let of = FileHistory { seed: 7, tree_bytes: 6 << 20, turnover_bytes: 4 << 20 };
        let left = make(&of, Spot::from(dir.path()), &Live::default()).unwrap();
        assert_eq!(sum(dir.path()), (left.files, left.bytes));
        assert_eq!(left.written_bytes, 10 << 20);
    }
}
