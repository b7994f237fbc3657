//! The kind of storage behind a place, from what the kernel says of it.

use bakeoff_model::host::{Layer, LayerKind, Place, PlaceClass};
use bakeoff_model::link::{CardKind, Link, Transport};
use bakeoff_model::normal::{Medium, WhyUnknown};

/// The kind of storage, with the drive it is on where there is one.
///
/// # Errors
/// Why it cannot be told.
pub fn of_place(place: &Place) -> Result<(Medium, Option<&Layer>), WhyUnknown> {
    match place.class {
        PlaceClass::Memory => return Err(WhyUnknown::Memory),
        PlaceClass::Network => return Ok((Medium::Network, None)),
        PlaceClass::Fuse if place.chain.is_empty() => return Err(WhyUnknown::UserSpace),
        PlaceClass::Stacked if place.chain.is_empty() => return Err(WhyUnknown::NotVisible),
        PlaceClass::Fuse | PlaceClass::Stacked | PlaceClass::Block => {}
    }
    let has = |kind: LayerKind| place.chain.iter().any(|layer| layer.kind == kind);
    if has(LayerKind::Ram) {
        return Err(WhyUnknown::Memory);
    }
    if has(LayerKind::Loop) {
        return Ok((Medium::Loop, None));
    }
    let mut drives = place.disks();
    match (drives.next(), drives.next()) {
        (Some(drive), None) => Ok((of_disk(drive)?, Some(drive))),
        (None, _) => Err(WhyUnknown::NotVisible),
        (Some(_), Some(_)) => Err(WhyUnknown::SeveralDisks),
    }
}

fn of_disk(drive: &Layer) -> Result<Medium, WhyUnknown> {
    let rotates = drive.rotational == Some(true);
    let is_virtual = drive.is_virtual();
    let link = drive.link.as_ref();
    let is_queued = link.and_then(Link::transport) == Some(Transport::Uas);
    Ok(match drive.bus.as_deref().ok_or(WhyUnknown::OtherBus)? {
        "virtio" => Medium::Virtio,
        "xen" | "vmbus" => Medium::Virtual,
        "nvme" | "ata" | "scsi" if is_virtual => Medium::Virtual,
        "mmc" if link.and_then(Link::card) == Some(CardKind::Mmc) => Medium::Emmc,
        "mmc" => Medium::Sd,
        "nvme" => Medium::Nvme,
        "ata" | "scsi" if rotates => Medium::AtaHdd,
        "ata" | "scsi" => Medium::AtaSsd,
        // Sticks and card readers often say that they rotate; hard disks are not removable.
        "usb" if drive.removable == Some(true) => Medium::UsbStick,
        "usb" if rotates => Medium::UsbHdd,
        "usb" if is_queued || drive.removable == Some(false) => Medium::UsbSsd,
        "usb" => Medium::UsbStick,
        _ => return Err(WhyUnknown::OtherBus),
    })
}

/// The classes of "class 10, U3, V30, A2" as the table names them.
pub fn classes(drive: &Layer) -> Vec<String> {
    let text = drive.card_class.as_deref().unwrap_or_default();
    let class = |word: &str| match word.strip_prefix("class ") {
        Some(number) => format!("C{number}"),
        None => word.to_string(),
    };
    text.split(", ").filter(|word| !word.is_empty()).map(class).collect()
}

