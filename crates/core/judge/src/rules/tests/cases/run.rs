//! Cases of rules about a whole run, or two.

use super::{Case, case};
use crate::analyse::analyse;
use crate::compare::compare;
use crate::decide::turns::turns;
use crate::rules::run::stalls::tests::{clean, sliced};
use crate::rules::run::tests::steady;
use crate::rules::run::unsettled::tests::with_cost;
use crate::rules::tests::before::stack;
use crate::rules::tests::session::{
    at, climbs, dips, falls, flat, noise, sentinels, steps_late, steps_less, twins, windows,
};
use crate::rules::unlike_promises::unlike;
use crate::testing::RunBuilder;
use bakeoff_machine::prepare::recipe::recipes_for;
use bakeoff_model::event::{Cell, Header};
use bakeoff_model::finding::Finding;
use bakeoff_model::index::{BlockIx, CandidateIx, WorkloadIx};
use bakeoff_model::run::Run;
use bakeoff_model::slice::Slice;
use bakeoff_model::verdict::Analysis;

pub(super) const CASES: &[Case] = &[
    case("L07", "a rate that falls for good", || of(windows(falls)), || of(windows(dips))),
    case("L18", "a filesystem without a journal", || promise("ext2", ""), || promise("xfs", "")),
    case("L18", "f2fs as posix", || promise("f2fs", "fsync_mode=posix"), strict_f2fs),
    case("L18", "f2fs as it is by default: posix", || promise("f2fs", "noatime"), strict_f2fs),
    case("L18", "no flush of caches", || promise("f2fs", "fsync_mode=nobarrier"), strict_f2fs),
    case(
        "L18",
        "ext4 without barriers",
        || promise("ext4", "nobarrier"),
        || promise("ext4", "barrier=1"),
    ),
    case("L31", "two versions", || compared(|h| h.version = "9.0.0".into()), || compared(|_| {})),
    case("L32", "two blocks of three", || blocks(2), || blocks(3)),
    case("L35", "a drive that loses 8 %", || drift(0.012), || drift(0.004)),
    case("L35", "a drive that slows down, not one that scatters", || drift(0.012), scatter),
    case("L35", "a twin that is 5 % slower", || of(twins(0.2, -0.05)), || of(twins(0.2, 0.0))),
    case("L36", "one that goes up and down", || wave(0.2, false), || wave(0.001, false)),
    case("L36", "one and not all", || wave(0.2, false), || wave(0.2, true)),
    case("L37", "a rate that climbs by half", || of(windows(climbs)), || of(windows(flat))),
    case("L37", "a step of 12 %", || of(windows(steps_late)), || of(windows(steps_less))),
    case("L40", "a lead of 1 %, a twin of 2 %", || of(twins(0.01, 0.02)), || of(twins(0.03, 0.02))),
    case("L42", "another winner on another workload", || second(0.8), || second(1.2)),
    case("L61", "a driver in user space", || promise("ntfs-3g", ""), || promise("ntfs3", "")),
    case("carry-over", "one that helps its successor", || carried(0.4), || carried(0.0)),
    // A load of many threads waits for itself.
    case("cpu-taken", "a compiler on both CPUs", || waited(8, 1.8), || waited(8, 0.0)),
    case("cpu-taken", "a load that mostly waits", || waited(8, 1.8), || waited(3, 1.8)),
    case(
        "runs-differ",
        "another kernel",
        || compared(|h| h.host.kernel = "6.6.1".to_string()),
        || compared(|_| {}),
    ),
    case("stalls", "4 of 80 slices of 2 s", || stalling(20, 3), || stalling(4, 10)),
    case("unmeasured", "a third that is suspended", || suspended(2), || suspended(3)),
    case("unsettled", "a cost of each turn", || settling(0.3), || settling(0.0)),
];

/// Everything found, with what is said beside each answer.
fn of(run: Run) -> Vec<Finding> {
    let analysis = analyse(&run);
    let beside = analysis.verdicts.into_iter().flat_map(|verdict| verdict.findings);
    analysis.findings.into_iter().chain(beside).collect()
}

/// ext4 with its default options beside another filesystem, as it is mounted.
fn promise(fs: &str, mount: &str) -> Vec<Finding> {
    let run = RunBuilder::stacks(&["ext4", fs]).header(|h| {
        *stack(h, 0) = recipes_for("ext4")[0].stack();
        *stack(h, 1) = recipes_for(fs)[0].stack();
        stack(h, 1).mount = mount.split_whitespace().map(str::to_string).collect();
    });
    unlike(&run.build().header, &[0, 1].map(CandidateIx::new))
}

fn strict_f2fs() -> Vec<Finding> {
    promise("f2fs", "noatime,fsync_mode=strict")
}

fn two(ratio: f64) -> impl Fn(u32, u16, u16) -> f64 {
    move |b, c, w| 1000.0 * if c == 1 { ratio } else { 1.0 } * libm::exp(noise(b, c, w))
}

