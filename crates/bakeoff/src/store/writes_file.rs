//! What `watch --writes` has counted, in a small file beside the store: it survives a restart.
//!
//! One file for each drive. It is written beside its place and renamed over it, so a power cut
//! leaves the old one or the new one.

use std::io::{self, Read, Write};
use std::path::Path;

use bakeoff_machine::writers::{NAMES, Writers};

use super::place;
use crate::files::{Entry, FileError, OtherUser};

const FILE_BYTES: u64 = 1 << 20;

/// Keeps what was counted of a drive, by its kernel name.
///
/// # Errors
/// Those of the filesystem.
pub fn keep(store: Option<&Path>, disk: &str, writers: &Writers) -> Result<(), FileError> {
    let path = place::path(store).map_err(io::Error::other)?;
    let owner = OtherUser::behind_sudo();
    let entry = match store {
        Some(_) => Entry::of(&path)?,
        None => Entry::making(&path, (0o700, owner.as_ref()))?,
    };
    let text = serde_json::to_string_pretty(writers).map_err(io::Error::other)?;
    entry.beside(&ending(disk)).replace((0o600, false), |file| {
        file.write_all(text.as_bytes())?;
        owner.map_or(Ok(()), |owner| owner.give(file))
    })
}

/// What was kept of the drive that has that name now; `None` where nothing was, or of another
/// drive.
pub fn kept(store: Option<&Path>, disk: &str, drive: &str) -> Option<Writers> {
    let mut text = String::new();
    let entry = Entry::of(&place::path(store).ok()?).ok()?.beside(&ending(disk));
    let (file, _) = entry.open().ok()??;
    file.take(FILE_BYTES).read_to_string(&mut text).ok()?;
    let kept: Writers = serde_json::from_str(&text).ok()?;
    (kept.drive == drive && kept.named.len() <= NAMES).then_some(kept)
}

/// Forgets it, when the time that was asked for is over.
pub fn forget(store: Option<&Path>, disk: &str) {
    let entry = place::path(store).ok().and_then(|path| Entry::of(&path).ok());
    // It may never have been written.
    let _ = entry.map(|entry| entry.beside(&ending(disk)).remove());
}

fn ending(disk: &str) -> String {
    format!(".writes-{}", disk.replace('/', "!"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_kept_for_the_drive_and_not_for_another_of_its_name() {
        let dir = tempfile::tempdir().unwrap();
        let store = dir.path().join("s.db");
        let writers = Writers { drive_bytes: 7, ..Writers::new("card A", 1) };
        assert_eq!(kept(Some(&store), "mmcblk0", "card A"), None);
        keep(Some(&store), "mmcblk0", &writers).unwrap();
        assert_eq!(kept(Some(&store), "mmcblk0", "card A"), Some(writers));
        assert_eq!(kept(Some(&store), "mmcblk0", "card B"), None);
        forget(Some(&store), "mmcblk0");
        assert_eq!(kept(Some(&store), "mmcblk0", "card A"), None);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
