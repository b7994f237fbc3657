//! Throughput over time, in a bounded number of stretches.
//!
//! A lane counts into a fixed grid of 100 ms. The memory is there before the clock starts; when it
//! is used up neighbours are merged and the grid's length doubles. At the end the lanes' grids are
//! added, and stretches in which nothing was completed join the one whose completion they waited
//! for: a flush of 17 s is one window of 17 s, not 169 of nothing and one of everything.

use bakeoff_model::measurement::Window;

pub const WINDOW_NS: u64 = 100_000_000;
const WINDOWS_MAX: usize = 4096;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub read_bytes: u64,
    pub write_bytes: u64,
    pub ios: u64,
    /// How many of them were flushes, which no figure of a result counts as operations.
    pub flushes: u64,
}

impl Counts {
    fn add(&mut self, other: Counts) {
        self.read_bytes += other.read_bytes;
        self.write_bytes += other.write_bytes;
        self.ios += other.ios;
        self.flushes += other.flushes;
    }

    fn since(self, earlier: Counts) -> Counts {
        Counts {
            read_bytes: self.read_bytes - earlier.read_bytes,
            write_bytes: self.write_bytes - earlier.write_bytes,
            ios: self.ios - earlier.ios,
            flushes: self.flushes - earlier.flushes,
        }
    }
}

#[derive(Debug)]
pub struct Windows {
    len_ns: u64,
    closed: Vec<Counts>,
    total: Counts,
    end_ns: u64,
}

impl Windows {
    /// No stretch yet; allocates what it will ever need.
    pub fn new() -> Windows {
        Windows {
            len_ns: WINDOW_NS,
            closed: Vec::with_capacity(WINDOWS_MAX),
            total: Counts::default(),
            end_ns: WINDOW_NS,
        }
    }

    pub fn end_ns(&self) -> u64 {
        self.end_ns
    }

    /// Closes what ended at `elapsed_ns` or before, with `total` done so far; returns what is new
    /// since the last time, and when to be called again.
    pub fn roll(&mut self, elapsed_ns: u64, total: Counts) -> (Counts, u64) {
        let counts = total.since(self.total);
        let mut rest = counts;
        while elapsed_ns >= self.end_ns {
            self.push(std::mem::take(&mut rest));
            self.total = total;
            self.end_ns += self.len_ns;
        }
        (counts, self.end_ns)
    }

    /// Forgets every stretch and begins again from nothing, in the same memory.
    pub fn restart(&mut self) {
        self.closed.clear();
        (self.len_ns, self.end_ns, self.total) = (WINDOW_NS, WINDOW_NS, Counts::default());
    }

    pub fn close(&mut self, total: Counts) {
        self.push(total.since(self.total));
        self.total = total;
    }

    fn push(&mut self, counts: Counts) {
        self.closed.push(counts);
        if self.closed.len() == WINDOWS_MAX {
            self.double();
        }
    }

    fn double(&mut self) {
        for i in 0..self.closed.len().div_ceil(2) {
            let mut pair = self.closed[2 * i];
            if let Some(second) = self.closed.get(2 * i + 1) {
                pair.add(*second);
            }
            self.closed[i] = pair;
        }
        self.closed.truncate(self.closed.len().div_ceil(2));
        self.len_ns *= 2;
    }

    /// Adds closed lanes up. `elapsed_ns` is the end of the last of them.
    pub fn merge(lanes: Vec<Windows>, elapsed_ns: u64) -> Vec<Window> {
        let len_ns = lanes.iter().map(|lane| lane.len_ns).max().unwrap_or(WINDOW_NS);
        let mut grid: Vec<Counts> = Vec::new();
        for mut lane in lanes {
            while lane.len_ns < len_ns {
                lane.double();
            }
            grid.resize(grid.len().max(lane.closed.len()), Counts::default());
            for (sum, counts) in grid.iter_mut().zip(&lane.closed) {
                sum.add(*counts);
            }
        }
        join_waits(&grid, len_ns, elapsed_ns)
    }
}

/// Turns the grid into windows; see the module's head.
fn join_waits(grid: &[Counts], len_ns: u64, elapsed_ns: u64) -> Vec<Window> {
    let mut windows: Vec<Window> = Vec::new();
    let mut start_ns = 0;
    for (i, counts) in grid.iter().enumerate() {
        let end_ns = (len_ns * (i as u64 + 1)).min(elapsed_ns);
        if counts.ios > 0 && end_ns > start_ns {
            windows.push(Window {
                start_ns,
                len_ns: end_ns - start_ns,
                read_bytes: counts.read_bytes,
                write_bytes: counts.write_bytes,
                ios: counts.ios,
            });
            start_ns = end_ns;
        }
    }
    windows
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn lane(completions: &[(u64, u64)]) -> Windows {
        let mut windows = Windows::new();
        let mut total = Counts::default();
        for &(at_ns, bytes) in completions {
            windows.roll(at_ns, total);
            total.add(Counts { read_bytes: bytes, write_bytes: 0, ios: 1, flushes: 0 });
        }
        windows.close(total);
        windows
    }

    #[test]
    fn a_stall_is_one_long_window() {
        let got = Windows::merge(
            vec![lane(&[(1, 10), (50_000_000, 10), (730_000_000, 10), (850_000_000, 10)])],
            850_000_000,
        );
        let spans: Vec<_> = got.iter().map(|w| (w.start_ns, w.len_ns, w.ios)).collect();
        let ms = 1_000_000;
        assert_eq!(spans, [(0, 100 * ms, 2), (100 * ms, 700 * ms, 1), (800 * ms, 50 * ms, 1)]);
    }

    #[test]
    fn an_hour_fits() {
        let every_second: Vec<_> = (0..3600).map(|s| (s * 1_000_000_000, 1)).collect();
        let mut windows = lane(&every_second);
        assert_eq!(windows.closed.capacity(), WINDOWS_MAX, "no allocation after the start");
        windows.roll(3_600_000_000_000, windows.total);
        assert_eq!(windows.len_ns, 1_600_000_000);
    }

    proptest! {
        #[test]
        fn nothing_is_lost_and_windows_follow_each_other(
            steps in proptest::collection::vec((0u64..2_000_000_000_000, 1u64..1000), 1..60),
            other in proptest::collection::vec((0u64..90_000_000, 1u64..1000), 0..60),
        ) {
            let timeline = |steps: &[(u64, u64)]| -> Vec<(u64, u64)> {
                steps.iter().scan(0, |t, s| { *t += s.0; Some((*t, s.1)) }).collect()
            };
            let (a, b) = (timeline(&steps), timeline(&other));
            let end = a.iter().chain(&b).map(|c| c.0).max().unwrap() + 1;
            let bytes: u64 = a.iter().chain(&b).map(|c| c.1).sum();
            let windows = Windows::merge(vec![lane(&a), lane(&b)], end);
            prop_assert!(windows.len() <= WINDOWS_MAX + 1);
            prop_assert_eq!(windows.iter().map(|w| w.read_bytes).sum::<u64>(), bytes);
            let mut at = 0;
            for w in &windows {
                prop_assert_eq!(w.start_ns, at);
                at += w.len_ns;
            }
            prop_assert!(at <= end);
        }
    }
}
