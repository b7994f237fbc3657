//! Which directories root may make files in.
//!
//! A directory that another user owns is fine: what is ours in it is held by descriptors, and its
//! owner can rename our directory but change nothing in it. The same goes for the directories above
//! it, whoever owns them. One that several users may write in and that is not sticky is refused:
//! there each may do to the others' files what only an owner should. Sticks are often mounted so,
//! with modes that the mount gives to everything; where nobody but root can log in, that is fine.

use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::path::Path;

use bakeoff_machine::prepare::steps::shell_word;
use bakeoff_machine::sysinfo::acl::{self, Writers};
use bakeoff_model::path::RawPath;
use rustix::fs::{Dir, Stat, fstat, fstatfs, getxattr};
use rustix::io::Errno;
use rustix::process::geteuid;

/// Filesystems without owners that have no links either, by `f_type`: vfat and exfat.
const WITHOUT_LINKS: [u64; 2] = [0x4d44, 0x2011_bab0];
/// Filesystems whose modes a mount option gives, so that chmod(2) changes nothing: vfat, exfat,
/// ntfs3 and, as ntfs-3g and exfat-fuse, FUSE (linux/magic.h).
const MODES_OF_MOUNT: [u64; 4] = [0x4d44, 0x2011_bab0, 0x7366_746e, 0x6573_5546];
const NO_SHELLS: [&str; 4] = ["nologin", "false", "true", "sync"];
const OTHERS_WRITE: u32 = 0o022;
const STICKY: u32 = 0o1000;
/// Longest access control list that is read: 8 bytes for each entry.
const ACL_BYTES: usize = 8192;

fn advice(owner: u32, dir: &Path) -> String {
    let typed = shell_word(&RawPath::new(dir));
    match owner {
        0 => format!("Run without sudo, or remove the write permission: chmod go-w {typed}"),
        uid => {
            let user = user_name(uid).unwrap_or_else(|| format!("'#{uid}'"));
            format!("Run as its owner: sudo -u {user} bakeoff quick {typed}")
        }
    }
}

fn advice_where(is_of_mount: bool, owner: u32, dir: &Path) -> String {
    let remount =
        "mount the filesystem again with the option umask=022 (chmod has no effect on it)";
    match (is_of_mount, owner) {
        (false, _) => advice(owner, dir),
        (true, 0) => format!("Run without sudo, or {remount}"),
        (true, _) => format!("{}, or {remount}", advice(owner, dir)),
    }
}

fn only_root_logs_in(users: &str) -> bool {
    let is_closed = |line: &str| {
        let mut fields = line.split(':');
        let (uid, shell) = (fields.nth(2), fields.nth(3));
        let has_none = |shell: &str| {
            NO_SHELLS.iter().any(|name| Path::new(shell.trim()).file_name() == Some(name.as_ref()))
        };
        uid == Some("0") || shell.is_some_and(has_none)
    };
    let mut lines = users.lines().filter(|line| !line.trim().is_empty()).peekable();
    lines.peek().is_some() && lines.all(is_closed)
}

/// Whether everybody may write in a filesystem because of how it is mounted, and nobody else is
/// there.
fn is_safe_for_all(fd: impl AsFd) -> bool {
    has_type(fd, &MODES_OF_MOUNT)
        && std::fs::read_to_string("/etc/passwd").is_ok_and(|users| only_root_logs_in(&users))
}

fn user_name(uid: u32) -> Option<String> {
    let users = std::fs::read_to_string("/etc/passwd").ok()?;
    let name_of = |line: &str| {
        let mut fields = line.split(':');
        let (name, found) = (fields.next()?, fields.nth(1)?);
        (found.parse() == Ok(uid) && !name.is_empty()).then(|| name.to_string())
    };
    users.lines().find_map(name_of)
}

