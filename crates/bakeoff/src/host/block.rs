//! Every block device, from /sys/class/block and the udev database.
//!
//! These two need no privilege and start no process; what blkid found at the start of a device is
//! in udev's record. Where no udev runs the contents are unknown, and that is said.

use std::path::{Path, PathBuf};

use bakeoff_machine::prepare::device::{BlockDevice, DeviceContent};
use bakeoff_machine::sysinfo::dev::Dev;
use bakeoff_machine::sysinfo::scheduler;
use bakeoff_machine::sysinfo::udev::{self, Udev};
use bakeoff_model::host::{Layer, LayerKind, ZoneModel};
use bakeoff_model::path::{RawPath, bytes_path};

use super::identity;
use super::root::Root;

const DEVICES: usize = 4096;

/// All block devices by device number, without loop and RAM devices that hold nothing. What a loop
/// lies on is left open: that takes the mount table.
pub fn devices(root: &Root) -> Vec<BlockDevice> {
    let names = root.names("sys/class/block");
    let names = names.iter().take(DEVICES).filter(|name| !is_unused(root, name));
    let mut devices: Vec<BlockDevice> = names.filter_map(|name| device(root, name)).collect();
    devices.sort_by_key(|d| d.dev);
    devices
}

/// A loop device attached to nothing or a RAM device without contents, of which many systems
/// make a dozen: nothing more is read of it.
fn is_unused(root: &Root, name: &str) -> bool {
    let may_be_empty = ["loop", "ram", "zram"].iter().any(|kind| name.starts_with(kind));
    let is_attached = || root.path(format!("sys/class/block/{name}/loop/backing_file")).exists();
    may_be_empty
        && root.attr(format!("sys/class/block/{name}/size")).as_deref() == Some("0")
        && !is_attached()
}

pub fn device(root: &Root, name: &str) -> Option<BlockDevice> {
    let dir = root.resolve(Path::new("sys/class/block").join(name))?;
    let dev: Dev = root.attr(dir.join("dev"))?.parse().ok()?;
    let udev = root.text(format!("run/udev/data/b{dev}")).map(|text| udev::parse(&text));
    let below = below(root, &dir);
    let kind = kind(root, &dir, name, dev, !below.is_empty());
    let mut layer = layer(root, &dir, name, dev, kind);
    let known = udev.clone().unwrap_or_default();
    if kind == LayerKind::Disk {
        identity::identify(root, &dir, &known, &mut layer);
    } else {
        layer.by_id = known.by_id().map(|link| format!("/dev/disk/by-id/{link}"));
    }
    Some(BlockDevice {
        dev,
        below,
        is_over_device: false,
        holders: root.names(dir.join("holders")),
        title: root.attr(dir.join("dm/name")).or_else(|| root.attr(dir.join("md/level"))),
        read_only: root.attr(dir.join("ro")).as_deref() == Some("1"),
        unfit: unfit(root, &dir, name, dev),
        content: udev.as_ref().map(content),
        contents: None,
        backing: None,
        layer,
    })
}

/// The drive of a partition, or the parts (`slaves/`) of a stacked device.
fn below(root: &Root, dir: &Path) -> Vec<Dev> {
    let number = |dir: PathBuf| root.attr(dir.join("dev"))?.parse().ok();
    if root.path(dir.join("partition")).exists() {
        return dir.parent().and_then(|drive| number(drive.to_path_buf())).into_iter().collect();
    }
    let slaves = dir.join("slaves");
    root.names(&slaves).iter().filter_map(|name| number(slaves.join(name))).collect()
}

