//! Whether root may recover from a store: nobody else may be able to write what it obeys.
//!
//! What undoes a step is a closed type, so an edited record reaches only objects of ours. All the
//! same root recovers only from a store that is root's alone, or that of the user who typed `sudo`,
//! who could have made such a run. The file, its companions and every directory above count:
//! whoever can rename a directory can put another in its place.

use std::io;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use bakeoff_core::model::path::RawPath;
use bakeoff_core::prepare::steps::shell_word;
use rustix::fs::{AtFlags, CWD, FileType, Stat, fstat, statat};
use rustix::process::geteuid;
use thiserror::Error;

use super::place::beside;
use crate::files::User;

const OTHERS_WRITE: u32 = 0o022;
const STICKY: u32 = 0o1000;

/// Why root does not recover from a store.
#[derive(Debug, Error)]
pub enum Distrust {
    /// Another user can change it.
    #[error(
        "Refusing to undo the changes recorded in {store} as root: user {uid} can write to {path}. \
         Undo them as that user, or use a store that root owns: bakeoff clean --store \
         /root/bakeoff.db"
    )]
    Owned {
        /// The store.
        store: String,
        /// What the user can write to.
        path: String,
        /// The user's number.
        uid: u32,
    },
    /// Every user can change it.
    #[error(
        "Refusing to undo the changes recorded in {store} as root: other users can write to \
         {path}. Remove the write permission: chmod go-w {path}"
    )]
    Writable {
        /// The store.
        store: String,
        /// What others can write to, as it would be typed.
        path: String,
    },
    /// It cannot be looked at.
    #[error("cannot check who can write to {path}: {source}")]
    Unknown {
        /// What.
        path: String,
        /// The system's word.
        source: io::Error,
    },
}

/// Refuses to root a store that another user can write: the file that was opened, and everything
/// on its path, which has no links.
///
/// # Errors
/// Who can, and what to type.
pub fn check(store: &Path, opened: impl AsFd) -> Result<(), Distrust> {
    if !geteuid().is_root() {
        return Ok(());
    }
    let invoking = User::behind_sudo().map(|user| user.uid());
    let unknown = |path: &Path, source| Distrust::Unknown { path: word(path), source };
    let file = fstat(opened).map_err(|e| unknown(store, e.into()))?;
    check_one(store, store, &file, invoking)?;
    let mut all: Vec<PathBuf> = store.ancestors().map(Path::to_path_buf).collect();
    all.extend(["-wal", "-shm", ".locks"].map(|companion| beside(store, companion)));
    for path in all {
        let found = match statat(CWD, &path, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(found) => found,
            Err(rustix::io::Errno::NOENT) => continue,
            Err(error) => return Err(unknown(&path, error.into())),
        };
        check_one(store, &path, &found, invoking)?;
    }
    Ok(())
}

fn check_one(
    store: &Path,
    path: &Path,
    found: &Stat,
    invoking: Option<u32>,
) -> Result<(), Distrust> {
    let is_ours = found.st_uid == 0 || Some(found.st_uid) == invoking;
    if !is_ours {
        let (store, path) = (word(store), word(path));
        return Err(Distrust::Owned { store, path, uid: found.st_uid });
    }
    // In a sticky directory others can neither rename nor remove what is root's.
    let is_directory = FileType::from_raw_mode(found.st_mode) == FileType::Directory;
    let is_sticky = is_directory && found.st_mode & STICKY != 0;
    if found.st_mode & OTHERS_WRITE != 0 && !is_sticky && !is_own_group(found, invoking) {
        return Err(Distrust::Writable { store: word(store), path: word(path) });
    }
    Ok(())
}

/// Whether only the group may write, and it is root's or the invoking user's own: systems that give
/// each user a group of the same number let it write.
fn is_own_group(found: &Stat, invoking: Option<u32>) -> bool {
    let only_group = found.st_mode & OTHERS_WRITE == 0o020;
    only_group && (found.st_gid == 0 || Some(found.st_gid) == invoking)
}

fn word(path: &Path) -> String {
    shell_word(&RawPath::new(path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skip;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt, chown};

    /// Root recovered from a store that any user could edit.
    #[test]
    fn refuses_a_store_that_another_user_can_write() {
        if skip::lacks_root() {
            return;
        }
        let dir = tempfile::tempdir_in("/var/tmp").unwrap();
        let home = fs::canonicalize(dir.path()).unwrap().join("home");
        fs::create_dir(&home).unwrap();
        let store = home.join("s.db");
        fs::write(&store, "").unwrap();
        let mode = |path: &Path, mode| {
            fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
        };
        let check = || super::check(&store, fs::File::open(&store).unwrap());
        let is_trusted = || check().is_ok();
        assert!(is_trusted());
        mode(&store, 0o666);
        assert!(!is_trusted(), "anybody can write to the file");
        mode(&store, 0o644);
        mode(&home, 0o777);
        assert!(!is_trusted(), "anybody can put another file there");
        mode(&home, 0o1777);
        assert!(is_trusted(), "sticky");
        mode(&home, 0o755);
        chown(&home, Some(1234), None).unwrap();
        assert!(matches!(check(), Err(Distrust::Owned { uid: 1234, .. })), "a parent");
        chown(&home, Some(0), None).unwrap();
        chown(&store, Some(1234), None).unwrap();
        assert!(!is_trusted(), "the file");
        chown(&store, Some(0), None).unwrap();
        let locks = beside(&store, ".locks");
        fs::create_dir(&locks).unwrap();
        mode(&locks, 0o777);
        assert!(!is_trusted(), "the locks");
    }
}
