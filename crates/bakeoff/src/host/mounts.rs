//! What is mounted and swapped on which block devices.
//!
//! A mount's own device number says it for most filesystems. btrfs has an anonymous number and
//! maybe many devices, which /sys/fs/btrfs lists; FUSE names a device as its source.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use bakeoff_machine::prepare::device::{BlockDevice, Mounted, Process, SwapOn};
use bakeoff_machine::sysinfo::dev::Dev;
use bakeoff_machine::sysinfo::mountinfo::{self, Mount};
use bakeoff_machine::sysinfo::{fdinfo, swaps};
use bakeoff_model::host::LayerKind;
use bakeoff_model::path::{RawPath, bytes_path};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use super::drive::dev_at;
use super::process::{self, is_refused};
use super::root::{Root, pids};

const NAMESPACES: usize = 1024;

pub fn own(root: &Root, devices: &[BlockDevice]) -> io::Result<Vec<Mounted>> {
    let pools = btrfs_pools(root, devices);
    let mounts = mountinfo::parse(&root.read("proc/self/mountinfo")?);
    Ok(mounts.into_iter().map(|mount| mounted(root, devices, &pools, mount, None)).collect())
}

/// The mounts of other namespaces (containers) that sit on a block device and are not in `own`;
/// whether every process could be looked at.
pub fn elsewhere(root: &Root, devices: &[BlockDevice], own: &[Mounted]) -> (Vec<Mounted>, bool) {
    let pools = btrfs_pools(root, devices);
    let mut seen: BTreeSet<PathBuf> = BTreeSet::new();
    seen.extend(std::fs::read_link(root.path("proc/self/ns/mnt")));
    let (mut found, mut saw_all) = (Vec::<Mounted>::new(), true);
    for pid in pids(root) {
        let namespace = match std::fs::read_link(root.path(format!("proc/{pid}/ns/mnt"))) {
            Ok(namespace) => namespace,
            // It ended meanwhile, or we may not look.
            Err(error) => {
                saw_all &= !is_refused(root, pid, &error);
                continue;
            }
        };
        if seen.len() > NAMESPACES || !seen.insert(namespace) {
            continue;
        }
        let Ok(text) = root.read(format!("proc/{pid}/mountinfo")) else { continue };
        for mount in mountinfo::parse(&text) {
            let there = mounted(root, devices, &pools, mount, Some(process::named(root, pid)));
            let same = |m: &Mounted| m.on == there.on;
            let known = own.iter().any(same) || found.iter().any(same);
            if !there.on.is_empty() && !known {
                found.push(there);
            }
        }
    }
    (found, saw_all)
}

/// Processes of other mount namespaces, of our user namespace, in which something is mounted at
/// `at`.
///
/// # Errors
/// A process cannot be looked at.
pub fn mounted_elsewhere(at: &Path) -> io::Result<Vec<Process>> {
    let root = Root::system();
    let link = |process: &Path, kind: &str| std::fs::read_link(process.join("ns").join(kind));
    let ours = Path::new("/proc/self");
    let mut known = BTreeMap::from([(link(ours, "mnt")?, false)]);
    let user = link(ours, "user").ok();
    let is_root = rustix::process::geteuid().is_root();
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc")? {
        let entry = entry?;
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        let mut looked = || -> io::Result<bool> {
            let namespace = link(&entry.path(), "mnt")?;
            if link(&entry.path(), "user").ok() != user {
                return Ok(false);
            }
            if let Some(has) = known.get(&namespace) {
                return Ok(*has);
            }
            let mounts = mountinfo::parse(&root.read(entry.path().join("mountinfo"))?);
            let has = mounts.iter().any(|mount| mount.mount_point.as_path() == at);
            known.insert(namespace, has);
            Ok(has)
        };
        match looked() {
            Ok(true) => found.push(process::named(&root, pid)),
            Ok(false) => {}
            // It ended, or is about to and has given its mounts back.
            Err(error)
                if matches!(
                    Errno::from_io_error(&error),
                    Some(Errno::NOENT | Errno::SRCH | Errno::INVAL)
                ) => {}
            Err(_) if process::has_ended(&root, pid) => {}
            // Some sandboxes hide their first process from root, who sees all that root started.
            Err(error) if is_root && error.kind() == io::ErrorKind::PermissionDenied => {}
            Err(error) => return Err(error),
        }
    }
    Ok(found)
}

pub fn serves_fuse(pid: u32) -> bool {
    let open = std::fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
    let mut links = open.filter_map(|entry| std::fs::read_link(entry.path()).ok());
    links.any(|link| link == Path::new("/dev/fuse"))
}