pub fn check_directory(fd: impl AsFd, dir: &Path) -> Result<(), String> {
    let found = fstat(&fd).map_err(|e| unknown(dir, &e.into()))?;
    let is_listed = || match acl_writers(&fd, false) {
        Ok(writers) => writers.is_some_and(|w| {
            w.users.iter().any(|uid| *uid != 0 && *uid != found.st_uid)
                || w.groups.iter().any(|gid| !is_group_of(*gid, None))
        }),
        Err(_) => true,
    };
    let is_sticky = found.st_mode & STICKY != 0;
    let is_open = others_can_write(&found) || (!is_sticky && is_listed());
    if !geteuid().is_root() || !is_open || is_safe_for_all(&fd) {
        return Ok(());
    }
    Err(format!(
        "Refusing to create files in {} as root: other users can write to it and its sticky bit is \
         not set, so they could replace the files. {}",
        RawPath::new(dir),
        advice_where(has_type(fd, &MODES_OF_MOUNT), found.st_uid, dir)
    ))
}

fn unknown(dir: &Path, error: &io::Error) -> String {
    format!("cannot check {}: {error}", RawPath::new(dir))
}

/// Whether users beside the owner and root may exchange what is in a directory.
pub fn others_can_write(found: &Stat) -> bool {
    let others = if is_group_of(found.st_gid, None) { OTHERS_WRITE & 0o007 } else { OTHERS_WRITE };
    found.st_mode & others != 0 && found.st_mode & STICKY == 0
}

/// Whether a group is root's or the private one of a user (systems that give each user a group of
/// the same number let it write), and has no other members.
pub fn is_group_of(gid: u32, user: Option<u32>) -> bool {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let is_private = gid == 0 || Some(gid) == user;
    is_private && has_no_others(gid, user, &read("/etc/group"), &read("/etc/passwd"))
}

/// group(5) and passwd(5): members by name, and users whose first group it is.
fn has_no_others(gid: u32, user: Option<u32>, groups: &str, users: &str) -> bool {
    let is_ours = |uid: u32| uid == 0 || Some(uid) == user;
    let users: Vec<(&str, u32, u32)> = users
        .lines()
        .filter_map(|line| {
            let mut fields = line.split(':');
            let (name, uid) = (fields.next()?, fields.nth(1)?.parse().ok()?);
            Some((name, uid, fields.next()?.parse().ok()?))
        })
        .collect();
    let is_our_name = |name: &str| users.iter().any(|(n, uid, _)| *n == name && is_ours(*uid));
    let listed = groups.lines().filter_map(|line| {
        let mut fields = line.split(':').skip(2);
        (fields.next()?.parse() == Ok(gid)).then(|| fields.next().unwrap_or(""))
    });
    let mut members = listed.flat_map(|names| names.split(',')).filter(|name| !name.is_empty());
    members.all(is_our_name) && users.iter().all(|(_, uid, first)| *first != gid || is_ours(*uid))
}

/// Who may write by access control lists, where there are any; with the default list of a directory
/// too, which files that are made in it get. By a name in /proc, as O_PATH allows no other way.
pub fn acl_writers(fd: impl AsFd, with_default: bool) -> io::Result<Option<Writers>> {
    const LISTS: [&str; 2] = ["system.posix_acl_access", "system.posix_acl_default"];
    let path = format!("/proc/self/fd/{}", fd.as_fd().as_raw_fd());
    let mut all: Option<Writers> = None;
    for list in &LISTS[..if with_default { 2 } else { 1 }] {
        let mut bytes = vec![0; ACL_BYTES];
        if !Path::new(&path).exists() {
            return Err(io::Error::other(
                "/proc is not there. Mount it, or leave the container; then type: bakeoff clean",
            ));
        }
        let length = match getxattr(&path, *list, &mut bytes[..]) {
            Ok(length) => length,
            Err(Errno::NODATA | Errno::OPNOTSUPP) => continue,
            Err(error) => return Err(error.into()),
        };
        let found = acl::parse(&bytes[..length]).ok_or(Errno::INVAL)?;
        let all = all.get_or_insert_default();
        all.users.extend(found.users);
        all.groups.extend(found.groups);
        all.own_group |= found.own_group;
    }
    Ok(all)
}

