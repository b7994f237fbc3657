//! Each check passes, warns and stops on facts made for it.

use super::facts::*;
use super::testing::{GIB, fit, with_card};
use super::*;
use crate::guard::{RefusalReason, Why};
use crate::sysinfo::timers::Timer;
use bakeoff_model::health::Health;
use bakeoff_model::host::{Place, PlaceClass};
use bakeoff_model::throttled;

/// How a check of changed facts came out.
fn status(id: &str, change: impl FnOnce(&mut Facts)) -> Status {
    let mut facts = fit();
    change(&mut facts);
    let all = checks(&facts);
    let found = all.iter().find(|check| check.id == id);
    found.unwrap_or_else(|| panic!("no check {id}: {all:?}")).status
}

pub fn watched(facts: &mut Facts) -> &mut Watched {
    facts.watched.as_mut().unwrap()
}

pub fn place_of(facts: &mut Facts) -> &mut Place {
    match &mut facts.target {
        Target::Place { place, .. } => place,
        Target::Device { .. } => unreachable!("the facts are of a place"),
    }
}

#[test]
fn a_machine_at_rest_passes_everything() {
    let all = checks(&fit());
    for check in &all {
        assert_eq!(check.status, Status::Pass, "{check:?}");
    }
    assert_eq!(verdict(&all), Status::Pass);
}

#[test]
fn the_clock_power_and_heat() {
    use Status::{Pass, Stop, Unknown, Warn};
    let clock = |facts: &mut Facts, governor: &str, driver: &str, limit: u64| {
        let first = &mut facts.clocks.as_mut().unwrap()[0];
        (first.governor, first.driver) = (Some(governor.into()), Some(driver.into()));
        first.limit_khz = Some(limit);
    };
    assert_eq!(status("governor", |f| clock(f, "ondemand", "cpufreq-dt", 1_800_000)), Warn);
    assert_eq!(status("governor", |f| clock(f, "powersave", "intel_pstate", 1_800_000)), Pass);
    assert_eq!(status("governor", |f| clock(f, "performance", "cpufreq-dt", 600_000)), Warn);
    assert_eq!(status("governor", |f| f.clocks = Err(String::new())), Unknown);
    let past = throttled::UNDER_VOLTAGE << 16;
    assert_eq!(status("throttling", |f| f.throttled = Ok((past, true))), Warn);
    assert_eq!(status("throttling", |f| f.throttled = Ok((throttled::THROTTLED, true))), Stop);
    assert_eq!(status("throttling", |f| f.throttled = Ok((0, false))), Pass);
    let heat = |f: &mut Facts, mc| f.temperatures = Ok(vec![("cpu".into(), mc, None)]);
    assert_eq!(status("temperature", |f| heat(f, 77_000)), Warn);
    assert_eq!(status("temperature", |f| heat(f, 81_000)), Stop);
    let plus = |f: &mut Facts| {
        f.host.model = Some("Raspberry Pi 3 Model B Plus Rev 1.3".into());
        heat(f, 61_000);
    };
    assert_eq!(status("temperature", plus), Stop);
}

#[test]
fn whoever_else_uses_the_machine() {
    use Status::{Pass, Stop, Unknown, Warn};
    assert_eq!(status("CPU load", |f| watched(f).cpu_percent = Some(20.0)), Warn);
    assert_eq!(status("CPU load", |f| watched(f).cpu_percent = Some(90.0)), Stop);
    let util = |f: &mut Facts, percent| watched(f).disks[0].1.util_percent = percent;
    assert_eq!(status("background I/O", |f| util(f, 5.0)), Warn);
    assert_eq!(status("background I/O", |f| util(f, 40.0)), Stop);
    assert_eq!(status("background I/O", |f| watched(f).disks.clear()), Unknown);
    assert_eq!(status("swap", |f| watched(f).swapped_pages = Some(8)), Stop);
    let on = |f: &mut Facts, on_target| {
        f.swaps = vec![SwapFacts { name: "/dev/sda2".into(), on_target, in_memory: false }];
    };
    assert_eq!(status("swap", |f| on(f, true)), Warn);
    assert_eq!(status("swap", |f| on(f, false)), Pass);
    let timer = |f: &mut Facts, unit: &str, minutes: i64| {
        let next_unix_ns = f.now_unix_ns + minutes * 60_000_000_000;
        f.timers = Ok(vec![Timer { unit: unit.into(), next_unix_ns }]);
    };
    assert_eq!(status("timers", |f| timer(f, "fstrim.timer", 10)), Warn);
    assert_eq!(status("timers", |f| timer(f, "fstrim.timer", -1)), Warn);
    assert_eq!(status("timers", |f| timer(f, "fstrim.timer", 45)), Pass);
    assert_eq!(status("timers", |f| timer(f, "systemd-tmpfiles-clean.timer", 1)), Pass);
    let task = |f: &mut Facts, name: &str| f.tasks.as_mut().unwrap().push(name.into());
    assert_eq!(status("maintenance", |f| task(f, "apt-get")), Warn);
    assert_eq!(status("maintenance", |f| f.arrays = vec![("md0".into(), "check")]), Stop);
    assert_eq!(status("lazyinit", |f| task(f, "ext4lazyinit")), Warn);
    assert_eq!(status("lazyinit", |f| f.tasks = Ok(vec!["sh".into()])), Unknown);
}

