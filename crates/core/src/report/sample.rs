//! Small runs and analyses for the tests of the writers. The analyses are made by hand: the writers
//! decide nothing.

use crate::model::candidate::{Candidate, Kind, Stack};
use crate::model::event::{Header, StepDone, StopReason, What};
use crate::model::finding::{Finding, Scope};
use crate::model::path::RawPath;
use crate::model::protocol::Mode;
use crate::model::run::Run;
use crate::model::verdict::{Analysis, Effect, Standing, Verdict, WorkloadVerdict};
use crate::prepare::steps;
use crate::testing::{RunBuilder, Version01};

/// 2026-11-20 14:03 UTC.
const STARTED_UNIX_NS: i64 = 1_795_183_380_000_000_000;

pub fn stack(name: &str, fs: &str, mkfs: &[&str]) -> Candidate {
    let mkfs = mkfs.iter().map(|w| w.to_string()).collect();
    let stack = Stack::plain(fs, mkfs, vec!["noatime".to_string()], false);
    Candidate::new(name, Kind::Stack(stack))
}

pub fn header(candidates: Vec<Candidate>) -> Header {
    let names: Vec<&str> = candidates.iter().map(|c| c.name.as_str()).collect();
    let mut header = Version01::stacks(&names).mode(Mode::Quick).seed(7).build().header;
    header.title = "demo: which filesystem on this image?".to_string();
    header.host.cpu = Some("Cortex-A72".to_string());
    header.region = None;
    header.candidates = candidates;
    header
}

/// A run with `blocks` complete blocks in which candidate i does `ios[i]` operations a second.
pub fn run(header: Header, blocks: u32, ios: &[u64]) -> Run {
    let order: Vec<u16> = (0..header.candidates.len() as u16).collect();
    let mut step = steps::fill(0, &RawPath::new("/mnt/a b/image"), 1 << 30);
    step.destroys = None;
    let output = "done\u{1b}[31m\n".to_string();
    let took_ns = 5_000_000_000;
    let mut builder = RunBuilder::from_header(header)
        .event(What::StepPlanned(step))
        .event(What::StepDone(StepDone { step: 0, took_ns, status: 0, output }));
    for _ in 0..blocks {
        builder.block(order.clone(), &mut |block, candidate, _| {
            (ios[usize::from(candidate)] + u64::from(block)) as f64
        });
    }
    let mut run = builder.stopped(StopReason::Decided, "").build();
    run.started_unix_ns = STARTED_UNIX_NS;
    run
}

pub fn effect(a: &str, b: &str, ratio: f64, (low, high): (f64, f64), verdict: Verdict) -> Effect {
    Effect { a: a.into(), b: b.into(), ratio, low, high, blocks: 5, verdict }
}

pub fn standing(candidate: &str, mean: f64) -> Standing {
    Standing {
        candidate: candidate.to_string(),
        mean,
        min: mean * 0.95,
        max: mean * 1.05,
        cells: 5,
        sd_log: 0.02,
        p99_ns: Some(7e6),
        dropped_after: None,
        energy: None,
    }
}

pub fn warning() -> Finding {
    let evidence = "/mnt is on the drive that also holds /.";
    let advice = "Use a drive of its own for a verdict about the drive.";
    Finding { scope: Scope::Place, ..crate::testing::warning("L10", evidence, advice) }
}

pub fn analysis(verdict: Verdict, names: &[&str]) -> Analysis {
    let rates = [1200.0, 900.0, 880.0];
    let standings = names.iter().zip(rates).map(|(n, r)| standing(n, r)).collect();
    let tiers = match verdict {
        Verdict::Beats => names.iter().map(|n| vec![n.to_string()]).collect(),
        Verdict::Refused => Vec::new(),
        Verdict::Fastest
        | Verdict::AsFast
        | Verdict::Leads
        | Verdict::Alone
        | Verdict::Ties
        | Verdict::NotResolved => vec![names.iter().map(|n| n.to_string()).collect()],
    };
    let pair = match names {
        [a, b, ..] if verdict == Verdict::Beats => {
            vec![effect(a, b, 1.33, (1.25, 1.42), verdict)]
        }
        [a, b, ..] => vec![effect(a, b, 1.01, (0.97, 1.05), verdict)],
        [] | [_] => Vec::new(),
    };
    Analysis {
        blocks: 5,
        cells: 5 * names.len() as u32,
        void_cells: 0,
        compares: names.len() > 1,
        verdicts: vec![WorkloadVerdict {
            workload: "randwrite".to_string(),
            metric: "iops".to_string(),
            verdict,
            winner: (verdict == Verdict::Beats).then(|| names[0].to_string()),
            tiers,
            effects: pair,
            standings,
            held_back: Vec::new(),
            rounds: None,
            findings: Vec::new(),
            twins: Vec::new(),
            resolve_ns: None,
            lead: None,
        }],
        findings: vec![warning()],
        recommendation: None,
        normal: None,
    }
}
