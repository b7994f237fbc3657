//! Preconditioning: random writes to a region, in rounds, until their rate is steady by the test of
//! the SNIA Performance Test Specification (`stats::steady_state`), or it is known not to be.
//!
//! Flash is faster while erased blocks are left than when each write has to wait for one. Writing
//! the region in full once fills it; only writing on until the rate holds shows that the drive has
//! stopped changing. SNIA's rounds last as long as the whole test; these last as long as a cell, so
//! that a stick takes a minute and not a day, and what is called steady is steady on that scale.
//!
//! Source: SNIA, "Solid State Storage (SSS) Performance Test Specification (PTS)" 2.0.2, 2020,
//! definitions 2.1.24 and 2.1.32 (workload dependent preconditioning), at most 25 rounds.

use bakeoff_model::event::{FlashState, Header, Region};
use bakeoff_model::job::{EngineName, Job, Rw};
use bakeoff_model::precondition::{PreconditionEnd, RegionRounds};
use bakeoff_model::protocol::{Mode, Protocol};
use bakeoff_model::workload::Workload;
use bakeoff_stats::prng::SplitMix64;
use bakeoff_stats::steady_state::{self, MOST_ROUNDS, Steadiness};

/// Of the time and of the bytes to write that are left, preconditioning may take one part of this.
pub const SHARE: u64 = 8;
/// Writes in flight: enough to keep a drive busy.
const DEPTH: u32 = 32;
/// Smallest write: the page that filesystems write.
const BLOCK_BYTES: u64 = 4096;
const LONGEST_NS: u64 = 20_000_000_000;

/// Whether a region is preconditioned: as the plan says; where it says nothing, flash drives whose
/// region is not discarded, if anything is written there at all. Not where the rounds
/// of the workloads themselves are to show how the drive becomes steady.
pub fn is_wanted(protocol: &Protocol, workloads: &[Workload], region: &Region) -> bool {
    let writes = workloads.iter().any(|w| w.job.rw.writes());
    let is_flash = match region.flash_state {
        FlashState::Overwritten => !region.is_image,
        // Of those that stand side by side each part is written once, on flash too.
        FlashState::WrittenOnce => region.parts > 1 && !region.is_image && !region.place.spins(),
        FlashState::Trimmed => false,
    };
    writes && protocol.precondition.unwrap_or(is_flash && protocol.mode != Mode::Characterise)
}

/// Size of a write: the smallest block that the run writes, in whole pages.
pub fn block_bytes(workloads: &[Workload]) -> u64 {
    let written = workloads.iter().map(|w| &w.job).filter(|job| job.rw.writes());
    let least = written.filter(|job| job.rw != Rw::SmallFiles).map(|job| job.bs).min();
    least.unwrap_or(BLOCK_BYTES).clamp(BLOCK_BYTES, 1 << 20) / BLOCK_BYTES * BLOCK_BYTES
}

/// The work of round `round`, which writes at most `left_bytes`.
pub fn job(header: &Header, region: &Region, round: u32, left_bytes: u64) -> Job {
    let bs = block_bytes(&header.workloads);
    let most = region.size_bytes.min(left_bytes).max(bs) / bs * bs;
    let protocol = &header.protocol;
    Job {
        direct: true,
        engine: EngineName::IoUring,
        iodepth: DEPTH,
        end_fsync: true,
        io_size: Some(most),
        runtime_ns: Some(protocol.cell_min_ns),
        min_ios: protocol.cell_min_ios,
        time_limit_ns: Some(protocol.cell_max_ns.unwrap_or(LONGEST_NS).max(protocol.cell_min_ns)),
        seed: SplitMix64::derive(header.seed, &[0x9c0d, round.into()]).next_u64() >> 11,
        ..Job::new(Rw::RandWrite, bs, region.size_bytes / bs * bs)
    }
}

/// What may still be spent on it; `None` = no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Left {
    pub time_ns: Option<u64>,
    pub write_bytes: Option<u64>,
}

/// Why no further round follows these; `None` = one does. A round is taken to need what the last
/// one did.
pub fn ended(series: &RegionRounds, left: Left) -> Option<PreconditionEnd> {
    if steadiness(series).is_some_and(Steadiness::is_steady) {
        return Some(PreconditionEnd::Steady);
    }
    let last = series.rounds.last();
    let (took_ns, wrote) = last.map_or((0, BLOCK_BYTES), |r| (r.elapsed_ns, r.write_bytes));
    if series.rounds.len() >= MOST_ROUNDS {
        Some(PreconditionEnd::Rounds)
    } else if left.time_ns.is_some_and(|time_ns| time_ns < took_ns) {
        Some(PreconditionEnd::Time)
    } else if left.write_bytes.is_some_and(|bytes| bytes < wrote) {
        Some(PreconditionEnd::Bytes)
    } else {
        None
    }
}

/// What its last rounds show; `None` for fewer than the test needs.
pub fn steadiness(series: &RegionRounds) -> Option<Steadiness> {
    steady_state::steadiness(&series.rates())
}
