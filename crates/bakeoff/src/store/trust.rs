//! Whether root may act on what a store says: nobody else may be able to write it.
//!
//! What undoes a step is a closed type, and the words of a stack are checked again. All the same
//! root acts only on a store that is root's alone, or that of the user who typed `sudo`, who could
//! have made such a run. The path of a store has no links. Each directory on it, the file and its
//! companions count, with their access control lists. What is found at the end has to be the file
//! that SQLite has open, and not one that was put there since.

use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use bakeoff_machine::prepare::steps::shell_word;
use bakeoff_model::path::RawPath;
use rustix::fs::{CWD, FileType, Mode, OFlags, fstat, openat, stat};
use rustix::process::geteuid;

use super::place::beside;
use super::sqlite::Sqlite;
use crate::fault::Fault;
use crate::files::OtherUser;
use crate::host;

const GROUP_WRITES: u32 = 0o020;
const OTHERS_WRITE: u32 = 0o002;
const STICKY: u32 = 0o1000;
const COMPANIONS: [&str; 4] = ["-wal", "-shm", "-journal", ".locks"];

/// Refuses to root a store that another user can write.
///
/// # Errors
/// Who can, and what to type.
pub fn check(store: &Sqlite) -> Result<(), Fault> {
    if !geteuid().is_root() {
        return Ok(());
    }
    let way =
        Way { store: store.path(), invoking: OtherUser::behind_sudo().map(|user| user.uid()) };
    let file = way.to_file()?;
    let own = [file.as_raw_fd(), store.file().as_raw_fd()];
    if has_open(&file, own).map_err(|e| unknown(Path::new("/proc/self/fd"), e))? {
        way.companions()
    } else {
        Err(way.refusal(
            "the file was replaced after bakeoff opened it. Find out who did that, then try again",
        ))
    }
}

/// The way to a store, with whose it may be beside root's.
struct Way<'a> {
    store: &'a Path,
    invoking: Option<u32>,
}

impl Way<'_> {
    fn refusal(&self, why: &str) -> Fault {
        let store = word(self.store);
        Fault::refused(format!("Refusing to act on the records in {store} as root: {why}"))
    }

    fn to_file(&self) -> Result<OwnedFd, Fault> {
        let mut way: Vec<&Path> = self.store.ancestors().collect();
        way.reverse();
        let mut here = open(CWD, OsStr::new("/")).map_err(|e| unknown(self.store, e))?;
        for (at, path) in way.iter().enumerate() {
            if let Some(name) = path.file_name() {
                here = open(&here, name).map_err(|e| unknown(path, e))?;
            }
            self.check_one(&here, path, at + 2 == way.len())?;
        }
        Ok(here)
    }

    /// What lies beside the file: in a directory that only trusted users can change, so by name.
    fn companions(&self) -> Result<(), Fault> {
        for companion in COMPANIONS {
            let path = beside(self.store, companion);
            match open(CWD, path.as_os_str()) {
                Ok(found) => self.check_one(&found, &path, true)?,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(unknown(&path, error)),
            }
        }
        Ok(())
    }

    fn check_one(&self, fd: &OwnedFd, path: &Path, is_near: bool) -> Result<(), Fault> {
        let found = fstat(fd).map_err(|e| unknown(path, e.into()))?;
        if found.st_uid != 0 && Some(found.st_uid) != self.invoking {
            return Err(self.refusal(&format!(
                "user {} can write to {}. Run the command as that user, or use a store that root \
                 owns: --store /root/bakeoff.db",
                found.st_uid,
                word(path)
            )));
        }
        // In a sticky directory others can neither rename nor remove what is root's. They can make
        // files, which is too much where SQLite looks for a journal.
        let is_directory = FileType::from_raw_mode(found.st_mode) == FileType::Directory;
        let has_sticky = is_directory && found.st_mode & STICKY != 0;
        let is_sticky = has_sticky && !is_near;
        let is_group = |gid: u32| host::is_group_of(gid, self.invoking);
        let listed = host::acl_writers(fd, is_directory && is_near);
        let listed = listed.map_err(|e| unknown(path, e))?;
        // With a list, the bits of the group are what it allows at most.
        let group_writes = match &listed {
            Some(writers) => writers.own_group,
            None => found.st_mode & GROUP_WRITES != 0,
        };
        let others_write = found.st_mode & OTHERS_WRITE != 0;
        if (others_write || group_writes && !is_group(found.st_gid)) && !is_sticky {
            let (store, path) = (word(self.store), word(path));
            // Of /tmp nobody may take the permission away.
            return Err(self.refusal(&(if has_sticky { format!(
                    "other users can create files in {path}, where SQLite looks for a journal. If \
                     you trust the records, move the store to a directory of root's: mv {store}* \
                     /root/"
                ) } else { format!(
                    "other users can write to {path}. Remove the write permission: chmod go-w \
                     {path}"
                ) })));
        }
        let writers = listed.unwrap_or_default();
        let is_user = |uid: &u32| *uid == 0 || Some(*uid) == self.invoking;
        let is_ours =
            writers.users.iter().all(is_user) && writers.groups.iter().all(|gid| is_group(*gid));
        if is_ours || is_sticky {
            Ok(())
        } else {
            Err(self.refusal(&format!(
                "the access control list of {path} lets other users write. Remove it: setfacl \
                 --remove-all {path}",
                path = word(path)
            )))
        }
    }
}

