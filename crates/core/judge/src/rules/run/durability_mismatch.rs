//! L18 durability-mismatch: candidates give different guarantees after fsync, and the verdict does
//! not mention it.

pub const ID: &str = "L18";
