//! One drive: link and card, from /sys.
//!
//! Sources: `Documentation/ABI/stable/sysfs-block`, `Documentation/ABI/testing/sysfs-bus-usb` and
//! `sysfs-bus-pci`, `Documentation/driver-api/mmc/mmc-dev-attrs.rst`, `Documentation/ABI/testing/
//! sysfs-ata` of the Linux kernel.

use std::path::{Path, PathBuf};

use bakeoff_machine::fitness::facts::{Card, Disk, Pcie, Sata, Usb};
use bakeoff_machine::sysinfo::{mmc_ios, sd_status, usb_descriptors};
use bakeoff_model::host::Layer;

use crate::host::identity;
use crate::host::root::Root;

/// How the drive `layer` is connected, and what a card says of itself.
pub fn read(root: &Root, layer: &Layer) -> Disk {
    let mut disk = Disk { layer: layer.clone(), ..Disk::default() };
    let Some(dir) = root.resolve(Path::new("sys/class/block").join(&layer.name)) else {
        return disk;
    };
    let up = identity::ancestors(root, &dir);
    match layer.bus.as_deref() {
        Some("usb") => disk.usb = usb(root, &up),
        Some("mmc") => disk.card = card(root, &dir.join("device"), &up),
        Some("nvme") => disk.pcie = pcie(root, &up),
        Some("ata") => disk.sata = sata(root, &up),
        _ => {}
    }
    disk
}

fn usb(root: &Root, up: &[PathBuf]) -> Option<Usb> {
    let device = identity::usb_device(root, up)?;
    let attr = |file: &str| root.attr(device.join(file));
    let descriptors = root.read(device.join("descriptors")).ok();
    Some(Usb {
        // "1.5" of the slowest is no drive's.
        mbit: attr("speed")?.split('.').next()?.parse().ok()?,
        version: attr("version"),
        driver: up.iter().find_map(|dir| {
            let driver = root.link_name(dir.join("driver"))?;
            matches!(driver.as_str(), "uas" | "usb-storage").then_some(driver)
        }),
        offers_uas: descriptors.and_then(|bytes| usb_descriptors::offers_uas(&bytes)),
        id: attr("idVendor").zip(attr("idProduct")).map(|(v, p)| format!("{v}:{p}")),
    })
}

fn card(root: &Root, device: &Path, up: &[PathBuf]) -> Option<Card> {
    let attr = |file: &str| root.attr(device.join(file));
    let hex = |file: &str| u64::from_str_radix(attr(file)?.strip_prefix("0x")?, 16).ok();
    let controller = up.iter().find_map(|dir| {
        let name = dir.file_name()?.to_str()?.split_once(':')?.0.to_string();
        name.starts_with("mmc").then_some(name)
    });
    let ios =
        controller.and_then(|name| root.text(Path::new("sys/kernel/debug").join(name).join("ios")));
    Some(Card {
        kind: attr("type")?,
        manufacturer: hex("manfid"),
        oem: hex("oemid"),
        name: attr("name"),
        date: attr("date"),
        status: attr("ssr").and_then(|text| sd_status::parse(&text)),
        erase_bytes: attr("preferred_erase_size").and_then(|n| n.parse().ok()),
        queues: attr("cmdq_en").map(|on| on == "1"),
        mode: ios.and_then(|text| mmc_ios::parse(&text)),
    })
}

fn pcie(root: &Root, up: &[PathBuf]) -> Option<Pcie> {
    let has_link = |dir: &&PathBuf| root.path(dir.join("current_link_speed")).exists();
    let mut devices = up.iter().filter(has_link);
    let drive = devices.next()?;
    let link = |dir: &PathBuf, which: &str| -> Option<(f64, u32)> {
        let speed = root.attr(dir.join(format!("{which}_link_speed")))?;
        let gt = speed.split(' ').next()?.parse().ok()?;
        Some((gt, root.number(dir.join(format!("{which}_link_width")))?))
    };
    Some(Pcie {
        now: link(drive, "current")?,
        drive: link(drive, "max"),
        slot: devices.next().and_then(|port| link(port, "max")),
    })
}

fn sata(root: &Root, up: &[PathBuf]) -> Option<Sata> {
    let port = up.iter().find(|dir| identity::is_ata_port(dir))?;
    let link = format!("link{}", port.file_name()?.to_str()?.strip_prefix("ata")?);
    let dir = port.join(&link).join("ata_link").join(&link);
    let attr = |file: &str| root.attr(dir.join(file)).filter(|text| text != "<unknown>");
    Some(Sata {
        now: attr("sata_spd")?,
        limit: attr("sata_spd_limit"),
        port: attr("hw_sata_spd_limit"),
    })
}
