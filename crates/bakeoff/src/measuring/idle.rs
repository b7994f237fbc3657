//! What the drives do while nothing of ours runs: the rate that is foreign to every cell of a
//! block.

use std::thread;
use std::time::{Duration, Instant};

use crate::host;

/// How long the drives are watched; short against a block, long against one stray write.
const WATCH: Duration = Duration::from_millis(300);

/// Bytes a second the drives move while we do nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rate {
    bytes_per_s: f64,
}

impl Rate {
    pub fn watch(drives: &[String]) -> Rate {
        let started = Instant::now();
        let before = host::disk_bytes(drives);
        thread::sleep(WATCH);
        let after = host::disk_bytes(drives);
        let moved = match (before, after) {
            (Some(before), Some(after)) => after.saturating_sub(before),
            _ => 0,
        };
        Rate { bytes_per_s: moved as f64 / started.elapsed().as_secs_f64() }
    }

    /// What they would have moved in `ns` anyway.
    pub fn over(self, ns: u64) -> u64 {
        (self.bytes_per_s * ns as f64 / 1e9) as u64
    }
}
