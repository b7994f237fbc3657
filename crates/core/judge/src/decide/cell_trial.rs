//! What a cell of slices costs on a candidate, from a few slices that were tried there before the
//! first block.
//!
//! A slice of a given length takes at least its minimum of work, so that on a slow drive it is
//! longer than asked for. Starting it costs something too. Both are measured, not assumed.

use super::limits::RunCost;
use bakeoff_model::slice_length::{self, MeasuredLength, SHORTEST_NS};

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TrialSlice {
    pub asked_ns: u64,
    pub wall_ns: u64,
    pub elapsed_ns: u64,
    pub write_bytes: u64,
    /// Bytes that its operations moved, read ones included: what [`slice_length::most_bytes`]
    /// limits.
    pub moved_bytes: u64,
    /// Its rate, in the unit of the workload's metric.
    pub rate: f64,
    /// How long a unit of work for a drive that settles would take at that rate.
    pub unit_ns: u64,
}

impl TrialSlice {
    /// What would have come of it if it had not been cut off on its way through files of
    /// `size_bytes`: it ends there, or after `longest_ns` where that is sooner. One that moved no
    /// bytes cannot tell how far it was, and is taken for the longest. What a filesystem added to
    /// a tried part is a share of what it added to all, and does not grow with one. `flush_ns`: the
    /// least that the files take to reach the drive, 0 for one that only reads.
    pub fn gone_on(self, size_bytes: u64, flush_ns: u64, longest_ns: u64) -> TrialSlice {
        let through_ns = match self.moved_bytes {
            0 => longest_ns,
            moved => scaled(self.elapsed_ns, size_bytes.max(moved), moved).min(longest_ns),
        };
        let through_ns = through_ns.max(self.elapsed_ns);
        // The drive may need longer than the calls; it gets no more bytes by that.
        let whole_ns = through_ns.max(flush_ns.min(longest_ns));
        let moved_bytes = scaled(self.moved_bytes, through_ns, self.elapsed_ns);
        // Of one that reads, too, as much is written as was.
        let written = scaled(self.write_bytes.min(self.moved_bytes), through_ns, self.elapsed_ns);
        let added = self.write_bytes.saturating_sub(self.moved_bytes);
        TrialSlice {
            asked_ns: whole_ns,
            wall_ns: whole_ns,
            elapsed_ns: whole_ns,
            write_bytes: written.saturating_add(added),
            moved_bytes,
            rate: self.rate,
            unit_ns: self.unit_ns,
        }
    }
}

/// How long work takes, whatever time is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Natural {
    pub slice_ns: u64,
    pub unit_ns: u64,
}

