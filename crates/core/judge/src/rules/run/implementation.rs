//! L61 implementation: a format was measured with a user-space driver, and the verdict does not
//! mention it.

pub const ID: &str = "L61";
