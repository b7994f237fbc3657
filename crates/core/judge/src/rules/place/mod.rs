//! Rules about the drives and places behind the candidates.
//!
//! Sources: Documentation/driver-api/usb and the UAS driver for BOT; the Raspberry Pi documentation
//! on USB buses and power; flashbench's README for allocation units; zcav(8) for zones.

pub mod crypto_unspecified;
pub mod fresh_flash;
pub mod governor;
pub mod lba_confound;
pub mod link_degraded;
pub mod loop_not_direct;
pub mod memory_place;
pub mod misaligned;
pub mod options_unpinned;
pub mod power_budget;
pub mod root_device;
pub mod served;
pub mod shared_bus;
pub mod short_stroke;
pub mod smr;
pub mod state_carryover;
pub mod uas_bot;
pub mod zone_gradient;

use crate::evidence::rule::{Checks, Hit};
use bakeoff_model::design::Design;
use bakeoff_model::event::Region;
use bakeoff_model::host::{Layer, Place};

pub static CHECKS: Checks<fn(Design<'_>) -> Vec<Hit>> = &[
    ("L01", |of| Vec::from_iter(lba_confound::in_plan(of))),
    ("L02", zone_gradient::in_plan),
    ("L03", |of| each_place(of, misaligned::in_plan)),
    ("L05", |of| Vec::from_iter(state_carryover::in_plan(of))),
    ("L06", |of| Vec::from_iter(fresh_flash::in_plan(of))),
    ("L08", |of| each_place(of, smr::in_plan)),
    ("L09", |of| each_place(of, short_stroke::in_plan)),
    ("L10", |of| each_place(of, root_device::in_plan)),
    ("L50", |of| Vec::from_iter(governor::in_plan(of))),
    ("L56", |of| Vec::from_iter(shared_bus::in_plan(of))),
    (link_degraded::ID, |of| each_place(of, link_degraded::in_plan)),
    (uas_bot::ID, |of| each_place(of, uas_bot::in_plan)),
    ("L59", |of| each_place(of, power_budget::in_plan)),
    ("L60", |of| each_place(of, options_unpinned::in_plan)),
    ("L62", |of| each_place(of, crypto_unspecified::of_place)),
    ("L62", crypto_unspecified::of_stacks),
    ("loop-not-direct", |of| each_place(of, loop_not_direct::in_plan)),
    ("memory", |of| each_place(of, memory_place::in_plan)),
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

/// The region of a drive of flash that stacks are made on: its state before each visit counts.
fn flash_region(design: Design<'_>) -> Option<&Region> {
    let region = design.region.filter(|r| !r.is_image && design.stacks().next().is_some())?;
    region.place.disks().any(|d| d.rotational == Some(false)).then_some(region)
}
