//! From a stack to the steps that make it: preparation as data, shown before and undone after;
//! and the guard's decision what may be written at all.

pub mod device;
pub mod guard;
pub mod space;
pub mod steps;
pub mod support;
pub mod token;
