//! What candidates stand on: directories, the image of a demo, or regions of targets. Each is
//! prepared, rehearsed and cleaned up here; [`target_set`] is the door.

// A new variant of an enum is checked wherever the enum decides something.
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

pub mod ahead;
pub mod directories;
pub mod image;
pub mod marks;
pub mod precondition;
pub mod regions;
pub mod rehearse;
pub mod stacks;
pub mod survey;
pub mod target_set;
pub mod targets;
mod try_cells;
