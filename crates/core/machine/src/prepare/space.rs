//! How much room and wear a run may take: pure rules over sizes.

use bakeoff_model::host::{Layer, Place, PlaceClass};

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

pub const FILE_MIN_BYTES: u64 = 16 * MIB;
/// Largest data file chosen unless asked for more, or a block has time for it.
pub const FILE_MAX_BYTES: u64 = 256 * MIB;
/// Least bytes that a run may write where nobody can see what they are written to.
const UNKNOWN_LEAST_BYTES: u64 = 8 * GIB;
/// Least bytes that a short run may write to a card, however small.
const CARD_LEAST_BYTES: u64 = 2 * GIB;

/// Up to this size a filesystem is small: of it 5 % stay free, and no fixed amount, of which it may
/// not have as much.
const SMALL_BYTES: u64 = 4 * GIB;

/// Bytes we may put into a directory: at most half of what is free, leaving at least 5 % of the
/// filesystem, and of one that is not small 512 MiB; in memory at most a quarter of what is
/// available.
pub fn room_bytes(
    class: PlaceClass,
    size_bytes: u64,
    free_bytes: u64,
    available_bytes: u64,
) -> u64 {
    let least = if size_bytes > SMALL_BYTES { 512 * MIB } else { 0 };
    let keep_free = (size_bytes / 20).max(least);
    let room = (free_bytes / 2).min(free_bytes.saturating_sub(keep_free));
    match class {
        PlaceClass::Memory => room.min(available_bytes / 4),
        PlaceClass::Block | PlaceClass::Fuse | PlaceClass::Network | PlaceClass::Stacked => room,
    }
}

/// Bytes a short run may write to these disks unless told otherwise, the least of them all: an
/// eighth of a card or stick, at least 2 GiB; a twentieth of an SSD or virtual disk, at least
/// 8 GiB; `None` = no limit for hard disks, which do not wear. What nobody can see is taken for a
/// small card.
pub fn quick_write_budget<'a>(disks: impl Iterator<Item = &'a Layer>) -> Option<u64> {
    let of = |disk: &Layer| match (disk.bus.as_deref(), disk.seeks()) {
        (Some("ata" | "scsi" | "sas"), Some(true)) => None,
        (Some("mmc" | "usb"), _) => Some((disk.size_bytes / 8).max(CARD_LEAST_BYTES)),
        _ => Some((disk.size_bytes / 20).max(UNKNOWN_LEAST_BYTES)),
    };
    let mut disks = disks.peekable();
    if disks.peek().is_none() {
        return Some(CARD_LEAST_BYTES);
    }
    disks.filter_map(of).min()
}

/// The same of the drives below these places; `None` also where all are in memory, which does not
/// wear.
pub fn quick_write_budget_of(places: &[&Place]) -> Option<u64> {
    let mut wearing = places.iter().filter(|place| place.class != PlaceClass::Memory).peekable();
    wearing.peek()?;
    quick_write_budget(wearing.flat_map(|place| place.disks()))
}

/// Bytes a run of a plan may write to a drive unless told otherwise: one capacity of a card, a
/// stick or a hard disk, a tenth of an SSD's. What a virtual disk is on nobody can see: it may be
/// an SSD, so that a tenth is the limit there too, at least 8 GiB, as many are small.
pub fn run_write_budget(place: &Place) -> u64 {
    let of = |disk: &Layer| match (disk.bus.as_deref(), disk.seeks()) {
        // Behind a USB bridge what does not spin may say it does.
        (Some("mmc" | "usb"), _) | (Some("ata" | "scsi" | "sas"), Some(true)) => disk.size_bytes,
        (Some("nvme" | "ata" | "scsi" | "sas"), _) => disk.size_bytes / 10,
        _ => (disk.size_bytes / 10).max(UNKNOWN_LEAST_BYTES),
    };
    let unseen = (place.size_bytes / 10).max(UNKNOWN_LEAST_BYTES);
    place.disks().map(of).min().unwrap_or(unseen)
}

/// What is laid out in so much time, at most as much as a data file is large where nothing says for
/// how long it will be used.
pub fn laid_out_bytes(bytes_per_s: f64, layout_ns: u64) -> u64 {
    ((bytes_per_s * layout_ns as f64 / 1e9) as u64).min(FILE_MAX_BYTES)
}

/// Size of the data file: the largest power of two that room, wear (`write_bytes` for `layouts`
/// layouts) and `by_time_bytes` allow, at least 16 MiB, so that runs of one machine have the same;
/// `None` when not even the smallest fits the room.
pub fn file_bytes(
    room_bytes: u64,
    write_bytes: Option<u64>,
    layouts: u64,
    by_time_bytes: u64,
) -> Option<u64> {
    if room_bytes < FILE_MIN_BYTES {
        return None;
    }
    let by_wear = write_bytes.map_or(u64::MAX, |bytes| bytes / layouts.max(1));
    let size = room_bytes.min(by_wear).min(by_time_bytes);
    Some(power_of_two(size).max(FILE_MIN_BYTES))
}

/// The largest power of two that is at most `bytes`; 0 of 0.
fn power_of_two(bytes: u64) -> u64 {
    bytes.checked_ilog2().map_or(0, |log| 1 << log)
}

