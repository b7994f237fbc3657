//! Cases about a whole run, or two.

use super::super::cases::{Case, case};
use super::super::session::{noise, sentinels};
use crate::analyse::analyse;
use crate::compare::compare;
use crate::testing::RunBuilder;
use bakeoff_model::event::{Cell, Header, What};
use bakeoff_model::finding::Finding;
use bakeoff_model::index::RegionIx;
use bakeoff_model::measurement::Window;
use bakeoff_model::precondition::{PreconditionEnd, PreconditionRound};
use bakeoff_model::protocol::Mode;
use bakeoff_model::run::Run;
use bakeoff_model::telemetry::{Gauge, Telemetry};

pub(super) const CASES: &[Case] = &[
    case("L07", "a rate that falls for good", || shaped(falls), || shaped(rises)),
    case("L31", "two versions of bakeoff", || versions("0.2.0"), || versions("0.1.0")),
    case("L32", "two blocks to decide", || blocks(2), || blocks(8)),
    case("L34", "one order in eight blocks", || ordered(false), || ordered(true)),
    case("L35", "a sentinel that falls by 6 %", || steps(0.94), || steps(0.995)),
    case("L35", "a twin that is 8 % faster", || twin(0.08), || twin(0.0)),
    case("L36", "one that wanders off", || wanders(0.02), || wanders(0.0)),
    case("L37", "rates that take turns", || shaped(waves), || shaped(ripples)),
    case(
        "L37",
        "a region that is not steady",
        || preconditioned(PreconditionEnd::Rounds),
        || preconditioned(PreconditionEnd::Steady),
    ),
    case("L40", "less than the twins differ", || against(0.03, 0.06), || against(0.2, 0.002)),
    case("L42", "another order with larger blocks", || flips(0.7), || flips(1.4)),
    case("L51", "rates that fall as it gets 20 degrees hotter", || hot(0.05), || hot(0.0)),
    case("L63", "a kernel of another year", || kernels("5.10.0"), || kernels("6.12.1")),
    case("L67", "new filesystems, to publish", || published(true), || published(false)),
];

fn findings(run: &Run) -> Vec<Finding> {
    let analysis = analyse(run);
    let beside = analysis.verdicts.into_iter().flat_map(|verdict| verdict.findings);
    analysis.findings.into_iter().chain(beside).collect()
}

/// `a` and `b`, so many times as fast.
fn two(ratio: f64) -> impl Fn(u32, u16, u16) -> f64 {
    move |b, c, w| 1000.0 * if c == 1 { ratio } else { 1.0 } * libm::exp(noise(b, c, w))
}

/// Eight seconds of sequential writes; `share(i)` of 10 MB in each of eighty windows.
fn windows(cell: &mut Cell, share: fn(u64) -> f64) {
    let window = |i: u64| Window {
        start_ns: i * 100_000_000,
        len_ns: 100_000_000,
        write_bytes: (1e7 * share(i)) as u64 + (i * 7919) % 100_000,
        ios: 10,
        ..Window::default()
    };
    cell.measurement.windows = (0..80).map(window).collect();
    cell.measurement.elapsed_ns = 8_000_000_000;
}

fn shaped(change: fn(&mut Cell)) -> Vec<Finding> {
    let run = RunBuilder::stacks(&["a", "b"]).workloads(&["seqwrite"]).cells(change);
    findings(&run.play(6, |b, c, w| 1e5 * two(1.1)(b, c, w)).build())
}

fn falls(cell: &mut Cell) {
    windows(cell, |i| if i < 30 { 1.0 } else { 0.3 });
}

fn rises(cell: &mut Cell) {
    windows(cell, |i| if i < 30 { 0.3 } else { 1.0 });
}

fn waves(cell: &mut Cell) {
    windows(cell, |i| if i / 16 % 2 == 0 { 1.0 } else { 0.7 });
}

fn ripples(cell: &mut Cell) {
    windows(cell, |i| if i % 2 == 0 { 1.0 } else { 0.97 });
}

fn run(id: &str, change: impl FnOnce(&mut Header)) -> (Run, bakeoff_model::verdict::Analysis) {
    let run = RunBuilder::stacks(&["ext4", "xfs"]).header(|h| {
        h.run = format!("{id:0<16}");
        change(h);
    });
    let run = run.play(6, two(1.2)).build();
    let analysis = analyse(&run);
    (run, analysis)
}

/// Two runs, the second changed.
fn compared(change: impl FnOnce(&mut Header)) -> Vec<Finding> {
    compare(&[run("a", |_| {}), run("b", change)], None).findings
}

fn versions(second: &str) -> Vec<Finding> {
    compared(|h| h.version = second.to_string())
}

fn kernels(second: &str) -> Vec<Finding> {
    compared(|h| h.host.kernel = second.to_string())
}

