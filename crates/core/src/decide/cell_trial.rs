//! What a cell of slices costs on a candidate, from a few slices that were tried there before the
//! first block.
//!
//! A slice of a given length takes at least its minimum of work, so that on a slow drive it is
//! longer than asked for. Starting it costs something too. Both are measured, not assumed.

use super::fit::Cost;
use crate::model::slice_length::{self, SHORTEST_NS, Tried};

/// One slice that was tried.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TriedSlice {
    /// How long it was to be.
    pub asked_ns: u64,
    /// How long it was, everything around it included.
    pub wall_ns: u64,
    /// How long its work took.
    pub elapsed_ns: u64,
    /// Bytes it wrote.
    pub write_bytes: u64,
    /// Its rate, in the unit of the workload's metric.
    pub rate: f64,
}

/// A workload on a candidate.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CellTrial {
    /// Starting and ending the process that measures.
    pub start_ns: u64,
    /// Slices, each longer than the one before.
    pub slices: Vec<TriedSlice>,
}

impl CellTrial {
    /// What one slice costs; `None` where none was tried.
    fn slice(&self, length_ns: u64) -> Option<Cost> {
        let near = self.slices.iter().rfind(|tried| tried.asked_ns <= length_ns);
        let tried = near.or(self.slices.first())?;
        // It ends with the operation in which its time ends: half of one later on average.
        let elapsed_ns = tried.elapsed_ns.max(length_ns);
        let more_ns = elapsed_ns.saturating_sub(tried.elapsed_ns);
        let bytes = u128::from(tried.write_bytes) * u128::from(elapsed_ns)
            / u128::from(tried.elapsed_ns.max(1));
        Some(Cost {
            time_ns: tried.wall_ns.saturating_add(more_ns),
            write_bytes: u64::try_from(bytes).unwrap_or(u64::MAX),
        })
    }

    /// What a cell of so many rounds costs.
    pub fn cell(&self, length_ns: u64, rounds: u32) -> Option<Cost> {
        let start = Cost { time_ns: self.start_ns, write_bytes: 0 };
        self.slice(length_ns).map(|slice| start.plus(slice.times(rounds)))
    }
}

/// The length that calibration will probably choose for slices of a workload, from what its
/// candidates did; at most `longest_ns`.
pub fn expected_length_ns(trials: &[&CellTrial], longest_ns: u64) -> u64 {
    let lengths = trials.iter().map(|trial| trial.slices.len()).min().unwrap_or(0);
    let mut tried: Vec<Tried> = Vec::new();
    for at in 0..lengths {
        match slice_length::next(&tried) {
            slice_length::Next::Use(length_ns) => return length_ns.min(longest_ns),
            slice_length::Next::Try(_) => tried.push(mean(trials, at)),
        }
    }
    match slice_length::next(&tried) {
        slice_length::Next::Use(length_ns) => length_ns.min(longest_ns),
        // Longer ones were not tried: the rate still changed.
        slice_length::Next::Try(length_ns) if lengths > 1 => length_ns.min(longest_ns),
        slice_length::Next::Try(_) => longest_ns.clamp(SHORTEST_NS, 2 * SHORTEST_NS),
    }
}

/// The slices of one length on all candidates as one, with how unsure the change of their rate is.
fn mean(trials: &[&CellTrial], at: usize) -> Tried {
    let n = trials.len().max(1) as f64;
    let log = |slice: &TriedSlice| libm::log(slice.rate.max(f64::MIN_POSITIVE));
    let logs = trials.iter().map(|trial| log(&trial.slices[at]));
    let changes: Vec<f64> = match at.checked_sub(1) {
        Some(before) => {
            trials.iter().map(|t| log(&t.slices[at]) - log(&t.slices[before])).collect()
        }
        None => Vec::new(),
    };
    Tried {
        length_ns: trials.first().map_or(0, |trial| trial.slices[at].asked_ns),
        rate: libm::exp(logs.sum::<f64>() / n),
        noise: crate::stats::sample::standard_error(&changes).unwrap_or(0.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn trial(slices: &[(u64, u64, u64, f64)]) -> CellTrial {
        let slice = |(asked, elapsed, write_bytes, rate): &(u64, u64, u64, f64)| TriedSlice {
            asked_ns: asked * MS,
            wall_ns: (elapsed + 5) * MS,
            elapsed_ns: elapsed * MS,
            write_bytes: *write_bytes,
            rate: *rate,
        };
        CellTrial { start_ns: 30 * MS, slices: slices.iter().map(slice).collect() }
    }

    #[test]
    fn a_slow_drive_takes_its_minimum_and_a_fast_one_its_time() {
        let slow = trial(&[(50, 400, 1000, 1.0)]);
        let cost = slow.cell(100 * MS, 8).unwrap();
        assert_eq!((cost.time_ns / MS, cost.write_bytes), (30 + 8 * 405, 8000));
        let fast = trial(&[(50, 51, 510, 1.0), (100, 100, 1000, 1.0)]);
        let cost = fast.cell(300 * MS, 8).unwrap();
        assert_eq!((cost.time_ns / MS, cost.write_bytes), (30 + 8 * 305, 24_000));
        assert_eq!(fast.cell(50 * MS, 1).unwrap().time_ns, 30 * MS + 56 * MS);
        assert_eq!(CellTrial::default().cell(50 * MS, 8), None);
    }

    #[test]
    fn the_expected_length_is_what_calibration_would_choose() {
        let same = trial(&[(50, 50, 0, 10.0), (100, 100, 0, 10.1)]);
        assert_eq!(expected_length_ns(&[&same], 300 * MS), 50 * MS);
        let grows = trial(&[(50, 50, 0, 10.0), (100, 100, 0, 14.0), (200, 200, 0, 18.0)]);
        assert_eq!(expected_length_ns(&[&grows], 300 * MS), 300 * MS);
        assert_eq!(expected_length_ns(&[&grows], 90 * MS), 90 * MS);
        let one = trial(&[(50, 50, 0, 10.0)]);
        assert_eq!(expected_length_ns(&[&one], 300 * MS), 100 * MS);
        assert_eq!(expected_length_ns(&[&one], 60 * MS), 60 * MS);
        assert_eq!(expected_length_ns(&[], 50 * MS), 50 * MS);
    }
}
