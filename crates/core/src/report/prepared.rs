//! Regions and the layers on them, in words.

use crate::model::candidate::Crypt;
use crate::model::event::Position;
use crate::model::protocol::Protocol;
use crate::model::workload::Workload;
use crate::prepare::{crypt, precondition};
use crate::stats::steady_state::MOST_ROUNDS;
use crate::units;

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

/// What preconditioning will do, before anything is known of the drive.
pub fn preconditioning(protocol: &Protocol, workloads: &[Workload]) -> String {
    format!(
        "write the region in random blocks of {}, in rounds of {}, until five rounds are steady \
         (at most {MOST_ROUNDS} rounds)",
        units::size(precondition::block_bytes(workloads)),
        units::duration(protocol.cell_min_ns)
    )
}