/// Whether a directory that root just made in `parent` is the one that was opened after that:
/// root's, not writable by others, empty, and on the same filesystem. Others could have put theirs
/// in its place.
pub fn check_made(fd: impl AsFd, parent: impl AsFd, dir: &Path) -> Result<(), String> {
    let look = |fd| fstat(fd).map_err(|e| unknown(dir, &e.into()));
    let (made, above) = (look(fd.as_fd())?, look(parent.as_fd())?);
    if !geteuid().is_root() {
        return Ok(());
    }
    let is_ours = made.st_uid == 0 && made.st_mode & OTHERS_WRITE == 0;
    let has_links = keeps_links(&fd) && !is_safe_for_all(&fd);
    let is_empty = is_empty(fd).map_err(|e| unknown(dir, &e))?;
    if (is_ours || !has_links) && made.st_dev == above.st_dev && is_empty {
        Ok(())
    } else {
        Err(format!(
            "Refusing to work in {} as root: another user owns or can write to the directory that \
             bakeoff created in it. The directory was replaced, or this filesystem stores no \
             owners. {}",
            RawPath::new(dir),
            advice(above.st_uid, dir)
        ))
    }
}

/// Whether a filesystem can have links, which lead elsewhere. Those that have none mostly keep no
/// owners either: everything in them belongs to whom the mount says.
pub fn keeps_links(fd: impl AsFd) -> bool {
    !has_type(fd, &WITHOUT_LINKS)
}

fn has_type(fd: impl AsFd, types: &[u64]) -> bool {
    // f_type is sign-extended on 32 bits; these numbers have no highest bit.
    #[allow(clippy::unnecessary_cast)]
    fstatfs(fd).is_ok_and(|fs| types.contains(&(fs.f_type as u64)))
}

fn is_empty(fd: impl AsFd) -> io::Result<bool> {
    let mut names = Dir::read_from(fd)?;
    let is_entry = |name: &std::ffi::CStr| name != c"." && name != c"..";
    Ok(!names.any(|entry| entry.is_ok_and(|entry| is_entry(entry.file_name()))))
}

