//! Each check passes, warns and stops on facts made for it.

use super::facts::*;
use super::testing::{fit, with_card};
use super::*;
use bakeoff_model::health::Health;
use bakeoff_model::throttled;

/// How a check of the drive came out on changed facts.
fn status(id: &str, change: impl FnOnce(&mut Facts)) -> Status {
    let mut facts = fit();
    change(&mut facts);
    let all = of_drive(&facts.disks[0], &facts);
    let found = all.iter().find(|check| check.id == id);
    found.unwrap_or_else(|| panic!("no check {id}: {all:?}")).status
}

#[test]
fn a_machine_at_rest_passes_everything() {
    let facts = fit();
    for check in of_drive(&facts.disks[0], &facts) {
        assert_eq!(check.status, Status::Pass, "{check:?}");
    }
    assert_eq!(stops(&facts), []);
}

#[test]
fn power_and_heat() {
    use Status::{Pass, Stop, Warn};
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
fn what_makes_results_wrong_stops() {
    fn watched(facts: &mut Facts) -> &mut Watched {
        facts.watched.as_mut().unwrap()
    }
    let stopped = |change: fn(&mut Facts)| {
        let mut facts = fit();
        change(&mut facts);
        stops(&facts).into_iter().map(|check| check.id).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(stopped(|f| watched(f).disks[0].1.util_percent = 5.0), "");
    assert_eq!(stopped(|f| watched(f).disks.clear()), "");
    assert_eq!(stopped(|f| watched(f).disks[0].1.util_percent = 40.0), "background I/O");
    assert_eq!(stopped(|f| f.disks[0].usb.as_mut().unwrap().mbit = 12), "link");
    assert_eq!(stopped(|f| f.throttled = Ok((throttled::THROTTLED, true))), "throttling");
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
}

#[test]
fn the_health_that_a_drive_reports() {
    use Status::{Stop, Unknown, Warn};
    let health = |f: &mut Facts, health: Health| f.disks[0].health = Some(Ok(health));
    let worn = Health { crc_errors: Some(2), ..Health::default() };
    assert_eq!(status("health", |f| health(f, worn)), Warn);
    let failing = Health { passed: Some(false), ..Health::default() };
    assert_eq!(status("health", |f| health(f, failing)), Stop);
    assert_eq!(status("health", |f| f.disks[0].health = Some(Err(String::new()))), Unknown);
    assert_eq!(status("health", |f| f.disks[0].health = None), Unknown);
}
