//! Regions and the layers on them, in words.

use bakeoff_judge::rules::run::not_steady;
use bakeoff_machine::prepare::{crypt, precondition};
use bakeoff_model::candidate::Crypt;
use bakeoff_model::event::Position;
use bakeoff_model::precondition::RegionRounds;
use bakeoff_model::protocol::Protocol;
use bakeoff_model::workload::Workload;
use bakeoff_stats::steady_state::MOST_ROUNDS;
use bakeoff_stats::units;

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

pub fn preconditioning(protocol: &Protocol, workloads: &[Workload]) -> String {
    format!(
        "write the region in random blocks of {}, in rounds of {}, until five rounds are steady \
         (at most {MOST_ROUNDS} rounds)",
        units::size(precondition::block_bytes(workloads)),
        units::duration(protocol.cell_min_ns)
    )
}

pub fn preconditioned(series: &RegionRounds) -> String {
    let rates: Vec<String> =
        series.rates().iter().map(|rate| units::three_digits(rate / 1e6)).collect();
    let words = not_steady::preconditioned(series);
    if rates.is_empty() { words } else { format!("{words} ({} MB/s)", rates.join(" ")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_judge::testing::preconditioning_of;
    use bakeoff_model::precondition::PreconditionEnd;

    #[test]
    fn rates_are_told_where_there_are_rounds_and_nothing_is_said_of_none() {
        let told = preconditioned(&preconditioning_of(&[100_000, 200_000], None));
        assert_eq!(told, "interrupted after 2 rounds of 4 KiB random writes (0.10 0.20 MB/s)");
        let none = |end| preconditioned(&preconditioning_of(&[], end));
        assert_eq!(none(None), "interrupted in the first round");
        assert_eq!(
            none(Some(PreconditionEnd::Bytes)),
            "not steady: the write limit allows no round"
        );
    }
}
