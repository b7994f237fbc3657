//! Runs by the lead for the tests of everything that shows them.

use crate::analyse::analyse;
use crate::model::event::{CacheState, StopReason};
use crate::model::finding::{Finding, Scope, Severity};
use crate::model::lead::Stalls;
use crate::model::protocol::Mode;
use crate::model::run::Run;
use crate::model::verdict::Analysis;
use crate::prng::SplitMix64;
use crate::testing::RunBuilder;

pub const SEVEN: [&str; 7] = ["ext4", "xfs", "ext2", "btrfs", "f2fs", "exfat", "ntfs-3g"];
pub const FIVE: [&str; 5] = ["randwrite", "smallfiles", "randread", "seqwrite", "seqread"];
pub const SIX: [&str; 6] = ["randwrite", "smallfiles", "randread", "seqwrite", "seqread", "randrw"];

/// Noise of one cell: about normal with standard deviation 1, the same in every run.
fn deviate(block: u32, candidate: u16, workload: u16) -> f64 {
    let words = [block.into(), candidate.into(), workload.into()];
    let mut g = SplitMix64::derive(6, &words);
    (0..12).map(|_| g.below(1 << 40) as f64 / (1u64 << 40) as f64).sum::<f64>() - 6.0
}

/// A rate in the metric's unit from a rate in operations: bytes for workloads in order.
fn unit(workloads: &[&str], workload: u16) -> f64 {
    match workloads[usize::from(workload)] {
        "seqwrite" => 80e3,
        "seqread" => 140e3,
        _ => 1.0,
    }
}

/// A demo that only its blocks end.
fn start(names: &[&str]) -> RunBuilder {
    let builder = RunBuilder::stacks(names).mode(Mode::Quick);
    builder.header(|h| h.protocol.time_ns = None)
}

/// A demo of `blocks` blocks in which candidate c does `rate(c, w)` with `noise`.
pub fn demo(
    names: &[&str],
    workloads: &[&str],
    blocks: u32,
    noise: f64,
    rate: impl Fn(usize, usize) -> f64,
) -> RunBuilder {
    let rates = move |b: u32, c: u16, w: u16| {
        let own = rate(usize::from(c), usize::from(w)) * unit(workloads, w);
        own * libm::exp(noise * deviate(b, c, w))
    };
    start(names).workloads(workloads).play(blocks, rates)
}

/// Rates of seven filesystems that differ as they do on a card: a clear winner of most workloads.
pub fn card(c: usize, w: usize) -> f64 {
    const RATES: [[f64; 7]; 6] = [
        [1110.0, 1240.0, 1100.0, 480.0, 1180.0, 900.0, 310.0],
        [820.0, 690.0, 800.0, 410.0, 640.0, 220.0, 95.0],
        [2110.0, 2100.0, 2090.0, 2060.0, 2120.0, 2080.0, 1500.0],
        [400.0, 520.0, 390.0, 350.0, 410.0, 300.0, 160.0],
        [640.0, 645.0, 630.0, 600.0, 610.0, 560.0, 420.0],
        [900.0, 1000.0, 880.0, 400.0, 950.0, 700.0, 250.0],
    ];
    RATES[w][c % 7] * if c < 7 { 1.0 } else { 0.8 }
}

/// The run of most tests: seven candidates, five workloads, some of everything.
pub fn rich() -> (Run, Analysis) {
    let memory = |cell: &mut crate::model::event::Cell| {
        if cell.candidate.number() == 6 && matches!(cell.workload.number(), 2 | 4) {
            cell.truth.cache = CacheState::Warm;
        }
    };
    let rate = |b: u32, c: u16, w: u16| {
        card(c.into(), w.into()) * unit(&FIVE, w) * libm::exp(0.02 * deviate(b, c, w))
    };
    let run = start(&SEVEN)
        .workloads(&FIVE)
        .cells(memory)
        .play(9, rate)
        .stopped(StopReason::TimeUp, "")
        .build();
    let mut analysis = analyse(&run);
    let stalls = |candidate: &str, share| Stalls {
        candidate: candidate.to_string(),
        number: 12,
        longest_ns: 2_100_000_000,
        share,
    };
    for v in analysis.verdicts.iter_mut().take(1) {
        let lead = v.lead.as_mut().expect("it is compared");
        lead.stalls = vec![stalls("btrfs", 0.12), stalls("ext4", 0.01)];
    }
    for (id, evidence) in [
        ("L10", "/var/tmp is on the disk that also holds / and the journal of the system"),
        ("L22", "other processes wrote 6 MiB during 3 of 6 measurements"),
        ("L31", "the governor is not performance"),
        ("L40", "swap is on the same disk"),
    ] {
        analysis.findings.push(warning(id, evidence));
    }
    (run, analysis)
}

pub fn warning(id: &str, evidence: &str) -> Finding {
    Finding {
        id: id.to_string(),
        severity: Severity::Warn,
        scope: Scope::Stack,
        workload: None,
        candidate: None,
        evidence: evidence.to_string(),
        advice: "mend it".to_string(),
    }
}