/// Size of a file that grows while it is written: the power of four next to `wanted_bytes`, as far
/// as there is room, at least 1 MiB. What is wanted is measured, and differs from run to run; the
/// steps are wide, so that the size rarely does.
pub fn growing_bytes(wanted_bytes: u64, room_bytes: u64) -> u64 {
    // Next to it on the logarithmic scale: between a half and twice of it.
    let log = wanted_bytes.max(MIB).saturating_mul(2).ilog2() / 2 * 2;
    let class = (1u64 << log).max(MIB);
    if class <= room_bytes { class } else { power_of_two(room_bytes).max(MIB) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_model::host::LayerKind;

    #[test]
    fn half_of_the_free_space_and_never_the_last_of_it() {
        let room = |size, free| room_bytes(PlaceClass::Block, size, free, u64::MAX);
        assert_eq!(room(100 * GIB, 80 * GIB), 40 * GIB);
        assert_eq!(room(100 * GIB, 6 * GIB), GIB);
        assert_eq!(room(100 * GIB, 5 * GIB), 0);
        assert_eq!(room(4 * GIB, GIB), 512 * MIB);
        assert_eq!(room(8 * GIB, 400 * MIB), 0);
        // 16 MiB of 220 could not be measured, nor with any other --size.
        assert_eq!(room(256 * MIB, 220 * MIB), 110 * MIB);
        assert_eq!(room(256 * MIB, 20 * MIB), 20 * MIB - 256 * MIB / 20);
    }

    #[test]
    fn memory_gives_a_quarter_of_what_is_available() {
        let room = |available| room_bytes(PlaceClass::Memory, 8 * GIB, 8 * GIB, available);
        assert_eq!(room(GIB), 256 * MIB);
        assert_eq!(room(64 * GIB), 4 * GIB);
    }

    fn disk(bus: Option<&str>, size_bytes: u64, rotational: Option<bool>) -> Layer {
        let bus = bus.map(str::to_string);
        Layer { kind: LayerKind::Disk, size_bytes, bus, rotational, ..Layer::default() }
    }

    #[test]
    fn a_short_run_spares_flash_and_lets_hard_disks_be() {
        let budget = |disks: &[Layer]| quick_write_budget(disks.iter());
        let card = |size| disk(Some("mmc"), size, Some(false));
        let ssd = |size| disk(Some("nvme"), size, Some(false));
        let hdd = disk(Some("ata"), 1024 * GIB, Some(true));
        assert_eq!(budget(&[card(32 * GIB)]), Some(4 * GIB));
        assert_eq!(budget(&[card(8 * GIB)]), Some(2 * GIB));
        assert_eq!(budget(&[disk(Some("usb"), 64 * GIB, Some(true))]), Some(8 * GIB));
        assert_eq!(budget(&[ssd(1000 * GIB)]), Some(50 * GIB));
        assert_eq!(budget(&[ssd(100 * GIB)]), Some(8 * GIB));
        assert_eq!(
            budget(&[disk(Some("virtio"), 250 * GIB, Some(true))]),
            Some(12 * GIB + GIB / 2)
        );
        assert_eq!(budget(std::slice::from_ref(&hdd)), None);
        assert_eq!(budget(&[ssd(1000 * GIB), card(32 * GIB), hdd]), Some(4 * GIB));
        assert_eq!(budget(&[]), Some(2 * GIB));
    }

    #[test]
    fn a_run_writes_a_card_or_hard_disk_once_and_a_tenth_of_an_ssd() {
        let disk = |bus, rotational| disk(bus, 100 * GIB, rotational);
        let budget = |disk: Layer| {
            // What is below a loop counts, and not the loop.
            let image = Layer { kind: LayerKind::Loop, size_bytes: GIB, ..Layer::default() };
            run_write_budget(&Place { chain: vec![image, disk], ..Place::default() })
        };
        assert_eq!(budget(disk(Some("mmc"), Some(false))), 100 * GIB);
        assert_eq!(budget(disk(Some("usb"), Some(true))), 100 * GIB);
        assert_eq!(budget(disk(Some("ata"), Some(true))), 100 * GIB);
        assert_eq!(budget(disk(Some("ata"), Some(false))), 10 * GIB);
        assert_eq!(budget(disk(Some("nvme"), Some(false))), 10 * GIB);
        // A virtual disk says that it spins whatever it is on.
        assert_eq!(budget(disk(Some("virtio"), Some(true))), 10 * GIB);
        assert_eq!(budget(disk(None, None)), 10 * GIB);
        let small = Layer { size_bytes: GIB, ..disk(Some("virtio"), Some(true)) };
        assert_eq!(budget(small), 8 * GIB);
        let unseen = Place { size_bytes: 500 * GIB, ..Place::default() };
        assert_eq!(run_write_budget(&unseen), 50 * GIB);
    }

    #[test]
    fn the_file_fits_room_wear_and_time() {
        let size =
            |room, write, rate| file_bytes(room, write, 40, laid_out_bytes(rate, 2_000_000_000));
        assert_eq!(size(8 * GIB, None, 1e9), Some(256 * MIB));
        assert_eq!(size(8 * GIB, Some(2 * GIB), 1e9), Some(32 * MIB));
        assert_eq!(size(8 * GIB, None, 5e6), Some(16 * MIB));
        assert_eq!(size(15 * MIB, None, 1e9), None);
        assert_eq!(size(8 * GIB, None, 70e6), size(8 * GIB, None, 120e6), "a class of its own");
    }

    /// Three runs on one directory had 5,045,747,712 and 3,963,617,280 bytes, and were not alike.
    #[test]
    fn files_that_grow_have_sizes_of_few_classes() {
        let mib = |wanted: u64, room: u64| growing_bytes(wanted, room * MIB) / MIB;
        assert_eq!((mib(5_045_747_712, 8192), mib(3_963_617_280, 8192)), (4096, 4096));
        assert_eq!((mib(0, 8192), mib(40 * MIB, 8192), mib(30 * MIB, 8192)), (1, 64, 16));
        assert_eq!((mib(u64::MAX, 3000), mib(64 * MIB, 50), mib(GIB, 0)), (2048, 32, 1));
    }
}
