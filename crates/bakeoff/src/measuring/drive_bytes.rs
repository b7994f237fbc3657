//! Bytes that drives move: for a candidate's own work, and while nothing of ours runs.
//!
//! A candidate of a region has a device of its own: what is written there is its alone, however
//! many take turns on the drive. Synced at both ends, journal commits and delayed writes are in the
//! cell that caused them. Syncing happens outside of every measured time. The rate of the idle
//! drives is foreign to every cell of a block.

use std::fs::File;
use std::thread;
use std::time::{Duration, Instant};

use bakeoff_model::measurement::Measurement;
use bakeoff_model::wear::DriveWrites;
use rustix::fs::syncfs;

use crate::host;
use crate::load::site::Site;

/// Counters of a candidate's device at a moment at which nothing of it waits in memory.
#[derive(Clone, Copy, Debug)]
pub struct SyncedCount {
    written_bytes: u64,
    flushes: Option<u64>,
}

impl SyncedCount {
    /// Syncs the candidate's filesystem and reads its counters; `None` where there are none.
    pub fn take(site: &Site) -> Option<SyncedCount> {
        if site.worn.bytes.is_empty() {
            return None;
        }
        // A failure is that of a write, which its cell meets too.
        let _ = if site.is_raw {
            File::open(site.data.path()).and_then(|device| device.sync_all())
        } else {
            syncfs(site.scratch.dir()).map_err(Into::into)
        };
        if let Some(device) = &site.driver_reads {
            let _ = File::open(device.as_path()).and_then(|device| device.sync_all());
        }
        let (written_bytes, flushes) = host::written_and_flushed(&site.worn)?;
        Some(SyncedCount { written_bytes, flushes })
    }

    /// What happened since `before`, while so much was asked for; `None` where nothing was.
    pub fn since(self, before: SyncedCount, asked_bytes: u64, site: &Site) -> Option<DriveWrites> {
        let flushes = self.flushes.zip(before.flushes);
        (asked_bytes > 0).then(|| DriveWrites {
            asked_bytes,
            reached_bytes: self.written_bytes.saturating_sub(before.written_bytes),
            flushes: flushes.map(|(now, then)| now.saturating_sub(then)),
            is_shared: site.worn.is_shared,
        })
    }
}

/// Bytes that a measurement in one piece asked the kernel to write.
pub fn asked_bytes(of: &Measurement) -> u64 {
    [&of.write, &of.create].into_iter().flatten().map(|stats| stats.io_bytes).sum()
}

/// How long the drives are watched; short against a block, long against one stray write.
const WATCH: Duration = Duration::from_millis(300);

/// Bytes a second the drives move while we do nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct IdleRate {
    bytes_per_s: f64,
}

impl IdleRate {
    pub fn watch(drives: &[String]) -> IdleRate {
        let started = Instant::now();
        let before = host::disk_bytes(drives);
        thread::sleep(WATCH);
        let after = host::disk_bytes(drives);
        let moved = match (before, after) {
            (Some(before), Some(after)) => after.saturating_sub(before),
            _ => 0,
        };
        IdleRate { bytes_per_s: moved as f64 / started.elapsed().as_secs_f64() }
    }

    /// What they would have moved in `ns` anyway.
    pub fn over(self, ns: u64) -> u64 {
        (self.bytes_per_s * ns as f64 / 1e9) as u64
    }
}
