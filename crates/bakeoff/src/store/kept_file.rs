//! A small file beside the store, one for each drive: what `watch --writes` counted, and what
//! `probe --power-cut` wrote. It survives a restart.
//!
//! It is written under another name and renamed, so a power cut leaves the old one or the new one.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{StoreError, place};
use crate::files::{Entry, FileError, OtherUser};

const FILE_BYTES: u64 = 1 << 20;

pub struct KeptFile {
    path: PathBuf,
    drive: String,
}

#[derive(Serialize, Deserialize)]
struct Content<T> {
    drive: String,
    state: T,
}

impl KeptFile {
    /// `kind` and `name` are words of the file's name; `drive` tells the drive from others.
    pub fn new(
        store: Option<&Path>,
        (kind, name): (&str, &str),
        drive: &str,
    ) -> Result<KeptFile, StoreError> {
        let is_plain = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
        let name: String = name.chars().filter(is_plain).take(64).collect();
        let path = place::beside(&place::path(store)?, &format!(".{kind}-{name}"));
        Ok(KeptFile { path, drive: drive.to_string() })
    }

    /// What was kept of this drive; `None` where there is nothing, or nothing that can be used.
    pub fn load<T: DeserializeOwned>(&self) -> Option<T> {
        let (file, _) = Entry::of(&self.path).ok()?.open().ok()??;
        let mut text = String::new();
        file.take(FILE_BYTES).read_to_string(&mut text).ok()?;
        let kept: Content<T> = serde_json::from_str(&text).ok()?;
        (kept.drive == self.drive).then_some(kept.state)
    }

    pub fn save<T: Serialize>(&self, state: &T) -> Result<(), FileError> {
        let content = Content { drive: self.drive.clone(), state };
        let text = serde_json::to_string(&content).map_err(io::Error::other)?;
        let owner = OtherUser::behind_sudo();
        let entry = Entry::making(&self.path, (0o700, owner.as_ref()))?;
        entry.replace((0o600, false), |file| {
            file.write_all(text.as_bytes())?;
            owner.as_ref().map_or(Ok(()), |owner| owner.give(file))
        })?;
        Ok(entry.sync_names()?)
    }

    pub fn forget(&self) {
        // It may never have been written.
        let _ = Entry::of(&self.path).map(|entry| entry.remove());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_state_of_the_same_drive_comes_back() {
        let dir = tempfile::tempdir().unwrap();
        let store = dir.path().join("s.db");
        let of = |drive: &str| KeptFile::new(Some(&store), ("writes", "a/b"), drive).unwrap();
        let kept = of("card A");
        assert_eq!(kept.load::<u64>(), None);
        kept.save(&7u64).unwrap();
        assert_eq!((kept.load::<u64>(), of("card B").load::<u64>()), (Some(7), None));
        std::fs::write(&kept.path, "{\"drive\":").unwrap();
        assert_eq!(kept.load::<u64>(), None, "half of a file");
        kept.forget();
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
