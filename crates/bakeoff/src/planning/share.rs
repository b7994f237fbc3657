//! How much of each target a plan takes: as much as its limits of time and bytes leave, for a
//! filesystem on a small part of a drive is not what its owner will use.

use bakeoff_judge::plan::RegionRequest;
use bakeoff_judge::plan::budget::Speed;
use bakeoff_machine::prepare::region::{self, Span};

use crate::fault::Fault;
use crate::steps::target::Target;

/// The most that is chosen where each candidate finds its region written anew.
const REWRITTEN_MOST_BYTES: u64 = 4 << 30;
/// Share of the time limit that writing the regions in full and reading them back may take.
pub const TIME_SHARE: u64 = 5;
/// What a run without a time limit is taken to last, as far as the size of its regions goes.
const UNLIMITED_NS: u64 = 2 * 3600 * 1_000_000_000;
/// Shares of the bytes that may be written which the regions take, the largest first: the rest is
/// for what is measured, and the first is taken that leaves room for all of it.
pub const WRITE_SHARES: [u64; 3] = [2, 4, 8];

/// What bounds the regions of a plan.
pub struct Share<'a> {
    pub asked: &'a RegionRequest,
    pub targets: &'a [Target],
    /// Bytes that the run may write, all told; `None` = any number.
    pub write_bytes: Option<u64>,
    pub write_share: u64,
    pub time_ns: Option<u64>,
}

impl Share<'_> {
    /// Room on each target for so many candidates side by side, each with its own region that is
    /// written once. The size that a plan asks for is that of one of them.
    pub fn side_by_side(&self, candidates: u64) -> Result<Vec<Span>, Fault> {
        let targets = self.targets.len().max(1) as u64;
        let by_wear = self.write_bytes.map(|bytes| bytes / self.write_share / targets);
        let most = |target: &Target| {
            let speed = Speed::assumed_for(target.place.disks().next());
            let time_ns = self.time_ns.unwrap_or(UNLIMITED_NS);
            let moved_bytes = speed.written_bytes(time_ns / TIME_SHARE / targets);
            let by_time = region::of_prepared_bytes(moved_bytes);
            by_wear.unwrap_or(u64::MAX).min(by_time)
        };
        self.chosen(most, |target, bytes| {
            let granule_bytes = region::alignment_bytes(target.room.granule_bytes);
            bytes.next_multiple_of(granule_bytes).saturating_mul(candidates)
        })
    }

    /// One region on each target for one candidate after the other, of whom each of `visits` may
    /// find it written anew.
    pub fn one_after_the_other(&self, visits: u64) -> Result<Vec<Span>, Fault> {
        let by_wear = self.write_bytes.map_or(u64::MAX, |bytes| bytes / 2 / visits);
        self.chosen(|_| by_wear.min(REWRITTEN_MOST_BYTES), |_, bytes| bytes)
    }

    fn chosen(
        &self,
        most: impl Fn(&Target) -> u64,
        asked: impl Fn(&Target, u64) -> u64,
    ) -> Result<Vec<Span>, Fault> {
        let choose = |target: &Target, size: Option<u64>| {
            region::choose(target.room, self.asked.start_bytes, size, most(target))
                .map_err(|error| Fault::usage(format!("{}: {error}", target.path)))
        };
        let size = |target: &Target| self.asked.size_bytes.map(|bytes| asked(target, bytes));
        let first = self.targets.iter().map(|target| choose(target, size(target)));
        let first = first.collect::<Result<Vec<Span>, _>>()?;
        let smallest = first.iter().map(|span| span.size_bytes).min();
        self.targets.iter().map(|target| choose(target, smallest)).collect()
    }
}
