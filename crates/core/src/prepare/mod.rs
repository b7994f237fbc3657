//! From a stack to the steps that make it: preparation as data, shown before and undone after.

pub mod steps;
pub mod support;
