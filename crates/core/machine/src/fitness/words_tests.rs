//! What every check says of facts made for it, and what it advises.

use super::facts::*;
use super::testing::{GIB, fit, with_card};
use super::tests::{place_of, watched};
use super::*;
use crate::guard::{RefusalReason, Why};
use crate::sysinfo::timers::Timer;
use bakeoff_model::health::Health;
use bakeoff_model::host::{Layer, LayerKind, PlaceClass};
use bakeoff_model::log_problem::LogProblem;
use bakeoff_model::telemetry::LogLine;
use bakeoff_model::throttled;

/// One change of the facts, and the check that it is seen in.
type Change = (&'static str, fn(&mut Facts));

fn of_the_machine() -> Vec<Change> {
    const UNDER: u32 = throttled::UNDER_VOLTAGE;
    vec![
        ("governor", |f| f.clocks = Err("no cpufreq".into())),
        ("governor", |f| f.clocks.as_mut().unwrap()[0].limit_khz = Some(600_000)),
        ("governor", |f| f.clocks.as_mut().unwrap()[0].governor = Some("ondemand".into())),
        ("governor", |_| ()),
        ("throttling", |f| f.throttled = Ok((0, true))),
        ("throttling", |f| f.throttled = Ok((0, false))),
        ("throttling", |f| f.throttled = Ok((UNDER << 16, true))),
        ("throttling", |f| f.throttled = Ok((UNDER | UNDER << 16, true))),
        ("temperature", |f| f.temperatures = Ok(Vec::new())),
        ("temperature", |f| f.temperatures = Ok(vec![("cpu".into(), 81_000, None)])),
        ("swap", |_| ()),
        ("swap", |f| watched(f).swapped_pages = Some(8)),
        ("swap", |f| {
            let on =
                |name: &str| SwapFacts { name: name.into(), on_target: true, in_memory: false };
            f.swaps = vec![on("/dev/sda2"), on("/swap")];
        }),
        ("swap", |f| f.swaps = vec![SwapFacts { in_memory: true, ..SwapFacts::default() }]),
        ("swap", |f| f.swaps = vec![SwapFacts::default()]),
        ("CPU load", |f| watched(f).cpu_percent = None),
        ("CPU load", |f| watched(f).cpu_percent = Some(20.0)),
        ("memory", |f| f.memory.total_bytes = None),
        ("memory", |f| f.memory.available_bytes = Some(10 << 20)),
        ("memory", |f| {
            f.target = Target::Device { name: "x".into(), chain: Vec::new(), in_use: Vec::new() };
        }),
        ("memory", |f| place_of(f).free_bytes = 0),
        ("memory", |_| ()),
        ("memory", |f| place_of(f).free_bytes = 12 * GIB),
        ("memory", |f| place_of(f).free_bytes = 30 * GIB),
        ("timers", |_| ()),
        ("timers", |f| {
            let next_unix_ns = f.now_unix_ns + 600_000_000_000;
            f.timers = Ok(vec![Timer { unit: "fstrim.timer".into(), next_unix_ns }]);
        }),
        ("maintenance", |_| ()),
        ("maintenance", |f| f.tasks = Ok(vec!["rsync".into(), "apt-get".into()])),
        ("maintenance", |f| f.arrays = vec![("md0".into(), "check")]),
        ("lazyinit", |f| f.tasks = Ok(Vec::new())),
        ("lazyinit", |_| ()),
        ("lazyinit", |f| f.tasks.as_mut().unwrap().push("ext4lazyinit".into())),
        ("kernel log", |_| ()),
        ("kernel log", |f| {
            let reset = LogLine { problem: LogProblem::Reset, text: "reset".into() };
            f.log = Ok(vec![reset; 2]);
        }),
    ]
}

fn of_the_place_and_others() -> Vec<Change> {
    fn busy(f: &mut Facts, users: &[(&str, u32)], saw_all: bool) {
        let user =
            |&(name, pid): &(&str, u32)| Foreign { name: name.into(), pid, ..Foreign::default() };
        let seen = watched(f);
        seen.disks[0].1.util_percent = 40.0;
        seen.disks[0].1.read.bytes_per_s = 1e6;
        seen.disks[0].1.write.bytes_per_s = 2e6;
        (seen.users, seen.saw_all) = (users.iter().map(user).collect(), saw_all);
    }
    fn in_use(f: &mut Facts, in_use: Vec<RefusalReason>) {
        f.target = Target::Device { name: "/dev/sda".into(), chain: Vec::new(), in_use };
    }
    vec![
        ("in use", |f| in_use(f, Vec::new())),
        ("in use", |f| {
            in_use(
                f,
                ["it is swap", "it is open"]
                    .map(|text| RefusalReason::new(Why::Swap, text))
                    .to_vec(),
            );
        }),
        ("place", |f| place_of(f).options = vec!["ro".into()]),
        ("place", |f| place_of(f).chain[0].kind = LayerKind::Loop),
        ("place", |_| ()),
        ("place", |f| place_of(f).class = PlaceClass::Memory),
        ("place", |f| place_of(f).class = PlaceClass::Fuse),
        ("place", |f| place_of(f).class = PlaceClass::Network),
        ("place", |f| place_of(f).class = PlaceClass::Stacked),
        ("free space", |f| place_of(f).free_bytes = 100 << 20),
        ("free space", |f| place_of(f).free_bytes = 40 * GIB),
        ("free space", |_| ()),
        ("background I/O", |f| watched(f).disks.clear()),
        ("background I/O", |_| ()),
        ("background I/O", |f| busy(f, &[("rsync", 71)], true)),
        ("background I/O", |f| busy(f, &[("rsync", 71), ("dd", 72)], true)),
        ("background I/O", |f| busy(f, &[], true)),
        ("background I/O", |f| busy(f, &[], false)),
        ("background I/O", |f| {
            busy(f, &[], false);
            watched(f).is_root = false;
        }),
        ("disk", |f| f.disks.clear()),
    ]
}

fn of_links() -> Vec<Change> {
    fn usb(f: &mut Facts) -> &mut Usb {
        f.disks[0].usb.as_mut().unwrap()
    }
    fn pcie(f: &mut Facts, slot: Option<(f64, u32)>) {
        let link = Pcie { now: (5.0, 1), drive: Some((8.0, 4)), slot };
        (f.disks[0].usb, f.disks[0].pcie) = (None, Some(link));
    }
    fn sata(f: &mut Facts, limit: &str, port: &str) {
        let link =
            Sata { now: "3.0 Gbps".into(), limit: Some(limit.into()), port: Some(port.into()) };
        (f.disks[0].usb, f.disks[0].sata) = (None, Some(link));
    }
    fn bot(f: &mut Facts, offers_uas: Option<bool>, id: Option<&str>) {
        let usb = usb(f);
        (usb.driver, usb.offers_uas) = (Some("usb-storage".into()), offers_uas);
        usb.id = id.map(str::to_string);
    }
    vec![
        ("link", |f| f.disks[0].usb = None),
        ("link", |f| (f.disks[0].usb, f.disks[0].layer.bus) = (None, None)),
        ("link", |f| with_card(f, None, 3)),
        ("link", |f| {
            with_card(f, None, 3);
            watched(f).is_root = false;
        }),
        ("link", |f| usb(f).mbit = 12),
        ("link", |_| ()),
        ("link", |f| usb(f).mbit = 480),
        ("link", |f| (usb(f).mbit, f.has_fast_usb) = (480, false)),
        ("link", |f| (usb(f).mbit, usb(f).version) = (480, Some("2.00".into()))),
        ("link", |f| with_card(f, Some(("sd uhs DDR50", 1)), 3)),
        ("link", |f| with_card(f, Some(("unheard of", 4)), 3)),
        ("link", |f| with_card(f, Some(("sd high-speed", 4)), 3)),
        ("link", |f| with_card(f, Some(("sd high-speed", 4)), 0)),
        ("link", |f| with_card(f, Some(("sd uhs DDR50", 4)), 3)),
        ("link", |f| {
            pcie(f, None);
            f.disks[0].pcie.as_mut().unwrap().drive = None;
        }),
        ("link", |f| pcie(f, Some((5.0, 1)))),
        ("link", |f| pcie(f, Some((8.0, 4)))),
        ("link", |f| pcie(f, None)),
        ("link", |f| sata(f, "3.0 Gbps", "3.0 Gbps")),
        ("link", |f| sata(f, "6.0 Gbps", "6.0 Gbps")),
        ("link", |f| sata(f, "3.0 Gbps", "6.0 Gbps")),
        ("transport", |_| ()),
        ("transport", |f| bot(f, Some(true), Some("04e8:61f5"))),
        ("transport", |f| bot(f, Some(true), None)),
        ("transport", |f| bot(f, Some(false), None)),
        ("transport", |f| bot(f, None, None)),
        ("transport", |f| usb(f).driver = Some("ums-realtek".into())),
        ("transport", |f| usb(f).driver = None),
    ]
}

fn of_drives() -> Vec<Change> {
    fn cache(f: &mut Facts, bus: &str, cache: Option<&str>) {
        let layer = &mut f.disks[0].layer;
        (layer.bus, layer.write_cache) = (Some(bus.into()), cache.map(str::to_string));
    }
    fn starts(f: &mut Facts, bytes: Option<u64>) {
        let at = |name: &str| Layer { name: name.into(), start_bytes: bytes, ..Layer::default() };
        f.disks[0].partitions = vec![at("sda1"), at("sda2")];
    }
    fn untrimmed(f: &mut Facts, bus: &str) {
        (f.disks[0].discard_max_bytes, f.disks[0].layer.bus) = (Some(0), Some(bus.into()));
    }
    vec![
        ("write cache", |_| ()),
        ("write cache", |f| cache(f, "mmc", Some("write through"))),
        ("write cache", |f| cache(f, "usb", Some("write through"))),
        ("write cache", |f| cache(f, "usb", Some("odd"))),
        ("write cache", |f| cache(f, "usb", None)),
        ("TRIM", |f| f.disks[0].discard_max_bytes = None),
        ("TRIM", |f| {
            untrimmed(f, "ata");
            f.disks[0].layer.rotational = Some(true);
        }),
        ("TRIM", |f| untrimmed(f, "usb")),
        ("TRIM", |f| untrimmed(f, "ata")),
        ("TRIM", |_| ()),
        ("alignment", |f| starts(f, None)),
        ("alignment", |_| ()),
        ("alignment", |f| starts(f, Some(512))),
        ("alignment", |f| {
            with_card(f, None, 3);
            starts(f, Some(1 << 20));
        }),
        ("alignment", |f| {
            f.disks[0].optimal_io_bytes = Some(4 << 20);
            starts(f, Some(1 << 20));
        }),
        ("alignment", |f| starts(f, Some(4096))),
        ("card", |f| with_card(f, None, 3)),
        ("card", |f| {
            with_card(f, None, 3);
            let card = f.disks[0].card.as_mut().unwrap();
            (card.manufacturer, card.oem, card.serial) = (Some(0), Some(0), Some(0));
            card.name = Some("  ".into());
        }),
        ("health", |f| f.disks[0].health = None),
        ("health", |f| f.disks[0].health = Some(Err("smartctl is not installed".into()))),
        ("health", |_| ()),
        ("health", |f| {
            let failing = Health { passed: Some(false), ..Health::default() };
            f.disks[0].health = Some(Ok(failing));
        }),
        ("health", |f| {
            f.disks[0].health = Some(Ok(Health { crc_errors: Some(2), ..Health::default() }));
        }),
    ]
}

#[test]
fn every_finding_in_words() {
    let words = |(id, change): &Change| {
        let mut facts = fit();
        change(&mut facts);
        let all = checks(&facts);
        let check = all.iter().find(|check| check.id == *id).unwrap();
        let advice = check.advice.as_deref().unwrap_or("-");
        assert_eq!(check.advice.is_some(), check.status >= Status::Warn, "{check:?}");
        format!("{}\n    {advice}\n", check.found)
    };
    let all = [of_the_machine(), of_the_place_and_others(), of_links(), of_drives()].concat();
    insta::assert_snapshot!(all.iter().map(words).collect::<String>());
}