impl Natural {
    pub fn max(self, other: Natural) -> Natural {
        Natural {
            slice_ns: self.slice_ns.max(other.slice_ns),
            unit_ns: self.unit_ns.max(other.unit_ns),
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct CellTrial {
    pub start_ns: u64,
    pub start_bytes: u64,
    pub slices: Vec<TrialSlice>,
}

impl CellTrial {
    pub fn wall_ns(&self) -> u64 {
        let slices = self.slices.iter().map(|slice| slice.wall_ns);
        slices.fold(self.start_ns, u64::saturating_add)
    }

    /// How long the shortest slice takes, and a unit of work for a drive that settles; 0 where none
    /// was tried.
    pub fn natural(&self) -> Natural {
        let slice_ns = self.slices.first().map_or(0, |slice| slice.elapsed_ns);
        Natural { slice_ns, unit_ns: self.slices.last().map_or(0, |slice| slice.unit_ns) }
    }

    /// What one slice costs that ends after `most_bytes` (0 = by its time alone); `None` where none
    /// was tried.
    pub fn slice(&self, length_ns: u64, most_bytes: u64) -> Option<RunCost> {
        let tried = self.near(length_ns)?;
        // It ends with the operation in which its time ends: half of one later on average.
        let longest_ns = tried.elapsed_ns.max(length_ns);
        let moved = scaled(tried.moved_bytes, longest_ns, tried.elapsed_ns);
        let elapsed_ns = match most_bytes {
            most if most > 0 && moved > most => scaled(longest_ns, most, moved),
            _ => longest_ns,
        };
        let around_ns = tried.wall_ns.saturating_sub(tried.elapsed_ns);
        Some(RunCost {
            time_ns: around_ns.saturating_add(elapsed_ns),
            write_bytes: scaled(tried.write_bytes, elapsed_ns, tried.elapsed_ns),
        })
    }

    fn near(&self, length_ns: u64) -> Option<&TrialSlice> {
        let near = self.slices.iter().rfind(|tried| tried.asked_ns <= length_ns);
        near.or(self.slices.first())
    }

    /// Bytes that a slice of that length moves; 0 where none was tried.
    pub fn moved_bytes(&self, length_ns: u64) -> u64 {
        self.near(length_ns).map_or(0, |tried| {
            scaled(tried.moved_bytes, tried.elapsed_ns.max(length_ns), tried.elapsed_ns)
        })
    }

    /// Bytes that all tried slices wrote; of those of one length the last alone is known.
    pub fn tried_bytes(&self) -> u64 {
        self.slices.iter().map(|tried| tried.write_bytes).sum()
    }

    pub fn cell(&self, length_ns: u64, rounds: u32, most_bytes: u64) -> Option<RunCost> {
        let start = RunCost { time_ns: self.start_ns, write_bytes: self.start_bytes };
        self.slice(length_ns, most_bytes).map(|slice| start.plus(slice.times(rounds)))
    }

    pub fn calibration(&self, lengths_ns: &[u64], times: u32, most_bytes: u64) -> RunCost {
        let tried = lengths_ns.iter().filter_map(|ns| self.slice(*ns, most_bytes));
        tried.fold(RunCost::default(), |sum, slice| sum.plus(slice.times(times)))
    }
}

fn scaled(n: u64, times: u64, over: u64) -> u64 {
    u64::try_from(u128::from(n) * u128::from(times) / u128::from(over.max(1))).unwrap_or(u64::MAX)
}

/// What calibration will probably do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expected {
    pub length_ns: u64,
    pub tried_ns: Vec<u64>,
    pub granted_ns: u64,
}

/// The length that calibration will probably choose for slices of a workload, from what its
/// candidates did; at most `longest_ns`.
pub fn expected_length(trials: &[&CellTrial], longest_ns: u64) -> Expected {
    let known = trials.iter().map(|trial| trial.slices.len()).min().unwrap_or(0);
    let (mut tried, mut tried_ns): (Vec<MeasuredLength>, Vec<u64>) = (Vec::new(), Vec::new());
    let is_of_use = longest_ns >= 2 * SHORTEST_NS;
    let length_ns = loop {
        match slice_length::next(&tried) {
            slice_length::Next::Use(length_ns) => break length_ns,
            slice_length::Next::Try(length_ns) if length_ns > longest_ns || !is_of_use => {
                break longest_ns;
            }
            slice_length::Next::Try(length_ns) if tried.len() < known => {
                tried_ns.push(length_ns);
                tried.push(mean(trials, tried.len()));
            }
            // Longer ones were not tried: the rate still changed.
            slice_length::Next::Try(length_ns) if known > 1 => {
                tried_ns.push(length_ns);
                break length_ns;
            }
            slice_length::Next::Try(length_ns) => {
                tried_ns.push(length_ns);
                break 2 * SHORTEST_NS;
            }
        }
    };
    let length_ns = length_ns.min(longest_ns).max(SHORTEST_NS);
    Expected { length_ns, tried_ns, granted_ns: longest_ns }
}

fn mean(trials: &[&CellTrial], at: usize) -> MeasuredLength {
    let n = trials.len().max(1) as f64;
    let log = |slice: &TrialSlice| libm::log(slice.rate.max(f64::MIN_POSITIVE));
    let logs = trials.iter().map(|trial| log(&trial.slices[at]));
    let changes: Vec<f64> = match at.checked_sub(1) {
        Some(before) => {
            trials.iter().map(|t| log(&t.slices[at]) - log(&t.slices[before])).collect()
        }
        None => Vec::new(),
    };
    MeasuredLength {
        length_ns: trials.first().map_or(0, |trial| trial.slices[at].asked_ns),
        rate: libm::exp(logs.sum::<f64>() / n),
        noise: bakeoff_stats::sample::standard_error(&changes).unwrap_or(0.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn trial(slices: &[(u64, u64, u64, f64)]) -> CellTrial {
        let slice = |(asked, elapsed, write_bytes, rate): &(u64, u64, u64, f64)| TrialSlice {
            asked_ns: asked * MS,
            wall_ns: (elapsed + 5) * MS,
            elapsed_ns: elapsed * MS,
            write_bytes: *write_bytes,
            moved_bytes: *write_bytes / 2,
            rate: *rate,
            unit_ns: 0,
        };
        CellTrial { start_ns: 30 * MS, start_bytes: 0, slices: slices.iter().map(slice).collect() }
    }

    #[test]
    fn a_slow_drive_takes_its_minimum_and_a_fast_one_its_time() {
        let slow = trial(&[(50, 400, 1000, 1.0)]);
        let cost = slow.cell(100 * MS, 8, 0).unwrap();
        assert_eq!((cost.time_ns / MS, cost.write_bytes), (30 + 8 * 405, 8000));
        let fast = trial(&[(50, 51, 510, 1.0), (100, 100, 1000, 1.0)]);
        let cost = fast.cell(300 * MS, 8, 0).unwrap();
        assert_eq!((cost.time_ns / MS, cost.write_bytes), (30 + 8 * 305, 24_000));
        assert_eq!(fast.cell(50 * MS, 1, 0).unwrap().time_ns, 30 * MS + 56 * MS);
        assert_eq!(CellTrial::default().cell(50 * MS, 8, 0), None);
    }

    #[test]
    fn several_candidates_count_as_their_geometric_mean() {
        let [one, other] = [(2.0, 8.0), (8.0, 4.0)]
            .map(|(first, then)| trial(&[(50, 50, 1, first), (100, 100, 1, then)]));
        let first = mean(&[&one, &other], 0);
        assert!((first.rate - 4.0).abs() < 1e-9 && first.noise == 0.0, "{first:?}");
        let then = mean(&[&one, &other], 1);
        assert_eq!(then.length_ns, 100 * MS);
        assert!((then.rate - libm::sqrt(32.0)).abs() < 1e-9, "{then:?}");
        // The rates change by ln 4 and by -ln 2: half their distance is the standard error.
        assert!((then.noise - 1.5 * libm::log(2.0)).abs() < 1e-9, "{then:?}");
    }

    #[test]
    fn a_slice_that_ends_by_bytes_takes_and_writes_its_share() {
        // Half of what arrives is what was asked for, the rest the filesystem's.
        let fast = trial(&[(50, 50, 1000, 1.0), (100, 100, 2000, 1.0)]);
        assert_eq!(fast.moved_bytes(200 * MS), 2000);
        let cost = fast.cell(100 * MS, 8, 250).unwrap();
        assert_eq!((cost.time_ns / MS, cost.write_bytes), (30 + 8 * (25 + 5), 8 * 500));
        assert_eq!(fast.cell(100 * MS, 8, 1000), fast.cell(100 * MS, 8, 0));
        let tried = fast.calibration(&[50 * MS, 100 * MS], 2, 0);
        assert_eq!((tried.time_ns / MS, tried.write_bytes), (2 * (55 + 105), 2 * 3000));
    }

    #[test]
    fn a_part_that_was_cut_off_is_forecast_to_its_end() {
        let cut = trial(&[(1000, 1000, 4_000, 1.0)]).slices[0];
        let whole = cut.gone_on(20_000, 0, 60_000 * MS);
        assert_eq!((whole.elapsed_ns, whole.moved_bytes), (10_000 * MS, 20_000));
        assert_eq!(whole.write_bytes, 22_000);
        assert_eq!(cut.gone_on(20_000, 0, 4_000 * MS).elapsed_ns, 4_000 * MS);
        assert_eq!(cut.gone_on(1_000, 0, 60_000 * MS).elapsed_ns, 1_000 * MS, "it was through");
        let in_memory = cut.gone_on(1_000, 3_000 * MS, 60_000 * MS);
        assert_eq!(in_memory.elapsed_ns, 3_000 * MS, "it still has to reach the drive");
        assert_eq!(in_memory.write_bytes, cut.write_bytes, "that takes time, and writes no more");
        // A part that only reads was taken for the longest.
        let reads = TrialSlice { write_bytes: 0, ..cut }.gone_on(20_000, 0, 60_000 * MS);
        assert_eq!((reads.elapsed_ns, reads.write_bytes), (10_000 * MS, 0));
        let unknown = TrialSlice { moved_bytes: 0, ..cut };
        assert_eq!(unknown.gone_on(20_000, 0, 7_000 * MS).elapsed_ns, 7_000 * MS);
    }

    #[test]
    fn the_expected_length_is_what_calibration_would_choose() {
        let of = |trials: &[&CellTrial], longest| {
            let Expected { length_ns, tried_ns, .. } = expected_length(trials, longest * MS);
            (length_ns / MS, tried_ns.iter().map(|ns| ns / MS).collect::<Vec<_>>())
        };
        let same = trial(&[(50, 50, 0, 10.0), (100, 100, 0, 10.1)]);
        assert_eq!(of(&[&same], 300), (50, vec![50, 100]));
        let grows = trial(&[(50, 50, 0, 10.0), (100, 100, 0, 14.0), (200, 200, 0, 18.0)]);
        assert_eq!(of(&[&grows], 300), (300, vec![50, 100, 200, 300]));
        assert_eq!(of(&[&grows], 150), (150, vec![50, 100]));
        assert_eq!(of(&[&grows], 90), (90, vec![]));
        let one = trial(&[(50, 50, 0, 10.0)]);
        assert_eq!(of(&[&one], 300), (100, vec![50, 100]));
        assert_eq!(of(&[&one], 60), (60, vec![]));
        assert_eq!(of(&[], 50), (50, vec![]));
    }
}