/// So many blocks, whatever would be decided.
fn in_order(
    number: u32,
    order: impl Fn(u32) -> Vec<u16>,
    mut rate: impl FnMut(u32, u16, u16) -> f64,
) -> Vec<Finding> {
    let mut builder = RunBuilder::stacks(&["a", "b"]);
    for block in 0..number {
        builder.block(order(block), &mut rate);
    }
    builder.push(What::Looked { blocks: number, dropped: vec![] });
    findings(&builder.build())
}

fn alternating(block: u32) -> Vec<u16> {
    if block % 3 == 1 || block % 4 == 3 { vec![1, 0] } else { vec![0, 1] }
}

fn blocks(number: u32) -> Vec<Finding> {
    in_order(number, alternating, two(1.3))
}

fn ordered(alternates: bool) -> Vec<Finding> {
    in_order(8, |b| if alternates { alternating(b) } else { vec![0, 1] }, two(1.2))
}

/// A sentinel that drops to this share of itself in the middle of the run.
fn steps(share: f64) -> Vec<Finding> {
    findings(&sentinels(|block| 50e6 * if block < 4 { 1.0 } else { share }))
}

/// `b` is ahead by `lead`, and the twin of `a` differs from it by `off`.
fn against(lead: f64, off: f64) -> Vec<Finding> {
    let rate = move |b, c: u16, w| {
        let speed = [1.0, 1.0 + lead, 1.0 + off][usize::from(c)];
        1000.0 * speed * libm::exp(0.2 * noise(b, c, w))
    };
    let run = RunBuilder::stacks(&["a", "b", "a again"])
        .header(|h| h.candidates[2].twin_of = Some("a".to_string()))
        .mode(Mode::Precise);
    findings(&run.play(8, rate).build())
}

fn twin(off: f64) -> Vec<Finding> {
    against(0.3, off)
}

/// `b` gets ahead of `a` by so much from block to block.
fn wanders(step: f64) -> Vec<Finding> {
    in_order(20, alternating, move |b, c, w| {
        let ahead = if c == 1 { step * f64::from(b) } else { 0.0 };
        two(1.0)(b, c, w) * libm::exp(ahead)
    })
}

/// What is recorded after one round of preconditioning that ended so.
fn preconditioned(end: PreconditionEnd) -> Vec<Finding> {
    let builder = RunBuilder::stacks(&["a", "b"]).workloads(&["randwrite"]).header(|h| {
        h.region.as_mut().expect("a region").is_image = false;
    });
    let job = builder.clone().build().header.workloads[0].job.clone();
    let mut builder =
        builder.event(What::PreconditionStarted { region: RegionIx::FIRST, most_bytes: 1 << 30 });
    for round in 0..6u32 {
        let write_bytes = match end {
            PreconditionEnd::Steady => 100_000_000,
            PreconditionEnd::Rounds | PreconditionEnd::Time | PreconditionEnd::Bytes => {
                100_000_000 / u64::from(round + 1)
            }
        };
        let job = job.clone();
        let elapsed_ns = 1_000_000_000;
        builder.push(What::PreconditionRound(Box::new(PreconditionRound {
            region: RegionIx::FIRST,
            round,
            job,
            write_bytes,
            elapsed_ns,
        })));
    }
    builder.push(What::Preconditioned { region: RegionIx::FIRST, end });
    findings(&builder.play(6, two(1.2)).build())
}

/// Random writes of 4 KiB and of 64 KiB, and how much faster `b` is with the larger ones.
fn flips(large: f64) -> Vec<Finding> {
    let run = RunBuilder::stacks(&["a", "b"]).header(|h| {
        let mut second = h.workloads[0].clone();
        second.name = "randwrite 64k".to_string();
        second.job.bs = 64 << 10;
        h.workloads.push(second);
    });
    let rate = move |b, c, w| two(if w == 0 { 1.4 } else { large })(b, c, w);
    findings(&run.play(6, rate).build())
}

/// It gets two degrees hotter with each block, and both get slower by so much.
fn hot(slope: f64) -> Vec<Finding> {
    let run = RunBuilder::stacks(&["a", "b"]).cells(|cell| {
        let values = vec![50_000 + 2000 * u64::from(cell.block.number())];
        let gauge = Gauge { name: "cpu-thermal".to_string(), most: None, values };
        let telemetry = Telemetry { temperature_mc: vec![gauge], ..Telemetry::default() };
        cell.telemetry = Some(Box::new(telemetry));
    });
    let rate = move |b: u32, c, w| two(1.02)(b, c, w) * libm::exp(-slope * f64::from(b));
    findings(&run.play(10, rate).build())
}

/// Stacks that were just made, or directories that were in use.
fn published(new: bool) -> Vec<Finding> {
    let names = ["/a", "/b"];
    let run = if new { RunBuilder::stacks(&names) } else { RunBuilder::directories(&names) };
    findings(&run.mode(Mode::Precise).play(8, two(1.2)).build())
}
