//! Cases of rules about drives and places.

use super::{Case, case};
use crate::analyse::analyse;
use crate::rules::plan;
use crate::rules::tests::before::{behind_usb, disk_of, places, planned, with};
use crate::rules::tests::session::at;
use crate::testing::{RunBuilder, disk_place};
use bakeoff_model::event::{Position, What};
use bakeoff_model::finding::Finding;
use bakeoff_model::host::{Layer, LayerKind, Place, PlaceClass, SystemDisk, ZoneModel};
use bakeoff_model::index::RegionIx;

const GB: u64 = 1_000_000_000;
const TB: u64 = 1000 * GB;

pub(super) const CASES: &[Case] = &[
    case("L01", "regions that overlap by 80 %", || shifted(820), || shifted(300)),
    case("L01", "two partitions of one drive", || partition("8:2"), || partition("8:1")),
    case("L02", "a fifth of a hard disk", || zones(12, "ata"), || zones(8, "ata")),
    case("L02", "a hard disk, not a virtual one", || zones(12, "ata"), || zones(12, "virtio")),
    case("L02", "reads that change by 5.8 %", || surveyed(5.8), || surveyed(4.5)),
    case("L08", "2 GB to write", || shingled(2 * GB), || shingled(30 * GB)),
    case(
        "L08",
        "a 5 TB drive in 2.5 inches",
        || internal("ST5000LM000-2AN170", None),
        || internal("ST5000NM0084", None),
    ),
    case(
        "L08",
        "a WD Red with shingled tracks",
        || internal("WDC WD40EFAX-68JH4N0", None),
        || internal("WDC WD40EFRX-68N32N0", None),
    ),
    case(
        "L08",
        "zones that the host manages",
        || internal("HGST HSH721414AL", Some(ZoneModel::HostManaged)),
        || internal("HGST HUH721212AL", Some(ZoneModel::None)),
    ),
    case(
        "L08",
        "zones that the host is aware of",
        || internal("X", Some(ZoneModel::HostAware)),
        || internal("X", None),
    ),
    case("L10", "a drive that holds the root", || holds("8:0"), || holds("8:64")),
    case(
        "L50",
        "a governor that saves power",
        || governor("powersave"),
        || governor("performance"),
    ),
    case("L56", "a USB drive and Ethernet on one port", || bus("3 Model B"), || bus("5 Model B")),
    case("L57", "USB 3 at the speed of USB 2", || link("USB 480 Mb/s"), || link("USB 5000 Mb/s")),
    case("L58", "USB 3 without UAS", || link("USB 5000 Mb/s, BOT"), || link("USB 5000 Mb/s, UAS")),
    case("loop-not-direct", "a loop without direct I/O", || looped(false), || looped(true)),
    case("memory", "a tmpfs", || class(PlaceClass::Memory), || class(PlaceClass::Block)),
];

fn shifted(mib: u64) -> Vec<Finding> {
    planned(&with(|h| {
        let mut second = h.region.clone().expect("a region");
        second.start_bytes += mib << 20;
        h.more_regions = vec![second];
        h.candidates[1].region = RegionIx::new(1);
    }))
}

/// Two directories, the second on this partition of the same drive.
fn partition(dev: &str) -> Vec<Finding> {
    let place = |p: &mut Place| {
        *p = disk_place("ext4", "/b", "sda");
        (p.chain[0].name, p.chain[0].dev) = ("sda2".to_string(), dev.to_string());
    };
    planned(&RunBuilder::directories(&["/a", "/b"]).place(1, place).build())
}

/// A region of so many GiB on a drive of 64 that says that it rotates.
fn zones(gib: u64, bus: &str) -> Vec<Finding> {
    planned(&with(|h| {
        let region = h.region.as_mut().expect("a region");
        region.size_bytes = gib << 30;
        let drive = disk_of(&mut region.place);
        (drive.rotational, drive.bus) = (Some(true), Some(bus.to_string()));
    }))
}

/// A run on a region whose reads change by so many percent from one end to the other.
fn surveyed(percent: f64) -> Vec<Finding> {
    let position = |i: u64| Position {
        offset_bytes: i << 29,
        bytes_per_s: 1e8 * (1.0 + percent / 100.0 * (0.5 - i as f64 / 8.0)),
    };
    let positions = (0..8).map(position).collect();
    let run = RunBuilder::stacks(&["a", "b"])
        .header(|h| h.region.as_mut().expect("a region").is_image = false)
        .event(What::Surveyed { region: RegionIx::FIRST, positions });
    analyse(&run.play(5, at(&[1e6, 1e6])).build()).findings
}

fn looped(direct: bool) -> Vec<Finding> {
    let layer = Layer {
        name: "loop3".to_string(),
        kind: LayerKind::Loop,
        direct_io: Some(direct),
        ..Layer::default()
    };
    planned(&places(|p| p.chain.insert(0, layer)))
}

fn class(class: PlaceClass) -> Vec<Finding> {
    planned(&places(|p| (p.class, p.fs) = (class, "tmpfs".to_string())))
}

fn shingled(written: u64) -> Vec<Finding> {
    planned(&behind_usb(4 * TB, written))
}

/// A hard disk of 4 TB inside a machine, and 2 GB to write to it.
fn internal(model: &str, zoned: Option<ZoneModel>) -> Vec<Finding> {
    let change = |drive: &mut Layer| {
        drive.rotational = Some(true);
        drive.bus = Some("ata".to_string());
        drive.size_bytes = 4 * TB;
        drive.model = Some(model.to_string());
        drive.zoned = zoned;
    };
    let run = RunBuilder::directories(&["/a", "/b"]).place(0, |p| change(disk_of(p)));
    planned(&run.header(|h| h.expected_write_bytes = 2 * GB).build())
}

fn holds(dev: &str) -> Vec<Finding> {
    let system = [SystemDisk { purpose: "/var".to_string(), dev: dev.to_string() }];
    plan(&places(|_| {}).header, &system)
}

fn governor(name: &str) -> Vec<Finding> {
    planned(&with(|h| h.host.governors = vec![name.to_string(); 4]))
}

fn bus(model: &str) -> Vec<Finding> {
    let run = RunBuilder::directories(&["/a", "/net"])
        .place(0, |p| disk_of(p).bus = Some("usb".to_string()))
        .place(1, |p| {
            p.class = PlaceClass::Network;
            p.chain.clear();
        });
    planned(&run.header(|h| h.host.model = Some(format!("Raspberry Pi {model}"))).build())
}

fn link(negotiated: &str) -> Vec<Finding> {
    planned(&places(|p| {
        disk_of(p).bus = Some("usb".to_string());
        disk_of(p).link = Some(negotiated.into());
        disk_of(p).best_link = Some("USB 5000 Mb/s".into());
    }))
}
