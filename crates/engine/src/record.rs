//! What a lane saw: a latency histogram for each kind of operation, and throughput over time.
//!
//! hdrhistogram with three digits (relative error at most 0.1 %) up to an hour, so that a card that
//! stalls for a minute is recorded as it was. Memory nobody writes to is never paged in. Sums are
//! kept exactly: the mean is no estimate.

use std::fmt;

use bakeoff_core::model::histogram::Histogram;
use hdrhistogram::Histogram as Hdr;

use crate::windows::{Counts, Windows};

/// Longest latency told apart from longer ones.
const LATENCY_MAX_NS: u64 = 3_600_000_000_000;

/// Kinds of operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Data or a file read.
    Read,
    /// Data written.
    Write,
    /// fsync, fdatasync.
    Flush,
    /// A file made, written and closed.
    Create,
    /// A file looked up.
    Stat,
    /// A file removed.
    Unlink,
}

impl Kind {
    /// Every kind, in the order of the machine output.
    pub const ALL: [Kind; 6] =
        [Kind::Read, Kind::Write, Kind::Flush, Kind::Create, Kind::Stat, Kind::Unlink];
}

/// Latencies of one kind.
pub struct Tally {
    latencies: Hdr<u64>,
    /// Sum of all latencies.
    pub sum_ns: u64,
    /// Bytes transferred.
    pub bytes: u64,
}

impl Tally {
    fn new() -> Result<Tally, hdrhistogram::CreationError> {
        let latencies = Hdr::new_with_bounds(1, LATENCY_MAX_NS, 3)?;
        Ok(Tally { latencies, sum_ns: 0, bytes: 0 })
    }

    /// Operations recorded.
    pub fn count(&self) -> u64 {
        self.latencies.len()
    }

    /// Shortest and longest, to three digits.
    pub fn extremes_ns(&self) -> (u64, u64) {
        (self.latencies.min(), self.latencies.max())
    }

    /// The distribution as it is stored.
    pub fn histogram(&self) -> Histogram {
        let buckets = self.latencies.iter_recorded();
        Histogram {
            buckets: buckets.map(|b| (b.value_iterated_to(), b.count_at_value())).collect(),
        }
    }

    fn add(&mut self, other: &Tally) {
        // Same bounds everywhere: addition cannot fail.
        let added = self.latencies.add(&other.latencies);
        debug_assert!(added.is_ok());
        self.sum_ns += other.sum_ns;
        self.bytes += other.bytes;
    }
}

impl fmt::Debug for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tally({} in {} ns)", self.count(), self.sum_ns)
    }
}

/// One lane's record.
#[derive(Debug)]
pub struct Recorder {
    tallies: [Option<Tally>; 6],
    /// Throughput over time.
    pub windows: Windows,
}

impl Recorder {
    /// Room for `kinds`, allocated now.
    pub fn new(kinds: &[Kind]) -> Recorder {
        let tally = |kind| {
            // The bounds are constants hdrhistogram accepts: 1, an hour, three digits.
            kinds.contains(&kind).then(|| Tally::new().ok()).flatten()
        };
        Recorder { tallies: Kind::ALL.map(tally), windows: Windows::new() }
    }

    /// One operation done. Latencies of 0 count as 1 ns, the smallest the histogram knows.
    #[inline]
    pub fn record(&mut self, kind: Kind, latency_ns: u64, bytes: u64) {
        if let Some(tally) = &mut self.tallies[kind as usize] {
            tally.latencies.saturating_record(latency_ns.max(1));
            tally.sum_ns = tally.sum_ns.saturating_add(latency_ns);
            tally.bytes += bytes;
        }
        let window = &mut self.windows.current;
        window.ios += 1;
        match kind {
            Kind::Read => window.read_bytes += bytes,
            Kind::Write | Kind::Create => window.write_bytes += bytes,
            _ => {}
        }
    }

    /// The record of one kind, when anything was recorded.
    pub fn tally(&self, kind: Kind) -> Option<&Tally> {
        self.tallies[kind as usize].as_ref().filter(|tally| tally.count() > 0)
    }

    /// Counts of the window that is being counted.
    pub fn current(&self) -> Counts {
        self.windows.current
    }

    /// Adds the latencies of another lane and hands back its windows.
    pub fn absorb(&mut self, other: Recorder) -> Windows {
        for (mine, theirs) in self.tallies.iter_mut().zip(&other.tallies) {
            if let (Some(mine), Some(theirs)) = (mine, theirs) {
                mine.add(theirs);
            }
        }
        other.windows
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_minute_long_stall_is_recorded_as_it_was() {
        let mut recorder = Recorder::new(&[Kind::Flush]);
        recorder.record(Kind::Flush, 60_000_000_000, 0);
        let max = recorder.tally(Kind::Flush).unwrap().extremes_ns().1;
        assert!(max.abs_diff(60_000_000_000) < 60_000_000, "{max}");
    }

    #[test]
    fn only_what_took_place_is_there() {
        let mut recorder = Recorder::new(&[Kind::Read, Kind::Write]);
        recorder.record(Kind::Read, 5, 4096);
        assert!(recorder.tally(Kind::Write).is_none());
        assert_eq!(recorder.tally(Kind::Read).unwrap().bytes, 4096);
    }

    proptest! {
        #[test]
        fn the_stored_histogram_keeps_counts_and_three_digits(
            values in proptest::collection::vec(1u64..120_000_000_000, 1..200)
        ) {
            let mut recorder = Recorder::new(&[Kind::Read]);
            values.iter().for_each(|v| recorder.record(Kind::Read, *v, 1));
            let tally = recorder.tally(Kind::Read).unwrap();
            let histogram = tally.histogram();
            prop_assert_eq!(histogram.total(), values.len() as u64);
            prop_assert_eq!(tally.sum_ns, values.iter().sum::<u64>());
            prop_assert!(histogram.buckets.is_sorted_by_key(|b| b.0));
            let mut sorted = values.clone();
            sorted.sort_unstable();
            let mut stored = histogram.buckets.iter().flat_map(|b| (0..b.1).map(|_| b.0));
            for exact in sorted {
                let got = stored.next().unwrap();
                prop_assert!(got >= exact && got - exact <= exact / 1000 + 1, "{} {}", got, exact);
            }
        }
    }
}