/// Whether a card leaves its identity empty, as counterfeits do.
pub fn looks_fake(drive: &Layer) -> bool {
    let is_blank = |text: &Option<String>| {
        let digits = |text: &str| text.trim_start_matches("0x").trim().to_string();
        text.as_deref().is_some_and(|text| digits(text).chars().all(|c| c == '0'))
    };
    drive.bus.as_deref() == Some("mmc") && (is_blank(&drive.serial) || is_blank(&drive.model))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drive(bus: &str, link: &str, change: impl FnOnce(&mut Layer)) -> Place {
        let mut drive = Layer {
            kind: LayerKind::Disk,
            bus: Some(bus.into()),
            link: (!link.is_empty()).then(|| link.into()),
            rotational: Some(false),
            ..Layer::default()
        };
        change(&mut drive);
        Place { chain: vec![drive], ..Place::default() }
    }

    fn medium(place: &Place) -> Result<Medium, WhyUnknown> {
        of_place(place).map(|(medium, _)| medium)
    }

    #[test]
    fn kinds_of_storage_by_bus_and_link() {
        let nothing = |_: &mut Layer| {};
        let rotates = |l: &mut Layer| l.rotational = Some(true);
        assert_eq!(medium(&drive("mmc", "SD, sd high-speed", nothing)), Ok(Medium::Sd));
        assert_eq!(medium(&drive("mmc", "MMC, mmc HS200", nothing)), Ok(Medium::Emmc));
        assert_eq!(medium(&drive("nvme", "PCIe 5.0 GT/s x1", nothing)), Ok(Medium::Nvme));
        assert_eq!(medium(&drive("ata", "SATA 6.0 Gb/s", rotates)), Ok(Medium::AtaHdd));
        assert_eq!(medium(&drive("ata", "SATA 6.0 Gb/s", nothing)), Ok(Medium::AtaSsd));
        assert_eq!(medium(&drive("virtio", "", nothing)), Ok(Medium::Virtio));
        let qemu = |l: &mut Layer| l.model = Some("QEMU HARDDISK".into());
        assert_eq!(medium(&drive("ata", "SATA 1.5 Gb/s", qemu)), Ok(Medium::Virtual));
        let ebs = |l: &mut Layer| l.model = Some("Amazon Elastic Block Store".into());
        assert_eq!(medium(&drive("nvme", "", ebs)), Ok(Medium::Virtual));
        assert_eq!(medium(&drive("zoo", "", nothing)), Err(WhyUnknown::OtherBus));
    }

    #[test]
    fn a_stick_that_says_it_rotates_is_a_stick() {
        let stick = |l: &mut Layer| (l.rotational, l.removable) = (Some(true), Some(true));
        let hdd = |l: &mut Layer| (l.rotational, l.removable) = (Some(true), Some(false));
        assert_eq!(medium(&drive("usb", "USB 480 Mb/s, BOT", stick)), Ok(Medium::UsbStick));
        assert_eq!(medium(&drive("usb", "USB 480 Mb/s, BOT", hdd)), Ok(Medium::UsbHdd));
        let ssd = medium(&drive("usb", "USB 5000 Mb/s, UAS", |_| {}));
        assert_eq!(ssd, Ok(Medium::UsbSsd));
    }

    #[test]
    fn places_that_are_no_one_disk() {
        let of = |class| medium(&Place { class, ..Place::default() });
        assert_eq!(of(PlaceClass::Memory), Err(WhyUnknown::Memory));
        assert_eq!(of(PlaceClass::Network), Ok(Medium::Network));
        assert_eq!(of(PlaceClass::Fuse), Err(WhyUnknown::UserSpace));
        assert_eq!(of(PlaceClass::Block), Err(WhyUnknown::NotVisible));
        let mut two = drive("ata", "", |_| {});
        two.chain.push(two.chain[0].clone());
        assert_eq!(medium(&two), Err(WhyUnknown::SeveralDisks));
        let mut image = drive("ata", "", |_| {});
        image.chain.insert(0, Layer { kind: LayerKind::Loop, ..Layer::default() });
        assert_eq!(medium(&image), Ok(Medium::Loop));
        image.chain[0].kind = LayerKind::Ram;
        assert_eq!(medium(&image), Err(WhyUnknown::Memory));
    }

    #[test]
    fn a_card_without_a_serial_number_looks_fake() {
        let card = |bus: &str, serial: Option<&str>| {
            let serial = serial.map(str::to_string);
            looks_fake(&Layer { bus: Some(bus.into()), serial, ..Layer::default() })
        };
        assert!(card("mmc", Some("0x00000000")));
        assert!(!card("mmc", Some("0x0b3c81d7")) && !card("mmc", None));
        assert!(!card("usb", Some("0")), "bridges often have none");
    }

    #[test]
    fn classes_as_the_table_names_them() {
        let place = drive("mmc", "SD", |l| l.card_class = Some("class 10, U3, V30, A2".into()));
        assert_eq!(classes(&place.chain[0]), ["C10", "U3", "V30", "A2"]);
        assert!(classes(&Layer::default()).is_empty());
    }
}
