//! What a command line's words stand for: a file, standard input, or all files below a directory.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use bakeoff_core::model::path::RawPath;

/// Most files of one directory, however deep.
const FILES_LIMIT: usize = 10_000;
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
            Some(path) => Box::new(File::open(path)?),
            None => Box::new(io::stdin().lock()),
        })
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
