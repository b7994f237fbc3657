//! Runs by the lead for the tests of everything that shows them.

use bakeoff_judge::analyse::analyse;
use bakeoff_judge::testing::RunBuilder;
pub use bakeoff_judge::testing::card::{FIVE, SEVEN, SIX, card, unit};
use bakeoff_model::event::{CacheState, StopReason};
use bakeoff_model::finding::Finding;
use bakeoff_model::lead::TrimmedStalls;
use bakeoff_model::protocol::Mode;
use bakeoff_model::run::Run;
use bakeoff_model::verdict::Analysis;
use bakeoff_stats::prng::SplitMix64;

/// Noise of one cell: about normal with standard deviation 1, the same in every run.
fn deviate(block: u32, candidate: u16, workload: u16) -> f64 {
    let words = [block.into(), candidate.into(), workload.into()];
    let mut g = SplitMix64::derive(6, &words);
    (0..12).map(|_| g.below(1 << 40) as f64 / (1u64 << 40) as f64).sum::<f64>() - 6.0
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

/// The run of most tests: seven candidates, five workloads, some of everything.
pub fn rich() -> (Run, Analysis) {
    let memory = |cell: &mut bakeoff_model::event::Cell| {
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
    let stalls = |candidate: &str, share| TrimmedStalls {
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
        ("L10", "/var/tmp is on the drive that also holds / and the journal of the system"),
        ("L22", "other processes wrote 6 MiB during 3 of 6 measurements"),
        ("L31", "the governor is not performance"),
        ("L40", "swap is on the same drive"),
    ] {
        analysis.findings.push(warning(id, evidence));
    }
    (run, analysis)
}

pub fn warning(id: &str, evidence: &str) -> Finding {
    bakeoff_judge::testing::warning(id, evidence, "mend it")
}
