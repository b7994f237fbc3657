//! The file that is read, in a folder of its own: fully written with data that does not compress,
//! removed at the end.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use tempfile::TempDir;

use crate::tool;

/// A scratch file.
pub struct File {
    folder: TempDir,
    path: PathBuf,
}

impl File {
    /// Writes it and waits until it is on the disk.
    pub fn make(dir: &Path, size_mib: u64) -> Result<File> {
        let folder = tempfile::tempdir_in(dir).context("no folder for the file")?;
        // The name that sysbench gives its files.
        let path = folder.path().join("test_file.0");
        let error = || format!("cannot write {}", path.display());
        let mut to =
            OpenOptions::new().write(true).create_new(true).open(&path).with_context(error)?;
        let file = File { folder, path: path.clone() };
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut block = vec![0_u8; 1 << 20];
        for _ in 0..size_mib {
            for word in block.chunks_exact_mut(8) {
                // Marsaglia's xorshift64: enough that no filesystem or drive can compress it.
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                word.copy_from_slice(&state.to_le_bytes());
            }
            to.write_all(&block).with_context(error)?;
        }
        to.sync_all().with_context(error)?;
        Ok(file)
    }

    /// The folder it is in.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads it into memory.
    pub fn cache(&self) -> Result<()> {
        std::io::copy(&mut fs::File::open(&self.path)?, &mut std::io::sink())?;
        Ok(())
    }

    /// Takes it out of memory; dd(1) describes this use of `oflag=nocache`.
    pub fn drop_cache(&self) -> Result<()> {
        let mut dd = Command::new("dd");
        dd.args(["if=/dev/null", "oflag=nocache", "conv=notrunc,fdatasync", "count=0"]);
        tool::run(dd.arg(format!("of={}", self.path.display())))
    }
}
