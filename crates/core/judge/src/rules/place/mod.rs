//! Rules about the drives and places behind the candidates.
//!
//! Sources: Documentation/driver-api/usb and the UAS driver for BOT; the Raspberry Pi documentation
//! on USB buses and power; flashbench's README for allocation units; zcav(8) for zones.

pub mod drives;
pub mod regions;
pub mod zone_gradient;

use crate::evidence::rule::{Checks, Hit};
use bakeoff_model::design::Design;
use bakeoff_model::host::{Layer, Place};

pub static CHECKS: Checks<fn(Design<'_>) -> Vec<Hit>> = &[
    ("L01", |of| Vec::from_iter(regions::lba_confound(of))),
    ("L02", zone_gradient::in_plan),
    ("L08", |of| each_place(of, drives::smr)),
    ("L10", |of| each_place(of, drives::root_device)),
    ("L50", |of| Vec::from_iter(drives::governor(of))),
    ("L56", |of| Vec::from_iter(drives::shared_bus(of))),
    (drives::LINK_DEGRADED, |of| each_place(of, drives::link_degraded)),
    (drives::UAS_BOT, |of| each_place(of, drives::uas_bot)),
    ("loop-not-direct", |of| each_place(of, drives::loop_not_direct)),
    ("memory", |of| each_place(of, drives::memory_place)),
];

/// Each place with the candidate it belongs to; the region's belongs to all.
fn places(design: Design<'_>) -> Vec<(Option<&str>, &Place)> {
    let directories = design.directories().map(|(name, place)| (Some(name), place));
    let region = design.region.as_ref().map(|r| (None, &r.place));
    directories.chain(region).collect()
}

fn each_place(design: Design<'_>, check: fn(Design<'_>, &Place) -> Option<Hit>) -> Vec<Hit> {
    let about = |(candidate, place): (Option<&str>, &Place)| {
        let hit = check(design, place)?;
        Some(Hit { candidate: candidate.map(str::to_string), ..hit })
    };
    places(design).into_iter().filter_map(about).collect()
}

fn drive(place: &Place) -> Option<&Layer> {
    place.disks().next()
}

fn is_hard_disk(drive: &Layer) -> bool {
    drive.seeks() == Some(true)
}
