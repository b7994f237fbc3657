//! L03 misaligned: a partition of a card or stick is not aligned to the allocation unit.

use super::{drive, is_hard_disk};
use crate::evidence::rule::Hit;
use bakeoff_model::design::Design;
use bakeoff_model::host::Place;
use bakeoff_stats::units;

/// L03: only flash behind a controller of its own erases in units that partitions can miss.
pub fn in_plan(design: Design<'_>, place: &Place) -> Option<Hit> {
    let drive = drive(place)?;
    let is_flash = matches!(drive.bus.as_deref(), Some("mmc" | "usb")) && !is_hard_disk(drive);
    let unit = design.protocol.thresholds.allocation_unit_bytes;
    let partition = place.partition()?;
    let start = partition.start_bytes?;
    let off = start % unit.max(1);
    (is_flash && off != 0).then(|| {
        let evidence = format!(
            "{} begins at {}, {} past a multiple of {}",
            partition.name,
            units::size(start),
            units::size(off),
            units::size(unit)
        );
        let advice = "align partitions to multiples of 4 MiB (in sfdisk: a start of 4MiB)";
        Hit::new(evidence, advice)
    })
}

#[cfg(test)]
mod tests {
    use crate::rules::tests::before::{disk_of, fires, places};

    #[test]
    fn l03_a_card_partitioned_at_one_mebibyte_and_at_four() {
        let start = |bytes: u64, bus: &'static str| {
            places(|p| {
                disk_of(p).bus = Some(bus.to_string());
                p.chain[0].start_bytes = Some(bytes);
            })
        };
        assert!(fires("L03", &start(1 << 20, "mmc")));
        assert!(!fires("L03", &start(4 << 20, "mmc")) && !fires("L03", &start(1 << 20, "nvme")));
    }
}
