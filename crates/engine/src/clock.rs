//! The one clock of a cell: `CLOCK_MONOTONIC`, read through the vDSO where the machine has one.
//!
//! It does not jump when the date is set; it stops during suspend, which the parent looks for.
//! Source: clock_gettime(2), vdso(7).

use rustix::thread::{ClockId, clock_nanosleep_absolute};
use rustix::time::Timespec;

/// Nanoseconds since some fixed point.
///
/// Through libc, not rustix: rustix looks the vDSO up by itself and crashes under valgrind, which
/// does not map it, and instructions counted under valgrind are how the hot loop is kept short.
#[inline]
pub fn now_ns() -> u64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: now is a valid place for the answer. Only an unknown clock or a bad place can fail.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut now) };
    // Monotonic time is never negative and lasts 584 years in 64 bits.
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// Sleeps until `due_ns` of [`now_ns`]; returns at once when it has passed.
pub fn sleep_until(due_ns: u64) {
    let request = Timespec {
        tv_sec: (due_ns / 1_000_000_000) as i64,
        tv_nsec: (due_ns % 1_000_000_000) as _,
    };
    // Interrupted by a signal: sleep on, the request is absolute.
    while clock_nanosleep_absolute(ClockId::Monotonic, &request) == Err(rustix::io::Errno::INTR) {}
}
