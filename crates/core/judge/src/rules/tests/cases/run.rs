//! Cases of rules about a whole run.

use super::{Case, case};
use crate::analyse::analyse;
use crate::rules::run::tests::steady;
use crate::rules::tests::before::stack;
use crate::rules::tests::session::{at, climbs, flat, noise, sentinels, twins, windows};
use crate::rules::unlike_promises::unlike;
use crate::testing::RunBuilder;
use bakeoff_machine::prepare::recipe::recipes_for;
use bakeoff_model::candidate::Crypt;
use bakeoff_model::event::{Cell, What};
use bakeoff_model::finding::Finding;
use bakeoff_model::index::CandidateIx;
use bakeoff_model::measurement::Window;
use bakeoff_model::protocol::Mode;
use bakeoff_model::run::Run;
use bakeoff_model::telemetry::{Gauge, Telemetry};

pub(super) const CASES: &[Case] = &[
    case("L07", "a rate that halves in a cell of 2.0 s", || two_seconds(2), || two_seconds(1)),
    case("L18", "a filesystem without a journal", || promise("ext2", ""), || promise("xfs", "")),
    case("L18", "f2fs as posix", || promise("f2fs", "fsync_mode=posix"), strict_f2fs),
    case("L18", "f2fs as it is by default: posix", || promise("f2fs", "noatime"), strict_f2fs),
    case(
        "L18",
        "f2fs that flushes no cache",
        || promise("f2fs", "fsync_mode=nobarrier"),
        strict_f2fs,
    ),
    case(
        "L18",
        "ext4 without barriers",
        || promise("ext4", "nobarrier"),
        || promise("ext4", "barrier=1"),
    ),
    case("L18", "exfat in user space", || promise("exfat-fuse", ""), || promise("btrfs", "")),
    case("L18", "ntfs in user space", || promise("ntfs-3g", ""), || promise("jfs", "")),
    case("L32", "two blocks of three", || blocks(2), || blocks(3)),
    case("L34", "the same order in every block", || orders(false), || orders(true)),
    case("L35", "a drive that loses 8 %", || drift(0.012), || drift(0.002)),
    case(
        "L35",
        "a twin that is 5 % slower",
        || findings(&twins(0.2, -0.05)),
        || findings(&twins(0.2, 0.0)),
    ),
    case("L36", "one that goes up and down", || wave(0.2), || wave(0.001)),
    case(
        "L37",
        "a rate that climbs by half",
        || findings(&windows(climbs)),
        || findings(&windows(flat)),
    ),
    case(
        "L40",
        "a lead of 1 % and a twin of 2 %",
        || findings(&twins(0.01, 0.02)),
        || findings(&twins(0.05, 0.005)),
    ),
    case("L41", "three at 52 MB/s of USB 2", || three(52e6), || three(30e6)),
    case("L42", "another winner on another workload", || second(0.8), || second(1.2)),
    case("L43", "encryption that is 10 % faster", || encrypted(1.1), || encrypted(0.9)),
    case("L51", "rates that fall with the heat", || heat(0.02), || heat(0.0)),
    case("L61", "a driver in user space", || promise("ntfs-3g", ""), || promise("ntfs3", "")),
    case(
        "L67",
        "a precise figure of new filesystems",
        || fresh(Mode::Precise),
        || fresh(Mode::Quick),
    ),
];

/// Everything found, with what is said beside each answer.
fn findings(run: &Run) -> Vec<Finding> {
    let analysis = analyse(run);
    let beside = analysis.verdicts.into_iter().flat_map(|verdict| verdict.findings);
    analysis.findings.into_iter().chain(beside).collect()
}

