//! What lanes tell each other and the parent while they run: at most once every window, never in
//! an operation.

use std::os::fd::BorrowedFd;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use bakeoff_tools::native::LIVE_RECORD_BYTES;

use crate::hold;
use crate::windows::Counts;

/// Shared by all lanes of a cell.
#[derive(Debug, Default)]
pub struct Live<'a> {
    fd: Option<BorrowedFd<'a>>,
    ios: AtomicU64,
    bytes: AtomicU64,
    stop: AtomicBool,
}

impl<'a> Live<'a> {
    pub fn new(fd: Option<BorrowedFd<'a>>) -> Live<'a> {
        Live { fd, ..Live::default() }
    }

    /// A lane's window ended with `counts`. The first lane writes for all.
    pub fn publish(&self, counts: Counts, lane: u32) {
        // As the result counts them: a write and its flush are one operation.
        let new_ios = counts.ios.saturating_sub(counts.flushes);
        let ios = self.ios.fetch_add(new_ios, Ordering::Relaxed) + new_ios;
        let new_bytes = counts.read_bytes + counts.write_bytes;
        let bytes = self.bytes.fetch_add(new_bytes, Ordering::Relaxed) + new_bytes;
        let Some(fd) = self.fd.filter(|_| lane == 0) else { return };
        let mut record = [0; LIVE_RECORD_BYTES];
        record[..8].copy_from_slice(&ios.to_le_bytes());
        record[8..].copy_from_slice(&bytes.to_le_bytes());
        // A progress display that cannot be fed does not end a measurement.
        let _ = rustix::io::pwrite(fd, &record, 0);
    }

    /// Another lane failed, so that what this one measures is of no use any more; or a companion
    /// ends.
    pub fn should_stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || hold::is_over()
    }

    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}
