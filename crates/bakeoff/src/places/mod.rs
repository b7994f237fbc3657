//! What candidates stand on: directories, the image of a demo, or regions of targets. Each is
//! prepared, rehearsed and cleaned up here; [`target_set`] is the door.

pub mod ahead;
mod data_file;
pub mod directories;
mod freed;
pub mod image;
mod in_time;
mod layout;
pub mod marks;
pub mod regions;
pub mod rehearse;
mod sentinel;
pub mod stacks;
pub mod survey;
pub mod target_set;
pub mod targets;
mod try_cells;
