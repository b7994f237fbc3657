//! A demo with more filesystems than most machines have, and with everything that takes space on
//! its page: an A/A twin, bottlenecks that differ, stalls, findings and much that was left out.

use bakeoff_judge::testing::card::FIVE;
use bakeoff_judge::testing::{RunBuilder, warning};
use bakeoff_model::candidate::Skipped;
use bakeoff_model::event::{Cell, Event, StopReason};
use bakeoff_model::finding::Finding;
use bakeoff_model::index::BlockIx;
use bakeoff_model::protocol::Mode;

use super::{machine, shape};

const NAMES: [&str; 13] = [
    "ext4",
    "ext4 without journal",
    "xfs",
    "btrfs",
    "ext2",
    "ext3",
    "ntfs-3g",
    "f2fs",
    "exfat-fuse",
    "vfat",
    "nilfs2",
    "jfs",
    TWIN,
];
const TWIN: &str = "btrfs (twin)";
/// What the slowest candidate does on each workload.
const RATES: [f64; 5] = [180.0, 95.0, 430.0, 12e6, 350e6];

/// Its events.
pub fn events(noise: impl Fn(u32, u16, u16) -> f64) -> Vec<Event> {
    let mut builder = RunBuilder::stacks(&NAMES)
        .header(|h| {
            h.run = "7a11de300d0c0b0a".to_string();
            h.title = "demo: filesystems on images in /home/pi".to_string();
            h.host.model = Some("Raspberry Pi 5 Model B Rev 1.0".to_string());
            h.skipped = ["ntfs3", "exfat", "bcachefs", "reiserfs"].map(without_driver).to_vec();
            super::use_recipes(&mut h.candidates);
            for candidate in &mut h.candidates {
                candidate.twin_of = (candidate.name == TWIN).then(|| "btrfs".to_string());
            }
        })
        .mode(Mode::Quick)
        .header(|h| h.protocol.time_ns = None)
        .workloads(&FIVE)
        .cells(watched);
    let missing = ["clocks", "temperatures", "power", "throttling"].map(unwatched);
    builder.push(machine::watching(missing.to_vec()));
    let rate = |block: u32, candidate: u16, workload: u16| {
        let candidate = if candidate == 12 { 3 } else { candidate };
        let lead = 1.0 + 0.35 * f64::from((candidate * 5 + workload * 3) % 12);
        RATES[usize::from(workload)] * lead * (1.0 + 0.12 * noise(block, candidate, workload))
    };
    let findings = [super::root_disk(), small(), busy()];
    let builder = findings.into_iter().fold(builder, RunBuilder::finding);
    builder.play(3, rate).stopped(StopReason::TimeUp, "").events()
}

/// The cells of the first block are watched, with a CPU that is busy for every other candidate.
fn watched(cell: &mut Cell) {
    shape(cell, 5);
    if cell.block > BlockIx::FIRST {
        return;
    }
    let mut telemetry = machine::watched(cell);
    if cell.candidate.number() % 2 == 1 {
        for cpu in &mut telemetry.cpus {
            cpu.system_ms.fill(98);
            cpu.user_ms.fill(0);
            cpu.interrupt_ms.fill(0);
        }
        let elapsed_ns = cell.measurement.elapsed_ns;
        cell.measurement.sys_cpu_ns = elapsed_ns;
        for device in &mut telemetry.devices {
            device.queue_ms.fill(1);
            device.in_flight.fill(0);
        }
    }
    cell.telemetry = Some(Box::new(telemetry));
}

fn without_driver(name: &str) -> Skipped {
    Skipped {
        name: name.to_string(),
        reason: format!(
            "this kernel (6.12.47-rpi-v8) has no {name}, neither built in nor as a module under \
             /lib/modules. No modules of this kernel are installed: reboot if the kernel was \
             updated, otherwise use a kernel built with CONFIG_{}_FS",
            name.to_uppercase()
        ),
    }
}

fn unwatched(name: &str) -> Skipped {
    Skipped { name: name.to_string(), reason: "this machine does not report it".to_string() }
}

fn small() -> Finding {
    warning(
        "L08",
        "random access over 16 MiB of 256 GiB: 0.01 % of the disk",
        "Use a larger size (in a plan); seeks over the whole disk are longer.",
    )
}

fn busy() -> Finding {
    warning(
        "L10",
        "other processes transferred 34.8 MiB on the same disk",
        "Stop them (see: sudo iotop -o) and measure again.",
    )
}
