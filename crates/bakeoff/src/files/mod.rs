//! Files that bakeoff makes, replaces and removes for the user, and the one way to open them.
//!
//! [`entry`] finds the directory and the name in it, [`output`] replaces reports, and [`user`]
//! says whose files they are. Not here: what a measurement writes in its scratch directory
//! (`load::scratch`), and files of the kernel (`host`).
//!
//! Whoever owns a directory can exchange what is in it at any time. So a directory is opened once
//! and everything in it is done through its descriptor, links are followed only when the caller or
//! root made them, a new file is made with `O_EXCL`, and an existing one is asked through its own
//! descriptor what it is.

pub mod entry;
pub mod output;
pub mod user;

use std::io;

use rustix::io::Errno;
use thiserror::Error;

use crate::fault::Fault;

pub use entry::Entry;
pub use user::OtherUser;

#[derive(Debug, Error)]
pub enum FileError {
    #[error("{0}")]
    Refused(String),
    #[error("bakeoff did not write it. Specify another file, or remove it first")]
    NotOurs,
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl From<FileError> for Fault {
    fn from(error: FileError) -> Fault {
        match error {
            FileError::Refused(_) | FileError::NotOurs => Fault::refused(error),
            FileError::Io(_) => Fault::environment(error),
        }
    }
}

impl From<Errno> for FileError {
    fn from(error: Errno) -> FileError {
        FileError::Io(error.into())
    }
}
