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

use crate::evidence::rule::Rule;
use crate::model::candidate::Stack;
use crate::model::design::Design;
use crate::model::event::Region;
use crate::model::host::{Layer, Place};

pub static RULES: [&Rule; 18] = [
    &lba_confound::RULE,
    &zone_gradient::RULE,
    &misaligned::RULE,
    &state_carryover::RULE,
    &fresh_flash::RULE,
    &smr::RULE,
    &short_stroke::RULE,
    &root_device::RULE,
    &governor::RULE,
    &shared_bus::RULE,
    &link_degraded::RULE,
    &uas_bot::RULE,
    &power_budget::RULE,
    &options_unpinned::RULE,
    &crypto_unspecified::RULE,
    &loop_not_direct::RULE,
    &memory_place::RULE,
    &served::RULE,
];

/// Each place with the candidate it belongs to; the region's belongs to all.
pub(super) fn places(design: Design<'_>) -> Vec<(Option<&str>, &Place)> {
    let directories = design.directories().map(|(name, place)| (Some(name), place));
    let region = design.region.as_ref().map(|r| (None, &r.place));
    directories.chain(region).collect()
}

fn drive(place: &Place) -> Option<&Layer> {
    place.disks().next()
}

fn is_hard_disk(drive: &Layer) -> bool {
    drive.seeks() == Some(true)
}

/// The region of a drive of flash that stacks are made on: its state before each visit counts.
fn flash_region<'h>(design: Design<'h>, stacks: &[(&str, &Stack)]) -> Option<&'h Region> {
    let region = design.region.as_ref().filter(|r| !r.is_image && !stacks.is_empty())?;
    region.place.disks().any(|d| d.rotational == Some(false)).then_some(region)
}
