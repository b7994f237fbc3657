//! How a drive is connected: the link that both ends agreed on.
//!
//! The shell makes a link of what the kernel reports, and a record stores its words. They are read
//! back into facts here only.

use std::fmt;

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct Link {
    words: String,
    /// What is known of it; `None` where the words are not understood.
    pub kind: Option<LinkKind>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkKind {
    Usb {
        kbit: u64,
        transport: Option<Transport>,
    },
    Pcie {
        /// Millions of transfers a second on a lane.
        mtransfers: u64,
        lanes: u32,
    },
    Sata {
        mbit: u64,
    },
    Card {
        kind: CardKind,
        mode: Option<CardMode>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    Uas,
    /// One at a time (bulk-only transport).
    Bot,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CardKind {
    Sd,
    Mmc,
}

/// Mode of a card's bus, as `drivers/mmc/core/debugfs.c` of the Linux kernel names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CardMode {
    /// `mmc HS400`.
    Hs400,
    /// `mmc HS200`.
    Hs200,
    /// `sd uhs SDR104`.
    Sdr104,
    /// `mmc DDR52`.
    Ddr52,
    /// `sd uhs SDR50`.
    Sdr50,
    /// `sd uhs DDR50`.
    Ddr50,
    /// `sd uhs SDR25`.
    Sdr25,
    HighSpeed,
    /// `sd uhs SDR12`.
    Sdr12,
    Legacy,
}

impl CardMode {
    /// Reads the mode out of the words of the kernel or of a data sheet.
    pub fn find(text: &str) -> Option<CardMode> {
        const NAMES: [(&str, CardMode); 11] = [
            ("hs400", CardMode::Hs400),
            ("hs200", CardMode::Hs200),
            ("sdr104", CardMode::Sdr104),
            ("ddr52", CardMode::Ddr52),
            ("sdr50", CardMode::Sdr50),
            ("ddr50", CardMode::Ddr50),
            ("sdr25", CardMode::Sdr25),
            ("high-speed", CardMode::HighSpeed),
            ("high speed", CardMode::HighSpeed),
            ("sdr12", CardMode::Sdr12),
            ("legacy", CardMode::Legacy),
        ];
        let text = text.to_ascii_lowercase();
        NAMES.iter().find(|(name, _)| text.contains(name)).map(|(_, mode)| *mode)
    }

    /// What it is worth: MB/s of the bus.
    pub fn rank(self) -> u32 {
        match self {
            CardMode::Hs400 => 400,
            CardMode::Hs200 => 200,
            CardMode::Sdr104 | CardMode::Ddr52 => 104,
            CardMode::Sdr50 | CardMode::Ddr50 => 50,
            CardMode::Sdr25 | CardMode::HighSpeed => 25,
            CardMode::Sdr12 | CardMode::Legacy => 12,
        }
    }
}

impl Link {
    /// Its words: `USB 480 Mb/s, BOT`, `PCIe 5.0 GT/s x1`, `SATA 6.0 Gb/s`, `SD, sd uhs DDR50`.
    pub fn as_str(&self) -> &str {
        &self.words
    }

    pub fn transport(&self) -> Option<Transport> {
        match self.kind? {
            LinkKind::Usb { transport, .. } => transport,
            LinkKind::Pcie { .. } | LinkKind::Sata { .. } | LinkKind::Card { .. } => None,
        }
    }

    pub fn usb_kbit(&self) -> Option<u64> {
        match self.kind? {
            LinkKind::Usb { kbit, .. } => Some(kbit),
            LinkKind::Pcie { .. } | LinkKind::Sata { .. } | LinkKind::Card { .. } => None,
        }
    }

    pub fn card(&self) -> Option<CardKind> {
        match self.kind? {
            LinkKind::Card { kind, .. } => Some(kind),
            LinkKind::Usb { .. } | LinkKind::Pcie { .. } | LinkKind::Sata { .. } => None,
        }
    }

    pub fn says_more(&self) -> bool {
        !self.words.is_empty() && (self.card() != Some(CardKind::Sd) || self.words.contains(','))
    }
}

impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.words)
    }
}

impl From<Link> for String {
    fn from(link: Link) -> String {
        link.words
    }
}

impl From<String> for Link {
    fn from(words: String) -> Link {
        Link { kind: kind(&words), words }
    }
}

