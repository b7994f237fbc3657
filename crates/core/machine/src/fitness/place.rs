//! The place itself: what it is, whether it can be written, and whether there is room.

use super::facts::Target;
use super::{Check, Facts};
use crate::prepare::space;
use bakeoff_model::host::{LayerKind, Place, PlaceClass};
use bakeoff_stats::units;

pub fn checks(facts: &Facts) -> Vec<Check> {
    match &facts.target {
        Target::Place { place, .. } => {
            let available = facts.memory.available_bytes.unwrap_or(0);
            vec![kind(place), room(place, available)]
        }
        Target::Device { in_use, .. } if in_use.is_empty() => {
            vec![Check::pass("in use", "not in use, as far as bakeoff can see")]
        }
        Target::Device { name, in_use, .. } => {
            let reasons: Vec<&str> = in_use.iter().map(|reason| reason.text.as_str()).collect();
            vec![Check::warn("in use", reasons.join("; ")).advise(format!(
                "bakeoff can read {name}, but refuses to overwrite it while it is in use"
            ))]
        }
    }
}

fn kind(place: &Place) -> Check {
    const ID: &str = "place";
    let (fs, at) = (&place.fs, &place.mount_point);
    let is_image = place.chain.iter().any(|layer| layer.kind == LayerKind::Loop);
    match place.class {
        _ if place.options.iter().any(|option| option == "ro") => {
            Check::stop(ID, format!("{fs} at {at} is mounted read-only"))
                .advise("remount it with mount -o remount,rw, or name another directory")
        }
        PlaceClass::Block if is_image => Check::warn(
            ID,
            format!("{fs} in an image file: this measures two filesystems and possibly two caches"),
        )
        .advise("compare images with images only"),
        PlaceClass::Block => Check::pass(ID, format!("{fs} at {at}")),
        PlaceClass::Memory => Check::warn(ID, format!("{fs} is memory, not a drive")).advise(
            "specify a directory on the intended drive (list the drives with `bakeoff devices`)",
        ),
        PlaceClass::Fuse => {
            Check::warn(ID, format!("{fs}: a user-space driver, whose cache is not visible"))
                .advise(
                    "bakeoff never labels its figures as cold; compare with the kernel's driver if \
                     one exists",
                )
        }
        PlaceClass::Network => Check::warn(ID, format!("{fs}: the drive is in another machine"))
            .advise("run the check on that machine; measuring here includes the network"),
        PlaceClass::Stacked => Check::warn(ID, format!("{fs} is on another filesystem"))
            .advise("specify a directory of the filesystem below (in a container: a volume)"),
    }
}

pub const FREE_SPACE: &str = "free space";

fn room(place: &Place, available_bytes: u64) -> Check {
    const ID: &str = FREE_SPACE;
    let Place { size_bytes, free_bytes, .. } = *place;
    let room_bytes = space::room_bytes(place.class, size_bytes, free_bytes, available_bytes);
    let found = format!(
        "{} of {} is free; a test may use {}",
        units::size(free_bytes),
        units::size(size_bytes),
        units::size(room_bytes)
    );
    if room_bytes < space::FILE_MIN_BYTES {
        return Check::stop(ID, found).advise(
            "free some space: bakeoff uses at most half of the free space and leaves 5 % or 512 \
             MiB",
        );
    }
    // Flash that is nearly full has no room to put writes aside.
    match free_bytes < size_bytes / 10 {
        true => {
            Check::warn(ID, format!("{found}: a filesystem this full is slower than an empty one"))
                .advise("state this next to the results, or free some space")
        }
        false => Check::pass(ID, found),
    }
}
