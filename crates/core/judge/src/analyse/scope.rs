//! What a sentence is about: places as they are, or stacks on one region, and under which
//! conditions it holds.

use bakeoff_machine::prepare::recipe::RAW;
use bakeoff_model::candidate::Candidate;
use bakeoff_model::event::{Header, Region};
use bakeoff_model::host::{Layer, Place};
use bakeoff_model::path::printable;
use bakeoff_stats::units;

pub fn conditions(header: &Header) -> String {
    let mut parts = Vec::new();
    if let Some(region) = &header.region {
        parts.push(on_region(header, region));
    }
    let host = &header.host;
    let machine = host.model.clone().unwrap_or_else(|| host.arch.clone());
    if !machine.is_empty() {
        parts.push(printable(machine.as_bytes()));
    }
    if !host.kernel.is_empty() {
        parts.push(format!("kernel {}", printable(host.kernel.as_bytes())));
    }
    parts.join(", ")
}

fn on_region(header: &Header, region: &Region) -> String {
    let size = units::size(region.size_bytes);
    let drive = device(&region.place);
    let what = made(header);
    if region.is_image {
        format!("{what} a {size} image on {drive}")
    } else {
        let end = region.start_bytes.saturating_add(region.size_bytes);
        let (start, end) = (units::size(region.start_bytes), units::size(end));
        format!("{what} {size} of {drive}, from {start} to {end}")
    }
}

/// What was put on the region before each visit; a raw stack has no filesystem to be fresh.
fn made(header: &Header) -> &'static str {
    let is_own = |c: &&Candidate| c.stack().is_some() && c.twin_of.is_none();
    let stacks = || header.candidates.iter().filter(is_own);
    let raw = stacks().filter(|c| is_raw(c)).count();
    if stacks().any(|c| !c.state().is_empty()) {
        return "filled filesystems on";
    }
    match (raw, stacks().count() - raw) {
        (_, 0) => "raw blocks of",
        (0, 1) => "a fresh filesystem on",
        (0, _) => "fresh filesystems on",
        (_, _) => "fresh filesystems and raw blocks on",
    }
}

fn is_raw(candidate: &Candidate) -> bool {
    candidate.stack().is_some_and(|stack| stack.fs == RAW)
}

pub fn reach(header: &Header) -> Option<&'static str> {
    let is_image = header.region.as_ref().is_some_and(|r| r.is_image);
    let is_raw = header.candidates.iter().all(is_raw);
    is_image.then_some(if is_raw {
        "This ranks software on an image file on this drive, not the drive."
    } else {
        "This ranks filesystem software on an image file on this drive."
    })
}

/// The drive or drives behind a place: `SanDisk Ultra (sda)`.
pub fn device(place: &Place) -> String {
    let label = |drive: &Layer| {
        let name = printable(drive.name.as_bytes());
        let model = drive.model.as_deref().map(str::trim).filter(|m| !m.is_empty());
        model.map_or(name.clone(), |m| format!("{} ({name})", printable(m.as_bytes())))
    };
    let drives: Vec<String> = place.disks().map(label).collect();
    if drives.is_empty() {
        printable(place.source.as_bytes())
    } else {
        bakeoff_stats::phrases::list(&drives)
    }
}