#[test]
fn links_that_could_be_faster() {
    use Status::{Pass, Stop, Unknown, Warn};
    let usb = |f: &mut Facts, mbit, version: &str| {
        let usb = f.disks[0].usb.as_mut().unwrap();
        (usb.mbit, usb.version) = (mbit, Some(version.into()));
    };
    assert_eq!(status("link", |f| usb(f, 480, " 2.10")), Warn);
    assert_eq!(status("link", |f| usb(f, 480, " 2.00")), Pass);
    assert_eq!(status("link", |f| usb(f, 12, " 2.00")), Stop);
    let old_board = |f: &mut Facts| {
        usb(f, 480, " 2.10");
        f.has_fast_usb = false;
    };
    assert_eq!(status("link", old_board), Pass);
    let bot = |f: &mut Facts, offers| {
        let usb = f.disks[0].usb.as_mut().unwrap();
        (usb.driver, usb.offers_uas) = (Some("usb-storage".into()), offers);
    };
    assert_eq!(status("transport", |f| bot(f, Some(true))), Warn);
    assert_eq!(status("transport", |f| bot(f, Some(false))), Pass);
    assert_eq!(status("transport", |f| bot(f, None)), Unknown);
    let only = |f: &mut Facts, pcie, sata| {
        (f.disks[0].usb, f.disks[0].pcie, f.disks[0].sata) = (None, pcie, sata);
    };
    let pcie = |slot| Pcie { now: (5.0, 1), drive: Some((8.0, 4)), slot };
    assert_eq!(status("link", |f| only(f, Some(pcie(Some((5.0, 1)))), None)), Pass);
    assert_eq!(status("link", |f| only(f, Some(pcie(Some((8.0, 4)))), None)), Warn);
    assert_eq!(status("link", |f| only(f, Some(pcie(None)), None)), Unknown);
    let sata = |limit: &str| Sata {
        now: "3.0 Gbps".into(),
        limit: Some(limit.into()),
        port: Some("6.0 Gbps".into()),
    };
    assert_eq!(status("link", |f| only(f, None, Some(sata("3.0 Gbps")))), Warn);
    assert_eq!(status("link", |f| only(f, None, Some(sata("6.0 Gbps")))), Pass);
    assert_eq!(status("link", |f| only(f, None, None)), Unknown);
}

#[test]
fn cards() {
    use Status::{Pass, Unknown, Warn};
    let ddr50 = Some(("sd uhs DDR50", 4));
    let slow = Some(("sd high-speed", 4));
    assert_eq!(status("link", |f| with_card(f, ddr50, 3)), Pass);
    assert_eq!(status("link", |f| with_card(f, slow, 3)), Warn);
    assert_eq!(status("link", |f| with_card(f, slow, 0)), Pass);
    assert_eq!(status("link", |f| with_card(f, Some(("sd uhs DDR50", 1)), 3)), Warn);
    assert_eq!(status("link", |f| with_card(f, None, 3)), Unknown);
    assert_eq!(status("card", |f| with_card(f, ddr50, 3)), Pass);
    let fake = |f: &mut Facts| {
        with_card(f, ddr50, 3);
        let card = f.disks[0].card.as_mut().unwrap();
        (card.manufacturer, card.serial) = (Some(0), Some(0));
    };
    assert_eq!(status("card", fake), Warn);
    let beside = |f: &mut Facts| {
        with_card(f, ddr50, 3);
        f.disks[0].partitions[0].start_bytes = Some(1 << 20);
    };
    assert_eq!(status("alignment", beside), Warn);
}