fn kind(root: &Root, dir: &Path, name: &str, dev: Dev, has_parts: bool) -> LayerKind {
    /// Fixed numbers of `Documentation/admin-guide/devices.txt`.
    const RAM_MAJOR: u32 = 1;
    const LOOP_MAJOR: u32 = 7;
    let has = |file: &str| root.path(dir.join(file)).exists();
    if has("partition") {
        LayerKind::Partition
    } else if has("md") {
        LayerKind::Md
    } else if has("dm") || has_parts {
        // bcache and its like are no device mapper but behave as one: a device made of others.
        LayerKind::Dm
    } else if dev.major == LOOP_MAJOR {
        LayerKind::Loop
    } else if dev.major == RAM_MAJOR || name.starts_with("zram") {
        LayerKind::Ram
    } else {
        LayerKind::Disk
    }
}

fn layer(root: &Root, dir: &Path, name: &str, dev: Dev, kind: LayerKind) -> Layer {
    let attr = |file: &str| root.attr(dir.join(file));
    let number = |file: &str| root.number::<u64>(dir.join(file));
    let flag = |file: &str| attr(file).map(|value| value == "1");
    let queue = kind != LayerKind::Partition;
    Layer {
        name: name.to_string(),
        kind,
        dev: dev.to_string(),
        size_bytes: number("size").unwrap_or(0).saturating_mul(512),
        start_bytes: number("start").map(|sectors| sectors.saturating_mul(512)),
        rotational: flag("queue/rotational"),
        zoned: attr("queue/zoned").and_then(|text| ZoneModel::parse(&text)),
        scheduler: attr("queue/scheduler").and_then(|text| scheduler::parse(&text).current),
        write_cache: attr("queue/write_cache"),
        logical_block_bytes: root.number(dir.join("queue/logical_block_size")),
        read_ahead_bytes: number("queue/read_ahead_kb").map(|kib| kib.saturating_mul(1024)),
        removable: queue.then(|| flag("removable")).flatten(),
        backing_file: backing_file(root, dir),
        direct_io: flag("loop/dio"),
        dm_target: dm_target(root, dir, kind, name),
        ..Layer::default()
    }
}

fn backing_file(root: &Root, dir: &Path) -> Option<RawPath> {
    let mut bytes = root.read(dir.join("loop/backing_file")).ok()?;
    if bytes.last() == Some(&b'\n') {
        bytes.pop();
    }
    (!bytes.is_empty()).then(|| bytes_path(bytes))
}

/// What a device mapper volume is for, by the owner that the prefix of its uuid names: `crypt`,
/// `lvm`, `mpath`. The table itself can be read by root only.
fn dm_target(root: &Root, dir: &Path, kind: LayerKind, name: &str) -> Option<String> {
    if kind != LayerKind::Dm {
        return None;
    }
    match root.attr(dir.join("dm/uuid")) {
        Some(uuid) => uuid.split('-').next().map(str::to_lowercase),
        None if name.starts_with("dm-") => None,
        None => Some(name.trim_end_matches(|c: char| c.is_ascii_digit()).to_string()),
    }
}

fn unfit(root: &Root, dir: &Path, name: &str, dev: Dev) -> Option<&'static str> {
    /// Fixed numbers of `Documentation/admin-guide/devices.txt`.
    const FLOPPY_MAJOR: u32 = 2;
    const OPTICAL_MAJOR: u32 = 11;
    const RAW_FLASH_MAJOR: u32 = 31;
    let is_mmc_boot =
        name.starts_with("mmcblk") && (name.contains("boot") || name.contains("rpmb"));
    if root.attr(dir.join("hidden")).as_deref() == Some("1") {
        Some("it is another path to a drive")
    } else if matches!(dev.major, FLOPPY_MAJOR | OPTICAL_MAJOR) {
        Some("it is an optical or floppy drive")
    } else if is_mmc_boot || dev.major == RAW_FLASH_MAJOR {
        Some("it contains firmware, not files")
    } else {
        None
    }
}

fn content(udev: &Udev) -> DeviceContent {
    let text = |name: &str| udev.get(name).map(str::to_string);
    DeviceContent {
        fs: text("ID_FS_TYPE"),
        label: udev.decoded("ID_FS_LABEL").map(bytes_path),
        table: text("ID_PART_TABLE_TYPE"),
        table_id: text("ID_PART_TABLE_UUID"),
    }
}
