//! The load generator.

pub mod residency;

/// The child process; nothing to serve yet.
pub fn serve() -> i32 {
    70
}