/// Cells of exactly 2.0 s, whose rate is divided by so much in the middle.
fn two_seconds(divisor: u64) -> Vec<Finding> {
    fn set(cell: &mut Cell, divisor: u64) {
        let window = |i: u64| Window {
            start_ns: i * 100_000_000,
            len_ns: 100_000_000,
            write_bytes: if i < 10 { 8_000_000 } else { 8_000_000 / divisor } + (i * 7919) % 100,
            ios: 8,
            ..Window::default()
        };
        cell.measurement.elapsed_ns = 2_000_000_000;
        cell.measurement.windows = (0..20).map(window).collect();
    }
    let halves = |cell: &mut Cell| set(cell, 2);
    let stays = |cell: &mut Cell| set(cell, 1);
    let run = RunBuilder::stacks(&["a", "b"]).workloads(&["seqwrite"]);
    let run = if divisor == 2 { run.cells(halves) } else { run.cells(stays) };
    findings(&run.play(5, at(&[1e6, 1e6])).build())
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

fn blocks(number: u32) -> Vec<Finding> {
    findings(&RunBuilder::stacks(&["a", "b"]).play(number, two(1.0)).build())
}

fn orders(alternates: bool) -> Vec<Finding> {
    let mut builder = RunBuilder::stacks(&["a", "b"]);
    for block in 0..6 {
        let is_turned = alternates && block % 2 == 1;
        builder.block(if is_turned { vec![1, 0] } else { vec![0, 1] }, &mut two(1.1));
    }
    builder.push(What::Looked { blocks: 6, dropped: vec![] });
    findings(&builder.build())
}

fn drift(per_block: f64) -> Vec<Finding> {
    findings(&sentinels(|block| 50e6 * (1.0 - per_block * f64::from(block))))
}

fn wave(depth: f64) -> Vec<Finding> {
    let rate = move |b: u32, c: u16, w| {
        let wave = if c == 1 { depth * libm::sin(f64::from(b) / 3.0) } else { 0.0 };
        steady(b, c, w) * libm::exp(wave)
    };
    findings(&RunBuilder::stacks(&["a", "b", "c"]).play(18, rate).build())
}

/// Three directories behind USB 2 that read as fast as each other.
fn three(rate: f64) -> Vec<Finding> {
    let mut builder = RunBuilder::directories(&["/a", "/b", "/c"]).workloads(&["seqread"]);
    for i in 0..3 {
        builder = builder.place(i, |p| p.chain[1].link = Some("USB 480 Mb/s".into()));
    }
    findings(&builder.play(5, |b, c, w| rate * libm::exp(0.1 * noise(b, c, w))).build())
}

/// `b` wins by 30 % on one workload, and is at `ratio` on the other.
fn second(ratio: f64) -> Vec<Finding> {
    let rate = move |b, c, w| two(if w == 0 { 1.3 } else { ratio })(b, c, w);
    let run = RunBuilder::stacks(&["a", "b"]).workloads(&["randwrite", "randread"]);
    findings(&run.play(5, rate).build())
}

fn encrypted(ratio: f64) -> Vec<Finding> {
    let run = RunBuilder::stacks(&["ext4", "ext4, LUKS"]).header(|h| {
        stack(h, 1).crypt = Some(Crypt {
            kind: "luks2".to_string(),
            cipher: "aes-xts-plain64".to_string(),
            key_bits: 512,
            sector_size: Some(512),
            no_read_workqueue: false,
            no_write_workqueue: false,
        });
    });
    findings(&run.play(5, two(ratio)).build())
}

/// The machine warms up by a degree a block, and rates fall by so much for each.
fn heat(slope: f64) -> Vec<Finding> {
    let run = RunBuilder::stacks(&["a", "b"]).cells(|c| {
        let values = vec![50_000 + 1000 * u64::from(c.block.number())];
        let gauge = Gauge { name: "cpu-thermal".to_string(), most: None, values };
        let telemetry = Telemetry { temperature_mc: vec![gauge], ..Telemetry::default() };
        c.telemetry = Some(Box::new(telemetry));
    });
    let rate = move |b: u32, c, w| two(1.0)(b, c, w) * libm::exp(-slope * f64::from(b));
    findings(&run.play(8, rate).build())
}

fn fresh(mode: Mode) -> Vec<Finding> {
    findings(&RunBuilder::stacks(&["a", "b"]).mode(mode).play(8, two(1.2)).build())
}
