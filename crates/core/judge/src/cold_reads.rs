//! What the page cache and the devices allow to be said about the reads of a cell.
//!
//! A read is cold when the devices below moved at least nine tenths of the bytes asked for
//! (Documentation/admin-guide/iostats.rst), and nothing of the file was known to be in memory just
//! before (cachestat(2)). A direct read does not take what is in memory (open(2), O_DIRECT), so for
//! it the bytes that the devices moved are all that counts. Behind a user-space driver and on
//! another machine there are further caches: such a read is never called cold, and counts only
//! where a device below is known to have moved the bytes ([`is_delivered`]).

use bakeoff_model::event::{CacheState, Truth};
use bakeoff_model::host::{Counted, PlaceClass};
use bakeoff_model::measurement::Measurement;

/// Share of the requested bytes that the devices must have moved for a cold read.
pub const COLD_SHARE: f64 = 0.9;
/// Share of the file that may be resident before a cold read: read-ahead of metadata, a stray page.
pub const RESIDENT_SHARE: f64 = 0.01;

/// Judges a cell that read `read_bytes` of a file of `file_bytes`, `direct` or through the cache.
pub fn cache_state(
    class: PlaceClass,
    truth: &Truth,
    read_bytes: u64,
    file_bytes: u64,
    direct: bool,
) -> CacheState {
    if read_bytes == 0 {
        return CacheState::NotRead;
    }
    if matches!(class, PlaceClass::Memory | PlaceClass::Fuse | PlaceClass::Network) {
        return CacheState::Unknown;
    }
    let is_resident =
        truth.resident_before_bytes.is_some_and(|b| b as f64 > file_bytes as f64 * RESIDENT_SHARE);
    match is_delivered(truth, read_bytes) {
        Some(false) => CacheState::Warm,
        Some(true) if is_resident && !direct => CacheState::Warm,
        Some(true) => CacheState::Cold,
        None if is_resident => CacheState::Warm,
        None => CacheState::Unknown,
    }
}

/// Forgets what the devices read where that of others could be taken for ours: nobody counts which
/// drive they used, so it is not known where the reads came from.
pub fn leave_to_others(truth: &mut Truth, counted: &Counted, read_bytes: u64) {
    let is_ours = |bytes: u64| bytes as f64 >= read_bytes as f64 * COLD_SHARE;
    let foreign = truth.foreign_bytes.unwrap_or(0);
    let depends = |bytes: u64| is_ours(bytes) && !is_ours(bytes.saturating_sub(foreign));
    if counted.shares_reads && truth.device_read_bytes.is_some_and(depends) {
        truth.device_read_bytes = None;
    }
}

/// Whether the devices delivered what was read, whoever is between; `None` = nobody can tell.
pub fn is_delivered(truth: &Truth, read_bytes: u64) -> Option<bool> {
    truth.device_read_bytes.map(|bytes| bytes as f64 >= read_bytes as f64 * COLD_SHARE)
}

/// Share of what was read that came from memory and not from a device; `None` where next to nothing
/// did, or nobody can tell. `cached` is the share of the file that was in memory before, 0 where
/// reads do not use it: others may have read from the device meanwhile.
pub fn memory_share(class: PlaceClass, truth: &Truth, read_bytes: u64, cached: f64) -> Option<f64> {
    if read_bytes == 0 {
        return None;
    }
    let share = match class {
        PlaceClass::Memory => 1.0,
        PlaceClass::Fuse | PlaceClass::Network | PlaceClass::Block | PlaceClass::Stacked => {
            let delivered = truth.device_read_bytes? as f64 / read_bytes as f64;
            cached.min(1.0).max(1.0 - delivered)
        }
    };
    (share > 1.0 - COLD_SHARE).then_some(share)
}

/// What to say of reads of which `share` came from memory, before any figure.
pub fn memory_words(share: f64, class: PlaceClass, direct: bool, evicted: bool) -> String {
    let percent = (share * 100.0).floor();
    let what = match (class, direct, evicted) {
        (PlaceClass::Memory, ..) => {
            return "Served from memory: this filesystem is in memory, and no drive is below it. \
                    These figures describe memory. To measure a drive, use a directory on it"
                .to_string();
        }
        (_, true, _) => {
            "A layer below the file keeps data in memory despite --direct: a loop device without \
             direct I/O (losetup --direct-io=on), or a filesystem that checks or compresses data \
             (btrfs). To measure the drive, use a --size larger than memory"
        }
        (_, false, true) => "To measure the drive, add --direct",
        (_, false, false) => "To measure the drive, add --invalidate or --direct",
    };
    format!(
        "Served from memory: {percent:.0} % of the bytes read did not come from the drive. These \
         figures describe memory. {what}"
    )
}

