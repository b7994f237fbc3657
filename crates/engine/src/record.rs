//! What a lane saw: a latency histogram for each kind of operation, and throughput over time.
//!
//! Sums, counts and extremes are kept exactly: the mean is no estimate. Throughput over time comes
//! from the totals at the end of each stretch, so that an operation counts once and not twice.

use bakeoff_model::op_totals::OpTotals;
pub use bakeoff_tools::native::sliced::OpKind as Kind;

use crate::error::EngineError;
use crate::histogram::{Buckets, Slots};
use crate::windows::{Counts, Windows};

/// Sums over operations of one kind, which the loop keeps in registers for a while.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub count: u64,
    sum_ns: u64,
    min_ns: u64,
    pub max_ns: u64,
}

impl Row {
    #[inline]
    pub fn new() -> Row {
        Row { count: 0, sum_ns: 0, min_ns: u64::MAX, max_ns: 0 }
    }

    #[inline]
    pub fn add(&mut self, latency_ns: u64) {
        self.merge(Row { count: 1, sum_ns: latency_ns, min_ns: latency_ns, max_ns: latency_ns });
    }

    #[inline]
    pub fn add_all(&mut self, latencies_ns: &[u64]) {
        latencies_ns.iter().for_each(|latency_ns| self.add(*latency_ns));
    }

    #[inline]
    fn merge(&mut self, more: Row) {
        self.count += more.count;
        self.sum_ns = self.sum_ns.wrapping_add(more.sum_ns);
        self.min_ns = self.min_ns.min(more.min_ns);
        self.max_ns = self.max_ns.max(more.max_ns);
    }

    /// Fails where one is less than nothing, modulo 2^64: the clock went backwards.
    pub fn check(&self) -> Result<(), EngineError> {
        if self.count == 0 || i64::try_from(self.max_ns).is_ok() {
            return Ok(());
        }
        Err(EngineError::invalid(
            "the processor's clock went backwards: set BAKEOFF_CLOCK=vdso to use the kernel's \
             clock",
        ))
    }
}

/// All operations of one kind.
#[derive(Clone, Debug)]
pub struct Tally {
    latencies: Buckets,
    pub row: Row,
    pub bytes: u64,
}

impl Tally {
    #[inline]
    pub fn record(&mut self, latency_ns: u64, bytes: u64) {
        self.latencies.record(latency_ns);
        self.row.add(latency_ns);
        self.bytes += bytes;
    }

    /// Adds a row of operations that were counted elsewhere, latencies in [`Tally::latencies`].
    pub fn add_row(&mut self, row: &Row, bytes_each: u64) {
        self.row.merge(*row);
        self.bytes += row.count * bytes_each;
    }

    #[inline]
    pub fn latencies(&mut self) -> Slots<'_> {
        self.latencies.slots()
    }

    fn take(&mut self) -> OpTotals {
        let Row { count, sum_ns, min_ns, max_ns } = std::mem::replace(&mut self.row, Row::new());
        let (bytes, histogram) = (std::mem::take(&mut self.bytes), self.latencies.take());
        OpTotals { count, bytes, sum_ns, min_ns, max_ns, histogram }
    }
}

#[derive(Debug)]
pub struct Recorder {
    tallies: [Tally; 7],
    windows: Windows,
}

impl Recorder {
    /// Room for `kinds`, allocated now; what is of another kind is counted without its latency.
    pub fn new(kinds: &[Kind]) -> Recorder {
        let buckets =
            |kind| if kinds.contains(&kind) { Buckets::new() } else { Buckets::default() };
        Recorder {
            tallies: Kind::ALL.map(|kind| Tally {
                latencies: buckets(kind),
                row: Row::new(),
                bytes: 0,
            }),
            windows: Windows::new(),
        }
    }

    #[inline]
    pub fn record(&mut self, kind: Kind, latency_ns: u64, bytes: u64) {
        self.tallies[kind as usize].record(latency_ns, bytes);
    }

    #[inline]
    pub fn tally_mut(&mut self, kind: Kind) -> &mut Tally {
        &mut self.tallies[kind as usize]
    }

    pub fn tally(&self, kind: Kind) -> Option<&Tally> {
        Some(&self.tallies[kind as usize]).filter(|tally| tally.row.count > 0)
    }

