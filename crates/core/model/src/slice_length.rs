//! How long a slice has to be: long enough that what a switch costs does not show.
//!
//! A switch to another candidate costs the head movement of a hard disk, read-ahead, cold metadata,
//! and on cards the allocation units that were open. On a quick drive a slice is doubled from 50 ms
//! until doubling it changes the rate by less than 2 %, up to 300 ms. Where its minimum of work
//! takes longer than that, or the rate still changes, the drive gets time to settle that does not
//! count: it grows until doubling it no longer changes the rate of what counts, which is as long.
//! Where a minute does not suffice, slices are no longer used: each candidate is measured once in a
//! block, in one long piece.

use serde::{Deserialize, Serialize};

use super::is_default;
use super::job::{Job, Rw};

pub const SHORTEST_NS: u64 = 50_000_000;
/// The longest slice of a quick drive, unless its minimum of work takes longer.
pub const LONGEST_NS: u64 = 300_000_000;
/// The longest slice, settling included, unless one unit of work takes longer.
pub const SETTLED_NS: u64 = 60_000_000_000;
pub const LIMIT_NS: u64 = 120_000_000_000;
pub const QUICK_LIMIT_NS: u64 = 2_000_000_000;
pub const TRIES: u32 = 2;
/// A change of the rate below this, as a share, does not show.
const SAME_RATE: f64 = 0.02;
const SAME_MARGIN: f64 = 0.1;
/// Change of the rate below which noise may hide it: of all candidates on average, and of one. What
/// is hidden here shows along the slices of the run.
const HIDDEN_CHANGE: f64 = 0.10;
const HIDDEN_OF_ONE: f64 = 0.25;
const TRIED_ONCE_NS: u64 = 20_000_000_000;
const ALONE_NS: u64 = 5_000_000_000;
/// Least work of a slice: operations, fewer where nothing settles; flushes, or bytes in order.
const OPERATIONS: u64 = 50;
const QUICK_OPERATIONS: u64 = 20;
const FLUSHES: u64 = 4;
const IN_ORDER_BYTES: u64 = 8 << 20;
/// Most that a unit writes in order: more tells nothing new, and wears what is quick.
const STREAM_BYTES: u64 = 32 << 20;
/// Most that a spared cell writes in order, in two slices at least.
const CELL_BYTES: u64 = STREAM_BYTES;
/// Most files of a set, also where nothing settles: one is a unit of work, however large the sets
/// of a plan are.
const SET_FILES: u64 = 500;
const QUICK_SET_FILES: u64 = 250;

/// The length of the slices of a workload, the same for all candidates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Length {
    /// Time of one unit; its minimum of work may take longer.
    pub unit_ns: u64,
    /// Units in which the drive settles, and as many that count; 0 = one unit, all of it counts.
    #[serde(default, skip_serializing_if = "is_default")]
    pub settling: u32,
}

impl Length {
    pub fn of(unit_ns: u64) -> Length {
        Length { unit_ns, settling: 0 }
    }

    pub fn counted(self) -> u32 {
        self.settling.max(1)
    }

    pub fn units(self) -> u32 {
        self.settling.saturating_add(self.counted())
    }
}

/// A slice that is so many times as long is a visit: the drive settles that long too.
pub const VISIT_TIMES: u8 = 8;

