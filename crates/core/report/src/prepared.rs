//! Regions and the layers on them, in words.

use bakeoff_machine::prepare::crypt;
use bakeoff_model::candidate::Crypt;
use bakeoff_model::event::Position;

/// An encrypted layer: "LUKS2 aes-xts-plain64 512 bit, 4096 byte sectors".
pub fn encryption(layer: &Crypt) -> String {
    let kind = if crypt::has_header(layer) { "LUKS2" } else { "dm-crypt" };
    let sector = layer.sector_size.map_or(String::new(), |b| format!(", {b} byte sectors"));
    let flags = [
        (layer.no_read_workqueue, ", no read workqueue"),
        (layer.no_write_workqueue, ", no write workqueue"),
    ];
    let flags: String = flags.iter().filter(|(set, _)| *set).map(|(_, text)| *text).collect();
    format!("{kind} {} {} bit{sector}{flags}", layer.cipher, layer.key_bits)
}

/// Reads at several places of a region: `187 186 … MB/s`.
pub fn speeds(positions: &[Position]) -> String {
    let each: Vec<String> =
        positions.iter().map(|p| format!("{:.0}", p.bytes_per_s / 1e6)).collect();
    format!("{} MB/s", each.join(" "))
}
