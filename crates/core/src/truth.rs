//! What the page cache and the devices allow to be said about the reads of a cell.
//!
//! A read is cold when nothing of the file was in memory just before and the lowest real devices
//! then moved at least nine tenths of the bytes asked for (cachestat(2); Documentation/admin-guide/
//! iostats.rst). Where the bytes go through a user-space driver, another machine or memory itself,
//! neither can be known from here.

use crate::model::event::{CacheState, Truth};
use crate::model::host::PlaceClass;

/// Share of the requested bytes that the devices must have moved for a cold read.
pub const COLD_SHARE: f64 = 0.9;
/// Share of the file that may be resident before a cold read: read-ahead of metadata, a stray page.
pub const RESIDENT_SHARE: f64 = 0.01;

/// Judges a cell that read `read_bytes` of a file of `file_bytes`.
pub fn cache_state(
    class: PlaceClass,
    truth: &Truth,
    read_bytes: u64,
    file_bytes: u64,
) -> CacheState {
    if read_bytes == 0 {
        return CacheState::NotRead;
    }
    if matches!(class, PlaceClass::Memory | PlaceClass::Fuse | PlaceClass::Network) {
        return CacheState::Unknown;
    }
    let resident =
        truth.resident_before_bytes.map(|b| b as f64 > file_bytes as f64 * RESIDENT_SHARE);
    let moved = truth.device_read_bytes.map(|b| b as f64 >= read_bytes as f64 * COLD_SHARE);
    match (resident, moved) {
        (Some(true), _) | (_, Some(false)) => CacheState::Warm,
        (Some(false), Some(true)) => CacheState::Cold,
        _ => CacheState::Unknown,
    }
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
        cache_state(class, &truth, 1000, 10_000)
    }

    #[test]
    fn cold_needs_both_nothing_resident_and_bytes_moved() {
        use CacheState::{Cold, Unknown, Warm};
        let block = PlaceClass::Block;
        assert_eq!(state(block, Some(0), Some(900)), Cold);
        assert_eq!(state(block, Some(100), Some(1000)), Cold);
        assert_eq!(state(block, Some(101), Some(1000)), Warm);
        assert_eq!(state(block, Some(0), Some(899)), Warm);
        assert_eq!(state(block, None, Some(1000)), Unknown);
        assert_eq!(state(block, Some(0), None), Unknown);
    }

    #[test]
    fn memory_fuse_and_network_are_never_cold() {
        for class in [PlaceClass::Memory, PlaceClass::Fuse, PlaceClass::Network] {
            assert_eq!(state(class, Some(0), Some(1000)), CacheState::Unknown);
        }
    }

    #[test]
    fn a_cell_that_does_not_read_says_so() {
        let truth = Truth::default();
        assert_eq!(cache_state(PlaceClass::Block, &truth, 0, 10), CacheState::NotRead);
    }
}