#[test]
fn cache_trim_alignment_and_health() {
    use Status::{Pass, Stop, Unknown, Warn};
    let cache = |f: &mut Facts, bus: &str, text: Option<&str>| {
        f.disks[0].layer.bus = Some(bus.into());
        f.disks[0].layer.write_cache = text.map(str::to_string);
    };
    assert_eq!(status("write cache", |f| cache(f, "usb", Some("write through"))), Warn);
    assert_eq!(status("write cache", |f| cache(f, "mmc", Some("write through"))), Pass);
    assert_eq!(status("write cache", |f| cache(f, "mmc", None)), Unknown);
    assert_eq!(status("TRIM", |f| f.disks[0].discard_max_bytes = Some(0)), Warn);
    assert_eq!(status("TRIM", |f| f.disks[0].discard_max_bytes = None), Unknown);
    let start = |f: &mut Facts, bytes| f.disks[0].partitions[0].start_bytes = Some(bytes);
    assert_eq!(status("alignment", |f| start(f, 63 * 512)), Warn);
    assert_eq!(status("alignment", |f| start(f, 64 * 512)), Warn);
    // A bridge that tells its transfer limit for an optimal size.
    assert_eq!(status("alignment", |f| f.disks[0].optimal_io_bytes = Some(33_553_920)), Pass);
    let health = |f: &mut Facts, health: Health| f.disks[0].health = Some(Ok(health));
    let worn = Health { crc_errors: Some(2), ..Health::default() };
    assert_eq!(status("health", |f| health(f, worn)), Warn);
    let failing = Health { passed: Some(false), ..Health::default() };
    assert_eq!(status("health", |f| health(f, failing)), Stop);
    assert_eq!(status("health", |f| f.disks[0].health = Some(Err(String::new()))), Unknown);
    assert_eq!(status("health", |f| f.disks[0].health = None), Unknown);
}

#[test]
fn the_place_its_room_and_a_device() {
    use Status::{Pass, Stop, Unknown, Warn};
    let place = |f: &mut Facts, change: fn(&mut Place)| change(place_of(f));
    assert_eq!(status("place", |f| place(f, |p| p.options = vec!["ro".into()])), Stop);
    assert_eq!(status("place", |f| place(f, |p| p.class = PlaceClass::Memory)), Warn);
    assert_eq!(status("free space", |f| place(f, |p| p.free_bytes = 100 << 20)), Stop);
    assert_eq!(status("free space", |f| place(f, |p| p.free_bytes = 40 * GIB)), Warn);
    assert_eq!(status("memory", |f| place(f, |p| p.free_bytes = 30 * GIB)), Warn);
    assert_eq!(status("memory", |f| place(f, |p| p.free_bytes = 12 * GIB)), Unknown);
    assert_eq!(status("memory", |f| f.memory.available_bytes = Some(10 << 20)), Stop);
    let device = |f: &mut Facts, in_use| {
        f.target = Target::Device { name: "/dev/sda".into(), chain: Vec::new(), in_use };
    };
    assert_eq!(status("in use", |f| device(f, Vec::new())), Pass);
    let mounted = RefusalReason::new(Why::Root, "the system runs from it");
    assert_eq!(status("in use", |f| device(f, vec![mounted])), Warn);
    assert_eq!(status("disk", |f| f.disks.clear()), Status::Unknown);
}

#[test]
fn the_worst_decides_and_what_is_unknown_does_not() {
    let of = |statuses: &[Status]| {
        verdict(&statuses.iter().map(|s| Check::new("x", *s, "")).collect::<Vec<_>>())
    };
    assert_eq!(of(&[Status::Pass, Status::Unknown]), Status::Pass);
    assert_eq!(of(&[Status::Warn, Status::Unknown, Status::Stop]), Status::Stop);
}
