//! What Raspberry Pis and their links are known to reach: `data/boards.csv`.
//!
//! The table holds nominal figures from the boards' documentation and single measurements of
//! others, each with its source in its last column; `data/README.md` says how far they carry. They
//! tell whether a number is unusual, never what a machine must reach.

pub mod link;

use crate::host::Layer;
use crate::link::{Link, Transport};

const TABLE: &str = include_str!("../data/boards.csv");

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board<'a> {
    fields: Vec<&'a str>,
    names: Vec<&'a str>,
}

impl<'a> Board<'a> {
    /// A field by the name of its column; empty where nothing is known.
    pub fn field(&self, name: &str) -> &'a str {
        let at = self.names.iter().position(|n| *n == name);
        at.and_then(|at| self.fields.get(at)).copied().unwrap_or_default()
    }

    pub fn name(&self) -> &'a str {
        self.field("board")
    }
}

fn fields(line: &str) -> Vec<&str> {
    let mut rest = line;
    let mut found = Vec::new();
    loop {
        let (field, after) = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => rest.split_at(rest.find(',').unwrap_or(rest.len())),
        };
        found.push(field);
        match after.strip_prefix(',') {
            Some(more) => rest = more,
            None => return found,
        }
    }
}

pub fn all() -> Vec<Board<'static>> {
    let mut lines = TABLE.lines();
    let names = fields(lines.next().unwrap_or_default());
    lines.map(|line| Board { fields: fields(line), names: names.clone() }).collect()
}

pub fn find(model: &str) -> Option<Board<'static>> {
    let is_it = |board: &Board| {
        let prefix = board.field("dt_model_prefix");
        !prefix.is_empty() && model.starts_with(prefix)
    };
    // "Raspberry Pi 3 Model B" begins "Raspberry Pi 3 Model B Plus"; the longer one is meant.
    all().into_iter().filter(is_it).max_by_key(|b| b.field("dt_model_prefix").len())
}

/// Every number of a text: `92.5-95.0` has two.
fn numbers(text: &str) -> Vec<f64> {
    let is_part = |c: char| c.is_ascii_digit() || c == '.';
    let words = text.split(|c: char| !is_part(c)).map(|word| word.trim_matches('.'));
    words.filter_map(|word| word.parse().ok()).collect()
}

/// What others measured over this kind of link on this board, bytes a second.
pub fn measured_bytes_per_s(board: &Board, drive: &Layer) -> Option<f64> {
    let link = drive.link.as_ref();
    let text = match drive.bus.as_deref()? {
        "mmc" => board.field("sd_seq_read_measured_MBps"),
        "nvme" => board.field("pcie_measured_MBps"),
        "usb" => board.field("usb_measured_MBps"),
        _ => return None,
    };
    // A figure says which transport it is of: "352 UASP / 194 BOT".
    let part =
        match (text.split_once("UASP"), link.and_then(Link::transport) == Some(Transport::Bot)) {
            (Some((_, bot)), true) => bot,
            (Some((uas, _)), false) => uas,
            (None, _) => text,
        };
    // A USB 2 drive on a port of USB 3 has a link of its own.
    if drive.bus.as_deref() == Some("usb") {
        let is_fast = text.contains("UASP");
        if is_fast != (link?.usb_kbit()? > 480_000) {
            return None;
        }
    }
    let found = numbers(part);
    // Two figures are of reading and writing, or a range: the link carries the higher one.
    let most = found.iter().take(2).copied().reduce(f64::max);
    most.filter(|mb| *mb > 0.0).map(|mb| mb * 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drive(bus: &str, link: &str) -> Layer {
        Layer { bus: Some(bus.into()), link: Some(link.into()), ..Layer::default() }
    }

    #[test]
    fn the_longest_prefix_is_the_board() {
        let name = |model| find(model).map(|b| b.name());
        assert_eq!(name("Raspberry Pi 3 Model B Plus Rev 1.3"), Some("Raspberry Pi 3 Model B+"));
        assert_eq!(name("Raspberry Pi 3 Model B Rev 1.2"), Some("Raspberry Pi 3 Model B"));
        assert_eq!(name("Raspberry Pi Zero 2 W Rev 1.0"), Some("Raspberry Pi Zero 2 W"));
        assert_eq!(name("QEMU Virtual Machine"), None);
        assert_eq!(name(""), None);
    }

    #[test]
    fn every_line_has_every_field() {
        for board in all() {
            assert_eq!(board.fields.len(), board.names.len(), "{}", board.name());
            assert!(board.field("sources").len() > 10, "{}", board.name());
        }
    }

    #[test]
    fn what_others_measured_by_board_and_link() {
        let measured = |model, bus, link| {
            measured_bytes_per_s(&find(model)?, &drive(bus, link)).map(|b| (b / 1e6) as u32)
        };
        let (pi1, pi4) = ("Raspberry Pi Model B Rev 2", "Raspberry Pi 4 Model B Rev 1.4");
        assert_eq!(measured(pi1, "usb", "USB 480 Mb/s, BOT"), Some(24));
        assert_eq!(measured(pi4, "usb", "USB 5000 Mb/s, UAS"), Some(352));
        assert_eq!(measured(pi4, "usb", "USB 5000 Mb/s, BOT"), Some(194));
        assert_eq!(measured(pi4, "usb", "USB 480 Mb/s, BOT"), None, "a slower link");
        assert_eq!(measured("Raspberry Pi 5 Model B Rev 1.0", "mmc", "SD"), Some(95));
        assert_eq!(measured(pi4, "virtio", ""), None);
    }
}
