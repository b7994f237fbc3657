//! Facts for tests: a machine at rest, and a card.

use super::facts::*;
use crate::sysinfo::mmc_ios::Ios;
use crate::sysinfo::sd_status::SdStatus;
use crate::telemetry::rates::DeviceRates;
use bakeoff_model::health::Health;
use bakeoff_model::host::{Host, Layer};

const GIB: u64 = 1 << 30;

/// A Raspberry Pi 4 with an SSD, at rest: nothing to complain about.
pub fn fit() -> Facts {
    let layer = Layer {
        name: "sda".into(),
        model: Some("Portable SSD T5".into()),
        size_bytes: 500 * GIB,
        bus: Some("usb".into()),
        rotational: Some(false),
        write_cache: Some("write back".into()),
        ..Layer::default()
    };
    let watched = Watched {
        elapsed_ns: 3_000_000_000,
        cpu_percent: Some(1.0),
        disks: vec![("sda".into(), DeviceRates::default())],
        ..Watched::default()
    };
    Facts {
        host: Host { model: Some("Raspberry Pi 4 Model B Rev 1.4".into()), ..Host::default() },
        throttled: Ok((0, true)),
        temperatures: Ok(vec![("cpu-thermal".into(), 52_000, None)]),
        watched: Ok(watched),
        log: Ok(Vec::new()),
        has_fast_usb: true,
        disks: vec![Disk {
            layer,
            usb: Some(Usb {
                mbit: 5000,
                version: Some(" 3.20".into()),
                driver: Some("uas".into()),
                offers_uas: Some(true),
                id: Some("04e8:61f5".into()),
            }),
            health: Some(Ok(Health { passed: Some(true), ..Health::default() })),
            ..Disk::default()
        }],
    }
}

/// A card of a Pi 4, whose slot does DDR50.
pub fn with_card(facts: &mut Facts, mode: Option<(&str, u32)>, uhs_grade: u8) {
    let disk = &mut facts.disks[0];
    disk.usb = None;
    disk.card = Some(Card {
        kind: "SD".into(),
        manufacturer: Some(3),
        oem: Some(0x5344),
        name: Some("SC64G".into()),
        date: Some("08/2021".into()),
        status: Some(SdStatus { uhs_grade, speed_class: 10, ..SdStatus::default() }),
        erase_bytes: Some(4 << 20),
        mode: mode.map(|(timing, bits)| Ios {
            timing: timing.into(),
            mhz: Some(50),
            bits: Some(bits),
        }),
        ..Card::default()
    });
}
