//! From a stack to the steps that make it: preparation as data, shown before and undone after. What
//! may be written at all is decided in [`crate::guard`].

pub mod capacity;
pub mod commands;
pub mod contents;
pub mod crypt;
pub mod device;
pub mod images;
pub mod knobs;
pub mod lvm;
pub mod options;
pub mod recipe;
pub mod region;
pub mod space;
pub mod stand_in;
pub mod steps;
pub mod token;
pub mod udev_rule;
pub mod visit;
pub mod words;
