//! CPU time of this process, and how long a thread was ready to run and had to wait for a CPU.
//!
//! The wait is the second number of `/proc/PID/task/TID/schedstat`, in nanoseconds: `run_delay` of
//! `Documentation/scheduler/sched-stats.rst`. Time that a quota keeps a thread from running is in
//! it. Both are read before the first and after the last operation, never in between.

use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::io::read;

/// User and system time so far, of all threads and the kernel's workers for them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    pub usr_ns: u64,
    pub sys_ns: u64,
}

impl Usage {
    /// Reads getrusage(2).
    pub fn now() -> Usage {
        // SAFETY: an all-zero rusage is a value of the type, and the call writes only to it.
        let usage = unsafe {
            let mut usage: libc::rusage = std::mem::zeroed();
            if libc::getrusage(libc::RUSAGE_SELF, &mut usage) != 0 {
                // Only a bad pointer or `who` can fail.
                return Usage::default();
            }
            usage
        };
        let ns = |t: libc::timeval| t.tv_sec as u64 * 1_000_000_000 + t.tv_usec as u64 * 1000;
        Usage { usr_ns: ns(usage.ru_utime), sys_ns: ns(usage.ru_stime) }
    }

    /// What was used since `earlier`.
    pub fn since(self, earlier: Usage) -> Usage {
        Usage {
            usr_ns: self.usr_ns.saturating_sub(earlier.usr_ns),
            sys_ns: self.sys_ns.saturating_sub(earlier.sys_ns),
        }
    }
}

/// What this thread has waited so far; `None` where the kernel does not count it
/// (`CONFIG_SCHED_INFO`).
pub fn waited_ns() -> Option<u64> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    let file = openat(CWD, c"/proc/thread-self/schedstat", flags, Mode::empty()).ok()?;
    let mut buffer = [0; 96];
    let len = read(&file, &mut buffer).ok()?;
    second(std::str::from_utf8(&buffer[..len]).ok()?)
}

fn second(text: &str) -> Option<u64> {
    text.split_ascii_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_number_is_the_waiting() {
        assert_eq!(second("929693 133147 2\n"), Some(133_147));
        assert_eq!(second("929693"), None);
        assert_eq!(second(""), None);
    }
}