/// What was seen around several parts measured together, as far as it can be said of each.
///
/// A suspend, swapping and writes that were not direct concern all of them. What the devices moved
/// around all of them is no part's: a profile lays its own files out meanwhile. What they read for
/// a part is what was counted while it ran. What others moved is `seen.foreign_bytes` and what
/// `idle` says they move in that time anyway; it is compared with what all parts moved, and each
/// gets its share.
pub fn apportion(
    seen: Truth,
    is_profile: bool,
    parts: &[Measurement],
    idle: impl Fn(u64) -> u64,
) -> Vec<Truth> {
    let elapsed_ns: u64 = parts.iter().map(|m| m.elapsed_ns).sum();
    let foreign = seen.foreign_bytes.map(|bytes| bytes + idle(elapsed_ns));
    if !is_profile {
        let own = |m: &Measurement| m.device_read_bytes.or(seen.device_read_bytes);
        let truth = |m: &Measurement| Truth {
            foreign_bytes: foreign,
            device_read_bytes: own(m),
            ..seen.clone()
        };
        return parts.iter().map(truth).collect();
    }
    let own = |m: &Measurement| m.ops().map(|(_, s)| s.io_bytes).sum::<u64>();
    let all: u64 = parts.iter().map(own).sum();
    let share = |m: &Measurement| {
        foreign
            .map(|bytes| (u128::from(bytes) * u128::from(own(m)) / u128::from(all.max(1))) as u64)
    };
    let truth = |m: &Measurement| Truth {
        device_read_bytes: m.device_read_bytes,
        device_written_bytes: None,
        foreign_bytes: share(m),
        ..seen.clone()
    };
    parts.iter().map(truth).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(class: PlaceClass, resident: Option<u64>, device: Option<u64>) -> CacheState {
        let truth = Truth {
            resident_before_bytes: resident,
            device_read_bytes: device,
            ..Truth::default()
        };
        cache_state(class, &truth, 1000, 10_000, false)
    }

    #[test]
    fn a_direct_read_of_a_cached_file_is_cold_when_the_devices_moved_the_bytes() {
        let truth = |device| Truth {
            resident_before_bytes: Some(10_000),
            device_read_bytes: device,
            ..Truth::default()
        };
        let state = |device| cache_state(PlaceClass::Block, &truth(device), 1000, 10_000, true);
        assert_eq!(state(Some(1000)), CacheState::Cold);
        assert_eq!(state(Some(100)), CacheState::Warm);
        assert_eq!(state(None), CacheState::Warm);
    }

    #[test]
    fn what_no_device_delivered_came_from_memory() {
        let share = |class, device_read_bytes| {
            memory_share(class, &Truth { device_read_bytes, ..Truth::default() }, 1000, 0.0)
        };
        assert_eq!(share(PlaceClass::Block, Some(250)), Some(0.75));
        assert_eq!(share(PlaceClass::Block, Some(0)), Some(1.0));
        assert_eq!(share(PlaceClass::Block, Some(950)), None);
        assert_eq!(share(PlaceClass::Block, None), None);
        assert_eq!(share(PlaceClass::Network, None), None);
        assert_eq!(share(PlaceClass::Fuse, Some(0)), Some(1.0));
        assert_eq!(share(PlaceClass::Memory, None), Some(1.0));
        assert_eq!(memory_share(PlaceClass::Memory, &Truth::default(), 0, 0.0), None);
        let busy = Truth { device_read_bytes: Some(1500), ..Truth::default() };
        assert_eq!(memory_share(PlaceClass::Block, &busy, 1000, 1.0), Some(1.0));
        assert_eq!(memory_share(PlaceClass::Block, &busy, 1000, 0.0), None);
    }

    #[test]
    fn cold_is_proved_by_the_bytes_that_the_devices_moved() {
        use CacheState::{Cold, Unknown, Warm};
        let block = PlaceClass::Block;
        assert_eq!(state(block, Some(0), Some(900)), Cold);
        assert_eq!(state(block, Some(100), Some(1000)), Cold);
        assert_eq!(state(block, Some(101), Some(1000)), Warm);
        assert_eq!(state(block, Some(0), Some(899)), Warm);
        assert_eq!(state(block, None, Some(1000)), Cold);
        assert_eq!(state(block, Some(0), None), Unknown);
        assert_eq!(state(block, Some(101), None), Warm);
    }

    #[test]
    fn memory_fuse_and_network_are_never_cold() {
        for class in [PlaceClass::Memory, PlaceClass::Fuse, PlaceClass::Network] {
            assert_eq!(state(class, Some(0), Some(1000)), CacheState::Unknown);
            assert_eq!(state(class, Some(0), None), CacheState::Unknown);
        }
    }

    #[test]
    fn what_others_moved_is_shared_out_among_parts_as_they_moved_bytes() {
        let workload = bakeoff_model::workloads::find("seqwrite").expect("built in");
        let part = |rate| crate::testing::measurement(&workload, rate);
        let parts = [part(30e6), part(90e6)];
        let bytes = |m: &Measurement| m.ops().map(|(_, s)| s.io_bytes).sum::<u64>() as f64;
        let seen = Truth {
            foreign_bytes: Some(1000),
            device_read_bytes: Some(7),
            suspended_ns: 5,
            ..Truth::default()
        };
        let truths = apportion(seen.clone(), true, &parts, |ns| ns / 1_000_000);
        let all_ms = (parts[0].elapsed_ns + parts[1].elapsed_ns) / 1_000_000;
        let foreign = |t: &Truth| t.foreign_bytes.expect("known") as f64;
        let share = bytes(&parts[0]) / (bytes(&parts[0]) + bytes(&parts[1]));
        assert!((foreign(&truths[0]) - (1000 + all_ms) as f64 * share).abs() < 2.0);
        assert!(foreign(&truths[1]) > 2.0 * foreign(&truths[0]));
        for truth in &truths {
            assert_eq!((truth.device_read_bytes, truth.suspended_ns), (None, 5));
        }
        let alone = apportion(seen, false, &parts[..1], |_| 1);
        assert_eq!((alone[0].foreign_bytes, alone[0].device_read_bytes), (Some(1001), Some(7)));
    }

    #[test]
    fn a_cell_that_does_not_read_says_so() {
        let truth = Truth::default();
        assert_eq!(cache_state(PlaceClass::Block, &truth, 0, 10, false), CacheState::NotRead);
    }
}
