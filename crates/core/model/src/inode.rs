//! A file by what stays when it is renamed.

use serde::{Deserialize, Serialize};

/// A file by its number, which stays when it is renamed; stat(2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inode {
    pub dev: u64,
    pub ino: u64,
}