fn mounted(
    root: &Root,
    devices: &[BlockDevice],
    pools: &[Vec<Dev>],
    mount: Mount,
    seen_by: Option<Process>,
) -> Mounted {
    let mut on = Vec::new();
    if !mount.dev.is_anonymous() {
        on.push(mount.dev);
    } else if mount.source.as_bytes().starts_with(b"/dev/") {
        // bcachefs joins the names of its devices with colons.
        let names = mount.source.as_bytes().split(|b| *b == b':');
        on.extend(names.filter_map(|name| named_device(root, devices, name)));
    }
    // A journal or log may lie on a device of its own.
    for option in &mount.super_options {
        let device = option.split_once("=/dev/").map(|(_, tail)| format!("/dev/{tail}"));
        on.extend(device.and_then(|path| named_device(root, devices, path.as_bytes())));
    }
    if mount.fs == "btrfs" {
        let mine = pools.iter().filter(|pool| pool.iter().any(|dev| on.contains(dev)));
        let members: Vec<Dev> = match mine.flatten().copied().collect::<Vec<_>>() {
            // Which pool it is nobody says (/dev/root): rather all are in use than none.
            none if none.is_empty() => pools.iter().flatten().copied().collect(),
            members => members,
        };
        on.extend(members);
    }
    let mut once = Vec::new();
    on.retain(|dev| {
        !once.contains(dev) && {
            once.push(*dev);
            true
        }
    });
    Mounted { mount, on, seen_by }
}

fn btrfs_pools(root: &Root, devices: &[BlockDevice]) -> Vec<Vec<Dev>> {
    let pool = |uuid: &String| -> Vec<Dev> {
        let names = root.names(Path::new("sys/fs/btrfs").join(uuid).join("devices"));
        let dev = |name: &String| devices.iter().find(|d| d.layer.name == *name).map(|d| d.dev);
        names.iter().filter_map(dev).collect()
    };
    root.names("sys/fs/btrfs").iter().map(pool).filter(|devs| !devs.is_empty()).collect()
}

pub fn named_device(root: &Root, devices: &[BlockDevice], path: &[u8]) -> Option<Dev> {
    let raw = bytes_path(path.to_vec());
    if let Some(dev) = dev_at(&root.path(raw.as_path())) {
        return Some(dev);
    }
    let name = raw.as_path().strip_prefix("/dev").ok()?.to_str()?;
    let volume = name.strip_prefix("mapper/");
    let is_it = |d: &&BlockDevice| {
        let is_volume = volume.is_some() && d.layer.kind == LayerKind::Dm;
        d.layer.name.replace('!', "/") == name || (is_volume && d.title.as_deref() == volume)
    };
    devices.iter().find(is_it).map(|d| d.dev)
}

pub fn swap(root: &Root, devices: &[BlockDevice], mounts: &[Mounted]) -> io::Result<Vec<SwapOn>> {
    let text = match root.read("proc/swaps") {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        text => text?,
    };
    let on = |swap: &swaps::Swap| {
        if swap.is_file {
            under_file(root, mounts, &swap.path)
        } else {
            named_device(root, devices, swap.path.as_bytes()).into_iter().collect()
        }
    };
    let file = |swap: &swaps::Swap| {
        let path = swap.is_file.then(|| root.path(swap.path.as_path()))?;
        super::inode_of(&path)
    };
    let swaps = swaps::parse(&text).into_iter();
    Ok(swaps.map(|swap| SwapOn { on: on(&swap), file: file(&swap), swap }).collect())
}

pub fn under_file(root: &Root, mounts: &[Mounted], file: &RawPath) -> Vec<Dev> {
    let by_kernel = root.is_system().then(|| mount_id(file.as_path()).ok()).flatten();
    let mount = match by_kernel {
        Some(id) => mounts.iter().find(|m| m.mount.id == id),
        // A captured tree, or a file that is deleted or not ours to see: by its name, the last
        // mount over a directory being the one in sight.
        None => mounts
            .iter()
            .filter(|m| file.as_path().starts_with(m.mount.mount_point.as_path()))
            .enumerate()
            .max_by_key(|(i, m)| (m.mount.mount_point.as_bytes().len(), *i))
            .map(|(_, m)| m),
    };
    mount.map(|m| m.on.clone()).unwrap_or_default()
}

/// The id of the mount a path is on, as the kernel sees it, whatever is mounted over or bound to
/// what. Opening with O_PATH needs no permission on the file itself and touches no device.
pub fn mount_id(path: &Path) -> io::Result<u64> {
    use std::os::fd::AsRawFd;
    let fd = rustix::fs::open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
    let info = std::fs::read_to_string(format!("/proc/self/fdinfo/{}", fd.as_raw_fd()))?;
    fdinfo::mount_id(&info).ok_or_else(|| {
        io::Error::new(io::ErrorKind::Unsupported, "the kernel does not report a mount ID")
    })
}
