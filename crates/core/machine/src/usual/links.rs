//! What links carry: `data/links.csv`, by the names that the kernel gives them.

use bakeoff_model::boards;
use bakeoff_model::boards::link::capacity_bytes_per_s;
use bakeoff_model::host::Layer;
use bakeoff_model::link::{CardKind, CardMode, LinkKind, Transport};
use bakeoff_model::normal::LinkLimit;
use bakeoff_stats::tables::Table;

use super::medium;

const TABLE: Table<6> = Table::new(include_str!("../../data/links.csv"));

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UsualLink {
    pub key: &'static str,
    pub name: &'static str,
    /// The most it can carry, bytes a second.
    pub nominal_bytes_per_s: f64,
    /// What drives reach over it, bytes a second.
    pub practice_bytes_per_s: f64,
    pub source: &'static str,
}

pub fn all() -> Vec<UsualLink> {
    let link = |[key, name, nominal, practice, _, source]: [&'static str; 6]| {
        let bytes = |text: &str| text.parse::<f64>().ok().map(|mb| mb * 1e6);
        Some(UsualLink {
            key,
            name,
            nominal_bytes_per_s: bytes(nominal)?,
            practice_bytes_per_s: bytes(practice)?,
            source,
        })
    };
    TABLE.rows().filter_map(link).collect()
}

pub fn find(key: &str) -> Option<UsualLink> {
    all().into_iter().find(|link| link.key == key)
}

/// The key of a drive's link; `None` where the kernel does not tell it, or the table has none.
pub fn key(drive: &Layer) -> Option<&'static str> {
    let link = drive.link.as_ref()?;
    match link.kind? {
        LinkKind::Usb { kbit, transport } => Some(match (kbit, transport) {
            (0..=12_000, _) => "usb1",
            (12_001..=480_000, _) => "usb2",
            (480_001..=5_000_000, Some(Transport::Uas)) => "usb3-uas",
            (480_001..=5_000_000, _) => "usb3-bot",
            _ => "usb3-gen2",
        }),
        LinkKind::Card { mode, .. } => mode.and_then(card_key),
        LinkKind::Sata { mbit: 1500 } => Some("sata1"),
        LinkKind::Sata { mbit: 3000 } => Some("sata2"),
        LinkKind::Sata { mbit: 6000 } => Some("sata3"),
        LinkKind::Sata { .. } => None,
        LinkKind::Pcie { .. } => {
            let name =
                |of: &UsualLink| of.key.starts_with("pcie").then_some(of.nominal_bytes_per_s);
            let bytes = capacity_bytes_per_s(link)?;
            let is_near =
                |of: &&UsualLink| name(of).is_some_and(|n| (n / bytes - 1.0).abs() < 0.02);
            all().iter().find(is_near).map(|of| of.key)
        }
    }
}

fn card_key(mode: CardMode) -> Option<&'static str> {
    match mode {
        CardMode::Hs400 => Some("emmc-hs400"),
        CardMode::Hs200 => Some("emmc-hs200"),
        CardMode::Sdr104 => Some("sd-sdr104"),
        CardMode::Ddr50 => Some("sd-ddr50"),
        CardMode::Sdr50 => Some("sd-sdr50"),
        CardMode::HighSpeed | CardMode::Sdr25 => Some("sd-hs"),
        CardMode::Sdr12 | CardMode::Legacy => Some("sd-legacy"),
        CardMode::Ddr52 => None,
    }
}

/// The card slot of a board where the kernel does not tell the mode: only root sees it.
pub fn slot_key(model: Option<&str>, drive: &Layer) -> Option<&'static str> {
    if drive.link.as_ref()?.card() != Some(CardKind::Sd) {
        return None;
    }
    let board = boards::find(model?)?;
    CardMode::find(board.field("sd_mode_max")).and_then(card_key)
}

/// Whether a UHS card runs in a slower mode than the slot of its board has.
pub fn is_slower_mode(model: Option<&str>, drive: &Layer) -> bool {
    let Some(LinkKind::Card { kind: CardKind::Sd, mode: Some(mode) }) =
        drive.link.as_ref().and_then(|link| link.kind)
    else {
        return false;
    };
    let most = model.and_then(boards::find).map(|board| board.field("sd_mode_max"));
    let best = most.and_then(CardMode::find).map(CardMode::rank);
    let is_uhs = medium::classes(drive).iter().any(|class| class.starts_with('U'));
    is_uhs && best.is_some_and(|best| mode.rank() < best)
}

/// What a drive's link carries in practice: on this board, else over such links anywhere.
pub fn limit(model: Option<&str>, drive: &Layer) -> Option<LinkLimit> {
    let table = key(drive).or_else(|| slot_key(model, drive)).and_then(find);
    let on_board = model.and_then(boards::find).and_then(|board| {
        let practice_bytes_per_s = boards::measured_bytes_per_s(&board, drive)?;
        Some(LinkLimit { practice_bytes_per_s, source: format!("boards.csv, {}", board.name()) })
    });
    let Some(of) = table else { return on_board.or_else(|| by_capacity(drive)) };
    // The figure of a board may be of a faster mode: PCIe 3 on a Raspberry Pi 5, which has PCIe 2.
    let is_of_it = |board: &LinkLimit| {
        board.practice_bytes_per_s <= of.nominal_bytes_per_s
            && board.practice_bytes_per_s != of.practice_bytes_per_s
    };
    on_board.filter(is_of_it).or_else(|| {
        let source = of.source.to_string();
        Some(LinkLimit { practice_bytes_per_s: of.practice_bytes_per_s, source })
    })
}

