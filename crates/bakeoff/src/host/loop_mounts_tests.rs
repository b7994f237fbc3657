//! Filesystems really made and mounted: what a place says of them, whether their direct writes are
//! direct, whether the guard sees them. Needs root, loop devices and the kernel's drivers.

use std::path::{Path, PathBuf};
use std::process::Command;

use bakeoff_machine::guard::{GuardVerdict, RefusalReason, Why, verdict};
use bakeoff_machine::prepare::recipe::RECIPES;
use bakeoff_model::host::{LayerKind, PlaceClass};
use bakeoff_model::path::RawPath;

use super::{attached_loops, dirtied_per_page, is_mount_point, place, support};
use crate::skip;

/// A mounted image that goes away with the value.
struct MountedImage {
    dir: tempfile::TempDir,
    device: String,
}

impl MountedImage {
    fn new(fs: &str) -> MountedImage {
        let dir = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        let image = dir.path().join("image");
        std::fs::File::create(&image).unwrap().set_len(320 << 20).unwrap();
        let show = ["--find", "--show", "--direct-io=on"];
        let device = output("losetup", &show.map(PathBuf::from), &image);
        // From here on dropping the value cleans up, also after a failed step.
        let mounted = MountedImage { dir, device: device.trim().to_string() };
        let device = Path::new(&mounted.device);
        std::fs::create_dir(mounted.path()).unwrap();
        output(&format!("mkfs.{fs}"), &["-q".into()], device);
        output("mount", &["-t".into(), fs.into(), device.into()], &mounted.path());
        mounted
    }

    fn path(&self) -> PathBuf {
        self.dir.path().join("mnt")
    }
}

