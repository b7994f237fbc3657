//! Makes the runs in fixtures/runs: events as the runner would record them, with invented
//! measurements of the shapes real drives have (stalls, long tails, drift).
//! usage: `cargo run --example report_fixture NAME > fixtures/runs/NAME.jsonl`

#[path = "report_fixture/card.rs"]
mod card;
#[path = "report_fixture/machine.rs"]
mod machine;
#[path = "report_fixture/sweep.rs"]
mod sweep;
#[path = "report_fixture/tall.rs"]
mod tall;

use std::error::Error;
use std::io::{self, Write};

use bakeoff_judge::testing::{RunBuilder, warning};
use bakeoff_machine::prepare::recipe::RECIPES;
use bakeoff_machine::prepare::steps;
use bakeoff_model::candidate::{Candidate, Kind, Skipped};
use bakeoff_model::event::{Cell, Event, StepDone, StopReason, What};
use bakeoff_model::finding::Finding;
use bakeoff_model::measurement::{Latency, OpStats, Window};
use bakeoff_model::path::RawPath;
use bakeoff_model::protocol::Mode;
use bakeoff_stats::histogram::Histogram;

/// 2026-11-20 14:03 UTC.
const STARTED_UNIX_NS: i64 = 1_795_183_380_000_000_000;

const HOSTILE: &str = "</script><script>alert(1)</script><img src=x onerror=alert(2)>";

fn main() -> Result<(), Box<dyn Error>> {
    let name = std::env::args().nth(1).unwrap_or_default();
    let events = match name.as_str() {
        "card" => card::events(noise),
        "demo" => demo(),
        "nine" => nine(),
        "places" => places(),
        "one" => one(),
        "empty" => empty(),
        "hostile" => hostile(),
        "machine" => machine::events(),
        "rounds" => rounds(),
        "sweep" => sweep::events(noise),
        "tall" => tall::events(noise),
        _ => {
            let names = "card|demo|nine|places|one|empty|hostile|machine|rounds|sweep|tall";
            return Err(format!("usage: report_fixture {names}").into());
        }
    };
    let mut out = io::stdout().lock();
    for mut event in events {
        event.unix_ns += STARTED_UNIX_NS;
        serde_json::to_writer(&mut out, &event)?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// Noise of a few percent that is the same every time: a hash of where it stands.
fn noise(block: u32, candidate: u16, workload: u16) -> f64 {
    let mut x = u64::from(block) << 32 | u64::from(candidate) << 16 | u64::from(workload);
    x = (x ^ 0x9e37_79b9_7f4a_7c15).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 29).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((x >> 11) as f64 / (1u64 << 53) as f64 - 0.5) * 2.0
}

/// A rate table by candidate and workload, with noise and a drift common to all.
fn rates(table: &'static [&'static [f64]], spread: f64) -> impl FnMut(u32, u16, u16) -> f64 {
    move |block, candidate, workload| {
        let drift = 1.0 - 0.004 * f64::from(block);
        let base = table[usize::from(candidate)][usize::from(workload)];
        base * drift * (1.0 + spread * noise(block, candidate, workload))
    }
}

fn demo() -> Vec<Event> {
    let names = ["ext4", "ext4 without journal", "xfs", "btrfs", "f2fs"];
    let table: &[&[f64]] = &[
        &[1180.0, 420.0, 91.2e6],
        &[1460.0, 610.0, 91.4e6],
        &[1150.0, 455.0, 90.9e6],
        &[640.0, 190.0, 88.1e6],
        &[1495.0, 540.0, 91.3e6],
    ];
    let mut builder = RunBuilder::stacks(&names)
        .mode(Mode::Quick)
        .workloads(&["randwrite", "smallfiles", "seqread"])
        .header(|h| {
            h.run = "5eed0f1e1d0c0b0a".to_string();
            h.title = "demo: which filesystem on this image?".to_string();
            h.seed = 20_261_120;
            h.host.cpu = Some("Cortex-A72".to_string());
            h.host.governors = vec!["ondemand".to_string()];
            h.skipped = vec![Skipped {
                name: "exfat".to_string(),
                reason: "this kernel has no exfat; modprobe exfat, or a kernel with \
                         CONFIG_EXFAT_FS"
                    .to_string(),
            }];
            use_recipes(&mut h.candidates);
        })
        .cells(|cell| shape(cell, 20));
    prepare(&mut builder);
    builder.finding(root_disk()).play(8, rates(table, 0.025)).events()
}