/// Framing and acknowledgements take a tenth of what the line code of SATA and PCI Express leaves.
fn by_capacity(drive: &Layer) -> Option<LinkLimit> {
    let is_known = matches!(drive.bus.as_deref(), Some("ata" | "nvme"));
    let bytes_per_s = drive.link.as_ref().filter(|_| is_known).and_then(capacity_bytes_per_s)?;
    Some(LinkLimit {
        practice_bytes_per_s: bytes_per_s * 0.9,
        source: "the link's rate after line coding, minus a tenth for its protocol".to_string(),
    })
}

/// The most a drive's link can carry, bytes a second.
pub fn most_bytes_per_s(model: Option<&str>, drive: &Layer) -> Option<f64> {
    let table = key(drive).or_else(|| slot_key(model, drive)).and_then(find);
    let named = || drive.link.as_ref().and_then(capacity_bytes_per_s);
    table.map(|of| of.nominal_bytes_per_s).or_else(named)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drive(bus: &str, link: &str) -> Layer {
        Layer { bus: Some(bus.into()), link: Some(link.into()), ..Layer::default() }
    }

    #[test]
    fn every_line_is_read_and_nothing_carries_more_than_it_can() {
        assert_eq!(all().len(), TABLE.rows().count());
        for link in all() {
            assert!(link.practice_bytes_per_s > 0.0, "{link:?}");
            assert!(link.practice_bytes_per_s < link.nominal_bytes_per_s, "{link:?}");
            assert!(link.source.len() > 10 && !link.name.is_empty(), "{link:?}");
        }
    }

    #[test]
    fn links_by_the_names_of_the_kernel() {
        let key = |bus, link| key(&drive(bus, link));
        assert_eq!(key("usb", "USB 480 Mb/s, BOT"), Some("usb2"));
        assert_eq!(key("usb", "USB 5000 Mb/s, UAS"), Some("usb3-uas"));
        assert_eq!(key("usb", "USB 5000 Mb/s, BOT"), Some("usb3-bot"));
        assert_eq!(key("usb", "USB 10000 Mb/s, UAS"), Some("usb3-gen2"));
        assert_eq!(key("usb", "USB NaN Mb/s"), None);
        assert_eq!(key("mmc", "SD, sd uhs DDR50, 50 MHz, 4 bits"), Some("sd-ddr50"));
        assert_eq!(key("mmc", "MMC, mmc HS400, 200 MHz, 8 bits"), Some("emmc-hs400"));
        assert_eq!(key("mmc", "SD"), None);
        assert_eq!(key("ata", "SATA 6.0 Gb/s"), Some("sata3"));
        assert_eq!(key("nvme", "PCIe 5.0 GT/s x1"), Some("pcie2-x1"));
        assert_eq!(key("nvme", "PCIe 8.0 GT/s PCIe x4"), Some("pcie3-x4"));
        assert_eq!(key("nvme", "PCIe 8.0 GT/s x2"), None);
        assert_eq!(key("virtio", ""), None);
    }

    #[test]
    fn what_links_carry_in_practice_on_boards_and_elsewhere() {
        let practice = |model, bus, link| {
            let limit = limit(model, &drive(bus, link));
            limit.map(|limit| (limit.practice_bytes_per_s / 1e6) as u32)
        };
        let pi4 = Some("Raspberry Pi 4 Model B Rev 1.4");
        assert_eq!(practice(pi4, "usb", "USB 5000 Mb/s, UAS"), Some(352));
        assert_eq!(practice(pi4, "usb", "USB 480 Mb/s, BOT"), Some(40), "a slower link");
        assert_eq!(practice(None, "mmc", "SD, sd uhs DDR50, 50 MHz, 4 bits"), Some(46));
        assert_eq!(practice(None, "ata", "SATA 6.0 Gb/s"), Some(556));
        assert_eq!(practice(None, "nvme", "PCIe 8.0 GT/s x2"), Some(1772), "no line of the table");
        assert_eq!(practice(None, "virtio", ""), None);
    }

    #[test]
    fn a_uhs_card_in_a_slower_mode_than_the_slot_has() {
        let slower = |model, mode: &str, class: &str| {
            let link = format!("SD, {mode}, 50 MHz, 4 bits");
            let card = Layer { card_class: Some(class.into()), ..drive("mmc", &link) };
            is_slower_mode(Some(model), &card)
        };
        let (pi3, pi4) = ("Raspberry Pi 3 Model B Rev 1.2", "Raspberry Pi 4 Model B Rev 1.4");
        assert!(slower(pi4, "sd high-speed", "class 10, U1, A1"));
        assert!(!slower(pi4, "sd high-speed", "class 10"), "it has no faster one itself");
        assert!(!slower(pi4, "sd uhs DDR50", "class 10, U1"));
        assert!(!slower(pi3, "sd high-speed", "class 10, U3"), "the slot has no faster one");
    }

    #[test]
    fn every_raspberry_pi_with_a_slot_has_its_limit_without_root() {
        let card = drive("mmc", "SD");
        for board in boards::all() {
            let prefix = board.field("dt_model_prefix");
            if board.field("sd_mode_max").starts_with("eMMC") {
                continue;
            }
            assert!(limit(Some(prefix), &card).is_some(), "{}", board.name());
            let stick = drive("usb", "USB 480 Mb/s, BOT");
            assert!(limit(Some(prefix), &stick).is_some(), "{}", board.name());
        }
        let pi4 = limit(Some("Raspberry Pi 4 Model B Rev 1.4"), &card).unwrap();
        assert!((45e6..47e6).contains(&pi4.practice_bytes_per_s), "{pi4:?}");
        let pi5 = limit(Some("Raspberry Pi 5"), &drive("nvme", "PCIe 5.0 GT/s x1")).unwrap();
        assert_eq!(pi5.practice_bytes_per_s, 464e6, "its figure is of PCIe 3");
    }
}
