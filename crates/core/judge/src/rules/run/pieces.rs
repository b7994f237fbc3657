//! The pieces of a candidate's cells on a workload, as the rules about outliers see them: the
//! slices, or the 100 ms of a cell that is one piece, each with its score (the logarithm of its
//! rate, so that more is better).

use crate::decide::rounds::{counts, is_of_rounds};
use crate::evidence;
use crate::evidence::rule::Hit;
use bakeoff_model::event::Cell;
use bakeoff_model::index::{CandidateIx, WorkloadIx};
use bakeoff_model::measurement::Window;
use bakeoff_model::run::Run;
use bakeoff_model::workload::{Metric, Workload};

/// Fewest operations of a 100 ms window on average, with which it says anything: as many as a slice
/// has.
const WINDOW_IOS: u64 = 20;

pub struct Course<'a> {
    pub of: &'a Workload,
    pub by: &'a str,
    pub cells: Vec<&'a Cell>,
}

impl Course<'_> {
    /// The scores of the pieces of each cell; cells that have none are left out.
    pub fn pieces(&self) -> Vec<Vec<f64>> {
        let all = self.cells.iter().map(|cell| scores(self.of.metric, cell));
        all.filter(|scores| !scores.is_empty()).collect()
    }
}

/// Every candidate on every workload that has a cell; nothing in rounds, whose course has rules of
/// its own.
pub fn courses(run: &Run) -> Vec<Course<'_>> {
    if is_of_rounds(run) {
        return Vec::new();
    }
    let header = &run.header;
    let candidates = || CandidateIx::all(header.candidates.len());
    let pairs = WorkloadIx::each(&header.workloads);
    pairs
        .flat_map(|(workload, of)| candidates().map(move |candidate| (candidate, workload, of)))
        .map(|(candidate, workload, of)| {
            let all = run.complete_cells();
            let ours = all.filter(|cell| (cell.candidate, cell.workload) == (candidate, workload));
            let sound =
                ours.filter(|cell| counts(run, cell) && !evidence::is_invalid(header, cell));
            Course { of, by: &header.candidates[candidate].name, cells: sound.collect() }
        })
        .filter(|course| !course.cells.is_empty())
        .collect()
}

fn scores(metric: Metric, cell: &Cell) -> Vec<f64> {
    if !cell.slices.is_empty() {
        let valid = cell.slices.iter().filter(|slice| slice.is_valid());
        return valid.filter_map(|s| Some(metric.to_score(s.figure(metric)?))).collect();
    }
    let windows = &cell.measurement.windows;
    // The last one is cut short by the end of the cell.
    let whole = windows.get(..windows.len().saturating_sub(1)).unwrap_or_default();
    let ios: u64 = whole.iter().map(|w| w.ios).sum();
    let is_rate = matches!(metric, Metric::Bandwidth | Metric::Iops);
    if !is_rate || ios < WINDOW_IOS * whole.len() as u64 {
        return Vec::new();
    }
    let done = |w: &Window| match metric {
        Metric::Bandwidth => w.read_bytes + w.write_bytes,
        _ => w.ios,
    };
    let full = whole.iter().filter(|w| done(w) > 0 && w.len_ns > 0);
    full.map(|w| libm::log(done(w) as f64 * 1e9 / w.len_ns as f64)).collect()
}

/// What is said with an advice of every course; `evidence` is told how many there are.
pub fn hits(
    run: &Run,
    advice: &str,
    evidence: impl Fn(&Course, usize) -> Option<String>,
) -> Vec<Hit> {
    let courses = courses(run);
    let hit = |course: &Course| {
        let hit = Hit::new(evidence(course, courses.len())?, advice);
        let (workload, candidate) = (Some(course.of.name.clone()), Some(course.by.to_string()));
        Some(Hit { workload, candidate, ..hit })
    };
    courses.iter().filter_map(hit).collect()
}