/// Opens what has a name, to look at it: a link itself, and a file without the lock that SQLite
/// would lose when it is closed (fcntl(2), "Record locking and file descriptor"; open(2), O_PATH).
fn open(at: impl AsFd, name: &OsStr) -> io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(openat(at, name.as_bytes(), flags, Mode::empty())?)
}

/// Whether this process has a file open by a descriptor that is none of ours: SQLite's.
fn has_open(file: &OwnedFd, own: [RawFd; 2]) -> io::Result<bool> {
    let wanted = fstat(file)?;
    for entry in std::fs::read_dir("/proc/self/fd")? {
        let name = entry?.file_name();
        let number = name.to_str().and_then(|name| name.parse().ok());
        // One that was closed meanwhile is none.
        let Ok(found) = stat(Path::new("/proc/self/fd").join(&name)) else { continue };
        let is_it = (found.st_dev, found.st_ino) == (wanted.st_dev, wanted.st_ino);
        if is_it && number.is_some_and(|number| !own.contains(&number)) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn unknown(path: &Path, error: io::Error) -> Fault {
    Fault::environment(format!("cannot check who can write to {}: {error}", word(path)))
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
    use std::path::PathBuf;

    struct Home {
        dir: tempfile::TempDir,
        store: PathBuf,
        open: Sqlite,
    }

    fn home() -> Home {
        let dir = tempfile::tempdir_in(fs::canonicalize("/var/tmp").unwrap()).unwrap();
        let store = dir.path().join("home/s.db");
        fs::create_dir(dir.path().join("home")).unwrap();
        let open = Sqlite::open(&store).unwrap();
        Home { dir, store, open }
    }

    fn mode(path: &Path, mode: u32) {
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    /// Root recovered from a store that any user could edit.
    #[test]
    fn refuses_a_store_that_another_user_can_write() {
        if skip::lacks_root() {
            return;
        }
        let Home { dir, store, open } = &home();
        let home = dir.path().join("home");
        let is_trusted = || check(open).is_ok();
        check(open).unwrap();
        mode(store, 0o666);
        assert!(!is_trusted(), "anybody can write to the file");
        mode(store, 0o664);
        assert!(is_trusted(), "root's group");
        chown(store, None, Some(1234)).unwrap();
        assert!(!is_trusted(), "another group");
        chown(store, None, Some(0)).unwrap();
        mode(store, 0o644);
        mode(&home, 0o777);
        assert!(!is_trusted(), "anybody can put another file there");
        mode(&home, 0o1777);
        let refused = check(open).unwrap_err().to_string();
        assert!(refused.contains("SQLite looks for a journal"), "{refused}");
        assert!(!refused.contains("chmod"), "{refused}");
        mode(&home, 0o755);
        mode(dir.path(), 0o1777);
        assert!(is_trusted(), "sticky, and not the store's own");
        mode(dir.path(), 0o755);
        chown(&home, Some(1234), None).unwrap();
        let refused = check(open).unwrap_err().to_string();
        assert!(refused.contains("user 1234 can write"), "a parent: {refused}");
        chown(&home, Some(0), None).unwrap();
        chown(store, Some(1234), None).unwrap();
        assert!(!is_trusted(), "the file");
        chown(store, Some(0), None).unwrap();
        let locks = beside(store, ".locks");
        let _ = fs::create_dir(&locks);
        mode(&locks, 0o777);
        assert!(!is_trusted(), "the locks");
    }

    /// A store that another user could write by its access control list was trusted.
    #[test]
    fn refuses_a_store_that_a_list_lets_others_write() {
        if skip::lacks_root() {
            return;
        }
        const ACCESS: &str = "system.posix_acl_access";
        const DEFAULT: &str = "system.posix_acl_default";
        let Home { dir, store, open } = &home();
        let home = store.parent().unwrap();
        host::set_acl(store, ACCESS, (0x02, 4, 1234));
        check(open).unwrap();
        for (path, list, tag) in [
            (store.as_path(), ACCESS, 0x02),
            (store, ACCESS, 0x08),
            (home, ACCESS, 0x02),
            (home, DEFAULT, 0x02),
            (dir.path(), ACCESS, 0x02),
        ] {
            host::set_acl(path, list, (tag, 7, 1234));
            let refused = check(open).unwrap_err().to_string();
            assert!(refused.contains("access control list"), "{list}: {refused}");
            rustix::fs::removexattr(path, list).unwrap();
            check(open).unwrap();
        }
    }

    /// Another file took the name between the opening and the check, which looked at the name.
    #[test]
    fn refuses_a_store_that_is_not_the_one_at_its_path() {
        if skip::lacks_root() {
            return;
        }
        let Home { store, open, .. } = &home();
        let moved = store.with_file_name("moved.db");
        fs::rename(store, &moved).unwrap();
        fs::copy(&moved, store).unwrap();
        assert!(check(open).unwrap_err().to_string().contains("the file was replaced"));
        fs::remove_file(store).unwrap();
        fs::rename(&moved, store).unwrap();
        check(open).unwrap();
    }
}
