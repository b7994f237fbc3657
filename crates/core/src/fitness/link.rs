//! Is the disk connected as fast as it and the machine could: USB, SD, PCI Express, SATA.

use super::facts::{Card, Disk, Pcie, Sata, Usb};
use super::{Check, Facts};
use crate::boards;
use crate::model::link::CardMode;
use crate::sysinfo::mmc_ios::Ios;

const ID: &str = "link";

/// Speed of a connection.
#[derive(Clone, Debug, PartialEq)]
pub enum Link {
    /// The bus reports none.
    NoSpeed {
        /// The bus.
        bus: Option<String>,
    },
    /// USB.
    Usb {
        /// Speed agreed on, Mb/s.
        mbit: u32,
        /// Against what device and machine can do.
        fit: UsbFit,
    },
    /// The mode of a card is in debugfs, which cannot be read.
    HiddenCardMode {
        /// Whether it was root who looked.
        is_root: bool,
    },
    /// SD card or eMMC.
    Card {
        /// How it is driven.
        mode: Ios,
        /// Against what card and board can do.
        fit: CardFit,
    },
    /// PCI Express: speed in GT/s and lanes.
    Pcie {
        /// Agreed on.
        now: (f64, u32),
        /// Against what drive and slot can do.
        fit: PcieFit,
    },
    /// Serial ATA.
    Sata {
        /// As the kernel writes it: `6.0 Gbps`.
        now: String,
        /// Against what the port can do.
        fit: SataFit,
    },
}

/// A USB link against what device and machine can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UsbFit {
    /// Slower than any drive of today.
    TooSlow,
    /// Faster than USB 2.
    Fast,
    /// Both seem to support USB 3.
    BelowBoth,
    /// The machine has no faster port.
    MachineLimit,
    /// The device does no more.
    Usb2Device,
}

/// The mode of a card against what card and board can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CardFit {
    /// Only one of the four data lines is used.
    OneLine,
    /// What the board can do is not known.
    Unjudged,
    /// Slower than card and board.
    BelowBoard {
        /// What the board can do.
        most: &'static str,
    },
    /// As fast as a card without UHS.
    CardLimit,
    /// As fast as the board.
    BoardLimit,
}

/// A PCI Express link against what drive and slot can do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PcieFit {
    /// As fast as the drive.
    Best,
    /// As fast as the slot.
    SlotLimit {
        /// What the drive can do.
        drive: (f64, u32),
    },
    /// Slower than both.
    BelowBoth {
        /// What both can do.
        both: (f64, u32),
    },
    /// Slower than the drive, and the slot is not known.
    UnknownSlot {
        /// What the drive can do.
        drive: (f64, u32),
    },
}

/// A Serial ATA link against what the port can do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SataFit {
    /// As fast as the port, as far as is known.
    Best,
    /// The drive does no more.
    DriveLimit,
    /// The kernel lowered the speed after errors.
    Lowered {
        /// What the port can do, Gb/s.
        port_gbit: f64,
    },
}

/// One command at a time (BOT) or many (UAS).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Transport {
    /// Many.
    Uas,
    /// One, although the bridge can do many.
    BotDespiteUas {
        /// `vendor:product`.
        id: Option<String>,
    },
    /// One, as the device can.
    Bot,
    /// One; what the device can do is not known.
    BotUnjudged,
    /// Another driver.
    Other(String),
    /// No driver is reported.
    NoDriver,
}

/// Speed and transport of a drive's connection.
pub fn checks(disk: &Disk, facts: &Facts) -> Vec<Check> {
    let mut found = Vec::new();
    let model = facts.host.model.as_deref();
    if let Some(usb) = &disk.usb {
        found.extend([usb_speed(usb, facts), transport(usb)]);
    }
    found.extend(disk.card.as_ref().map(|card| sd_mode(card, model, facts)));
    found.extend(disk.pcie.as_ref().map(pcie));
    found.extend(disk.sata.as_ref().map(sata));
    if found.is_empty() {
        found.push(Check::unknown(ID, Link::NoSpeed { bus: disk.layer.bus.clone() }));
    }
    found
}

/// High speed of USB 2, Mb/s.
const HIGH_SPEED: u32 = 480;

