//! The archive that a kernel starts from: cpio in the "newc" form, uncompressed.
//!
//! The kernel's Documentation/driver-api/early-userspace/buffer-format.rst is the whole of it. Not
//! a tree on disk, so that it takes no root and nothing has to be removed.

use std::collections::BTreeSet;
use std::io::Write;

use anyhow::{Context, Result};

/// An archive being written.
pub struct Archive<W: Write> {
    to: W,
    written_bytes: u64,
    entries: u32,
    have: BTreeSet<String>,
}

impl<W: Write> Archive<W> {
    /// An empty one.
    pub fn new(to: W) -> Archive<W> {
        Archive { to, written_bytes: 0, entries: 0, have: BTreeSet::new() }
    }

    /// Whether a path (without a leading slash) is in it.
    pub fn has(&self, path: &str) -> bool {
        self.have.contains(path)
    }

    /// A file; `mode` is its permissions.
    pub fn file(&mut self, path: &str, mode: u32, content: &[u8]) -> Result<()> {
        self.parents(path)?;
        self.entry(path, 0o100_000 | mode, content)
    }

    /// A symbolic link.
    pub fn link(&mut self, path: &str, to: &str) -> Result<()> {
        self.parents(path)?;
        self.entry(path, 0o120_777, to.as_bytes())
    }

    /// A folder and those above it.
    pub fn folder(&mut self, path: &str) -> Result<()> {
        self.parents(path)?;
        self.entry(path, 0o040_755, b"")
    }

    /// Ends the archive.
    pub fn finish(mut self) -> Result<W> {
        self.have.remove("TRAILER!!!");
        self.entry("TRAILER!!!", 0, b"")?;
        self.to.flush()?;
        Ok(self.to)
    }

    fn parents(&mut self, path: &str) -> Result<()> {
        match path.rsplit_once('/') {
            Some((parent, _)) if !self.has(parent) => self.folder(parent),
            _ => Ok(()),
        }
    }

    fn entry(&mut self, path: &str, mode: u32, content: &[u8]) -> Result<()> {
        if !self.have.insert(path.to_owned()) {
            return Ok(());
        }
        self.entries += 1;
        let size = u32::try_from(content.len()).with_context(|| format!("{path} is over 4 GiB"))?;
        let name = u32::try_from(path.len() + 1)?;
        // Magic, then 13 numbers: inode, mode, owner, group, links, time, size, four of devices,
        // length of the name, checksum.
        let numbers = [self.entries, mode, 0, 0, 1, 0, size, 0, 0, 0, 0, name, 0];
        let head: String = numbers.iter().map(|number| format!("{number:08x}")).collect();
        self.write(format!("070701{head}{path}\0").as_bytes())?;
        self.pad()?;
        self.write(content)?;
        self.pad()
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.to.write_all(bytes).context("writing the archive")?;
        self.written_bytes += bytes.len() as u64;
        Ok(())
    }

    fn pad(&mut self) -> Result<()> {
        let missing = self.written_bytes.next_multiple_of(4) - self.written_bytes;
        self.write(&[0; 4][..usize::try_from(missing)?])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parents_come_first_and_everything_is_aligned() {
        let mut archive = Archive::new(Vec::new());
        archive.file("bin/a", 0o755, b"hello").unwrap();
        archive.link("bin/b", "a").unwrap();
        let bytes = archive.finish().unwrap();
        assert_eq!(bytes.len() % 4, 0);
        let text = String::from_utf8_lossy(&bytes);
        let order: Vec<_> = ["bin\0", "bin/a\0", "hello", "bin/b\0", "TRAILER!!!\0"]
            .map(|part| text.find(part))
            .to_vec();
        assert!(order.iter().all(Option::is_some) && order.is_sorted(), "{order:?}");
        assert_eq!(text.matches("070701").count(), 4);
    }
}
