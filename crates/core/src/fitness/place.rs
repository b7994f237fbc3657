//! The place itself: what it is, whether it can be written, and whether there is room.

use super::facts::Target;
use super::{Check, Facts};
use crate::model::host::{LayerKind, Place, PlaceClass};
use crate::prepare::space;
use crate::units;

pub fn checks(facts: &Facts) -> Vec<Check> {
    match &facts.target {
        Target::Place { place, .. } => {
            let available = facts.memory.available_bytes.unwrap_or(0);
            vec![kind(place), room(place, available)]
        }
        Target::Device { name, in_use, .. } => {
            let reasons: Vec<String> = in_use.iter().map(crate::report::guard::text).collect();
            let check = match reasons.is_empty() {
                true => Check::pass("in use", "not in use, as far as bakeoff can see"),
                false => Check::warn(
                    "in use",
                    reasons.join("; "),
                    format!(
                        "bakeoff can read {name}, but refuses to overwrite it while it is in \
                             use"
                    ),
                ),
            };
            vec![check]
        }
    }
}

fn kind(place: &Place) -> Check {
    const ID: &str = "place";
    let fs = &place.fs;
    if place.options.first().is_some_and(|option| option == "ro")
        || place.options.iter().any(|option| option == "ro")
    {
        return Check::stop(
            ID,
            format!("{fs} at {} is mounted read-only", place.mount_point),
            "remount it with mount -o remount,rw, or name another directory",
        );
    }
    let through_image = place.chain.iter().any(|layer| layer.kind == LayerKind::Loop);
    match place.class {
        PlaceClass::Block if through_image => Check::warn(
            ID,
            format!("{fs} in an image file: this measures two filesystems and possibly two caches"),
            "compare images with images only",
        ),
        PlaceClass::Block => Check::pass(ID, format!("{fs} at {}", place.mount_point)),
        PlaceClass::Memory => Check::warn(
            ID,
            format!("{fs} is memory, not a disk"),
            "specify a directory on the intended disk (list the disks with `bakeoff devices`)",
        ),
        PlaceClass::Fuse => Check::warn(
            ID,
            format!("{fs}: a user-space driver, whose cache is not visible"),
            "bakeoff never labels its figures as cold; compare with the kernel's driver if one \
             exists",
        ),
        PlaceClass::Network => Check::warn(
            ID,
            format!("{fs}: the disk is in another machine"),
            "run the check on that machine; measuring here includes the network",
        ),
        PlaceClass::Stacked => Check::warn(
            ID,
            format!("{fs} is on another filesystem"),
            "specify a directory of the filesystem below (in a container: a volume)",
        ),
    }
}

fn room(place: &Place, available_bytes: u64) -> Check {
    const ID: &str = "free space";
    let room = space::room_bytes(place.class, place.size_bytes, place.free_bytes, available_bytes);
    let words = format!(
        "{} of {} is free; a test may use {}",
        units::size(place.free_bytes),
        units::size(place.size_bytes),
        units::size(room)
    );
    if room < space::FILE_MIN_BYTES {
        return Check::stop(
            ID,
            words,
            "free some space: bakeoff uses at most half of the free space and leaves 5 % or 512 \
             MiB",
        );
    }
    // Flash that is nearly full has no room to put writes aside.
    match place.free_bytes < place.size_bytes / 10 {
        true => Check::warn(
            ID,
            format!("{words}: a filesystem this full is slower than an empty one"),
            "state this next to the results, or free some space",
        ),
        false => Check::pass(ID, words),
    }
}
