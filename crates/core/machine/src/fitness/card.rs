//! Who an SD card or eMMC is, and whether what it says of itself is credible.

use super::Check;
use super::facts::{Card, Disk};
use bakeoff_stats::phrases;
use bakeoff_stats::units;

/// Whether the card is credible: a maker who registers his cards leaves none of these empty.
pub fn check(disk: &Disk) -> Option<Check> {
    const ID: &str = "card";
    let card = disk.card.as_ref()?;
    let blank = |name: &str| name.chars().all(|c| c.is_whitespace() || c == '\0' || c == '0');
    let odd = [
        (card.manufacturer == Some(0), "no manufacturer"),
        (card.kind == "SD" && card.oem == Some(0), "no OEM"),
        (card.serial == Some(0), "serial number 0"),
        (card.name.as_deref().is_some_and(blank), "an empty name"),
    ];
    let odd: Vec<String> =
        odd.iter().filter(|(is_odd, _)| *is_odd).map(|(_, odd)| odd.to_string()).collect();
    let described = describe(card);
    if odd.is_empty() {
        return Some(Check::pass(ID, described));
    }
    let found = format!("{described}; typical of counterfeits: {}", phrases::list(&odd));
    Some(
        Check::warn(ID, found)
            .advise(format!("examine it: `bakeoff probe /dev/{}`", disk.layer.name)),
    )
}

/// "SD64G, SanDisk (manfid 0x03), 08/2021, class 10, U3, V30, A2, allocation unit 4 MiB".
pub fn describe(card: &Card) -> String {
    let mut words = vec![format!("{} {}", card.kind, card.name.as_deref().unwrap_or("unnamed"))];
    words.extend(card.manufacturer.map(|id| format!("manfid {id:#04x}")));
    words.extend(card.oem.map(|id| format!("oemid {id:#06x}")));
    words.extend(card.date.as_ref().map(|date| format!("made {date}")));
    match &card.status {
        Some(status) => words.push(status.label()),
        None if card.kind == "SD" => words.push("speed class not reported (ssr)".to_string()),
        None => {}
    }
    let unit = card.status.and_then(|s| s.au_bytes).or(card.erase_bytes);
    words.extend(unit.map(|bytes| format!("allocation unit {}", units::size(bytes))));
    words.extend(card.queues.filter(|queues| *queues).map(|_| "command queue on".to_string()));
    words.join(", ")
}
