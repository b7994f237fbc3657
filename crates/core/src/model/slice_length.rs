//! How long a slice has to be: long enough that what a switch costs does not show.
//!
//! A switch to another candidate costs the head movement of a hard disk, read-ahead and cold
//! metadata. The length is doubled from 50 ms until doubling it changes the rate by less than
//! 2 %. The limit is 300 ms. Where the minimum of operations alone takes longer, the limit is 2 s.

use super::job::{Job, Rw};

/// The shortest slice.
pub const SHORTEST_NS: u64 = 50_000_000;
/// The longest slice, unless its minimum of operations takes longer.
pub const LONGEST_NS: u64 = 300_000_000;
/// The end of every slice, whatever was done by then.
pub const LIMIT_NS: u64 = 2_000_000_000;
/// Slices of each length that are measured on each candidate to find the length.
pub const TRIES: u32 = 2;
/// A change of the rate below this, as a share, does not show.
const SAME_RATE: f64 = 0.02;
/// Change of the rate below which noise may hide it.
const HIDDEN_CHANGE: f64 = 0.10;
/// Least work of a slice: flushes, or bytes in order.
const FLUSHES: u64 = 4;
const IN_ORDER_BYTES: u64 = 8 << 20;

/// One length that was tried.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeasuredLength {
    /// How long the slices of this length really took, on average.
    pub length_ns: u64,
    /// Their rate: work over time.
    pub rate: f64,
    /// Standard error of the change of the rate's logarithm since the length before; 0 where it
    /// is not known.
    pub noise: f64,
}

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Measure slices of this length and ask again.
    Try(u64),
    /// Slices of this length will do.
    Use(u64),
}

/// Decides from the lengths tried so far, in the order in which they were tried.
pub fn next(tried: &[MeasuredLength]) -> Next {
    let Some(last) = tried.last() else { return Next::Try(SHORTEST_NS) };
    if let [.., before, last] = tried
        && is_same(before.rate, last.rate, last.noise)
    {
        return Next::Use(before.length_ns.clamp(SHORTEST_NS, LIMIT_NS));
    }
    if last.length_ns >= LONGEST_NS {
        return Next::Use(last.length_ns.min(LIMIT_NS));
    }
    // A slice ends with the operation that its time ends in, so that it is a little longer than
    // asked for: lengths tried are powers of two all the same.
    let doubled = last.length_ns.saturating_mul(2).max(SHORTEST_NS);
    let steps = (doubled / SHORTEST_NS).ilog2();
    Next::Try((SHORTEST_NS << steps).min(LONGEST_NS))
}

fn is_same(before: f64, after: f64, noise: f64) -> bool {
    let both = before.is_finite() && after.is_finite() && before > 0.0 && after > 0.0;
    let hidden = (2.0 * noise).min(libm::log1p(HIDDEN_CHANGE));
    both && libm::fabs(libm::log(after / before)) < libm::log1p(SAME_RATE).max(hidden)
}

/// The work below which a slice does not end: all three, but for the limit of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Least {
    /// Data operations; for small files, files.
    pub ios: u64,
    /// Flushes.
    pub flushes: u64,
    /// Bytes of data.
    pub bytes: u64,
}

impl Least {
    /// What a slice of `job` needs: 4 flushes of a job that flushes as it goes, else 8 MiB in
    /// order or 20 operations. In order, 8 MiB are enough also where they need fewer flushes.
    pub fn for_job(job: &Job) -> Least {
        let every = [job.fsync, job.fdatasync].into_iter().filter(|n| *n > 0 && job.rw.writes());
        let flushed_bytes = every.min().map(|n| u64::from(n).saturating_mul(job.bs));
        let in_order = matches!(job.rw, Rw::Read | Rw::Write);
        match flushed_bytes {
            Some(bytes) if !in_order || bytes.saturating_mul(FLUSHES) <= IN_ORDER_BYTES => {
                Least { flushes: FLUSHES, ..Least::default() }
            }
            _ if in_order => Least { bytes: IN_ORDER_BYTES, ..Least::default() },
            _ => Least { ios: 20, ..Least::default() },
        }
    }
}

/// Bytes after which a slice of `job` ends where a run spares the drive: `limit`, but no fewer than
/// its minimum of work needs. 0 = its time alone ends it: it only reads, or there is no limit.
pub fn most_bytes(job: &Job, limit: u64) -> u64 {
    if limit == 0 || !job.rw.writes() {
        return 0;
    }
    let least = Least::for_job(job);
    let every = [job.fsync, job.fdatasync].into_iter().filter(|n| *n > 0).min().unwrap_or(1);
    let flushed = least.flushes.saturating_mul(every.into()).saturating_mul(job.bs);
    // One more of each thread: work is divided among them in whole operations.
    let shared = u64::from(job.numjobs).saturating_mul(job.bs);
    let bytes = least.bytes.max(flushed).max(least.ios.saturating_mul(job.bs));
    limit.max(bytes.saturating_add(shared))
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
    fn a_minimum_that_takes_longer_sets_the_length() {
        let after = |pairs| next(&tried(pairs));
        assert_eq!(after(&[(900, 1.0)]), Next::Use(900 * MS));
        assert_eq!(after(&[(2400, 1.0)]), Next::Use(2000 * MS));
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
        assert_eq!(Least::for_job(&job(Rw::RandRead)), Least { ios: 20, ..Least::default() });
        assert_eq!(Least::for_job(&job(Rw::Read)), Least { bytes: 8 << 20, ..Least::default() });
        let flushed = Job { fdatasync: 1, ..job(Rw::Write) };
        assert_eq!(Least::for_job(&flushed), Least { flushes: 4, ..Least::default() });
        let seldom = Job { bs: 1 << 20, fsync: 16, ..job(Rw::Write) };
        assert_eq!(Least::for_job(&seldom), Least { bytes: 8 << 20, ..Least::default() });
        let reads = Job { fsync: 1, ..job(Rw::RandRead) };
        assert_eq!(Least::for_job(&reads).ios, 20, "what only reads never flushes");
    }

    #[test]
    fn a_drive_is_spared_no_further_than_the_minimum_of_work() {
        let job = |rw| Job::new(rw, 4096, 64 << 20);
        assert_eq!(most_bytes(&job(Rw::RandRead), 1 << 20), 0, "nothing is written");
        assert_eq!(most_bytes(&job(Rw::RandWrite), 0), 0, "nothing is spared");
        assert_eq!(most_bytes(&job(Rw::RandWrite), 1 << 20), 1 << 20);
        assert_eq!(most_bytes(&job(Rw::RandWrite), 1), 21 * 4096);
        let flushed = Job { fsync: 32, ..job(Rw::RandWrite) };
        assert_eq!(most_bytes(&flushed, 1), (4 * 32 + 1) * 4096);
        let in_order = Job { bs: 1 << 20, fsync: 16, ..job(Rw::Write) };
        assert_eq!(most_bytes(&in_order, 1), 9 << 20);
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
                        prop_assert!((SHORTEST_NS..=LIMIT_NS).contains(&length_ns));
                        return Ok(());
                    }
                }
            }
            prop_assert!(matches!(next(&tried), Next::Use(_)));
        }
    }
}