impl From<&str> for Link {
    fn from(words: &str) -> Link {
        Link::from(words.to_string())
    }
}

fn kind(words: &str) -> Option<LinkKind> {
    let is_separator = |c: char| c.is_whitespace() || c == ',';
    let split: Vec<&str> = words.split(is_separator).filter(|w| !w.is_empty()).collect();
    let (first, rest) = split.split_first()?;
    let number = |unit: &str, thousandths: f64| {
        let at = rest.iter().position(|word| *word == unit)?;
        let number: f64 = rest.get(at.checked_sub(1)?)?.parse().ok()?;
        let is_possible = number > 0.0 && number < 1e6;
        is_possible.then(|| libm::round(number * thousandths) as u64)
    };
    match *first {
        "USB" => Some(LinkKind::Usb { kbit: number("Mb/s", 1e3)?, transport: transport(rest) }),
        "PCIe" => Some(LinkKind::Pcie { mtransfers: number("GT/s", 1e3)?, lanes: lanes(rest) }),
        "SATA" => Some(LinkKind::Sata { mbit: number("Gb/s", 1e3)? }),
        _ => {
            let kinds = [("SD", CardKind::Sd), ("MMC", CardKind::Mmc)];
            let (_, kind) = kinds.into_iter().find(|(name, _)| first.starts_with(name))?;
            Some(LinkKind::Card { kind, mode: CardMode::find(words) })
        }
    }
}

fn transport(words: &[&str]) -> Option<Transport> {
    words.iter().find_map(|word| match *word {
        "UAS" => Some(Transport::Uas),
        "BOT" => Some(Transport::Bot),
        _ => None,
    })
}

fn lanes(words: &[&str]) -> u32 {
    let lane = |word: &&str| word.strip_prefix('x').and_then(|n| n.parse::<u32>().ok());
    words.iter().find_map(lane).filter(|n| (1..=32).contains(n)).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_record_are_read_into_facts_and_kept() {
        let kind = |words: &str| {
            assert_eq!(Link::from(words).as_str(), words);
            Link::from(words).kind
        };
        let usb = |kbit, transport| Some(LinkKind::Usb { kbit, transport });
        assert_eq!(kind("USB 480 Mb/s"), usb(480_000, None));
        assert_eq!(kind("USB 1.5 Mb/s, BOT"), usb(1500, Some(Transport::Bot)));
        assert_eq!(kind("USB 10000 Mb/s, UAS"), usb(10_000_000, Some(Transport::Uas)));
        let pcie = |mtransfers, lanes| Some(LinkKind::Pcie { mtransfers, lanes });
        assert_eq!(kind("PCIe 2.5 GT/s x1"), pcie(2500, 1));
        assert_eq!(kind("PCIe 8.0 GT/s PCIe x4"), pcie(8000, 4));
        assert_eq!(kind("PCIe 8.0 GT/s x99"), pcie(8000, 1));
        assert_eq!(kind("SATA 6.0 Gb/s"), Some(LinkKind::Sata { mbit: 6000 }));
        let card = |kind, mode| Some(LinkKind::Card { kind, mode });
        assert_eq!(kind("SD"), card(CardKind::Sd, None));
        let ddr50 = card(CardKind::Sd, Some(CardMode::Ddr50));
        assert_eq!(kind("SD, sd uhs DDR50, 50 MHz, 4 bits"), ddr50);
        assert_eq!(kind("MMC, mmc HS400"), card(CardKind::Mmc, Some(CardMode::Hs400)));
    }

    #[test]
    fn a_card_without_its_mode_says_no_more_than_that_it_is_one() {
        let says_more = |words: &str| Link::from(words).says_more();
        assert!(!says_more("") && !says_more("SD"));
        assert!(says_more("SD, a new mode") && says_more("MMC") && says_more("USB 480 Mb/s"));
    }

    #[test]
    fn other_words_are_kept_without_a_fact() {
        for words in ["", "Mb/s", "USB NaN Mb/s", "USB -1 Mb/s", "USB 1e99 Mb/s", "SATA 6.0 Gbps"] {
            assert_eq!(Link::from(words).kind, None, "{words}");
        }
        let json = serde_json::to_string(&Link::from("a \"link\"")).unwrap();
        assert_eq!(json, "\"a \\\"link\\\"\"");
        assert_eq!(serde_json::from_str::<Link>(&json).unwrap().as_str(), "a \"link\"");
    }
}
