//! Small runs for the tests of the writers, each with a warning about its place.

use bakeoff_judge::testing::RunBuilder;
use bakeoff_machine::prepare::steps;
use bakeoff_model::candidate::{Candidate, Kind, Stack};
use bakeoff_model::event::{Header, StepDone, StopReason, What};
use bakeoff_model::finding::{Finding, Scope};
use bakeoff_model::path::RawPath;
use bakeoff_model::protocol::Mode;
use bakeoff_model::run::Run;

/// 2026-11-20 14:03 UTC.
pub const STARTED_UNIX_NS: i64 = 1_795_183_380_000_000_000;

pub fn stack(name: &str, fs: &str, mkfs: &[&str]) -> Candidate {
    let mkfs = mkfs.iter().map(|w| w.to_string()).collect();
    let stack = Stack::plain(fs, mkfs, vec!["noatime".to_string()], false);
    Candidate::new(name, Kind::Stack(stack))
}

pub fn header(candidates: Vec<Candidate>) -> Header {
    let names: Vec<&str> = candidates.iter().map(|c| c.name.as_str()).collect();
    let mut header = RunBuilder::stacks(&names).mode(Mode::Quick).seed(7).build().header;
    header.title = "demo: which filesystem on this image?".to_string();
    header.host.cpu = Some("Cortex-A72".to_string());
    header.region = None;
    header.candidates = candidates;
    header
}

/// A run with `blocks` complete blocks in which candidate i does `ios[i]` operations a second.
pub fn run(header: Header, blocks: u32, ios: &[u64]) -> Run {
    let mut order: Vec<u16> = (0..header.candidates.len() as u16).collect();
    let mut step = steps::fill(0, &RawPath::new("/mnt/a b/image"), 1 << 30);
    step.destroys = None;
    let output = "done\u{1b}[31m\n".to_string();
    let took_ns = 5_000_000_000;
    let mut builder = RunBuilder::from_header(header)
        .finding(warning())
        .event(What::StepPlanned(step))
        .event(What::StepDone(StepDone { step: 0, took_ns, status: 0, output }));
    for _ in 0..blocks {
        builder.block(order.clone(), &mut |block, candidate, _| {
            (ios[usize::from(candidate)] + u64::from(block)) as f64
        });
        order.reverse();
    }
    let mut run = builder.stopped(StopReason::Decided, "").build();
    run.started_unix_ns = STARTED_UNIX_NS;
    run
}

pub fn warning() -> Finding {
    let evidence = "/mnt is on the drive that also holds /.";
    let advice = "Use a drive of its own for a verdict about the drive.";
    Finding { scope: Scope::Place, ..bakeoff_judge::testing::warning("L10", evidence, advice) }
}
