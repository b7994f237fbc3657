//! A file of /proc or /sys that is read again and again.
//!
//! It stays open and is read from its start by pread(2) into a buffer that was made with it, so
//! that looking costs no path lookup and no allocation.

use std::fs::File;
use std::io;
use std::path::Path;

use rustix::io::pread;

use super::root::Root;

const MOST: usize = 256 << 10;

/// An open file and room for what it says.
pub struct Feed {
    file: File,
    buffer: Vec<u8>,
}

impl Feed {
    /// Opens a file and reads it once, to learn how much room it takes.
    ///
    /// # Errors
    /// Those of opening and reading it.
    pub fn open(root: &Root, inside: impl AsRef<Path>) -> io::Result<Feed> {
        let file = File::open(root.path(&inside))?;
        // Numbers get longer, and lines are added when a CPU or task appears.
        let room = (root.read(&inside)?.len() * 2 + 256).min(MOST);
        Ok(Feed { file, buffer: vec![0; room] })
    }

    /// What it says now; `None` when it cannot be read or is no text.
    pub fn read(&mut self) -> Option<&str> {
        let mut filled = 0;
        // Files of many records come in several reads; the last one is empty.
        while filled < self.buffer.len() {
            match pread(&self.file, &mut self.buffer[filled..], filled as u64) {
                Ok(0) => break,
                Ok(n) => filled += n,
                Err(rustix::io::Errno::INTR) => {}
                Err(_) => return None,
            }
        }
        std::str::from_utf8(&self.buffer[..filled]).ok()
    }

    pub fn number(&mut self) -> Option<u64> {
        // A temperature below zero is as good as zero here.
        let value: i64 = self.read()?.trim().parse().ok()?;
        Some(value.max(0) as u64)
    }
}