pub fn asked(length: Length, times: u8) -> (Length, u8) {
    match times {
        VISIT_TIMES.. => {
            let settling = length.counted().saturating_mul(times.into());
            (Length { settling, ..length }, 1)
        }
        _ => (length, times.max(1)),
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeasuredLength {
    pub length_ns: u64,
    pub rate: f64,
    /// Standard error of the change of the rate's logarithm since the length before; 0 where it
    /// is not known.
    pub noise: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    Try(u64),
    Use(u64),
}

/// Decides from the lengths tried so far, in the order in which they were tried.
pub fn next(tried: &[MeasuredLength]) -> Next {
    let Some(last) = tried.last() else { return Next::Try(SHORTEST_NS) };
    if let [.., before, last] = tried
        && is_same(libm::log(last.rate / before.rate), last.noise, SAME_RATE, HIDDEN_CHANGE)
    {
        return Next::Use(before.length_ns.clamp(SHORTEST_NS, LONGEST_NS));
    }
    if last.length_ns >= LONGEST_NS {
        return Next::Use(LONGEST_NS);
    }
    // A slice ends with the operation that its time ends in, so that it is a little longer than
    // asked for: lengths tried are powers of two all the same.
    let doubled = last.length_ns.saturating_mul(2).max(SHORTEST_NS);
    let steps = (doubled / SHORTEST_NS).ilog2();
    Next::Try((SHORTEST_NS << steps).min(LONGEST_NS))
}

pub fn still_changes(tried: &[MeasuredLength]) -> bool {
    match tried {
        [.., before, last] => {
            !is_same(libm::log(last.rate / before.rate), last.noise, SAME_RATE, HIDDEN_CHANGE)
        }
        [_] | [] => false,
    }
}

fn is_same(change: f64, noise: f64, tolerance: f64, most: f64) -> bool {
    let hidden = (2.0 * noise).min(libm::log1p(most));
    change.is_finite() && libm::fabs(change) < libm::log1p(tolerance).max(hidden)
}

pub fn tolerance(margin: f64) -> f64 {
    SAME_RATE.max(margin * SAME_MARGIN)
}

/// How the rate of the part that counts changed when settling grew, of one candidate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateChange {
    pub change: f64,
    pub noise: f64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct TriedSettling {
    pub settling: u32,
    pub longest_ns: u64,
    /// Since half of it, of each candidate: for the first since none.
    pub changes: Vec<RateChange>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settling {
    /// Try so many units and ask again.
    Try(u32),
    Use(u32),
    /// The rate still changes with so many units, and there is no time for more.
    TooLong(u32),
}

/// Decides how long drives settle, in units, with slices of at most `most_ns`. All of what was
/// tried last is used: with half of it, noise may have hidden the end of the change.
pub fn settle(tried: &[TriedSettling], margin: f64, most_ns: u64) -> Settling {
    let Some(last) = tried.last() else { return Settling::Try(1) };
    let same = |c: &RateChange| is_same(c.change, c.noise, tolerance(margin), HIDDEN_OF_ONE);
    if last.changes.iter().all(same) {
        return Settling::Use(last.settling);
    }
    if last.longest_ns.saturating_mul(2) > most_ns.min(SETTLED_NS) {
        return Settling::TooLong(last.settling);
    }
    Settling::Try(last.settling.saturating_mul(2))
}

pub fn tries(length_ns: u64) -> u32 {
    if length_ns >= TRIED_ONCE_NS { 1 } else { TRIES }
}

/// Whether a drive is so slow that it has to settle, where a unit of `job` takes `unit_ns`: 50 of
/// its operations, or all of one that has fewer, take longer than a slice of a quick drive. Of a
/// kind on which a turn usually costs nothing they have to take longer still.
pub fn is_slow(job: &Job, unit_ns: u64, charges: bool) -> bool {
    let ios = Least::for_job(job, true).ios.max(OPERATIONS);
    let fifty_ns = u128::from(unit_ns) * u128::from(OPERATIONS) / u128::from(ios);
    fifty_ns > u128::from(if charges { LONGEST_NS } else { QUICK_LIMIT_NS })
}

/// Rounds of a cell where `planned` were to be made, of a job whose slices end after so many bytes
/// to spare the drive (0 = they do not): what they write is better spent on more blocks.
pub fn sparing_rounds(planned: u32, job: &Job, slice_bytes: u64) -> u32 {
    if slice_bytes == 0 || job.rw != Rw::Write {
        return planned.max(1);
    }
    let most = CELL_BYTES.div_ceil(most_bytes(job, slice_bytes).max(1)).max(2);
    planned.clamp(1, u32::try_from(most).unwrap_or(u32::MAX))
}

/// Rounds of a cell whose slices take `slice_ns`, where `planned` rounds of slices of `granted_ns`
/// were to be made: long slices are fewer, so that there is time for as many blocks.
pub fn rounds(planned: u32, granted_ns: u64, slice_ns: u64) -> u32 {
    let all_ns = u64::from(planned).saturating_mul(granted_ns.max(SHORTEST_NS));
    let rounds = u32::try_from(all_ns.div_ceil(slice_ns.max(1))).unwrap_or(u32::MAX);
    let least = if slice_ns >= ALONE_NS { 1 } else { 2 };
    rounds.clamp(least, planned.max(least))
}

/// The work below which a unit of a slice does not end: all three, but for the limit of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Least {
    /// Data operations; for small files, the files of a set.
    pub ios: u64,
    pub flushes: u64,
    pub bytes: u64,
}

impl Least {
    /// What a unit of `job` is: a set of small files, 8 MiB in order, or 50 operations with 4
    /// flushes of a job that flushes as it goes. In order, 8 MiB are enough also where they need
    /// fewer flushes. Where the drive does not have to settle, 20 operations or 4 flushes are.
    pub fn for_job(job: &Job, settles: bool) -> Least {
        if job.rw == Rw::SmallFiles {
            let most = if settles { SET_FILES } else { QUICK_SET_FILES };
            let set = (job.size / job.bs.max(1)).clamp(1, most);
            return Least { ios: set, ..Least::default() };
        }
        let every = [job.fsync, job.fdatasync].into_iter().filter(|n| *n > 0 && job.rw.writes());
        let flushed_bytes = every.min().map(|n| u64::from(n).saturating_mul(job.bs));
        let in_order = matches!(job.rw, Rw::Read | Rw::Write);
        match flushed_bytes {
            Some(bytes) if !in_order || bytes.saturating_mul(FLUSHES) <= IN_ORDER_BYTES => {
                let ios = if settles { OPERATIONS } else { 0 };
                Least { ios, flushes: FLUSHES, bytes: 0 }
            }
            _ if in_order => Least { bytes: IN_ORDER_BYTES, ..Least::default() },
            _ if settles => Least { ios: OPERATIONS, ..Least::default() },
            _ => Least { ios: QUICK_OPERATIONS, ..Least::default() },
        }
    }

    pub fn moved_bytes(self, job: &Job) -> u64 {
        let every = [job.fsync, job.fdatasync].into_iter().filter(|n| *n > 0).min().unwrap_or(1);
        let flushed = self.flushes.saturating_mul(every.into()).saturating_mul(job.bs);
        self.bytes.max(flushed).max(self.ios.saturating_mul(job.bs))
    }

    pub fn flushes(self, job: &Job) -> u64 {
        let every = [job.fsync, job.fdatasync].into_iter().filter(|n| *n > 0).min();
        if self.flushes == 0 && (job.rw != Rw::SmallFiles || every.is_none()) {
            return 0;
        }
        self.flushes.max(self.ios / u64::from(every.unwrap_or(1)))
    }
}

/// Bytes after which a unit of `job` ends before its time does: of a stream that writes, and where
/// a run spares the drive by a `limit` (0 = none); never fewer than its minimum of work needs.
/// 0 = its time alone ends it.
pub fn most_bytes(job: &Job, limit: u64) -> u64 {
    let stream = if job.rw == Rw::Write { STREAM_BYTES } else { 0 };
    let most = match limit {
        0 => stream,
        limit if stream > 0 => limit.min(stream),
        limit => limit,
    };
    if most == 0 || !job.rw.writes() {
        return 0;
    }
    // One more of each thread: work is divided among them in whole operations.
    let shared = u64::from(job.numjobs).saturating_mul(job.bs);
    most.max(Least::for_job(job, true).moved_bytes(job).saturating_add(shared))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MS: u64 = 1_000_000;

    fn tried(pairs: &[(u64, f64)]) -> Vec<MeasuredLength> {
        pairs
            .iter()
            .map(|(ms, rate)| MeasuredLength { length_ns: ms * MS, rate: *rate, noise: 0.0 })
            .collect()
    }

    #[test]
    fn the_length_is_doubled_until_the_rate_stays() {
        let after = |pairs| next(&tried(pairs));
        assert_eq!(after(&[]), Next::Try(50 * MS));
        assert_eq!(after(&[(50, 1.0)]), Next::Try(100 * MS));
        assert_eq!(after(&[(50, 1.0), (100, 1.019)]), Next::Use(50 * MS));
        assert_eq!(after(&[(51, 1.0), (103, 1.03)]), Next::Try(200 * MS));
        assert_eq!(after(&[(50, 1.0), (100, 1.1), (201, 1.2)]), Next::Try(300 * MS));
        assert_eq!(after(&[(50, 1.0), (100, 1.1), (200, 1.2), (300, 1.3)]), Next::Use(300 * MS));
    }

    #[test]
    fn a_minimum_that_takes_longer_needs_no_longer_time() {
        let after = |pairs| next(&tried(pairs));
        assert_eq!(after(&[(900, 1.0)]), Next::Use(300 * MS), "its minimum takes longer anyway");
        assert_eq!(after(&[(130, 1.0)]), Next::Try(200 * MS));
    }

    #[test]
    fn noise_hides_a_change_of_ten_percent_at_most() {
        let after = |rate| {
            let first = MeasuredLength { length_ns: 50 * MS, rate: 1.0, noise: 0.0 };
            next(&[first, MeasuredLength { length_ns: 100 * MS, rate, noise: 0.2 }])
        };
        assert_eq!(after(1.09), Next::Use(50 * MS));
        assert_eq!(after(1.2), Next::Try(200 * MS));
    }

    #[test]
    fn a_rate_of_nothing_is_never_the_same() {
        let after = next(&tried(&[(50, 0.0), (100, 0.0)]));
        assert_eq!(after, Next::Try(200 * MS));
    }

    #[test]
    fn the_minimum_follows_what_the_job_does() {
        let job = |rw| Job::new(rw, 4096, 1 << 20);
        assert_eq!(Least::for_job(&job(Rw::RandRead), true), Least { ios: 50, ..Least::default() });
        assert_eq!(
            Least::for_job(&job(Rw::Read), true),
            Least { bytes: 8 << 20, ..Least::default() }
        );
        let flushed = Job { fdatasync: 1, ..job(Rw::Write) };
        assert_eq!(Least::for_job(&flushed, true), Least { ios: 50, flushes: 4, bytes: 0 });
        assert_eq!(Least::for_job(&flushed, true).flushes(&flushed), 50);
        assert_eq!(Least::for_job(&flushed, false).flushes(&flushed), 4, "an SSD settles at once");
        assert_eq!(Least::for_job(&job(Rw::RandRead), false).ios, 20);
        let seldom = Job { bs: 1 << 20, fsync: 16, ..job(Rw::Write) };
        assert_eq!(Least::for_job(&seldom, true), Least { bytes: 8 << 20, ..Least::default() });
        let reads = Job { fsync: 1, ..job(Rw::RandRead) };
        assert_eq!(Least::for_job(&reads, true).flushes, 0, "what only reads never flushes");
        let files =
            |n: u64| Least::for_job(&Job { size: n * 4096, ..job(Rw::SmallFiles) }, true).ios;
        assert_eq!((files(70), files(500), files(100_000)), (70, 500, 500), "a set is a unit");
        let quick = Job { size: 500 * 4096, ..job(Rw::SmallFiles) };
        assert_eq!(Least::for_job(&quick, false).ios, 250);
    }

    #[test]
    fn a_drive_is_spared_no_further_than_the_minimum_of_work() {
        let job = |rw| Job::new(rw, 4096, 64 << 20);
        assert_eq!(most_bytes(&job(Rw::RandRead), 1 << 20), 0, "nothing is written");
        assert_eq!(most_bytes(&job(Rw::RandWrite), 0), 0, "nothing is spared");
        assert_eq!(most_bytes(&job(Rw::RandWrite), 1 << 20), 1 << 20);
        assert_eq!(most_bytes(&job(Rw::RandWrite), 1), 51 * 4096);
        let flushed = Job { fsync: 32, ..job(Rw::RandWrite) };
        assert_eq!(most_bytes(&flushed, 1), (4 * 32 + 1) * 4096);
        let in_order = Job { bs: 1 << 20, fsync: 16, ..job(Rw::Write) };
        assert_eq!(most_bytes(&in_order, 1), 9 << 20);
        assert_eq!(most_bytes(&in_order, 0), 32 << 20, "a stream of more tells nothing new");
        assert_eq!(most_bytes(&job(Rw::Read), 0), 0, "reads wear nothing");
    }

    /// A demo ended at its write limit after 104 of 180 s: its streams had six rounds of 18 MiB.
    #[test]
    fn streams_that_are_spared_have_fewer_rounds() {
        let stream = Job { bs: 1 << 20, ..Job::new(Rw::Write, 1 << 20, 64 << 20) };
        let rounds = |job: &Job, slice_bytes| sparing_rounds(8, job, slice_bytes);
        assert_eq!((rounds(&stream, 0), rounds(&stream, 16 << 20)), (8, 2));
        assert_eq!((rounds(&stream, 1 << 30), rounds(&stream, 1)), (2, 4));
        let scattered = Job::new(Rw::RandWrite, 4096, 64 << 20);
        assert_eq!(rounds(&scattered, 16 << 20), 8, "they write little");
        assert_eq!(sparing_rounds(0, &stream, 16 << 20), 1);
    }

    fn tried_settling(settling: u32, longest_s: u64, changes: &[f64]) -> TriedSettling {
        let changes =
            changes.iter().map(|change| RateChange { change: *change, noise: 0.0 }).collect();
        TriedSettling { settling, longest_ns: longest_s * 1000 * MS, changes }
    }

    /// On an emulated card a candidate of two paid for the turn, and slices ranked it wrongly.
    #[test]
    fn settling_grows_until_the_rate_of_no_candidate_changes() {
        let after = |tried: &[TriedSettling]| settle(tried, 0.03, u64::MAX);
        assert_eq!(after(&[]), Settling::Try(1));
        let calm = tried_settling(1, 4, &[0.01, -0.019]);
        assert_eq!(after(&[calm]), Settling::Use(1), "what it costs is paid by then");
        let first = tried_settling(1, 4, &[0.01, 0.4]);
        assert_eq!(after(std::slice::from_ref(&first)), Settling::Try(2));
        let second = tried_settling(2, 8, &[0.0, -0.03]);
        assert_eq!(after(&[first.clone(), second.clone()]), Settling::Try(4));
        let third = tried_settling(4, 16, &[0.0, 0.01]);
        assert_eq!(after(&[first, second, third]), Settling::Use(4), "all that was proved");
    }

    #[test]
    fn what_does_not_settle_in_a_minute_or_the_time_there_is_ends_the_search() {
        let slow = [tried_settling(1, 31, &[0.3])];
        assert_eq!(settle(&slow, 0.1, u64::MAX), Settling::TooLong(1));
        let short = [tried_settling(1, 4, &[0.3])];
        assert_eq!(settle(&short, 0.1, 7_000 * MS), Settling::TooLong(1));
        assert_eq!(settle(&short, 0.1, 8_000 * MS), Settling::Try(2));
    }

    #[test]
    fn a_wide_margin_or_noise_forgives_a_change_that_a_narrow_one_does_not() {
        let tried = [tried_settling(1, 4, &[0.03])];
        assert_eq!(settle(&tried, 0.02, u64::MAX), Settling::Try(2));
        assert_eq!(settle(&tried, 0.40, u64::MAX), Settling::Use(1));
        let mut noisy = tried;
        noisy[0].changes[0].noise = 0.02;
        assert_eq!(settle(&noisy, 0.02, u64::MAX), Settling::Use(1));
        noisy[0].changes[0] = RateChange { change: 0.3, noise: 0.5 };
        assert_eq!(settle(&noisy, 0.02, u64::MAX), Settling::Try(2), "a quarter at most");
    }

    #[test]
    fn long_slices_are_fewer_and_short_ones_as_many_as_planned() {
        assert_eq!(rounds(8, 50 * MS, 52 * MS), 8);
        assert_eq!(rounds(8, 300 * MS, 100 * MS), 8);
        assert_eq!(rounds(8, 50 * MS, 350 * MS), 2);
        assert_eq!(rounds(20, 300 * MS, 40_000 * MS), 1);
    }

    proptest! {
        #[test]
        fn calibration_ends_after_five_lengths_at_most(rates in proptest::collection::vec(0.0f64..9.0, 5), over in 0u64..20) {
            let mut tried = Vec::new();
            for rate in rates {
                match next(&tried) {
                    Next::Try(length_ns) => {
                        prop_assert!((SHORTEST_NS..=LONGEST_NS).contains(&length_ns));
                        tried.push(MeasuredLength { length_ns: length_ns + over * MS, rate, noise: 0.0 });
                    }
                    Next::Use(length_ns) => {
                        prop_assert!((SHORTEST_NS..=LONGEST_NS).contains(&length_ns));
                        return Ok(());
                    }
                }
            }
            prop_assert!(matches!(next(&tried), Next::Use(_)));
        }
    }
}
