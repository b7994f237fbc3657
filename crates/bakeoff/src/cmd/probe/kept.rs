//! How far a long part of an examination came, in a file beside the store: it goes on from there.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::fault::Fault;
use crate::files::{Entry, OtherUser};
use crate::store::place;

const SCHEMA: &str = "bakeoff/probe-state/1";
/// Most bytes of such a file.
const FILE_BYTES: u64 = 1 << 20;

/// One part of the examination of one drive.
pub struct KeptState {
    path: PathBuf,
    drive: String,
    size_bytes: u64,
}

#[derive(Serialize, Deserialize)]
struct KeptFile<T> {
    schema: String,
    drive: String,
    size_bytes: u64,
    state: T,
}

impl KeptState {
    /// `drive` is what the drive is known by, `part` a word.
    pub fn new(store: &Path, part: &str, drive: &str, size_bytes: u64) -> KeptState {
        let is_plain = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
        let name: String = drive.chars().filter(is_plain).take(64).collect();
        let path = place::beside(store, ".probe").join(format!("{part}-{name}.json"));
        KeptState { path, drive: drive.to_string(), size_bytes }
    }

    /// What was kept of this drive; `None` where there is nothing, or nothing that can be used.
    pub fn load<T: DeserializeOwned>(&self) -> Option<T> {
        let (file, _) = Entry::of(&self.path).ok()?.open().ok()??;
        let mut text = String::new();
        file.take(FILE_BYTES).read_to_string(&mut text).ok()?;
        let kept: KeptFile<T> = serde_json::from_str(&text).ok()?;
        let is_it = (kept.schema.as_str(), &kept.drive, kept.size_bytes)
            == (SCHEMA, &self.drive, self.size_bytes);
        is_it.then_some(kept.state)
    }

    pub fn save<T: Serialize>(&self, state: &T) -> Result<(), Fault> {
        let (schema, drive) = (SCHEMA.to_string(), self.drive.clone());
        let kept = KeptFile { schema, drive, size_bytes: self.size_bytes, state };
        let text = serde_json::to_string(&kept).map_err(Fault::bug)?;
        let owner = OtherUser::behind_sudo();
        let entry = Entry::making(&self.path, (0o700, owner.as_ref()))?;
        entry.replace((0o600, false), |file| file.write_all(text.as_bytes()))?;
        entry.sync_names().map_err(Fault::environment)
    }

    /// There is nothing to go on with.
    pub fn forget(&self) {
        // Where it stays, the next examination begins where this one ended.
        if let Ok(entry) = Entry::of(&self.path) {
            let _ = entry.remove();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_state_of_the_same_drive_comes_back() {
        let dir = tempfile::tempdir().unwrap();
        let store = dir.path().join("store.db");
        let kept = KeptState::new(&store, "read", "SN/../1", 4096);
        assert_eq!(kept.load::<u64>(), None);
        kept.save(&7u64).unwrap();
        assert_eq!(kept.load::<u64>(), Some(7));
        assert_eq!(KeptState::new(&store, "read", "SN/../1", 8192).load::<u64>(), None);
        assert_eq!(KeptState::new(&store, "read", "SN..1", 4096).load::<u64>(), None);
        std::fs::write(&kept.path, "{\"schema\":").unwrap();
        assert_eq!(kept.load::<u64>(), None, "half of a file");
        kept.forget();
        assert!(!kept.path.exists());
    }
}
