//! Bytes that a run has written, as the kernel counts them.
//!
//! The record knows what its cells did. It does not know what mkfs writes, what a profile writes
//! beside what it reports, or what a filesystem adds. The kernel counts what bakeoff and all that
//! it started send towards storage, and what arrives at a target, which is ours alone: there
//! journals count too. Of these the largest counts. Writes of others never do.

use bakeoff_core::decide::cost;
use bakeoff_core::model::path::RawPath;
use bakeoff_core::model::run::Run;

use crate::host;

/// Since this process took the run in hand.
#[derive(Clone, Debug)]
pub struct Spent {
    /// By the record, when it began.
    before_bytes: u64,
    own_then: Option<u64>,
    /// Targets that are devices, with what had been written to each.
    targets: Vec<(RawPath, u64)>,
    /// Complete blocks, and what they wrote together.
    blocks: u64,
    block_bytes: u64,
}

impl Spent {
    /// Nothing yet.
    pub fn begin(run: &Run) -> Spent {
        let devices = run.header.regions().filter(|region| !region.is_image);
        let targets = devices.filter_map(|region| {
            let written = host::device_written_bytes(region.target.as_path())?;
            Some((region.target.clone(), written))
        });
        Spent {
            before_bytes: cost::written_bytes(run),
            own_then: host::own_written_bytes(),
            targets: targets.collect(),
            blocks: 0,
            block_bytes: 0,
        }
    }

    /// Bytes since then; 0 where the kernel does not count.
    pub fn own_bytes(&self) -> u64 {
        let now = self.own_then.and_then(|_| host::own_written_bytes());
        let own = now.zip(self.own_then).map_or(0, |(now, then)| now.saturating_sub(then));
        let arrived = |(path, then): &(RawPath, u64)| {
            host::device_written_bytes(path.as_path()).map_or(0, |now| now.saturating_sub(*then))
        };
        self.targets.iter().map(arrived).fold(0, u64::saturating_add).max(own)
    }

    /// Bytes of the whole run.
    pub fn of_run(&self, run: &Run) -> u64 {
        cost::written_bytes(run).max(self.before_bytes.saturating_add(self.own_bytes()))
    }

    /// A block is complete that began when [`Spent::own_bytes`] was `before`.
    pub fn count_block(&mut self, before: u64) {
        self.blocks += 1;
        self.block_bytes += self.own_bytes().saturating_sub(before);
    }

    /// What a block writes on average; 0 before the first.
    pub fn a_block(&self) -> u64 {
        self.block_bytes.checked_div(self.blocks).unwrap_or(0)
    }
}
