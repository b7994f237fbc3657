//! stalls: single slices of a candidate take at least twice as long as their work takes otherwise,
//! together over 5 % of its time, or one of them over a second.

use crate::decide::{figure, rounds};
use crate::evidence;
use crate::evidence::rule::Hit;
use bakeoff_model::event::Cell;
use bakeoff_model::index::{CandidateIx, WorkloadIx};
use bakeoff_model::run::Run;
use bakeoff_model::workload::Metric;
use bakeoff_stats::phrases;
use bakeoff_stats::units;

/// Share of the time from which on stalls belong into the answer (the protocol's limit).
const SHARE: f64 = 0.05;
const LONG_NS: u64 = 1_000_000_000;
/// And it stands out of its own slice: not merely one slow slice of a slow drive.
const LONG_SHARE: f64 = 0.01;

const ADVICE: &str =
    "check the health of the drive and the kernel log (bakeoff devices DRIVE, sudo dmesg)";

/// Nothing in rounds, whose course has rules of its own.
pub fn check(run: &Run) -> Vec<Hit> {
    let header = &run.header;
    let mut found = Vec::new();
    if rounds::is_of_rounds(run) {
        return found;
    }
    for (workload, of) in WorkloadIx::each(&header.workloads) {
        for (candidate, by) in CandidateIx::each(&header.candidates) {
            let is_sound = |cell: &&Cell| {
                (cell.candidate, cell.workload) == (candidate, workload)
                    && !evidence::is_invalid(header, cell)
            };
            let cells: Vec<&Cell> = run.complete_cells().filter(is_sound).collect();
            let (workload, candidate) = (Some(of.name.clone()), Some(by.name.clone()));
            found.extend(stalls(of.metric, &cells).map(|evidence| Hit {
                workload,
                candidate,
                ..Hit::new(evidence, ADVICE)
            }));
        }
    }
    found
}

fn stalls(metric: Metric, cells: &[&Cell]) -> Option<String> {
    let all = figure::stalls(metric, cells.iter().copied());
    let slices = cells.iter().flat_map(|cell| &cell.slices);
    let slices = slices.filter(|slice| slice.is_valid() && slice.figure(metric).is_some()).count();
    let share = all.share();
    let is_long = all.longest_ns >= LONG_NS && share >= LONG_SHARE;
    (all.number > 0 && (share >= SHARE || is_long)).then(|| {
        let stalls = phrases::count(all.number, "stall");
        format!(
            "{stalls} in {slices} slices, the longest for {}: {:.0} % of the time",
            units::duration(all.longest_ns),
            share * 100.0
        )
    })
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
    fn fired_percent(check: fn(&Run) -> Vec<Hit>) -> f64 {
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

    #[test]
    fn clean_input_fires_in_at_most_one_run_of_a_hundred() {
        let percent = fired_percent(check);
        assert!(percent <= 1.0, "{percent} %");
    }
}
