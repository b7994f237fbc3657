//! Whether partitions begin where the drive likes writes to begin.

use super::Check;
use super::facts::Disk;
use bakeoff_stats::phrases;
use bakeoff_stats::units;

const MIB: u64 = 1 << 20;

pub fn check(disk: &Disk) -> Option<Check> {
    const ID: &str = "alignment";
    if disk.partitions.is_empty() {
        return None;
    }
    if disk.partitions.iter().all(|part| part.start_bytes.is_none()) {
        let why = "the kernel does not report where partitions begin";
        return Some(Check::unknown(ID, why));
    }
    let physical = disk.physical_block_bytes.filter(|n| n.is_power_of_two()).unwrap_or(512);
    let starts = || disk.partitions.iter().filter_map(|p| Some((p, p.start_bytes?)));
    let off = |granule: u64| -> Vec<String> {
        starts()
            .filter(|(_, at)| !at.is_multiple_of(granule))
            .map(|(p, _)| p.name.clone())
            .collect()
    };
    let begin = |names: &[String]| phrases::agreeing(names, ["begins", "begin"]);
    let block_bytes = physical.max(4096);
    let names = off(block_bytes);
    if !names.is_empty() {
        let block = units::size(block_bytes);
        let found =
            format!("{} inside a block of {block}, so each write may become two", begin(&names));
        return Some(Check::warn(ID, found).advise(create_again(MIB)));
    }
    let (granule_bytes, granule) = preferred(disk);
    let (names, size) = (off(granule_bytes), units::size(granule_bytes));
    Some(match names.is_empty() {
        true => Check::pass(ID, format!("partitions begin at multiples of {size}")),
        false => {
            let off = format!("at an offset that is not a multiple of {size}, {granule}");
            Check::warn(ID, format!("{} {off}", begin(&names))).advise(create_again(granule_bytes))
        }
    })
}

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

fn create_again(granule_bytes: u64) -> String {
    format!(
        "create the partition again at a multiple of {} (current partitioning tools do this); its \
         contents will be lost",
        units::size(granule_bytes)
    )
}
