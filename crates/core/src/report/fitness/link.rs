//! How a drive is connected.

use super::words::{Words, advised, plain};
use crate::fitness::link::{CardFit, Link, PcieFit, SataFit, Transport, UsbFit};
use crate::sysinfo::mmc_ios::Ios;

pub fn link(found: &Link) -> Words {
    match found {
        Link::NoSpeed { bus } => {
            plain(format!("the bus ({}) reports no speed", bus.as_deref().unwrap_or("unknown")))
        }
        Link::Usb { mbit, fit } => usb(*mbit, *fit),
        // Root is not told to become root.
        Link::HiddenCardMode { is_root: true } => {
            plain("the card's mode is in debugfs: mount -t debugfs debugfs /sys/kernel/debug")
        }
        Link::HiddenCardMode { is_root: false } => {
            plain("the card's mode is in debugfs: run as root, with /sys/kernel/debug mounted")
        }
        Link::Card { mode, fit } => card(mode, *fit),
        Link::Pcie { now, fit } => pcie(*now, *fit),
        Link::Sata { now, fit } => sata(now, *fit),
    }
}

fn usb(mbit: u32, fit: UsbFit) -> Words {
    let words = format!("USB at {mbit} Mb/s");
    match fit {
        UsbFit::TooSlow => advised(
            words,
            "try another cable, port or hub: any drive made since 2002 supports 480 Mb/s",
        ),
        UsbFit::Fast => plain(words),
        UsbFit::BelowBoth => advised(
            format!(
                "{words}, although the device seems to support USB 3 and this machine has such \
                 ports"
            ),
            "plug it into a USB 3 port (often blue), push the plug all the way in, and use the \
             cable that came with it",
        ),
        UsbFit::MachineLimit => {
            plain(format!("{words}, the maximum of this machine; the device supports more"))
        }
        UsbFit::Usb2Device => plain(format!("{words}: a USB 2 device")),
    }
}

fn card(mode: &Ios, fit: CardFit) -> Words {
    match fit {
        CardFit::OneLine => advised(
            format!("{mode}: only one of the four data lines is used"),
            "remove the card and clean its contacts, or try another reader",
        ),
        CardFit::Unjudged => plain(mode.to_string()),
        CardFit::BelowBoard { most } => advised(
            format!("{mode}, but this board supports {most}"),
            "the card fell back to a slower mode: clean its contacts, try it in another reader, \
             and check `sudo dmesg` for mmc errors",
        ),
        CardFit::CardLimit => plain(format!("{mode}, the maximum of a card without UHS")),
        CardFit::BoardLimit => plain(format!("{mode}, the maximum of this board")),
    }
}

fn pcie(now: (f64, u32), fit: PcieFit) -> Words {
    let words = |(gt, lanes): (f64, u32)| format!("PCIe {gt:.1} GT/s x{lanes}");
    let now = words(now);
    match fit {
        PcieFit::Best => plain(now),
        PcieFit::SlotLimit { drive } => {
            plain(format!("{now}, the maximum of the slot; the drive supports {}", words(drive)))
        }
        PcieFit::BelowBoth { both } => advised(
            format!("{now}, but drive and slot support {}", words(both)),
            "reseat the drive or its ribbon cable; check `sudo dmesg` for AER errors",
        ),
        PcieFit::UnknownSlot { drive } => plain(format!(
            "{now}; the drive supports {}, the speed of the slot is unknown",
            words(drive)
        )),
    }
}

fn sata(now: &str, fit: SataFit) -> Words {
    let now = format!("SATA at {}", now.replace("Gbps", "Gb/s"));
    match fit {
        SataFit::Best => plain(now),
        SataFit::DriveLimit => {
            plain(format!("{now}, the maximum of the drive; the port supports more"))
        }
        SataFit::Lowered { port_gbit } => advised(
            format!("{now}: the kernel lowered the port's {port_gbit:.1} Gb/s after errors"),
            "try another cable; check `sudo dmesg` for ata errors",
        ),
    }
}

pub fn transport(found: &Transport) -> Words {
    match found {
        Transport::Uas => plain("UAS: commands are queued"),
        Transport::BotDespiteUas { id } => advised(
            "BOT, one command at a time, although the bridge supports UAS",
            format!(
                "check whether `usb-storage.quirks={}:u` on the kernel command line disables UAS \
                 (possibly because the bridge hangs), or whether the module uas is missing",
                id.as_deref().unwrap_or("VENDOR:PRODUCT")
            ),
        ),
        Transport::Bot => plain("BOT, one command at a time: the device supports nothing else"),
        Transport::BotUnjudged => {
            plain("BOT, one command at a time; cannot determine whether the device supports UAS")
        }
        Transport::Other(driver) => plain(format!("driven by {driver}")),
        Transport::NoDriver => plain("no driver reported"),
    }
}
