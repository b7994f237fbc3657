//! `/proc/meminfo`: memory, in bytes.

/// The lines bakeoff uses, in bytes. A field the kernel does not give is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Meminfo {
    pub total_bytes: Option<u64>,
    /// What can be had without swapping, since Linux 3.14.
    pub available_bytes: Option<u64>,
    pub dirty_bytes: Option<u64>,
    pub writeback_bytes: Option<u64>,
}

/// Reads `/proc/meminfo`.
pub fn parse(text: &str) -> Meminfo {
    let mut info = Meminfo::default();
    for (name, bytes) in super::numbers(text) {
        let field = match name {
            "MemTotal" => &mut info.total_bytes,
            "MemAvailable" => &mut info.available_bytes,
            "Dirty" => &mut info.dirty_bytes,
            "Writeback" => &mut info.writeback_bytes,
            _ => continue,
        };
        *field = Some(bytes);
    }
    info
}

#[cfg(test)]
mod tests {
    #[test]
    fn kilobytes_are_kibibytes() {
        let text =
            "MemTotal:       24684096 kB\nMemAvailable:   24283264 kB\nHugePages_Total:       0\n";
        let info = super::parse(text);
        assert_eq!(info.total_bytes, Some(24_684_096 * 1024));
        assert_eq!(info.available_bytes, Some(24_283_264 * 1024));
        assert_eq!(info.dirty_bytes, None);
    }
}
