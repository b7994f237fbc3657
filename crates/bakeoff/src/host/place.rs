//! What lies behind a path: the mount, the filesystem and every device down to the drives.

use std::io;
use std::path::Path;

use bakeoff_judge::rules::SystemDisk;
use bakeoff_machine::prepare::device::{Mounted, System};
use bakeoff_model::host::{LayerKind, Place, PlaceClass};
use bakeoff_model::path::{RawPath, printable};
use rustix::fs::{Mode, OFlags, fstatvfs};

use super::root::Root;
use super::{mounts, system};

/// # Errors
/// Why nothing can be said about the path.
pub fn place(path: &Path) -> Result<Place, String> {
    let shown = RawPath::new(path);
    let failed = |error: io::Error| format!("cannot inspect {shown}: {error}");
    let fd = rustix::fs::open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())
        .map_err(|e| failed(e.into()))?;
    let system = system::layout(&Root::system()).map_err(|error| {
        format!("cannot read the mount table: {error}. Mount /proc: mount -t proc proc /proc")
    })?;
    let id = mounts::mount_id(path).map_err(failed)?;
    // Outside of a chroot it is not in our mount table.
    let mounted = system.mounts.iter().find(|m| m.mount.id == id).ok_or_else(|| {
        format!("cannot determine on which filesystem {shown} is. Run bakeoff outside the chroot")
    })?;
    let mut place = describe(mounted, &system);
    let sizes = fstatvfs(&fd).map_err(|e| failed(e.into()))?;
    place.size_bytes = sizes.f_blocks.saturating_mul(sizes.f_frsize);
    place.free_bytes = sizes.f_bavail.saturating_mul(sizes.f_frsize);
    Ok(place)
}

/// All that the tables say about a mount; sizes are left 0.
pub fn describe(mounted: &Mounted, system: &System) -> Place {
    let mount = &mounted.mount;
    Place {
        mount_point: mount.mount_point.clone(),
        fs: printable(mount.fs.as_bytes()),
        class: PlaceClass::of_fs(&mount.fs),
        options: mount.all_options().iter().map(|o| printable(o.as_bytes())).collect(),
        source: printable(mount.source.as_bytes()),
        dev: mount.dev.to_string(),
        size_bytes: 0,
        free_bytes: 0,
        chain: system.chain(&mounted.on).into_iter().map(|d| d.layer.clone()).collect(),
    }
}

/// The drives under `/`, `/var`, swap and the store. What cannot be looked up is left out: it then
/// limits no claim, as on a machine without that directory.
pub fn system_disks(store: &Path) -> Vec<SystemDisk> {
    let mut found = Vec::new();
    let store_dir = store.parent().filter(|dir| dir.is_dir()).unwrap_or(Path::new("."));
    for (purpose, dir) in
        [("/", Path::new("/")), ("/var", Path::new("/var")), ("the store", store_dir)]
    {
        let Ok(place) = place(dir) else { continue };
        for drive in place.disks() {
            found.push(SystemDisk { purpose: purpose.to_string(), dev: drive.dev.clone() });
        }
    }
    if let Ok(system) = super::system() {
        let swaps = system.swaps.iter().flat_map(|swap| system.chain(&swap.on));
        for layer in swaps.map(|d| &d.layer).filter(|layer| layer.kind == LayerKind::Disk) {
            found.push(SystemDisk { purpose: "swap".to_string(), dev: layer.dev.clone() });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn real_paths_of_this_machine() {
        let here = place(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap();
        assert!(here.size_bytes > here.free_bytes && here.free_bytes > 0, "{here:?}");
        assert!(!here.fs.is_empty() && !here.dev.is_empty());
        let proc = place(Path::new("/proc")).unwrap();
        assert_eq!((proc.fs.as_str(), proc.chain.len()), ("proc", 0));
        let error = place(Path::new("/not\x1b there")).unwrap_err().to_string();
        assert!(error.contains("/not\\x1b there") && error.contains("No such file"), "{error}");
    }

    #[test]
    fn classes_by_name() {
        assert_eq!(PlaceClass::of_fs("tmpfs"), PlaceClass::Memory);
        assert_eq!(PlaceClass::of_fs("fuseblk"), PlaceClass::Fuse);
        assert_eq!(PlaceClass::of_fs("fuse.sshfs"), PlaceClass::Network);
        assert_eq!(PlaceClass::of_fs("fuse.mergerfs"), PlaceClass::Fuse);
        assert_eq!(PlaceClass::of_fs("overlay"), PlaceClass::Stacked);
        assert_eq!(PlaceClass::of_fs("f2fs"), PlaceClass::Block);
    }

    #[test]
    fn the_disk_of_the_root_directory_is_a_system_disk_where_there_is_one() {
        let root: Vec<String> =
            place(Path::new("/")).unwrap().disks().map(|d| d.dev.clone()).collect();
        let found = system_disks(Path::new("/nowhere/store.db"));
        for dev in root {
            assert!(found.iter().any(|s| s.purpose == "/" && s.dev == dev), "{dev}: {found:?}");
        }
    }
}
