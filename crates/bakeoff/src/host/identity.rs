//! Who a drive is and how it is connected: model, serial number, bus, link speed.
//!
//! Source: `Documentation/ABI/{stable,testing}/sysfs-*` of the Linux kernel, and the layout of
//! /sys/devices: a device's directory lies inside that of the bus it hangs on.

use std::path::{Path, PathBuf};

use bakeoff_machine::sysinfo::udev::Udev;
use bakeoff_machine::sysinfo::{mmc_ios, sd_status, vpd};
use bakeoff_model::host::Layer;
use bakeoff_model::link::Link;

use super::root::{Root, name_starts_with};

/// Fills in what identifies a whole drive; `dir` is its directory in /sys/devices.
pub fn identify(root: &Root, dir: &Path, udev: &Udev, layer: &mut Layer) {
    let device = dir.join("device");
    let up = ancestors(root, dir);
    let udev_text = |name: &str| {
        let text = String::from_utf8_lossy(&udev.decoded(name)?).trim().to_string();
        (!text.is_empty()).then_some(text)
    };
    // udev knows the whole model of an ATA drive, of which the SCSI layer keeps 16 characters. Its
    // ID_MODEL alone has blanks replaced.
    layer.model = udev
        .get("ID_MODEL_ENC")
        .and_then(|_| udev_text("ID_MODEL"))
        .or_else(|| root.attr(device.join("model")))
        .or_else(|| root.attr(device.join("name")));
    layer.vendor = root.attr(device.join("vendor")).filter(|v| v != "ATA" && !v.starts_with("0x"));
    layer.serial = root
        .attr(device.join("cid"))
        .or_else(|| root.attr(dir.join("serial")))
        .or_else(|| root.attr(device.join("serial")))
        .or_else(|| vpd::serial(&root.read(device.join("vpd_pg80")).ok()?))
        .or_else(|| udev_text("ID_SERIAL_SHORT"))
        .or_else(|| root.attr(usb_device(root, &up)?.join("serial")));
    layer.by_id = udev.by_id().map(|name| format!("/dev/disk/by-id/{name}"));
    let (bus, link) = connection(root, &up);
    if bus.as_deref() == Some("nvme") {
        layer.best_link = pci_link(root, &up, "max");
    }
    let status = root.attr(device.join("ssr")).and_then(|text| sd_status::parse(&text));
    layer.card_class = status.map(|status| status.label());
    (layer.bus, layer.link) = (bus, link);
}

/// The device's directory and those around it, innermost first. The head of a multipath NVMe drive
/// lies beside its controllers, so the first of them is followed instead.
pub fn ancestors(root: &Root, dir: &Path) -> Vec<PathBuf> {
    let mut up: Vec<PathBuf> = dir.ancestors().map(Path::to_path_buf).collect();
    let head = up.iter().find(|path| name_starts_with(path, "nvme-subsys")).cloned();
    let controller = head.and_then(|subsystem| {
        let names = root.names(&subsystem);
        let is_controller = |name: &&String| {
            name.strip_prefix("nvme").is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()))
        };
        root.resolve(subsystem.join(names.iter().find(is_controller)?))
    });
    up.extend(controller.iter().flat_map(|path| path.ancestors()).map(Path::to_path_buf));
    up
}

fn connection(root: &Root, up: &[PathBuf]) -> (Option<String>, Option<Link>) {
    if let Some(device) = usb_device(root, up) {
        return (Some("usb".to_string()), usb_link(root, &device, up));
    }
    let has = |name: &str| up.iter().any(|dir| subsystem(root, dir).as_deref() == Some(name));
    if let Some(card) = up.iter().find(|dir| subsystem(root, dir).as_deref() == Some("mmc")) {
        return (Some("mmc".to_string()), mmc_link(root, card));
    }
    if has("nvme") {
        return (Some("nvme".to_string()), pci_link(root, up, "current"));
    }
    if let Some(port) = up.iter().find(|dir| is_ata_port(dir)) {
        return (Some("ata".to_string()), sata_link(root, port));
    }
    let bus = ["virtio", "xen", "vmbus", "scsi"].into_iter().find(|name| has(name));
    (bus.map(str::to_string), None)
}

fn subsystem(root: &Root, dir: &Path) -> Option<String> {
    // Only links inside the tree are followed by name; none is opened.
    root.link_name(dir.join("subsystem"))
}

/// The innermost USB device (not interface) around a drive.
pub fn usb_device(root: &Root, up: &[PathBuf]) -> Option<PathBuf> {
    let is_device = |dir: &&PathBuf| {
        subsystem(root, dir).as_deref() == Some("usb") && root.path(dir.join("speed")).exists()
    };
    up.iter().find(is_device).cloned()
}

/// "USB 5000 Mb/s, UAS": the speed agreed on, and whether commands queue (UAS) or go one at a time
/// (BOT, bulk-only transport).
fn usb_link(root: &Root, device: &Path, up: &[PathBuf]) -> Option<Link> {
    let speed = root.attr(device.join("speed"))?;
    let protocol = up.iter().find_map(|dir| match root.link_name(dir.join("driver"))?.as_str() {
        "uas" => Some(", UAS"),
        "usb-storage" => Some(", BOT"),
        _ => None,
    });
    Some(Link::from(format!("USB {speed} Mb/s{}", protocol.unwrap_or_default())))
}

/// "PCIe 5.0 GT/s x1", of the innermost PCI device; `which` is `current` or `max`.
fn pci_link(root: &Root, up: &[PathBuf], which: &str) -> Option<Link> {
    let device = up.iter().find(|dir| root.path(dir.join("current_link_speed")).exists())?;
    let speed = root.attr(device.join(format!("{which}_link_speed")))?;
    let width = root.attr(device.join(format!("{which}_link_width")))?;
    Some(format!("PCIe {} x{width}", speed.trim_end_matches("PCIe").trim_end()).into())
}

pub fn is_ata_port(dir: &Path) -> bool {
    let name = dir.file_name().and_then(|name| name.to_str());
    name.and_then(|n| n.strip_prefix("ata"))
        .is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

/// "SATA 6.0 Gb/s".
fn sata_link(root: &Root, port: &Path) -> Option<Link> {
    let number = port.file_name()?.to_str()?.strip_prefix("ata")?;
    let link = format!("link{number}");
    let speed = root.attr(port.join(&link).join("ata_link").join(&link).join("sata_spd"))?;
    (speed != "<unknown>").then(|| format!("SATA {}", speed.replace("Gbps", "Gb/s")).into())
}

/// "SD, sd uhs DDR50, 50 MHz, 4 bits"; the mode only where debugfs can be read.
fn mmc_link(root: &Root, card: &Path) -> Option<Link> {
    let kind = root.attr(card.join("type"))?;
    // The card's directory is named mmc0:aaaa after its controller.
    let controller = card.file_name()?.to_str()?.split(':').next()?.to_string();
    let ios = root.text(Path::new("sys/kernel/debug").join(controller).join("ios"));
    match ios.and_then(|text| mmc_ios::parse(&text)) {
        Some(mode) => Some(format!("{kind}, {mode}").into()),
        None => Some(kind.into()),
    }
}