fn judged(id: &str, change: impl FnOnce(&mut Header)) -> (Run, Analysis) {
    let run = RunBuilder::stacks(&["ext4", "xfs"]).header(|h| {
        h.run = format!("{id:0<16}");
        change(h);
    });
    let run = run.play(5, two(1.2)).build();
    let analysis = analyse(&run);
    (run, analysis)
}

/// Two runs, the second changed.
fn compared(change: impl FnOnce(&mut Header)) -> Vec<Finding> {
    compare(&[judged("a", |_| {}), judged("b", change)], None).findings
}

fn blocks(number: u32) -> Vec<Finding> {
    of(RunBuilder::stacks(&["a", "b"]).play(number, two(1.0)).build())
}

fn drift(per_block: f64) -> Vec<Finding> {
    of(sentinels(|block| 90e6 * (1.0 - per_block * f64::from(block))))
}

fn scatter() -> Vec<Finding> {
    of(sentinels(|block| 90e6 * if block % 2 == 0 { 1.0 } else { 0.9 }))
}

/// A wave through one of three candidates, or through all.
fn wave(depth: f64, is_common: bool) -> Vec<Finding> {
    let rate = move |b: u32, c: u16, w| {
        let wave = if c == 1 || is_common { depth * libm::sin(f64::from(b) / 3.0) } else { 0.0 };
        steady(b, c, w) * libm::exp(wave)
    };
    of(RunBuilder::stacks(&["a", "b", "c"]).play(18, rate).build())
}

/// `b` wins by 30 % on one workload, and is at `ratio` on the other.
fn second(ratio: f64) -> Vec<Finding> {
    let rate = move |b, c, w| two(if w == 0 { 1.3 } else { ratio })(b, c, w);
    let run = RunBuilder::stacks(&["a", "b"]).workloads(&["randwrite", "randread"]);
    of(run.play(5, rate).build())
}

/// Ten blocks of eight rounds in which whoever follows the first does `share` more.
fn carried(share: f64) -> Vec<Finding> {
    let builder = RunBuilder::stacks(&["a", "b", "c", "d"]).workloads(&["randread"]);
    let mut run = builder.play(10, |_, _, _| 1000.0).build();
    for block in &mut run.blocks {
        for cell in &mut block.cells {
            cell.slices = slices_of(cell, block.block, share);
        }
    }
    of(run)
}

fn slices_of(cell: &Cell, block: BlockIx, share: f64) -> Vec<Slice> {
    let (mut after, mut own) = (None, Vec::new());
    let standing = [0, 1, 2, 3].map(CandidateIx::new);
    for round in 0..8u16 {
        let order = turns(1, block, WorkloadIx::FIRST, round.into(), &standing);
        for (turn, candidate) in (0..).zip(order) {
            let more = if after == Some(CandidateIx::FIRST) { share } else { 0.0 };
            // Slices are never quite alike.
            let noise = f64::from((round * 7 + turn * 3 + candidate.number()) % 5) * 0.002;
            let ios = (1000.0 * (1.0 + more + noise)) as u64;
            let (elapsed_ns, bytes) = (50_000_000, ios * 4096);
            let slice = Slice { round, turn, after, elapsed_ns, ios, bytes, ..Slice::default() };
            own.extend((candidate == cell.candidate).then_some(slice));
            after = Some(candidate);
        }
    }
    own
}

/// The load waits for a CPU in so many tenths of the time, while others have so many of two.
fn waited(tenths: u64, others: f64) -> Vec<Finding> {
    let run = RunBuilder::stacks(&["a", "b"]).header(|h| h.host.cpus = 2);
    let mut run = run.play(8, at(&[2000.0, 1000.0])).build();
    for cell in run.blocks.iter_mut().flat_map(|block| &mut block.cells) {
        cell.measurement.waited_ns = Some(cell.measurement.elapsed_ns / 10 * tenths);
        cell.truth.foreign_cpus = Some(others);
    }
    of(run)
}

/// Slices of 100 ms, of which one in every so many blocks takes so many times as long.
fn stalling(times: u64, every: u32) -> Vec<Finding> {
    let mut run = sliced(1, 10, clean(1, 0.03));
    for cell in run.blocks.iter_mut().flat_map(|block| &mut block.cells) {
        let is_stalled = cell.block.number() % every == 0;
        let stalled = cell.slices.iter_mut().filter(|slice| is_stalled && slice.round == 4);
        stalled.for_each(|slice| slice.elapsed_ns *= times);
    }
    of(run)
}

/// Three directories, of which this one is suspended in every cell.
fn suspended(candidate: u16) -> Vec<Finding> {
    let run = RunBuilder::directories(&["/a", "/b", "/c"]);
    let run = match candidate {
        2 => run.cells(|c| c.truth.suspended_ns = u64::from(c.candidate.number() / 2) << 30),
        _ => run,
    };
    of(run.play(5, steady).build())
}

/// A cost of each turn of the second, as a share of its slices.
fn settling(cost: f64) -> Vec<Finding> {
    of(with_cost(7, 10, 0.01, |candidate| f64::from(candidate) * cost))
}
