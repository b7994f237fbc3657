//! `/proc/PID/io`: what a process caused the storage layer to do.

/// Bytes fetched from and sent towards storage by one process, proc(5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProcessIo {
    pub read_bytes: u64,
    /// Bytes sent towards storage: counted when a page becomes dirty, not when it is written back.
    pub write_bytes: u64,
}

/// Reads `/proc/PID/io`; `None` when the kernel keeps no account of storage
/// (`CONFIG_TASK_IO_ACCOUNTING`).
pub fn parse(text: &str) -> Option<ProcessIo> {
    let find = |wanted| super::numbers(text).find(|(name, _)| *name == wanted).map(|(_, n)| n);
    Some(ProcessIo { read_bytes: find("read_bytes")?, write_bytes: find("write_bytes")? })
}

/// Bytes that a process sent towards storage and did not take back by cutting or removing the file
/// while they were in memory; `None` as in [`parse`].
pub fn kept(text: &str) -> Option<u64> {
    let find = |wanted| super::numbers(text).find(|(name, _)| *name == wanted).map(|(_, n)| n);
    Some(find("write_bytes")?.saturating_sub(find("cancelled_write_bytes").unwrap_or(0)))
}

/// Bytes that a process handed to write(2) and its like, whatever became of them (`wchar`).
pub fn written(text: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix("wchar:"))?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn storage_bytes_not_calls() {
        let text = "rchar: 6976\nwchar: 1\nsyscr: 10\nsyscw: 0\nread_bytes: 4096\nwrite_bytes: 8192\n\
            cancelled_write_bytes: 0\n";
        assert_eq!(parse(text), Some(ProcessIo { read_bytes: 4096, write_bytes: 8192 }));
        assert_eq!(parse("rchar: 1\nwchar: 2\n"), None);
        assert_eq!(kept(text), Some(8192));
        assert_eq!(kept("write_bytes: 8192\ncancelled_write_bytes: 4096\n"), Some(4096));
        assert_eq!(kept("write_bytes: 0\ncancelled_write_bytes: 4096\n"), Some(0));
    }
}
