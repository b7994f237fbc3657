//! Who an SD card or eMMC is, in its own words.

use super::facts::Card;
use bakeoff_stats::units;

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
