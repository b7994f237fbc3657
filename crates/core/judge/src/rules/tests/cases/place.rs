//! Cases of rules about drives and places.

use super::{Case, case};
use crate::rules::plan;
use crate::rules::tests::before::{
    TRIMMED, behind_usb, disk_of, on_device, places, planned, stack, with,
};
use crate::testing::RunBuilder;
use bakeoff_model::candidate::Crypt;
use bakeoff_model::finding::Finding;
use bakeoff_model::host::{Layer, PlaceClass, SystemDisk, ZoneModel};
use bakeoff_model::index::RegionIx;

const GB: u64 = 1_000_000_000;
const TB: u64 = 1000 * GB;

pub(super) const CASES: &[Case] = &[
    case("L01", "regions that overlap by 80 %", || shifted(820), || shifted(300)),
    case("L02", "a quarter of a hard disk", || zones(16), || zones(1)),
    case("L03", "a card's partition at 5 MiB", || starts(5), || starts(8)),
    case("L05", "a state that nobody restores", || flash(None), || flash(Some("overwritten"))),
    case("L06", "flash as new", || flash(Some("trimmed")), || flash(Some("overwritten"))),
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
    case("L09", "random access to 5 % of a hard disk", || span(20), || span(5)),
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
    case("L59", "a board without a detector", || fed("Raspberry Pi Zero W"), || fed("PC")),
    case(
        "L59",
        "a hard disk fed by a board",
        || planned(&behind_usb(TB, 1)),
        || fed("Raspberry Pi 4 Model B"),
    ),
    case("L60", "no record of read-ahead", || unpinned(None), || unpinned(Some(128 << 10))),
    case("L62", "no sector size", || crypt(None), || crypt(Some(512))),
];

fn shifted(mib: u64) -> Vec<Finding> {
    planned(&with(|h| {
        let mut second = h.region.clone().expect("a region");
        second.start_bytes += mib << 20;
        h.more_regions = vec![second];
        h.candidates[1].region = RegionIx::new(1);
    }))
}

/// A region of so many GiB on a hard disk of 64.
fn zones(gib: u64) -> Vec<Finding> {
    planned(&with(|h| {
        let region = h.region.as_mut().expect("a region");
        region.size_bytes = gib << 30;
        let drive = disk_of(&mut region.place);
        (drive.rotational, drive.bus) = (Some(true), Some("ata".to_string()));
    }))
}

fn starts(mib: u64) -> Vec<Finding> {
    planned(&places(|p| {
        disk_of(p).bus = Some("mmc".to_string());
        p.chain[0].start_bytes = Some(mib << 20);
    }))
}

fn flash(state: Option<&str>) -> Vec<Finding> {
    let plan = state.map(|state| TRIMMED.replace("trimmed", state));
    planned(&on_device(plan.as_deref()))
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

/// Random access on a hard disk that is so many times as large as the file.
fn span(times: u64) -> Vec<Finding> {
    let file_bytes = behind_usb(TB, 1).header.workloads[0].job.size;
    planned(&behind_usb(file_bytes * times, 1))
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

/// A stick in a port of this board.
fn fed(board: &str) -> Vec<Finding> {
    let run = RunBuilder::directories(&["/a"]).place(0, |p| {
        disk_of(p).bus = Some("usb".to_string());
        disk_of(p).rotational = Some(false);
    });
    planned(&run.header(|h| h.host.model = Some(board.to_string())).build())
}

fn unpinned(read_ahead: Option<u64>) -> Vec<Finding> {
    planned(&with(|h| {
        let region = h.region.as_mut().expect("a region");
        region.is_image = false;
        disk_of(&mut region.place).scheduler = Some("none".to_string());
        disk_of(&mut region.place).read_ahead_bytes = read_ahead;
    }))
}

fn crypt(sector_size: Option<u32>) -> Vec<Finding> {
    planned(&with(|h| {
        stack(h, 0).crypt = Some(Crypt {
            kind: "luks2".to_string(),
            cipher: "xchacha20,aes-adiantum-plain64".to_string(),
            key_bits: 256,
            sector_size,
            no_read_workqueue: false,
            no_write_workqueue: false,
        });
    }))
}
