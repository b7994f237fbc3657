//! Which processes have a block device or a certain file open or mapped.
//!
//! Descriptors and mappings are followed by the kernel's own links in /proc, not by the path that
//! they show: a device node may be in any directory, of another root too, or be removed. A mapping
//! keeps a device in use after its descriptor was closed. Threads may have descriptors of
//! their own.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use bakeoff_machine::prepare::device::{FileUser, Process, User};
use bakeoff_machine::sysinfo::dev::Dev;
use bakeoff_machine::sysinfo::{fdinfo, maps};
use bakeoff_model::step::Inode;
use rustix::fs::{AtFlags, CWD, FileType, StatxFlags, makedev, statx};

use super::process::{self, is_refused};
use super::root::{Root, pids};

#[derive(Debug, Default)]
pub struct Opened {
    pub devices: Vec<User>,
    pub files: Vec<FileUser>,
    pub saw_all: bool,
}

#[derive(Clone, Copy)]
enum LinkTarget {
    Device(Dev),
    File(Inode),
}

/// Mappings by filesystem and inode as the maps list them, each followed once: libraries are in
/// every process.
type Mapped = BTreeMap<(Dev, u64), Option<LinkTarget>>;

impl Opened {
    /// Every open or mapped block device of every other process, and who has one of `files` open.
    pub fn take(root: &Root, files: &[Inode]) -> Opened {
        let mut found = Opened { saw_all: true, ..Opened::default() };
        let mut mapped = Mapped::new();
        for pid in pids(root) {
            if pid != std::process::id() {
                found.look_at(root, pid, files, &mut mapped);
            }
        }
        found
    }

    fn look_at(&mut self, root: &Root, pid: u32, files: &[Inode], mapped: &mut Mapped) {
        let mut uses = match descriptors(root, &format!("proc/{pid}"), files) {
            Ok(uses) => uses,
            // Gone meanwhile is fine; not allowed to look is worth knowing.
            Err(error) => {
                self.saw_all &= !is_refused(root, pid, &error);
                return;
            }
        };
        uses.extend(of_threads(root, pid, files));
        uses.extend(mappings(root, pid, files, mapped));
        if uses.is_empty() {
            return;
        }
        self.add(&process::named(root, pid), &uses);
    }

    fn add(&mut self, process: &Process, uses: &[(LinkTarget, bool)]) {
        for (what, writes) in uses {
            match *what {
                LinkTarget::Device(dev) => {
                    let user = User { dev, process: process.clone() };
                    if !self.devices.contains(&user) {
                        self.devices.push(user);
                    }
                }
                LinkTarget::File(file) => {
                    let user = FileUser { file, process: process.clone(), writes: *writes };
                    if !self.files.contains(&user) {
                        self.files.push(user);
                    }
                }
            }
        }
    }
}

fn follow(link: &Path, files: &[Inode]) -> io::Result<Option<LinkTarget>> {
    let wanted = StatxFlags::TYPE | StatxFlags::INO;
    let found = statx(CWD, link, AtFlags::STATX_DONT_SYNC, wanted)?;
    Ok(match FileType::from_raw_mode(found.stx_mode.into()) {
        FileType::BlockDevice => {
            Some(LinkTarget::Device(Dev::new(found.stx_rdev_major, found.stx_rdev_minor)))
        }
        FileType::RegularFile => {
            let dev = makedev(found.stx_dev_major, found.stx_dev_minor);
            let file = Inode { dev, ino: found.stx_ino };
            files.contains(&file).then_some(LinkTarget::File(file))
        }
        _ => None,
    })
}

fn descriptors(root: &Root, of: &str, files: &[Inode]) -> io::Result<Vec<(LinkTarget, bool)>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(root.path(format!("{of}/fd")))?.flatten() {
        let Ok(Some(what)) = follow(&entry.path(), files) else { continue };
        let info = format!("{of}/fdinfo/{}", entry.file_name().to_string_lossy());
        // What closed meanwhile might have written.
        let writes = root.text(info).is_none_or(|text| fdinfo::can_write(&text));
        found.push((what, writes));
    }
    Ok(found)
}

/// The same of threads whose descriptors are not those of the process: their own, or all that are
/// left when the first thread has ended.
fn of_threads(root: &Root, pid: u32, files: &[Inode]) -> Vec<(LinkTarget, bool)> {
    let threads = root.names(format!("proc/{pid}/task"));
    if threads.len() < 2 {
        return Vec::new();
    }
    let first = root.names(format!("proc/{pid}/fd"));
    let others = threads.iter().map(|thread| format!("proc/{pid}/task/{thread}"));
    let own = others.filter(|of| root.names(format!("{of}/fd")) != first);
    own.filter_map(|of| descriptors(root, &of, files).ok()).flatten().collect()
}

fn mappings(
    root: &Root,
    pid: u32,
    files: &[Inode],
    mapped: &mut Mapped,
) -> Vec<(LinkTarget, bool)> {
    let bytes = root.read(format!("proc/{pid}/maps")).unwrap_or_default();
    let mut found = Vec::new();
    for map in maps::parse(&bytes) {
        let number = (map.dev, map.inode);
        let known = mapped.get(&number).copied();
        let look = || follow(&root.path(format!("proc/{pid}/map_files/{}", map.range)), files);
        // A link that is gone already says nothing of the next process with the same file.
        let Some(what) = known.or_else(|| look().ok()) else { continue };
        mapped.insert(number, what);
        found.extend(what.map(|what| (what, map.is_shared)));
    }
    found
}

pub fn of_file(file: Inode) -> Vec<Process> {
    let opened = Opened::take(&Root::system(), &[file]);
    let mut users: Vec<Process> = opened.files.into_iter().map(|user| user.process).collect();
    users.dedup();
    users
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::MetadataExt;

    #[test]
    fn a_child_that_has_a_file_open_is_found_and_whether_it_writes() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let metadata = file.as_file().metadata().unwrap();
        let inode = Inode { dev: metadata.dev(), ino: metadata.ino() };
        assert_eq!(of_file(inode), []);
        for writes in [false, true] {
            let opened = std::fs::OpenOptions::new().read(true).write(writes).open(file.path());
            let mut sleep = std::process::Command::new("sleep");
            let mut child = sleep.arg("60").stdin(opened.unwrap()).spawn().unwrap();
            let users = Opened::take(&Root::system(), &[inode]).files;
            child.kill().unwrap();
            child.wait().unwrap();
            let found: Vec<_> = users.iter().map(|u| (u.process.pid, u.writes)).collect();
            assert_eq!(found, [(child.id(), writes)], "{users:?}");
        }
    }
}
