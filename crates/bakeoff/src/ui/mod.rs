//! What people see while something runs and when it is done.

pub mod announce;
pub mod out;
pub mod progress;
pub mod say;
pub mod screen;
