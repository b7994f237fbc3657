//! Whether partitions begin where the drive likes writes to begin.

use super::Check;
use super::facts::Disk;
use crate::phrases;
use crate::units;

const MIB: u64 = 1 << 20;

pub fn check(disk: &Disk) -> Option<Check> {
    const ID: &str = "alignment";
    if disk.partitions.is_empty() {
        return None;
    }
    if disk.partitions.iter().all(|part| part.start_bytes.is_none()) {
        return Some(Check::unknown(ID, "the kernel does not report where partitions begin"));
    }
    let physical = disk.physical_block_bytes.filter(|n| n.is_power_of_two()).unwrap_or(512);
    let starts = || disk.partitions.iter().filter_map(|p| Some((p, p.start_bytes?)));
    let off = |granule: u64| -> Vec<String> {
        starts()
            .filter(|(_, at)| !at.is_multiple_of(granule))
            .map(|(p, _)| p.name.clone())
            .collect()
    };
    let advice = |granule: u64| {
        format!(
            "create the partition again at a multiple of {} (current partitioning tools do this); \
             its contents will be lost",
            units::size(granule)
        )
    };
    let broken = off(physical.max(4096));
    if !broken.is_empty() {
        let what = format!(
            "{} begins inside a block of {}, so each write may become two",
            phrases::list(&broken),
            units::size(physical.max(4096))
        );
        return Some(Check::warn(ID, what, advice(MIB)));
    }
    let (granule, of) = preferred(disk);
    let off = off(granule);
    Some(match off.is_empty() {
        true => {
            Check::pass(ID, format!("partitions begin at multiples of {}", units::size(granule)))
        }
        false => Check::warn(
            ID,
            format!(
                "{} begins at no multiple of {}, {of}",
                phrases::list(&off),
                units::size(granule)
            ),
            advice(granule),
        ),
    })
}

/// What partitions should begin at a multiple of, and what that is.
fn preferred(disk: &Disk) -> (u64, &'static str) {
    let erase = disk.card.as_ref().and_then(|card| card.erase_bytes).filter(|n| *n > MIB);
    // USB bridges tell transfer limits such as 65535 blocks there, which are no granule.
    let optimal = disk.optimal_io_bytes.filter(|n| *n > MIB && n.is_power_of_two());
    match (erase, optimal) {
        (Some(bytes), _) => (bytes, "the card's allocation unit"),
        (None, Some(bytes)) => (bytes, "the drive's optimal I/O size"),
        (None, None) => (MIB, "which fits every drive"),
    }
}
