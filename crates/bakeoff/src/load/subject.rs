//! What a job is done on: a path, or a file or directory of ours that is held open.

use std::path::{Path, PathBuf};

use bakeoff_model::step::Inode;

use crate::host::Opened;

/// What is measured. Something of ours is held open for as long as this lives.
#[derive(Clone, Debug)]
pub enum Subject {
    /// What is found at a path that nobody but root can change, as those of devices, or that the
    /// user named.
    At(PathBuf),
    Opened(Opened),
}

impl Subject {
    pub fn path(&self) -> &Path {
        match self {
            Subject::At(path) => path,
            Subject::Opened(opened) => opened.path(),
        }
    }

    /// Which file has to be found there; `None` where the path is all that is known.
    pub fn inode(&self) -> Option<Inode> {
        match self {
            Subject::At(_) => None,
            Subject::Opened(opened) => Some(opened.inode()),
        }
    }
}

impl From<&Path> for Subject {
    fn from(path: &Path) -> Subject {
        Subject::At(path.to_path_buf())
    }
}

impl From<&PathBuf> for Subject {
    fn from(path: &PathBuf) -> Subject {
        Subject::At(path.clone())
    }
}

impl From<&Opened> for Subject {
    fn from(opened: &Opened) -> Subject {
        Subject::Opened(opened.clone())
    }
}

impl From<&Subject> for Subject {
    fn from(subject: &Subject) -> Subject {
        subject.clone()
    }
}
