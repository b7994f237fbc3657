//! Cases about drives, places and what is put on them.

use super::super::before::{disk_of, on_device, places, planned, with};
use super::super::cases::{Case, case};
use bakeoff_model::event::{Position, Region, What};
use bakeoff_model::finding::Finding;
use bakeoff_model::host::{Layer, PlaceClass, SystemDisk};
use bakeoff_model::index::RegionIx;

use crate::rules::plan;
use crate::rules::tests::session::at;
use crate::rules::tests::{Run, analyse};
use crate::testing::RunBuilder;

const GIB: u64 = 1 << 30;
const TB: u64 = 1_000_000_000_000;

pub(super) const CASES: &[Case] = &[
    case("L01", "two parts of one drive", || second(|r| r.start_bytes += 8 * GIB), other_disk),
    case("L01", "parts without rotation", || second(|r| r.start_bytes += 8 * GIB), rotating),
    case("L02", "118 to 81 MB/s over the region", || surveyed(81e6), || surveyed(117e6)),
    case("L03", "a stick's partition at 3 MiB", || partition_at(3), || partition_at(8)),
    case(
        "L09",
        "random reads of 256 MiB of 1 TB",
        || internal(true, "randread"),
        || internal(false, "randread"),
    ),
    case("L09", "short seeks", || internal(true, "randread"), || internal(true, "seqread")),
    case("L10", "swap on the target", || holds("swap", "8:0"), || holds("swap", "8:16")),
    case(
        "L50",
        "one policy that saves power",
        || governors("ondemand"),
        || governors("performance"),
    ),
    case("L50", "a scheduler's governor", || governors("schedutil"), || governors("performance")),
    case(
        "L56",
        "the port of a Pi 2",
        || shared("2 Model B Rev 1.1", "usb"),
        || shared("4 Model B Rev 1.4", "usb"),
    ),
    case(
        "L56",
        "a stick, not a card",
        || shared("3 Model B Plus Rev 1.3", "usb"),
        || shared("3 Model B Plus Rev 1.3", "mmc"),
    ),
    case(
        "L57",
        "one lane of four",
        || link("pcie", "PCIe 8.0 GT/s x1", "PCIe 8.0 GT/s x4"),
        || link("pcie", "PCIe 8.0 GT/s x4", "PCIe 8.0 GT/s x4"),
    ),
    case(
        "L57",
        "an older PCIe",
        || link("nvme", "PCIe 2.5 GT/s x1", "PCIe 5.0 GT/s x1"),
        || link("nvme", "PCIe 5.0 GT/s x1", "PCIe 5.0 GT/s x1"),
    ),
    case(
        "L57",
        "USB 2 on a USB 3 drive",
        || link("usb", "USB 480 Mb/s, BOT", "USB 5000 Mb/s"),
        || link("usb", "USB 480 Mb/s, BOT", "USB 480 Mb/s"),
    ),
    case(
        "L58",
        "BOT over USB 3",
        || link("usb", "USB 5000 Mb/s, BOT", "USB 5000 Mb/s"),
        || link("usb", "USB 480 Mb/s, BOT", "USB 480 Mb/s"),
    ),
    case(
        "L59",
        "a Pi 1 B has no detector",
        || board("Raspberry Pi Model B Rev 2"),
        || board("Raspberry Pi Model B Plus Rev 1.2"),
    ),
    case(
        "L59",
        "a Zero 2 has no detector",
        || board("Raspberry Pi Zero 2 W Rev 1.0"),
        || board("Raspberry Pi 3 Model B Rev 1.2"),
    ),
    case("L60", "no record of the scheduler", || scheduler(None), || scheduler(Some("none"))),
];

/// A second stack on a second region, which `change` moves.
fn second(change: impl FnOnce(&mut Region)) -> Vec<Finding> {
    planned(&with(|h| {
        let mut second = h.region.clone().expect("a region");
        change(&mut second);
        h.more_regions = vec![second];
        h.candidates[1].region = RegionIx::new(1);
    }))
}

fn other_disk() -> Vec<Finding> {
    second(|r| {
        r.start_bytes += 8 * GIB;
        r.target = bakeoff_model::path::RawPath::new("/mnt/other.img");
        for layer in &mut r.place.chain {
            layer.name = layer.name.replace("sda", "sdb");
            layer.dev = layer.dev.replace("8:", "8:1");
            layer.serial = Some("B".to_string());
        }
    })
}

fn rotating() -> Vec<Finding> {
    planned(&with(|h| h.region.as_mut().expect("a region").parts = 2))
}

/// A run on a region where the survey reads 118 MB/s at the start and `last` at the end.
fn surveyed(last: f64) -> Vec<Finding> {
    let position = |i: u32| Position {
        offset_bytes: u64::from(i) * GIB / 2,
        bytes_per_s: 118e6 + (last - 118e6) * f64::from(i) / 8.0,
    };
    let positions = (0..=8).map(position).collect();
    let run = RunBuilder::stacks(&["a", "b"])
        .header(|h| h.region.as_mut().expect("a region").is_image = false)
        .event(What::Surveyed { region: RegionIx::FIRST, positions });
    analyse(&run.play(5, at(&[1000.0, 1100.0])).build()).findings
}

fn partition_at(mib: u64) -> Vec<Finding> {
    planned(&places(|p| {
        disk_of(p).bus = Some("usb".to_string());
        p.chain[0].start_bytes = Some(mib << 20);
    }))
}

fn of_disk(change: impl FnOnce(&mut Layer)) -> Run {
    places(|p| change(disk_of(p)))
}

fn internal(spins: bool, workload: &str) -> Vec<Finding> {
    let run = RunBuilder::directories(&["/a", "/b"]).workloads(&[workload]).place(0, |p| {
        let drive = disk_of(p);
        (drive.rotational, drive.size_bytes) = (Some(spins), TB);
        drive.bus = Some("ata".to_string());
    });
    planned(&run.build())
}

fn holds(purpose: &str, dev: &str) -> Vec<Finding> {
    let system = [SystemDisk { purpose: purpose.to_string(), dev: dev.to_string() }];
    plan(&on_device(None).header, &system)
}

fn governors(last: &str) -> Vec<Finding> {
    planned(&with(|h| h.host.governors = ["performance", last].map(str::to_string).to_vec()))
}

/// A drive and a network place on this board.
fn shared(model: &str, bus: &str) -> Vec<Finding> {
    let run = RunBuilder::directories(&["/a", "/net"])
        .place(0, |p| disk_of(p).bus = Some(bus.to_string()))
        .place(1, |p| {
            p.class = PlaceClass::Network;
            p.chain.clear();
        });
    planned(&run.header(|h| h.host.model = Some(format!("Raspberry Pi {model}"))).build())
}

fn link(bus: &str, negotiated: &str, best: &str) -> Vec<Finding> {
    planned(&of_disk(|drive| {
        drive.bus = Some(bus.to_string());
        drive.link = Some(negotiated.into());
        drive.best_link = Some(best.into());
    }))
}

fn board(model: &str) -> Vec<Finding> {
    let mut run = of_disk(|drive| drive.bus = Some("usb".to_string()));
    run.header.host.model = Some(model.to_string());
    planned(&run)
}

fn scheduler(name: Option<&str>) -> Vec<Finding> {
    let mut run = on_device(None);
    let region = run.header.region.as_mut().expect("a region");
    disk_of(&mut region.place).read_ahead_bytes = Some(128 << 10);
    disk_of(&mut region.place).scheduler = name.map(str::to_string);
    planned(&run)
}