    /// When [`Recorder::end_window`] is to be called first.
    pub fn first_window_ns(&self) -> u64 {
        self.windows.end_ns()
    }

    /// Closes the stretches that ended at `elapsed_ns` or before; what was completed since the
    /// last time, and when to be called again.
    pub fn end_window(&mut self, elapsed_ns: u64) -> (Counts, u64) {
        let total = self.total();
        self.windows.roll(elapsed_ns, total)
    }

    fn total(&self) -> Counts {
        let [read, write, _, create, ..] = &self.tallies;
        Counts {
            read_bytes: read.bytes,
            write_bytes: write.bytes + create.bytes,
            ios: self.tallies.iter().map(|tally| tally.row.count).sum(),
            flushes: self.tallies[Kind::Flush as usize].row.count,
        }
    }

    /// What was recorded since the last time, by kind. Starts again from nothing, in the same
    /// memory.
    pub fn take(&mut self) -> Vec<(Kind, OpTotals)> {
        self.windows.restart();
        let with_any =
            Kind::ALL.into_iter().filter(|kind| self.tallies[*kind as usize].row.count > 0);
        let kinds: Vec<Kind> = with_any.collect();
        kinds.into_iter().map(|kind| (kind, self.tallies[kind as usize].take())).collect()
    }

    /// All that was recorded since the last time, and the throughput over its time.
    pub fn end(&mut self) -> (Vec<(Kind, OpTotals)>, Windows) {
        let total = self.total();
        let mut windows = std::mem::replace(&mut self.windows, Windows::new());
        windows.close(total);
        (self.take(), windows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minute_long_stall_is_recorded_as_it_was() {
        let mut recorder = Recorder::new(&[Kind::Flush]);
        recorder.record(Kind::Flush, 60_000_000_000, 0);
        let tally = recorder.tally(Kind::Flush).unwrap();
        assert_eq!((tally.row.min_ns, tally.row.max_ns), (60_000_000_000, 60_000_000_000));
        let stored = tally.latencies.histogram().buckets[0].0;
        assert!(stored.abs_diff(60_000_000_000) < 240_000_000, "{stored}");
    }

    #[test]
    fn a_clock_that_goes_backwards_is_an_error() {
        let row = |latencies_ns: &[u64]| {
            let mut row = Row::new();
            row.add_all(latencies_ns);
            row
        };
        assert!(row(&[]).check().is_ok() && row(&[0, 60_000_000_000]).check().is_ok());
        let said = row(&[5, 3u64.wrapping_sub(4)]).check().unwrap_err().to_string();
        assert!(said.contains("BAKEOFF_CLOCK=vdso"), "{said}");
    }

    #[test]
    fn only_what_took_place_is_there() {
        let mut recorder = Recorder::new(&[Kind::Read, Kind::Write]);
        recorder.record(Kind::Read, 5, 4096);
        assert!(recorder.tally(Kind::Write).is_none());
        assert_eq!(recorder.tally(Kind::Read).unwrap().bytes, 4096);
    }

    #[test]
    fn lanes_add_up() {
        let lane = |latencies: &[u64]| {
            let mut lane = Recorder::new(&[Kind::Read]);
            latencies.iter().for_each(|ns| lane.record(Kind::Read, *ns, 10));
            lane
        };
        let [(mut first, in_first), (second, in_second)] =
            [&[3, 9][..], &[7]].map(|latencies| lane(latencies).end());
        assert_eq!((first.len(), first[0].0, second[0].0), (1, Kind::Read, Kind::Read));
        let mut sum = first.remove(0).1;
        sum.merge(&second[0].1);
        assert_eq!((sum.count, sum.sum_ns, sum.bytes), (3, 19, 30));
        assert_eq!((sum.min_ns, sum.max_ns), (3, 9));
        assert_eq!(sum.histogram.buckets, [(3, 1), (7, 1), (9, 1)]);
        let windows = Windows::merge(vec![in_first, in_second], 100);
        assert_eq!(windows.iter().map(|w| (w.ios, w.read_bytes)).collect::<Vec<_>>(), [(3, 30)]);
    }
}
