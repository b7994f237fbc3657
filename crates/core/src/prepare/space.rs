//! How much room and wear a run may take: pure rules over sizes.

use crate::model::host::{Layer, PlaceClass};

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

/// Smallest data file a cell is measured on.
pub const FILE_MIN_BYTES: u64 = 16 * MIB;
/// Largest data file chosen unless asked for more.
pub const FILE_MAX_BYTES: u64 = 256 * MIB;
/// Data files are multiples of this, so that every block size divides them.
const FILE_STEP_BYTES: u64 = 8 * MIB;

/// Bytes we may put into a directory: at most half of what is free, leaving at least 5 % of the
/// filesystem or 512 MiB, whichever is more; in memory at most a quarter of what is available.
pub fn room_bytes(
    class: PlaceClass,
    size_bytes: u64,
    free_bytes: u64,
    available_bytes: u64,
) -> u64 {
    let keep_free = (size_bytes / 20).max(512 * MIB);
    let room = (free_bytes / 2).min(free_bytes.saturating_sub(keep_free));
    match class {
        PlaceClass::Memory => room.min(available_bytes / 4),
        PlaceClass::Block | PlaceClass::Fuse | PlaceClass::Network | PlaceClass::Stacked => room,
    }
}

/// Bytes a short run may write to these disks unless told otherwise: 2 GiB or 1 % of the smallest
/// disk, whichever is more; `None` (no limit) when all of them are rotational, which do not wear.
pub fn quick_write_budget<'a>(disks: impl Iterator<Item = &'a Layer>) -> Option<u64> {
    let wearing = disks.filter(|disk| disk.rotational != Some(true));
    let smallest = wearing.map(|disk| disk.size_bytes).min()?;
    Some((smallest / 100).max(2 * GIB))
}

/// Bytes a run of a plan may write to this disk unless told otherwise: one capacity of a card or
/// stick, a tenth of an SSD's; `None` (no limit) for one that spins, which does not wear.
pub fn run_write_budget(disk: &Layer) -> Option<u64> {
    let is_card_or_stick = matches!(disk.bus.as_deref(), Some("mmc" | "usb"));
    match (disk.rotational, is_card_or_stick) {
        // Behind a USB bridge what does not spin may say it does; rather too careful a limit.
        (_, true) => Some(disk.size_bytes),
        (Some(true), false) => None,
        _ => Some(disk.size_bytes / 10),
    }
}

/// Size of the data file: as large as room, wear (`write_bytes` for `layouts` layouts) and time
/// (`layout_ns` at `bytes_per_s` for each) allow, between 16 and 256 MiB; `None` when not even the
/// smallest fits the room.
pub fn file_bytes(
    room_bytes: u64,
    write_bytes: Option<u64>,
    layouts: u64,
    bytes_per_s: f64,
    layout_ns: u64,
) -> Option<u64> {
    if room_bytes < FILE_MIN_BYTES {
        return None;
    }
    let by_wear = write_bytes.map_or(u64::MAX, |bytes| bytes / layouts.max(1));
    let by_time = (bytes_per_s * layout_ns as f64 / 1e9) as u64;
    let size = room_bytes.min(by_wear).min(by_time).min(FILE_MAX_BYTES);
    Some((size / FILE_STEP_BYTES * FILE_STEP_BYTES).max(FILE_MIN_BYTES))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_free_space_and_never_the_last_of_it() {
        let room = |size, free| room_bytes(PlaceClass::Block, size, free, u64::MAX);
        assert_eq!(room(100 * GIB, 80 * GIB), 40 * GIB);
        assert_eq!(room(100 * GIB, 6 * GIB), GIB);
        assert_eq!(room(100 * GIB, 5 * GIB), 0);
        assert_eq!(room(4 * GIB, GIB), 512 * MIB);
        assert_eq!(room(GIB, 400 * MIB), 0);
    }

    #[test]
    fn memory_gives_a_quarter_of_what_is_available() {
        let room = |available| room_bytes(PlaceClass::Memory, 8 * GIB, 8 * GIB, available);
        assert_eq!(room(GIB), 256 * MIB);
        assert_eq!(room(64 * GIB), 4 * GIB);
    }

    #[test]
    fn flash_wears_and_spinning_disks_do_not() {
        let disk = |size_bytes, rotational| Layer { size_bytes, rotational, ..Layer::default() };
        let (card, ssd) = (disk(32 * GIB, Some(false)), disk(1024 * GIB, None));
        let hdd = disk(1024 * GIB, Some(true));
        assert_eq!(quick_write_budget([&card].into_iter()), Some(2 * GIB));
        assert_eq!(quick_write_budget([&ssd].into_iter()), Some(1024 * GIB / 100));
        assert_eq!(quick_write_budget([&hdd].into_iter()), None);
        assert_eq!(quick_write_budget([&ssd, &card, &hdd].into_iter()), Some(2 * GIB));
        assert_eq!(quick_write_budget([].into_iter()), None);
    }

    #[test]
    fn a_run_writes_a_card_once_and_a_tenth_of_an_ssd() {
        let disk = |bus: &str, rotational| Layer {
            size_bytes: 100 * GIB,
            bus: Some(bus.to_string()),
            rotational,
            ..Layer::default()
        };
        assert_eq!(run_write_budget(&disk("mmc", Some(false))), Some(100 * GIB));
        assert_eq!(run_write_budget(&disk("usb", Some(false))), Some(100 * GIB));
        assert_eq!(run_write_budget(&disk("nvme", Some(false))), Some(10 * GIB));
        assert_eq!(run_write_budget(&disk("ata", Some(true))), None);
        assert_eq!(run_write_budget(&disk("usb", Some(true))), Some(100 * GIB));
    }

    #[test]
    fn the_file_fits_room_wear_and_time() {
        let size = |room, write, rate| file_bytes(room, write, 40, rate, 2_000_000_000);
        assert_eq!(size(8 * GIB, None, 1e9), Some(256 * MIB));
        assert_eq!(size(8 * GIB, Some(2 * GIB), 1e9), Some(48 * MIB));
        assert_eq!(size(8 * GIB, None, 5e6), Some(16 * MIB));
        assert_eq!(size(15 * MIB, None, 1e9), None);
    }
}
