//! The place: what it is on, whether it is in use, its free space.

use super::words::{Words, advised, plain};
use crate::fitness::place::{Base, FreeSpace, InUse, Kind, Room};
use crate::report::guard;
use crate::units;

pub fn in_use(found: &InUse) -> Words {
    if found.reasons.is_empty() {
        return plain("not in use, as far as bakeoff can see");
    }
    let reasons: Vec<String> = found.reasons.iter().map(guard::text).collect();
    advised(
        reasons.join("; "),
        format!("bakeoff can read {}, but refuses to overwrite it while it is in use", found.name),
    )
}

pub fn kind(found: &Kind) -> Words {
    let Kind { fs, at, base } = found;
    match base {
        Base::ReadOnly => advised(
            format!("{fs} at {at} is mounted read-only"),
            "remount it with mount -o remount,rw, or name another directory",
        ),
        Base::Image => advised(
            format!("{fs} in an image file: this measures two filesystems and possibly two caches"),
            "compare images with images only",
        ),
        Base::Drive => plain(format!("{fs} at {at}")),
        Base::Memory => advised(
            format!("{fs} is memory, not a drive"),
            "specify a directory on the intended drive (list the drives with `bakeoff devices`)",
        ),
        Base::Fuse => advised(
            format!("{fs}: a user-space driver, whose cache is not visible"),
            "bakeoff never labels its figures as cold; compare with the kernel's driver if one \
             exists",
        ),
        Base::Network => advised(
            format!("{fs}: the drive is in another machine"),
            "run the check on that machine; measuring here includes the network",
        ),
        Base::Filesystem => advised(
            format!("{fs} is on another filesystem"),
            "specify a directory of the filesystem below (in a container: a volume)",
        ),
    }
}

pub fn free_space(found: &FreeSpace) -> Words {
    let words = format!(
        "{} of {} is free; a test may use {}",
        units::size(found.free_bytes),
        units::size(found.size_bytes),
        units::size(found.room_bytes)
    );
    match found.verdict {
        Room::TooLittle => advised(
            words,
            "free some space: bakeoff uses at most half of the free space and leaves 5 % or 512 \
             MiB",
        ),
        Room::NearlyFull => advised(
            format!("{words}: a filesystem this full is slower than an empty one"),
            "state this next to the results, or free some space",
        ),
        Room::Enough => plain(words),
    }
}