/// Candidates that are made as `demo` makes those of their name, as far as it knows them.
fn use_recipes(candidates: &mut [Candidate]) {
    for candidate in candidates {
        if let Some(recipe) = RECIPES.iter().find(|r| r.name == candidate.name) {
            candidate.kind = Kind::Stack(recipe.stack());
        }
    }
}

/// The steps of a run on an image, as far as the report shows them.
fn prepare(builder: &mut RunBuilder) {
    let image = RawPath::new("/var/tmp/.bakeoff-5eed0f1e/image");
    let mut planned = vec![steps::fill(0, &image, 1 << 30), steps::attach_loop(1, &image)];
    for candidate in builder.clone().build().header.candidates {
        if let Kind::Stack(stack) = candidate.kind {
            let (number, device) = (planned.len() as u32, RawPath::new("/dev/loop7"));
            planned.push(steps::mkfs(number, &candidate.name, &stack, &device));
        }
    }
    for step in planned {
        let number = step.step;
        builder.push(What::StepPlanned(step));
        builder.push(What::StepDone(StepDone {
            step: number,
            took_ns: 310_000_000 + 12_000_000_000 * u64::from(number == 0),
            status: 0,
            output: if number == 1 { "/dev/loop7\n".to_string() } else { String::new() },
        }));
    }
}

fn root_disk() -> Finding {
    warning(
        "L10",
        "The image is on the disk that also holds / and this run's store.",
        "Put it on a disk of its own with --image to have no other writer.",
    )
}

fn nine() -> Vec<Event> {
    let names = [
        "ext4",
        "ext4 without journal",
        "xfs",
        "btrfs",
        "ext2",
        "ntfs-3g",
        "f2fs",
        "exfat",
        "vfat",
    ];
    let table: &[&[f64]] = &[
        &[1180.0],
        &[1460.0],
        &[1150.0],
        &[640.0],
        &[1420.0],
        &[88.0],
        &[1495.0],
        &[900.0],
        &[870.0],
    ];
    let builder = RunBuilder::stacks(&names).mode(Mode::Quick).cells(|cell| shape(cell, 20));
    builder.play(8, rates(table, 0.02)).events()
}

fn places() -> Vec<Event> {
    let table: &[&[f64]] = &[&[101e6, 400.0], &[99.8e6, 410.0]];
    let builder = RunBuilder::directories(&["/home", "/mnt/usb stick"])
        .workloads(&["seqread", "randwrite"])
        .cells(|cell| shape(cell, 20));
    builder.play(8, rates(table, 0.012)).events()
}

fn one() -> Vec<Event> {
    let builder = RunBuilder::directories(&["/home"]).cells(|cell| shape(cell, 20));
    let table: &[&[f64]] = &[&[1100.0]];
    builder.play(5, rates(table, 0.02)).events()
}

/// A stick over time: random writes that fall and then hold, reads that never do.
fn rounds() -> Vec<Event> {
    let builder = RunBuilder::stacks(&["ext4"])
        .mode(Mode::Characterise)
        .workloads(&["randwrite", "randread"])
        .header(|h| h.title = "What does this stick hold?".to_string())
        .cells(|cell| shape(cell, 20));
    let falls = [310.0, 290.0, 240.0, 160.0, 118.0, 104.0];
    let rate = |block: u32, _: u16, workload: u16| match workload {
        0 => falls.get(block as usize).copied().unwrap_or(100.0 + 3.0 * noise(block, 0, 0)),
        _ => 2400.0 * (1.0 + 0.25 * f64::from(block % 3)),
    };
    builder.play(99, rate).events()
}

