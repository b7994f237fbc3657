//! How the last command failed that failed, in a small file beside the store: `report-bug` has it.
//!
//! Kept where it costs nothing: a failure that cannot be kept takes nothing from the command, whose
//! words are on the screen. The file is written beside its place and renamed over it, so that a
//! link which somebody put there is replaced and never followed.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use bakeoff_core::report::facts::LastError;

use super::place;
use super::user::{self, User};

/// Most bytes of a message that are kept.
const MESSAGE_BYTES: usize = 8 << 10;
/// Most bytes of the file that are read.
const FILE_BYTES: u64 = 1 << 20;

/// Keeps a failure beside the store that was named, or the default one.
pub fn keep(store: Option<&Path>, error: &LastError) -> io::Result<()> {
    let path = file_of(store)?;
    let dir = path.parent().unwrap_or(Path::new("/"));
    let owner = User::behind_sudo();
    if store.is_none() {
        user::create_dir_all(dir, owner.as_ref())?;
    }
    let cut = |text: &str| text.chars().take(MESSAGE_BYTES).collect::<String>();
    let kept = LastError {
        message: cut(&error.message),
        panic: error.panic.as_deref().map(cut),
        ..error.clone()
    };
    let mut file = tempfile::Builder::new().prefix(".bakeoff-").tempfile_in(dir)?;
    file.write_all(serde_json::to_string_pretty(&kept)?.as_bytes())?;
    if let Some(owner) = owner {
        owner.give(file.as_file())?;
    }
    file.persist(path)?;
    Ok(())
}

/// The failure that was kept; `None` where there is none, or none that can be read.
pub fn kept(store: Option<&Path>) -> Option<LastError> {
    let mut text = String::new();
    fs::File::open(file_of(store).ok()?).ok()?.take(FILE_BYTES).read_to_string(&mut text).ok()?;
    serde_json::from_str(&text).ok()
}

fn file_of(store: Option<&Path>) -> io::Result<PathBuf> {
    let store = place::path(store).map_err(io::Error::other)?;
    Ok(place::beside(&store, ".error"))
}

#[cfg(test)]
mod tests {
    use super::*;

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
