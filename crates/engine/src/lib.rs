//! The load generator.

/// The child process; nothing to serve yet.
pub fn serve() -> i32 {
    70
}
