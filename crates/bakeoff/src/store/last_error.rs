//! How the last command failed that failed, in a small file beside the store: `report-bug` has it.
//!
//! Kept where it costs nothing: a failure that cannot be kept takes nothing from the command, whose
//! words are on the screen. The file is written beside its place and renamed over it, so that a
//! link which somebody put there is replaced and never followed.

use std::io::{self, Read, Write};
use std::path::Path;

use bakeoff_report::facts::LastError;

use super::{open, place};
use crate::files::{Entry, FileError, OtherUser};

const MESSAGE_BYTES: usize = 8 << 10;
const FILE_BYTES: u64 = 1 << 20;

/// Keeps a failure beside the store that was named, or the default one.
///
/// # Errors
/// It cannot be kept, or what was named is no store: nothing is left beside it.
pub fn keep(store: Option<&Path>, error: &LastError) -> Result<(), FileError> {
    let path = place::path(store).map_err(io::Error::other)?;
    open::find(&path).map_err(io::Error::other)?;
    let owner = OtherUser::behind_sudo();
    let entry = match store {
        Some(_) => Entry::of(&path)?,
        None => Entry::making(&path, (0o700, owner.as_ref()))?,
    };
    let cut = |text: &str| text.chars().take(MESSAGE_BYTES).collect::<String>();
    let kept = LastError {
        message: cut(&error.message),
        panic: error.panic.as_deref().map(cut),
        ..error.clone()
    };
    let text = serde_json::to_string_pretty(&kept).map_err(io::Error::other)?;
    entry.beside(".error").replace((0o600, false), |file| {
        file.write_all(text.as_bytes())?;
        owner.map_or(Ok(()), |owner| owner.give(file))
    })
}

/// The failure that was kept; `None` where there is none, or none that can be read.
pub fn kept(store: Option<&Path>) -> Option<LastError> {
    let mut text = String::new();
    let entry = Entry::of(&place::path(store).ok()?).ok()?.beside(".error");
    let (file, _) = entry.open().ok()??;
    file.take(FILE_BYTES).read_to_string(&mut text).ok()?;
    serde_json::from_str(&text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn error(message: &str) -> LastError {
        LastError {
            unix_s: 1,
            version: "0.1.0".into(),
            exit: 4,
            command: vec!["bakeoff".into(), "demo".into()],
            message: message.into(),
            panic: None,
        }
    }

    #[test]
    fn the_latest_is_kept_beside_the_store_that_was_named() {
        let dir = tempfile::tempdir().unwrap();
        let store = dir.path().join("s.db");
        assert_eq!(kept(Some(&store)), None);
        keep(Some(&store), &error("first")).unwrap();
        keep(Some(&store), &error("second")).unwrap();
        assert_eq!(kept(Some(&store)), Some(error("second")));
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "nothing is left beside it");
        fs::write(dir.path().join("s.db.error"), "garbage").unwrap();
        assert_eq!(kept(Some(&store)), None);
    }

    #[test]
    fn a_link_in_its_place_is_replaced_and_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let (store, theirs) = (dir.path().join("s.db"), dir.path().join("theirs"));
        fs::write(&theirs, "x").unwrap();
        std::os::unix::fs::symlink(&theirs, dir.path().join("s.db.error")).unwrap();
        keep(Some(&store), &error("mine")).unwrap();
        assert_eq!(fs::read_to_string(&theirs).unwrap(), "x");
        assert_eq!(kept(Some(&store)), Some(error("mine")));
    }

    #[test]
    fn no_directory_is_made_for_a_store_that_was_named() {
        let dir = tempfile::tempdir().unwrap();
        assert!(keep(Some(&dir.path().join("no/s.db")), &error("x")).is_err());
        assert!(!dir.path().join("no").exists());
        let long = error(&"ä".repeat(MESSAGE_BYTES * 2));
        let store = dir.path().join("s.db");
        keep(Some(&store), &long).unwrap();
        assert_eq!(kept(Some(&store)).unwrap().message.chars().count(), MESSAGE_BYTES);
    }
}
