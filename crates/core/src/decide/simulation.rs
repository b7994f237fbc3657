//! The promise of the protocol, tested: how often identical candidates get a winner, and how often
//! a real difference is found, when the whole decision runs as it does in a run.
//!
//! Noise as the protocol allows it: a candidate's mean, a drift and a first-order autoregression
//! that all candidates share, and independent error.

use crate::analyse::analyse;
use crate::model::event::StopReason;
use crate::model::protocol::Mode;
use crate::model::run::Run;
use crate::model::verdict::Verdict;
use crate::prng::SplitMix64;
use crate::testing::RunBuilder;

/// A disk of known truth.
#[derive(Clone, Copy)]
struct Disk<'a> {
    mode: Mode,
    /// `ln` of each candidate's speed.
    means: &'a [f64],
    workloads: &'a [&'static str],
    /// Standard deviation of the independent error.
    noise: f64,
    /// `ln` of the speed gained over 100 visits, shared.
    drift: f64,
    /// Coefficient of the shared autoregression, from visit to visit.
    lag1: f64,
    /// Minutes the run has; 0 = no limit.
    time_s: u64,
}

/// Normal deviates (Box and Muller 1958).
struct Normal(SplitMix64);

impl Normal {
    fn next(&mut self) -> f64 {
        let mut uniform = || (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        let (u, v) = (1.0 - uniform(), uniform());
        libm::sqrt(-2.0 * libm::log(u)) * libm::cos(core::f64::consts::TAU * v)
    }
}

fn play(disk: &Disk, seed: u64) -> Run {
    let names: Vec<String> = (0..disk.means.len()).map(|i| format!("c{i}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let builder = RunBuilder::stacks(&names).mode(disk.mode).workloads(disk.workloads).seed(seed);
    let limit = (disk.time_s > 0).then_some(disk.time_s * 1_000_000_000);
    let builder = builder.header(|h| h.protocol.time_ns = limit);
    let mut normal = Normal(SplitMix64::derive(seed, &[0x6e6f697365]));
    let (mut visits, mut last, mut common) = (0.0, (u32::MAX, 0), 0.0);
    let rate = |block: u32, candidate: u16, _| {
        if last != (block, candidate) {
            last = (block, candidate);
            visits += 1.0;
            let fresh = libm::sqrt(1.0 - disk.lag1 * disk.lag1) * normal.next();
            common = disk.lag1 * common + fresh;
        }
        let shared = disk.drift * visits / 100.0 + disk.noise * common;
        let own = disk.means[usize::from(candidate)] + disk.noise * normal.next();
        1000.0 * libm::exp(shared + own)
    };
    builder.play(99, rate).build()
}

/// Runs in which something holds.
fn count(disk: &Disk, runs: u64, holds: impl Fn(&Run) -> bool) -> u64 {
    (0..runs).filter(|seed| holds(&play(disk, seed * 7919 + 1))).count() as u64
}

fn names_a_winner(run: &Run) -> bool {
    analyse(run).verdicts.iter().any(|v| v.verdict == Verdict::Beats)
}

/// The most false winners 5 % gives in `runs`, with 99.9 % certainty (normal approximation).
fn at_most_five_percent(runs: u64) -> u64 {
    let n = runs as f64;
    libm::ceil(0.05 * n + 3.1 * libm::sqrt(0.05 * 0.95 * n)) as u64
}

const SAME: Disk = Disk {
    mode: Mode::Decide,
    means: &[0.0; 6],
    workloads: &["randwrite"],
    noise: 0.02,
    drift: 0.1,
    lag1: 0.5,
    time_s: 0,
};

#[test]
fn identical_candidates_seldom_get_a_winner() {
    for (k, runs) in [(2, 400), (3, 200), (4, 150), (6, 100)] {
        let disk = Disk { means: &SAME.means[..k], ..SAME };
        let wrong = count(&disk, runs, names_a_winner);
        assert!(wrong <= at_most_five_percent(runs), "{wrong} of {runs} runs with {k} candidates");
    }
}

#[test]
fn a_strong_drift_inside_blocks_makes_no_winner() {
    // Half a percent faster from visit to visit, at a tenth of the noise: with visits in the same
    // order the first candidate would lose every time.
    let disk = Disk { means: &[0.0; 2], noise: 0.002, drift: 0.5, lag1: 0.0, ..SAME };
    let wrong = count(&disk, 200, names_a_winner);
    assert!(wrong <= at_most_five_percent(200), "{wrong} of 200");
}

#[test]
fn six_percent_at_two_percent_noise_is_found() {
    let gap = libm::log(1.06);
    let disk = Disk { means: &[0.0, gap], drift: 0.1, lag1: 0.5, ..SAME };
    let runs = 150;
    let right = |run: &Run| analyse(run).verdicts[0].winner.as_deref() == Some("c1");
    let found = count(&disk, runs, right);
    assert!(found * 100 >= runs * 95, "{found} of {runs}");
}

#[test]
fn a_winner_is_found_in_a_third_of_the_blocks() {
    let disk = Disk { means: &[0.0, libm::log(1.06)], ..SAME };
    let blocks: usize = (0..50).map(|s| play(&disk, s).complete_blocks().count()).sum();
    assert!(blocks * 3 <= 50 * 27, "{blocks} blocks in 50 runs");
    let decided = (0..50).filter(|s| play(&disk, *s).stopped.unwrap().0 == StopReason::Decided);
    assert!(decided.count() >= 48);
}

/// Many runs, told by failing: `cargo test -p bakeoff-core --release -- --ignored figures`.
#[test]
#[ignore = "minutes of simulation; run it in release mode"]
fn figures() {
    let runs = 2000;
    let mut told = Vec::new();
    let mut tell = |what: &str, disk: &Disk| {
        let percent = |n: u64| n as f64 * 100.0 / runs as f64;
        let wrong = percent(count(disk, runs, names_a_winner));
        let refused = |run: &Run| analyse(run).verdicts[0].verdict == Verdict::Refused;
        let refused = percent(count(disk, runs, refused));
        told.push(format!("{what}: a winner in {wrong:.2} %, refused {refused:.2} %"));
    };
    for k in 2..=6 {
        tell(&format!("false winners, k = {k}"), &Disk { means: &SAME.means[..k], ..SAME });
    }
    for k in [2, 6] {
        let quiet = Disk { means: &SAME.means[..k], drift: 0.0, lag1: 0.0, ..SAME };
        tell(&format!("false winners, no drift, k = {k}"), &quiet);
        tell(&format!("quick, k = {k}"), &Disk { mode: Mode::Quick, ..quiet });
    }
    for time_s in [60, 80, 100, 120, 140] {
        let disk = Disk { means: &SAME.means[..2], time_s, ..SAME };
        tell(&format!("false winners, stopped after {time_s} s"), &disk);
    }
    panic!("{told:#?}");
}
