//! The place itself: what it is, whether it can be written, and whether there is room.

use super::facts::Target;
use super::{Check, Facts};
use crate::guard::Reason;
use crate::model::host::{LayerKind, Place, PlaceClass};
use crate::model::path::RawPath;
use crate::prepare::space;

/// Whether a device is in use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InUse {
    /// The device, as typed.
    pub name: String,
    /// Why it must not be written; empty when it may.
    pub reasons: Vec<Reason>,
}

/// What a place is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kind {
    /// Its filesystem.
    pub fs: String,
    /// Where that is mounted.
    pub at: RawPath,
    /// What it is on.
    pub base: Base,
}

/// What a filesystem is on, as far as it matters here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// Anything, but it is mounted read-only.
    ReadOnly,
    /// An image file.
    Image,
    /// A drive.
    Drive,
    /// Memory.
    Memory,
    /// A driver in user space.
    Fuse,
    /// Another machine.
    Network,
    /// Another filesystem.
    Filesystem,
}

/// Free space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FreeSpace {
    /// What is free.
    pub free_bytes: u64,
    /// Size of the filesystem.
    pub size_bytes: u64,
    /// What a test may use.
    pub room_bytes: u64,
    /// Whether that does.
    pub verdict: Room,
}

/// Whether the free space suffices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// It does not.
    TooLittle,
    /// It does, but the filesystem is nearly full.
    NearlyFull,
    /// It does.
    Enough,
}

/// The target's own checks.
pub fn checks(facts: &Facts) -> Vec<Check> {
    match &facts.target {
        Target::Place { place, .. } => {
            let available = facts.memory.available_bytes.unwrap_or(0);
            vec![kind(place), room(place, available)]
        }
        Target::Device { name, in_use, .. } => {
            let found = InUse { name: name.clone(), reasons: in_use.clone() };
            vec![match in_use.is_empty() {
                true => Check::pass("in use", found),
                false => Check::warn("in use", found),
            }]
        }
    }
}

fn kind(place: &Place) -> Check {
    const ID: &str = "place";
    let is_image = place.chain.iter().any(|layer| layer.kind == LayerKind::Loop);
    let base = match place.class {
        _ if place.options.iter().any(|option| option == "ro") => Base::ReadOnly,
        PlaceClass::Block if is_image => Base::Image,
        PlaceClass::Block => Base::Drive,
        PlaceClass::Memory => Base::Memory,
        PlaceClass::Fuse => Base::Fuse,
        PlaceClass::Network => Base::Network,
        PlaceClass::Stacked => Base::Filesystem,
    };
    let found = Kind { fs: place.fs.clone(), at: place.mount_point.clone(), base };
    match base {
        Base::ReadOnly => Check::stop(ID, found),
        Base::Drive => Check::pass(ID, found),
        Base::Image | Base::Memory | Base::Fuse | Base::Network | Base::Filesystem => {
            Check::warn(ID, found)
        }
    }
}

fn room(place: &Place, available_bytes: u64) -> Check {
    const ID: &str = "free space";
    let Place { size_bytes, free_bytes, .. } = *place;
    let room_bytes = space::room_bytes(place.class, size_bytes, free_bytes, available_bytes);
    let found = |verdict| FreeSpace { free_bytes, size_bytes, room_bytes, verdict };
    if room_bytes < space::FILE_MIN_BYTES {
        return Check::stop(ID, found(Room::TooLittle));
    }
    // Flash that is nearly full has no room to put writes aside.
    match free_bytes < size_bytes / 10 {
        true => Check::warn(ID, found(Room::NearlyFull)),
        false => Check::pass(ID, found(Room::Enough)),
    }
}