/// Level of each test, so that a clean run of so many candidates and workloads fires at most in
/// `share` of all runs.
pub fn level(share: f64, courses: usize) -> f64 {
    share / courses.max(1) as f64
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::testing::RunBuilder;
    use bakeoff_model::slice::Slice;
    use bakeoff_stats::prng::NormalDeviates;
    use bakeoff_stats::prng::SplitMix64;

    pub const SLICES: u16 = 8;

    /// A run of `k` directories over so many blocks, whose slices do `rate(block, candidate,
    /// slice)` thousand operations a second.
    pub fn sliced(k: usize, blocks: u32, mut rate: impl FnMut(u32, u16, u16) -> f64) -> Run {
        let names: Vec<String> = (0..k).map(|i| format!("/d{i}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut run = RunBuilder::directories(&names).header(|h| h.protocol.time_ns = None);
        for _ in 0..blocks {
            run.block((0..k as u16).collect(), &mut |_, _, _| 1000.0);
        }
        let mut run = run.build();
        for cell in run.blocks.iter_mut().flat_map(|block| &mut block.cells) {
            let slice = |round: u16, rate: f64| {
                // A thousand times as fast, so that nothing is rounded to whole operations.
                let (elapsed_ns, ios) = (100_000_000, (rate * 100.0) as u64);
                Slice { round, elapsed_ns, ios, bytes: ios * 4096, ..Slice::default() }
            };
            let (block, candidate) = (cell.block, cell.candidate);
            cell.slices = (0..SLICES)
                .map(|round| slice(round, rate(block.number(), candidate.number(), round)))
                .collect();
        }
        run
    }

    /// Rates about 1000 that vary as the protocol promises something for: independent noise, noise
    /// of the block, drift, and an autoregression from slice to slice.
    pub fn clean(seed: u64, noise: f64) -> impl FnMut(u32, u16, u16) -> f64 {
        let mut random = NormalDeviates(SplitMix64::derive(seed, &[3]));
        let (mut common, mut of_block, mut last) = (0.0, 0.0, u32::MAX);
        let drift = 0.5 * noise * random.deviate();
        move |block, candidate, _| {
            if block != last {
                of_block = noise * 0.5 * random.deviate();
                last = block;
            }
            common = 0.6 * common + 0.8 * 0.5 * noise * random.deviate();
            let trend = drift * f64::from(block) / 10.0;
            let own = f64::from(candidate) * 0.1;
            1000.0 * libm::exp(own + common + of_block + trend + noise * random.deviate())
        }
    }

    /// Runs of a hundred in which `check` fires on clean input, over noises, blocks and numbers of
    /// candidates.
    pub fn fired_percent(check: fn(&Run) -> Vec<Hit>) -> f64 {
        let (mut fired, mut runs) = (0u32, 0u32);
        for (k, blocks) in [(1, 3), (1, 12), (3, 6), (5, 20)] {
            for noise in [0.01, 0.05, 0.15, 0.3] {
                for seed in 0..150 {
                    let run = sliced(k, blocks, clean(seed * 31 + blocks as u64, noise));
                    fired += u32::from(!check(&run).is_empty());
                    runs += 1;
                }
            }
        }
        f64::from(fired) * 100.0 / f64::from(runs)
    }

    /// A finding named a stream of 171 MB/s "171 B/s": its windows counted operations.
    #[test]
    fn the_windows_of_a_stream_have_its_rate_in_bytes() {
        let run = sliced(1, 1, |_, _, _| 1.0);
        let mut cell = run.blocks[0].cells[0].clone();
        cell.slices.clear();
        let (len_ns, write_bytes) = (100_000_000, 50 << 20);
        let window = Window { start_ns: 0, len_ns, read_bytes: 0, write_bytes, ios: 50 };
        cell.measurement.windows = vec![window; 3];
        let rates: Vec<f64> = scores(Metric::Bandwidth, &cell).into_iter().map(libm::exp).collect();
        assert_eq!(rates.len(), 2);
        assert!(rates.iter().all(|rate| (rate / (500u64 << 20) as f64 - 1.0).abs() < 1e-9));
        let iops = libm::exp(scores(Metric::Iops, &cell)[0]);
        assert!((iops - 500.0).abs() < 1e-6, "{iops}");
    }
}
