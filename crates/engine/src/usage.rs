//! CPU time of this process, all its threads and the kernel's workers for it.

/// User and system time so far.
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
