//! The directory in which root mounts: one that nobody else can enter or rename anything above.
//!
//! A mount point in a directory of the user's could be renamed by its owner, with another directory
//! or a link in its place, before mount(8) or anything after it uses the path. Here every directory
//! from the root down belongs to root and is writable by nobody else, so paths may be used.

use std::io;
use std::path::{Path, PathBuf};

use bakeoff_model::path::RawPath;
use rustix::fs::{Mode, fstat, mkdirat};
use rustix::io::Errno;

use crate::fault::Fault;
use crate::host;
use crate::load::scratch;

/// Where our directory is made, the first that is there and trusted: memory that ends with the
/// boot, or what packages keep on the drive.
const BASES: [&str; 2] = ["/run", "/var/lib"];
const NAME: &str = "bakeoff";

/// The directory that has one directory for each run.
///
/// # Errors
/// When there is no directory that only root can write to.
pub fn parent() -> Result<RawPath, Fault> {
    base().map(|base| RawPath::new(base.join(NAME)))
}

pub fn shown() -> RawPath {
    parent().unwrap_or_else(|_| RawPath::new(Path::new(BASES[0]).join(NAME)))
}

/// One of the mount points of a run.
///
/// # Errors
/// Those of [`parent`].
pub fn mount_point_of(run: &str, slot: u16) -> Result<RawPath, Fault> {
    let name = scratch::numbered(scratch::MOUNT, usize::from(slot));
    parent().map(|parent| RawPath::new(parent.as_path().join(run).join(name)))
}

/// A file of ours that outlives a restart, in a directory that only root can reach.
///
/// # Errors
/// When there is no such directory and none can be made.
pub fn kept(name: &str) -> io::Result<PathBuf> {
    let base = trusted(BASES[1]).ok_or_else(|| {
        let base = BASES[1];
        io::Error::other(format!(
            "{base} is missing, or other users can write to it or to a parent directory"
        ))
    })?;
    make_in(&base)?;
    Ok(base.join(NAME).join(name))
}

/// The mount point in `slot`, beside the first.
pub fn beside(first: &RawPath, slot: u16) -> RawPath {
    let name = scratch::numbered(scratch::MOUNT, usize::from(slot));
    RawPath::new(first.as_path().with_file_name(name))
}

pub fn make_parent() -> io::Result<()> {
    let base = base().map_err(|fault| io::Error::other(fault.to_string()))?;
    make_in(&base)
}

fn make_in(base: &Path) -> io::Result<()> {
    let above = host::open_directory(base)?;
    match mkdirat(&above, NAME, Mode::RWXU) {
        // It stays between runs.
        Ok(()) | Err(Errno::EXIST) => {}
        Err(error) => return Err(error.into()),
    }
    let path = base.join(NAME);
    if is_roots_alone(&path)? {
        Ok(())
    } else {
        Err(io::Error::other("other users own it or can write to it. Remove it and try again"))
    }
}

fn base() -> Result<PathBuf, Fault> {
    BASES.iter().find_map(|base| trusted(base)).ok_or_else(|| {
        Fault::environment(format!(
            "cannot create a mount point: {} are missing, or other users can write to them or to a \
             parent directory. Create /run as root with mode 0755",
            BASES.join(" and ")
        ))
    })
}

/// A directory where nobody but root can change anything, from the root down.
fn trusted(base: &str) -> Option<PathBuf> {
    let base = std::fs::canonicalize(base).ok()?;
    base.ancestors().all(|dir| is_roots_alone(dir).unwrap_or(false)).then_some(base)
}

fn is_roots_alone(dir: &Path) -> io::Result<bool> {
    let found = fstat(host::open_directory(dir)?)?;
    Ok(found.st_uid == 0 && found.st_mode & 0o002 == 0 && !host::others_can_write(&found))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skip;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt, chown};

    #[test]
    fn a_directory_that_others_can_change_is_not_ours() {
        if skip::lacks_root() {
            return;
        }
        let dir = tempfile::tempdir().unwrap();
        let dir = fs::canonicalize(dir.path()).unwrap();
        let is_ours = |owner: u32, mode: u32| {
            chown(&dir, Some(owner), None).unwrap();
            fs::set_permissions(&dir, Permissions::from_mode(mode)).unwrap();
            is_roots_alone(&dir).unwrap()
        };
        assert!(is_ours(0, 0o700) && is_ours(0, 0o755));
        // Sticky lets nobody rename ours, but anybody may be there first.
        assert!(!is_ours(0, 0o777) && !is_ours(0, 0o1777) && !is_ours(1234, 0o700));
        std::os::unix::fs::symlink("/usr", dir.join("link")).unwrap();
        assert!(is_roots_alone(&dir.join("link")).is_err());
    }

    #[test]
    fn mount_points_are_where_only_root_writes() {
        let parent = parent().unwrap();
        assert!(["/run/bakeoff", "/var/lib/bakeoff"].contains(&parent.to_string().as_str()));
    }
}