impl Drop for MountedImage {
    fn drop(&mut self) {
        // Another test that looks at every mount may have it open for a moment.
        let unmount = || Command::new("umount").arg(self.path()).status();
        for _ in 0..100 {
            if unmount().is_ok_and(|status| status.success()) {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
        let _ = Command::new("losetup").args(["--detach", &self.device]).status();
    }
}

fn output(program: &str, args: &[PathBuf], last: &Path) -> String {
    let done = Command::new(program).args(args).arg(last).output().unwrap();
    assert!(done.status.success(), "{program}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

fn lacks(fs: &str) -> bool {
    skip::lacks_root()
        || skip::lacks_loop_devices()
        || skip::lacks_command(&format!("mkfs.{fs}"))
        || skip::lacks_kernel_filesystem(fs)
}

#[test]
fn a_place_names_every_layer_down_to_the_disk() {
    if lacks("ext4") {
        return;
    }
    let mounted = MountedImage::new("ext4");
    let found = place(&mounted.path()).unwrap();
    assert_eq!((found.fs.as_str(), found.class), ("ext4", PlaceClass::Block));
    assert!(found.size_bytes > 200 << 20 && found.size_bytes < 320 << 20, "{found:?}");
    let first = &found.chain[0];
    assert_eq!(
        (first.kind, format!("/dev/{}", first.name)),
        (LayerKind::Loop, mounted.device.clone())
    );
    assert_eq!(first.direct_io, Some(true));
    let image = mounted.dir.path().join("image");
    assert_eq!(first.backing_file, Some(RawPath::new(&image)));
    let outside = place(mounted.dir.path()).unwrap();
    assert_eq!(found.chain[1..], outside.chain, "below the image is what its directory is on");
    assert!(attached_loops().unwrap().contains(&RawPath::new(&mounted.device)));
    assert!(is_mount_point(&mounted.path()).unwrap());
    let system = super::system().unwrap();
    let device = system.named(&first.name).unwrap();
    assert!(matches!(verdict(device.dev, &system, true), GuardVerdict::No(_)));
}

/// A loop device claims what it is attached to from nobody: the kernel would let both be written.
#[test]
fn a_loop_attached_to_a_device_is_seen_as_its_user() {
    if lacks("ext4") {
        return;
    }
    let mounted = MountedImage::new("ext4");
    output("umount", &[], &mounted.path());
    let below = Path::new(&mounted.device);
    let reasons = |name: &str| {
        let system = super::system().unwrap();
        let dev = system.named(name.strip_prefix("/dev/").unwrap()).unwrap().dev;
        match verdict(dev, &system, true) {
            GuardVerdict::Safe => Vec::new(),
            GuardVerdict::No(reasons) => reasons,
        }
    };
    // Other tests' losetup has any loop device open for a moment.
    let attached = |reason: &RefusalReason| {
        let (name, _) = reason.text.split_once(" is attached to ")?;
        Some(format!("/dev/{name}"))
    };
    let is_mounted = |reason: &RefusalReason| reason.why == Why::Mounted;
    let free = reasons(&mounted.device);
    assert!(free.iter().all(|reason| attached(reason).is_none()), "{free:?}");
    let above = output("losetup", &["--find".into(), "--show".into()], below);
    let above = above.trim();
    let (of_below, of_above) = (reasons(&mounted.device), reasons(above));
    output("mount", &["-t".into(), "ext4".into(), below.into()], &mounted.path());
    let of_above_mounted = reasons(above);
    output("losetup", &["--detach".into()], Path::new(above));
    assert!(of_below.iter().any(|r| attached(r).as_deref() == Some(above)), "{of_below:?}");
    let is_used = |reason: &RefusalReason| attached(reason).is_some() || is_mounted(reason);
    assert!(!of_above.iter().any(is_used), "{of_above:?}");
    assert!(of_above_mounted.iter().any(is_mounted), "{of_above_mounted:?}");
}

#[test]
fn a_bind_mount_and_a_subvolume_are_on_the_same_device() {
    if lacks("btrfs") || skip::lacks_command("btrfs") {
        return;
    }
    let mounted = MountedImage::new("btrfs");
    output("btrfs", &["subvolume".into(), "create".into()], &mounted.path().join("sub"));
    // The subvolume has an anonymous device number of its own, that no mount table knows.
    let (whole, sub) =
        (place(&mounted.path()).unwrap(), place(&mounted.path().join("sub")).unwrap());
    assert_eq!(whole.chain, sub.chain);
    assert_eq!(format!("/dev/{}", whole.chain[0].name), mounted.device);
    let system = super::system().unwrap();
    let device = system.named(&whole.chain[0].name).unwrap();
    let GuardVerdict::No(reasons) = verdict(device.dev, &system, true) else {
        panic!("it is mounted")
    };
    assert_eq!(reasons[0].why, Why::Mounted);
}

#[test]
fn btrfs_with_checksums_writes_direct_writes_through_the_cache() {
    if lacks("btrfs") {
        return;
    }
    let mounted = MountedImage::new("btrfs");
    let with_sums = mounted.path().join("with");
    std::fs::write(&with_sums, b"").unwrap();
    let dirtied = dirtied_per_page(&with_sums).unwrap().unwrap();
    // Linux 6.15 and the stable kernels it was taken back to fall back to the cache; older ones do
    // not. What others write meanwhile only adds to the count.
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
    let mut numbers = release.split(['.', '-']).map_while(|n| n.parse::<u32>().ok());
    if numbers.next().zip(numbers.next()) >= Some((6, 15)) {
        assert!(dirtied > 0.7, "{dirtied} on {release}");
    }
    let without = mounted.path().join("without");
    std::fs::write(&without, b"").unwrap();
    if skip::lacks_command("chattr") {
        return;
    }
    output("chattr", &["+C".into()], &without);
    assert!(dirtied_per_page(&without).unwrap().unwrap() < 0.3);
}

#[test]
fn xfs_writes_are_direct() {
    if lacks("xfs") {
        return;
    }
    let mounted = MountedImage::new("xfs");
    let file = mounted.path().join("file");
    std::fs::write(&file, b"").unwrap();
    assert!(dirtied_per_page(&file).unwrap().unwrap() < 0.3);
}

#[test]
fn what_is_called_supported_can_be_mounted() {
    if lacks("ext4") {
        return;
    }
    for fs in ["ext4", "xfs", "btrfs"] {
        let recipe = RECIPES.iter().find(|r| r.name == fs).unwrap();
        match support(recipe) {
            Ok(()) => drop(MountedImage::new(fs)),
            Err(missing) => skip::skip(fs, &missing.to_string()),
        }
    }
}

#[test]
fn lsblk_sees_the_same_devices() {
    if skip::lacks_command("lsblk") {
        return;
    }
    let args = ["--json", "--bytes", "--list", "--all", "--output"].map(PathBuf::from);
    let text = output("lsblk", &args, Path::new("NAME,MAJ:MIN,SIZE,RO"));
    let listed: serde_json::Value = serde_json::from_str(&text).unwrap();
    let system = super::system().unwrap();
    for row in listed["blockdevices"].as_array().unwrap() {
        let (name, size) = (row["name"].as_str().unwrap(), row["size"].as_u64().unwrap_or(0));
        // Other tests attach and detach loop devices meanwhile.
        if name.starts_with("loop") || name.starts_with("zram") || name.starts_with("ram") {
            continue;
        }
        let ours = system.named(name).unwrap_or_else(|| panic!("{name} is missing"));
        assert_eq!(row["maj:min"].as_str(), Some(ours.layer.dev.as_str()), "{name}");
        assert_eq!(size, ours.layer.size_bytes, "{name}");
        assert_eq!(row["ro"].as_bool(), Some(ours.read_only), "{name}");
    }
}
