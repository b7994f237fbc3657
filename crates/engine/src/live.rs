//! What lanes tell each other and the parent while they run: at most once every window, never in
//! an operation; and where acknowledgements are recorded, after every flush.

use std::os::fd::BorrowedFd;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use bakeoff_model::acks::AcksHead;
use bakeoff_model::job::Job;
use bakeoff_tools::native::LIVE_RECORD_BYTES;

use rustix::fs::FileType;

use crate::error::EngineError;
use crate::hold;
use crate::windows::Counts;

/// Shared by all lanes of a cell.
#[derive(Debug, Default)]
pub struct Live<'a> {
    fd: Option<BorrowedFd<'a>>,
    acks: Option<BorrowedFd<'a>>,
    ios: AtomicU64,
    bytes: AtomicU64,
    stop: AtomicBool,
}

impl<'a> Live<'a> {
    pub fn new(fd: Option<BorrowedFd<'a>>) -> Live<'a> {
        Live { fd, ..Live::default() }
    }

    pub fn recording(self, acks: Option<BorrowedFd<'a>>) -> Live<'a> {
        Live { acks, ..self }
    }

    pub fn is_recording(&self) -> bool {
        self.acks.is_some()
    }

    /// The lanes of `job` begin: the record's first line.
    pub fn record_head(&self, job: &Job, in_turns: bool) -> Result<(), EngineError> {
        let Some(acks) = self.acks else { return Ok(()) };
        let found = rustix::fs::fstat(acks).map_err(|e| EngineError::io(RECORDING, e))?;
        let is_file = FileType::from_raw_mode(found.st_mode).is_file();
        let held_back = if is_file { 0 } else { HELD_BACK };
        let line = serde_json::to_string(&AcksHead::new(job, in_turns, held_back));
        append(acks, &(line.map_err(|e| EngineError::io(RECORDING, e))? + "\n"))
    }

    /// A flush has returned: all operations of `lane` so far, `ops` of them, are acknowledged.
    /// Returns when the record has it, so that nothing is begun before.
    pub fn acknowledge(&self, lane: u32, ops: u64) -> Result<(), EngineError> {
        self.acks.map_or(Ok(()), |acks| append(acks, &format!("{lane} {ops}\n")))
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

/// Lines that a pipe holds at most: 64 KiB, of 4 bytes and more.
const HELD_BACK: u32 = 16 << 10;

const RECORDING: &str = "recording acknowledged writes";

/// One write a line: lines of several lanes do not mix.
fn append(acks: BorrowedFd<'_>, line: &str) -> Result<(), EngineError> {
    let mut rest = line.as_bytes();
    while !rest.is_empty() {
        match rustix::io::write(acks, rest) {
            Ok(written) => rest = &rest[written..],
            Err(rustix::io::Errno::INTR) => {}
            Err(e) => return Err(EngineError::io(RECORDING, e)),
        }
    }
    Ok(())
}