fn usb_speed(usb: &Usb, facts: &Facts) -> Check {
    let found = |fit| Link::Usb { mbit: usb.mbit, fit };
    if usb.mbit < HIGH_SPEED {
        return Check::stop(ID, found(UsbFit::TooSlow));
    }
    if usb.mbit > HIGH_SPEED {
        return Check::pass(ID, found(UsbFit::Fast));
    }
    // A device of USB 3 that runs as one of USB 2 claims version 2.10 (Universal Serial Bus 3.2
    // specification, 9.6.1); so do a few of USB 2 that save power.
    let wants_more = usb.version.as_deref().and_then(|v| v.trim().parse::<f64>().ok());
    let wants_more = wants_more.is_some_and(|version| version >= 2.1);
    match (wants_more, facts.has_fast_usb) {
        (true, true) => Check::warn(ID, found(UsbFit::BelowBoth)),
        (true, false) => Check::pass(ID, found(UsbFit::MachineLimit)),
        (false, _) => Check::pass(ID, found(UsbFit::Usb2Device)),
    }
}

fn transport(usb: &Usb) -> Check {
    const ID: &str = "transport";
    match (usb.driver.as_deref(), usb.offers_uas) {
        (Some("uas"), _) => Check::pass(ID, Transport::Uas),
        (Some("usb-storage"), Some(true)) => {
            Check::warn(ID, Transport::BotDespiteUas { id: usb.id.clone() })
        }
        (Some("usb-storage"), Some(false)) => Check::pass(ID, Transport::Bot),
        (Some("usb-storage"), None) => Check::unknown(ID, Transport::BotUnjudged),
        (Some(other), _) => Check::unknown(ID, Transport::Other(other.to_string())),
        (None, _) => Check::unknown(ID, Transport::NoDriver),
    }
}

fn sd_mode(card: &Card, model: Option<&str>, facts: &Facts) -> Check {
    let Some(mode) = &card.mode else {
        let is_root = facts.watched.as_ref().is_ok_and(|watched| watched.is_root);
        return Check::unknown(ID, Link::HiddenCardMode { is_root });
    };
    let found = |fit| Link::Card { mode: mode.clone(), fit };
    if card.kind == "SD" && mode.bits == Some(1) {
        return Check::warn(ID, found(CardFit::OneLine));
    }
    let rank = |text: &str| CardMode::find(text).map(CardMode::rank);
    let most = model.and_then(boards::find).map(|board| board.field("sd_mode_max"));
    let best = most.and_then(rank);
    let (Some(rank), Some(most)) = (rank(&mode.timing), most.filter(|_| card.kind == "SD")) else {
        return Check::pass(ID, found(CardFit::Unjudged));
    };
    // A card without a UHS grade does high speed at most.
    let is_uhs = card.status.is_none_or(|status| status.uhs_grade > 0);
    match best.filter(|best| rank < *best) {
        Some(_) if is_uhs => Check::warn(ID, found(CardFit::BelowBoard { most })),
        Some(_) => Check::pass(ID, found(CardFit::CardLimit)),
        None => Check::pass(ID, found(CardFit::BoardLimit)),
    }
}

/// Speed times lanes of a link; line coding changes the ranking of none.
fn worth((gt, lanes): (f64, u32)) -> f64 {
    gt * f64::from(lanes)
}

fn pcie(link: &Pcie) -> Check {
    let found = |fit| Link::Pcie { now: link.now, fit };
    let less = |most: &(f64, u32)| worth(link.now) < worth(*most) * 0.99;
    match (link.drive.filter(less), link.slot) {
        (None, _) => Check::pass(ID, found(PcieFit::Best)),
        (Some(drive), Some(slot)) => {
            // Both ends agree on the lower speed and on the fewer lanes.
            let both = (drive.0.min(slot.0), drive.1.min(slot.1));
            match less(&both) {
                false => Check::pass(ID, found(PcieFit::SlotLimit { drive })),
                true => Check::warn(ID, found(PcieFit::BelowBoth { both })),
            }
        }
        (Some(drive), None) => Check::unknown(ID, found(PcieFit::UnknownSlot { drive })),
    }
}

fn sata(link: &Sata) -> Check {
    let gbit = |text: &str| text.split(' ').next().and_then(|n| n.parse::<f64>().ok());
    let found = |fit| Link::Sata { now: link.now.clone(), fit };
    let of = |text: &Option<String>| text.as_deref().and_then(gbit);
    if let (Some(limit), Some(port)) = (of(&link.limit), of(&link.port))
        && limit < port
    {
        return Check::warn(ID, found(SataFit::Lowered { port_gbit: port }));
    }
    match of(&link.port).zip(gbit(&link.now)).is_some_and(|(port, now)| now < port) {
        true => Check::pass(ID, found(SataFit::DriveLimit)),
        false => Check::pass(ID, found(SataFit::Best)),
    }
}
