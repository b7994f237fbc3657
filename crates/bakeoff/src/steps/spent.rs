//! Bytes that a run has written, as the kernel counts them.
//!
//! The record knows what its cells did. It does not know what mkfs writes, what a profile writes
//! beside what it reports, or what a filesystem adds. What arrives at a target, which is ours
//! alone, the kernel counts. The larger number counts. A drive that is shared tells nothing, and
//! neither does `/proc/PID/io`: since filesystems have large folios, a write of 4 KiB counts there
//! as all of its folio, up to 2 MiB.

use bakeoff_judge::decide::cost;
use bakeoff_model::path::RawPath;
use bakeoff_model::run::Run;

use crate::host;

/// Since this process took the run in hand.
#[derive(Clone, Debug)]
pub struct Spent {
    before_bytes: u64,
    targets: Vec<(RawPath, u64)>,
    /// What slices wrote that the record does not have: tried, or to find their length.
    unrecorded_bytes: u64,
}

impl Spent {
    pub fn begin(run: &Run) -> Spent {
        let devices = run.header.regions().filter(|region| !region.is_image);
        let targets = devices.filter_map(|region| {
            let written = host::device_written_bytes(region.target.as_path())?;
            Some((region.target.clone(), written))
        });
        Spent {
            before_bytes: cost::written_bytes(run),
            targets: targets.collect(),
            unrecorded_bytes: 0,
        }
    }

    /// Bytes since then that arrived at targets; 0 where none is a device.
    pub fn own_bytes(&self) -> u64 {
        let arrived = |(path, then): &(RawPath, u64)| {
            host::device_written_bytes(path.as_path()).map_or(0, |now| now.saturating_sub(*then))
        };
        self.targets.iter().map(arrived).fold(0, u64::saturating_add)
    }

    pub fn of_run(&self, run: &Run) -> u64 {
        let recorded = cost::written_bytes(run).saturating_add(self.unrecorded_bytes);
        recorded.max(self.before_bytes.saturating_add(self.own_bytes()))
    }

    /// So many bytes were written that the record does not have.
    pub fn add_unrecorded(&mut self, bytes: u64) {
        self.unrecorded_bytes = self.unrecorded_bytes.saturating_add(bytes);
    }
}
