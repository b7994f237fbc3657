//! Who an SD card or eMMC is, and whether what it says of itself is credible.

use super::Check;
use super::facts::{Card, Disk};

/// Who the card is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardFinding {
    /// What it reports.
    pub card: Card,
    /// What is typical of counterfeits.
    pub oddities: Vec<Oddity>,
    /// The drive, by its kernel name.
    pub disk: String,
}

/// What a maker who registers his cards does not leave empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Oddity {
    /// Manufacturer 0.
    NoManufacturer,
    /// OEM 0.
    NoOem,
    /// Serial number 0.
    NoSerial,
    /// An empty name.
    NoName,
}

/// Whether the card is credible.
pub fn check(disk: &Disk) -> Option<Check> {
    const ID: &str = "card";
    let card = disk.card.clone()?;
    let oddities = oddities(&card);
    let is_credible = oddities.is_empty();
    let found = CardFinding { card, oddities, disk: disk.layer.name.clone() };
    Some(if is_credible { Check::pass(ID, found) } else { Check::warn(ID, found) })
}

fn oddities(card: &Card) -> Vec<Oddity> {
    let blank = |name: &str| name.chars().all(|c| c.is_whitespace() || c == '\0' || c == '0');
    let odd = [
        (card.manufacturer == Some(0), Oddity::NoManufacturer),
        (card.kind == "SD" && card.oem == Some(0), Oddity::NoOem),
        (card.serial == Some(0), Oddity::NoSerial),
        (card.name.as_deref().is_some_and(blank), Oddity::NoName),
    ];
    odd.into_iter().filter(|(is_odd, _)| *is_odd).map(|(_, odd)| odd).collect()
}
