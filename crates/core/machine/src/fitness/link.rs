//! Is the disk connected as fast as it and the machine could: USB, SD, PCI Express, SATA.

use super::facts::{Card, Disk, Pcie, Sata, Usb};
use super::{Check, Facts};
use bakeoff_model::boards;
use bakeoff_model::link::CardMode;

const ID: &str = "link";
/// High speed of USB 2, Mb/s.
const HIGH_SPEED: u32 = 480;

/// Speed and transport of a drive's connection.
pub fn checks(disk: &Disk, facts: &Facts) -> Vec<Check> {
    let mut found = Vec::new();
    let model = facts.host.model.as_deref();
    if let Some(usb) = &disk.usb {
        found.extend([usb_speed(usb, facts), transport(usb)]);
    }
    found.extend(disk.card.as_ref().map(|card| sd_mode(card, model)));
    found.extend(disk.pcie.as_ref().map(pcie));
    found.extend(disk.sata.as_ref().map(sata));
    if found.is_empty() {
        let bus = disk.layer.bus.as_deref().unwrap_or("unknown");
        found.push(Check::unknown(ID, format!("the bus ({bus}) reports no speed")));
    }
    found
}

fn usb_speed(usb: &Usb, facts: &Facts) -> Check {
    let speed = format!("USB at {} Mb/s", usb.mbit);
    if usb.mbit < HIGH_SPEED {
        return Check::stop(ID, speed)
            .advise("try another cable, port or hub: any drive made since 2002 supports 480 Mb/s");
    }
    if usb.mbit > HIGH_SPEED {
        return Check::pass(ID, speed);
    }
    // A device of USB 3 that runs as one of USB 2 claims version 2.10 (Universal Serial Bus 3.2
    // specification, 9.6.1); so do a few of USB 2 that save power.
    let version = usb.version.as_deref().and_then(|v| v.trim().parse::<f64>().ok());
    match (version.is_some_and(|version| version >= 2.1), facts.has_fast_usb) {
        (true, true) => Check::warn(ID, format!(
            "{speed}, although the device seems to support USB 3 and this machine has such ports"
        )).advise(
            "plug it into a USB 3 port (often blue), push the plug all the way in, and use the \
             cable that came with it",
        ),
        (true, false) => Check::pass(ID, format!(
            "{speed}, the maximum of this machine; the device supports more"
        )),
        (false, _) => Check::pass(ID, format!("{speed}: a USB 2 device")),
    }
}

fn transport(usb: &Usb) -> Check {
    const ID: &str = "transport";
    match (usb.driver.as_deref(), usb.offers_uas) {
        (Some("uas"), _) => Check::pass(ID, "UAS: commands are queued"),
        (Some("usb-storage"), Some(true)) => {
            let id = usb.id.as_deref().unwrap_or("VENDOR:PRODUCT");
            Check::warn(ID, "BOT, one command at a time, although the bridge supports UAS").advise(
                format!(
                    "check whether `usb-storage.quirks={id}:u` on the kernel command line disables \
                     UAS (possibly because the bridge hangs), or whether the module uas is missing"
                ),
            )
        }
        (Some("usb-storage"), Some(false)) => {
            Check::pass(ID, "BOT, one command at a time: the device supports nothing else")
        }
        (Some("usb-storage"), None) => Check::unknown(
            ID,
            "BOT, one command at a time; cannot determine whether the device supports UAS",
        ),
        (Some(driver), _) => Check::unknown(ID, format!("driven by {driver}")),
        (None, _) => Check::unknown(ID, "no driver reported"),
    }
}

fn sd_mode(card: &Card, model: Option<&str>) -> Check {
    let Some(mode) = &card.mode else {
        return Check::unknown(
            ID,
            "the card's mode is in debugfs: run as root, with /sys/kernel/debug mounted",
        );
    };
    if card.kind == "SD" && mode.bits == Some(1) {
        return Check::warn(ID, format!("{mode}: only one of the four data lines is used"))
            .advise("remove the card and clean its contacts, or try another reader");
    }
    let rank = |text: &str| CardMode::find(text).map(CardMode::rank);
    let most = model.and_then(boards::find).map(|board| board.field("sd_mode_max"));
    let best = most.and_then(rank);
    let (Some(rank), Some(most)) = (rank(&mode.timing), most.filter(|_| card.kind == "SD")) else {
        return Check::pass(ID, mode.to_string());
    };
    // A card without a UHS grade does high speed at most.
    let is_uhs = card.status.is_none_or(|status| status.uhs_grade > 0);
    match best.filter(|best| rank < *best) {
        Some(_) if is_uhs => Check::warn(ID, format!("{mode}, but this board supports {most}"))
            .advise(
                "the card fell back to a slower mode: clean its contacts, try it in another \
                 reader, and check `sudo dmesg` for mmc errors",
            ),
        Some(_) => Check::pass(ID, format!("{mode}, the maximum of a card without UHS")),
        None => Check::pass(ID, format!("{mode}, the maximum of this board")),
    }
}

/// Speed times lanes of a link; line coding changes the ranking of none.
fn worth((gt, lanes): (f64, u32)) -> f64 {
    gt * f64::from(lanes)
}

fn pcie(link: &Pcie) -> Check {
    let words = |(gt, lanes): (f64, u32)| format!("PCIe {gt:.1} GT/s x{lanes}");
    let now = words(link.now);
    let less = |most: &(f64, u32)| worth(link.now) < worth(*most) * 0.99;
    match (link.drive.filter(less), link.slot) {
        (None, _) => Check::pass(ID, now),
        (Some(drive), Some(slot)) => {
            // Both ends agree on the lower speed and on the fewer lanes.
            let both = (drive.0.min(slot.0), drive.1.min(slot.1));
            if less(&both) {
                Check::warn(ID, format!("{now}, but drive and slot support {}", words(both)))
                    .advise(
                        "reseat the drive or its ribbon cable; check `sudo dmesg` for AER errors",
                    )
            } else {
                Check::pass(
                    ID,
                    format!("{now}, the maximum of the slot; the drive supports {}", words(drive)),
                )
            }
        }
        (Some(drive), None) => Check::unknown(
            ID,
            format!("{now}; the drive supports {}, the speed of the slot is unknown", words(drive)),
        ),
    }
}

fn sata(link: &Sata) -> Check {
    let gbit = |text: &str| text.split(' ').next().and_then(|n| n.parse::<f64>().ok());
    let of = |text: &Option<String>| text.as_deref().and_then(gbit);
    let now = format!("SATA at {}", link.now.replace("Gbps", "Gb/s"));
    if let (Some(limit), Some(port)) = (of(&link.limit), of(&link.port))
        && limit < port
    {
        return Check::warn(
            ID,
            format!("{now}: the kernel lowered the port's {port:.1} Gb/s after errors"),
        )
        .advise("try another cable; check `sudo dmesg` for ata errors");
    }
    if of(&link.port).zip(gbit(&link.now)).is_some_and(|(port, now)| now < port) {
        Check::pass(ID, format!("{now}, the maximum of the drive; the port supports more"))
    } else {
        Check::pass(ID, now)
    }
}