fn empty() -> Vec<Event> {
    let builder = RunBuilder::directories(&["/home", "/tmp"]);
    builder.stopped(StopReason::Interrupted, "Ctrl-C before the first block was done").events()
}

fn hostile() -> Vec<Event> {
    let builder = RunBuilder::stacks(&[HOSTILE, "xfs"]).mode(Mode::Quick).header(|h| {
        h.title = HOSTILE.to_string();
        h.host.model = Some(HOSTILE.repeat(8));
        h.candidates[1].name = "a name without any blank ".replace(' ', "-").repeat(8);
    });
    let builder = builder.cells(|cell| shape(cell, 20)).finding(warning("L10", HOSTILE, HOSTILE));
    let table: &[&[f64]] = &[&[1100.0], &[700.0]];
    builder.play(5, rates(table, 0.02)).events()
}

/// Gives a cell the look of a real one: windows that vary, with a stall now and then, and
/// latencies with a tail.
fn shape(cell: &mut Cell, count: u64) {
    let m = &mut cell.measurement;
    let (block, candidate, workload) =
        (cell.block.number(), cell.candidate.number(), cell.workload.number());
    let parts: Vec<f64> = (0..count)
        .map(|i| {
            let wave = 1.0 + 0.1 * noise(block + 100 * i as u32, candidate, workload);
            let stalls = (i + u64::from(block) * 7 + u64::from(candidate) * 3) % 19 == 11;
            if stalls { wave * 0.25 } else { wave }
        })
        .collect();
    let total: f64 = parts.iter().sum();
    let ios = m.total_ios() as f64;
    let bytes = |o: &Option<OpStats>| o.as_ref().map_or(0, |s| s.io_bytes) as f64;
    let (read, write) = (bytes(&m.read), bytes(&m.write));
    let len_ns = m.elapsed_ns / count;
    m.windows = (0..count)
        .zip(&parts)
        .map(|(i, part)| Window {
            start_ns: i * len_ns,
            len_ns,
            read_bytes: (read * part / total) as u64,
            write_bytes: (write * part / total) as u64,
            ios: (ios * part / total) as u64,
        })
        .collect();
    let ops = [&mut m.read, &mut m.write, &mut m.flush, &mut m.create, &mut m.stat, &mut m.unlink];
    for (i, op) in ops.into_iter().enumerate() {
        if let Some(stats) = op {
            let tail = 2.0 + f64::from(candidate) * 0.35;
            spread(stats, [0.8, 0.05, 0.9, 1.0, 0.02, 0.4][i], tail);
        }
    }
}

/// Spreads the latencies of an operation over a range with a tail.
fn spread(stats: &mut OpStats, share: f64, tail: f64) {
    let middle = stats.lat_ns.mean * share;
    let mut left = stats.total_ios;
    let mut buckets = Vec::new();
    let mut value = middle * 0.55;
    while left > 0 && buckets.len() < 20 {
        let part = if buckets.len() < 6 { 0.22 } else { 0.35 };
        let count = ((left as f64 * part) as u64).clamp(1, left);
        buckets.push((value as u64, count));
        left -= count;
        value *= if buckets.len() < 7 { 1.12 } else { 1.0 + 0.24 * tail };
    }
    if let Some(last) = buckets.last_mut() {
        last.1 += left;
    }
    stats.histogram = Histogram { buckets };
    let enough = |q: f64| stats.total_ios as f64 * (1.0 - q) >= 10.0 - 1e-9;
    let at = |q: f64| enough(q).then(|| stats.histogram.quantile(q)).flatten();
    stats.lat_ns = Latency {
        min: stats.histogram.quantile(0.0).unwrap_or(0),
        mean: stats.lat_ns.mean,
        max: stats.histogram.quantile(1.0).unwrap_or(0),
        p50: at(0.5),
        p90: at(0.9),
        p95: at(0.95),
        p99: at(0.99),
        p99_9: at(0.999),
        p99_99: at(0.9999),
    };
}
