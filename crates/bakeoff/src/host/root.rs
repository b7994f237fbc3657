//! Where /proc, /sys and /run are: the running system, or a captured tree in a test.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Most bytes taken from one file of /proc or /sys; a mount table of thousands of containers fits.
const FILE_BYTES: u64 = 16 << 20;

/// A tree that holds `proc`, `sys`, `run`, `etc` and `lib/modules`. Paths inside it are written
/// without a leading slash.
#[derive(Clone, Debug)]
pub struct Root {
    base: PathBuf,
}

impl Root {
    pub fn system() -> Root {
        Root { base: PathBuf::from("/") }
    }

    #[cfg(test)]
    pub fn at(base: impl Into<PathBuf>) -> Root {
        Root { base: base.into() }
    }

    pub fn is_system(&self) -> bool {
        self.base == Path::new("/")
    }

    pub fn path(&self, inside: impl AsRef<Path>) -> PathBuf {
        let inside = inside.as_ref();
        self.base.join(inside.strip_prefix("/").unwrap_or(inside))
    }

    /// A whole file, or the system's word why not. What is longer than any real one is cut.
    pub fn read(&self, inside: impl AsRef<Path>) -> std::io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        File::open(self.path(inside))?.take(FILE_BYTES).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// A file as text, bytes that are not UTF-8 replaced; `None` when it cannot be read.
    pub fn text(&self, inside: impl AsRef<Path>) -> Option<String> {
        self.read(inside).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The one value of an attribute file, without blanks and NULs around it; `None` when empty.
    pub fn attr(&self, inside: impl AsRef<Path>) -> Option<String> {
        let text = self.text(inside)?;
        let value = text.trim_matches(|c: char| c == '\0' || c.is_whitespace());
        (!value.is_empty()).then(|| value.to_string())
    }

    pub fn number<T: FromStr>(&self, inside: impl AsRef<Path>) -> Option<T> {
        self.attr(inside)?.parse().ok()
    }

    /// Names in a directory, sorted; empty when there is none. Kernel names are ASCII.
    pub fn names(&self, inside: impl AsRef<Path>) -> Vec<String> {
        let entries = fs::read_dir(self.path(inside)).into_iter().flatten().flatten();
        let mut names: Vec<String> =
            entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort();
        names
    }

    pub fn resolve(&self, inside: impl AsRef<Path>) -> Option<PathBuf> {
        let real = fs::canonicalize(self.path(inside)).ok()?;
        let base = fs::canonicalize(&self.base).ok()?;
        real.strip_prefix(base).ok().map(Path::to_path_buf)
    }

    /// The last name of a link's target: the driver or subsystem a /sys link stands for.
    pub fn link_name(&self, inside: impl AsRef<Path>) -> Option<String> {
        let target = fs::read_link(self.path(inside)).ok()?;
        target.file_name().map(|name| name.to_string_lossy().into_owned())
    }
}

pub fn pids(root: &Root) -> Vec<u32> {
    root.names("proc").iter().filter_map(|name| name.parse().ok()).collect()
}

pub fn name_starts_with(path: &Path, prefix: &str) -> bool {
    path.file_name().is_some_and(|name: &OsStr| name.as_bytes().starts_with(prefix.as_bytes()))
}

/// A tree of these files, for tests; it lives as long as the directory that comes with it.
#[cfg(test)]
pub fn tree(files: &[(&str, &str)]) -> (tempfile::TempDir, Root) {
    let dir = tempfile::tempdir().expect("a temporary directory");
    for (path, text) in files {
        let path = dir.path().join(path);
        let parent = path.parent().expect("it lies below the directory");
        fs::create_dir_all(parent).expect("a directory of the tree");
        fs::write(path, text).expect("a file of the tree");
    }
    let root = Root::at(dir.path());
    (dir, root)
}