/// Gives a file or directory an access control list with one entry beside those of its mode, as
/// setfacl(1) does: tag, permissions and number.
#[cfg(test)]
pub fn set_acl(path: &Path, list: &str, (tag, may, id): (u16, u16, u32)) {
    let entry = |tag: u16, may: u16, id: u32| {
        [&tag.to_le_bytes()[..], &may.to_le_bytes()[..], &id.to_le_bytes()[..]].concat()
    };
    let none = u32::MAX;
    // In the order of their tags (posix_acl_valid in Linux's fs/posix_acl.c).
    let mut all =
        [(0x01, 7, none), (tag, may, id), (0x04, 5, none), (0x10, 7, none), (0x20, 5, none)];
    all.sort_unstable();
    let entries = all.iter().flat_map(|(tag, may, id)| entry(*tag, *may, *id));
    let bytes: Vec<u8> = 2u32.to_le_bytes().into_iter().chain(entries).collect();
    rustix::fs::setxattr(path, list, &bytes, rustix::fs::XattrFlags::empty()).expect("a list");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skip;
    use std::fs::{self, File, Permissions};
    use std::os::unix::fs::{PermissionsExt, chown};

    #[test]
    fn root_makes_no_files_where_several_users_write() {
        if skip::lacks_root() {
            return;
        }
        let dir = tempfile::tempdir().unwrap();
        let check = |owner: u32, group: u32, mode: u32| {
            chown(dir.path(), Some(owner), Some(group)).unwrap();
            fs::set_permissions(dir.path(), Permissions::from_mode(mode)).unwrap();
            check_directory(File::open(dir.path()).unwrap(), dir.path())
        };
        // Of another user alone, of everybody but sticky, and of root's group.
        for (owner, group, mode) in
            [(1234, 1234, 0o755), (1234, 1234, 0o700), (0, 0, 0o1777), (0, 0, 0o775)]
        {
            check(owner, group, mode).unwrap();
        }
        for (owner, group, mode) in [(0, 0, 0o777), (1234, 1234, 0o775), (0, 50, 0o2775)] {
            let refused = check(owner, group, mode).unwrap_err();
            let advice = if owner == 0 { "chmod go-w" } else { "sudo -u '#1234' bakeoff quick" };
            assert!(refused.contains(advice), "{refused}");
        }
    }

    #[test]
    fn a_directory_of_another_user_in_place_of_ours_is_noticed() {
        if skip::lacks_root() {
            return;
        }
        let dir = tempfile::tempdir().unwrap();
        let parent = File::open(dir.path()).unwrap();
        let made = dir.path().join("made");
        fs::create_dir(&made).unwrap();
        let check = |owner: u32, mode: u32| {
            chown(&made, Some(owner), None).unwrap();
            fs::set_permissions(&made, Permissions::from_mode(mode)).unwrap();
            check_made(File::open(&made).unwrap(), &parent, dir.path())
        };
        let is_refused = |owner, mode| {
            check(owner, mode).is_err_and(|why| why.starts_with("Refusing to work in"))
        };
        check(0, 0o700).unwrap();
        assert!(is_refused(1234, 0o700));
        assert!(is_refused(0, 0o777));
        fs::write(made.join("theirs"), "x").unwrap();
        assert!(is_refused(0, 0o700));
    }

    #[test]
    fn an_account_with_a_shell_is_another_user() {
        let board = "root:x:0:0:root:/root:/bin/ash\nnobody:*:65534:65534:nobody:/:/bin/false\n";
        assert!(only_root_logs_in(board));
        let with = |line: &str| only_root_logs_in(&format!("{board}{line}\n"));
        assert!(with("sync:x:4:65534:sync:/bin:/bin/sync"));
        assert!(!with("me:x:1000:1000::/home/me:/bin/sh"));
        // No shell is /bin/sh (passwd(5)), and a broken line is nothing to rely on.
        assert!(!with("me:x:1000:1000::/home/me:"));
        assert!(!with("me"));
        assert!(!only_root_logs_in(""));
    }

    #[test]
    fn a_group_with_other_members_is_not_ones_own() {
        let users = "root:x:0:0::/:\npi:x:1000:1000::/:\neve:x:1001:1001::/:\nada:x:7:50::/:\n";
        let groups = "root:x:0:\npi:x:1000:pi\nstaff:x:50:\n";
        let alone = |gid, user, groups: &str| has_no_others(gid, user, groups, users);
        assert!(alone(0, None, groups) && alone(1000, Some(1000), groups));
        assert!(!alone(1000, None, groups), "pi is another user");
        assert!(!alone(50, Some(1000), groups), "it is ada's first group");
        assert!(!alone(0, None, "root:x:0:eve\n"));
        assert!(!alone(1000, Some(1000), "pi:x:1000:pi,eve\n"));
        assert!(!alone(0, None, "root:x:0:nobody-knows\n"));
    }

    #[test]
    fn root_makes_no_files_where_a_list_lets_others_write() {
        if skip::lacks_root() {
            return;
        }
        let dir = tempfile::tempdir().unwrap();
        let is_refused = |may: u16| {
            set_acl(dir.path(), "system.posix_acl_access", (0x02, may, 1234));
            check_directory(File::open(dir.path()).unwrap(), dir.path()).is_err()
        };
        assert!(!is_refused(5));
        assert!(is_refused(7));
    }

    #[test]
    fn users_are_named_where_they_have_a_name() {
        assert_eq!(user_name(0).as_deref(), Some("root"));
        assert_eq!(user_name(3_999_999_999), None);
    }
}
