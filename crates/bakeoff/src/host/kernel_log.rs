//! What the kernel says about storage while it is being measured: new records of /dev/kmsg.
//!
//! One read gives one record; EPIPE says that records were overwritten before they were read.
//! Source: `Documentation/ABI/testing/dev-kmsg`.

use std::io;
use std::os::fd::OwnedFd;

use bakeoff_machine::fitness::Fact;
use bakeoff_machine::sysinfo::kmsg;
use bakeoff_model::path::printable;
use bakeoff_model::telemetry::LogLine;
use rustix::fs::{Mode, OFlags, SeekFrom, seek};
use rustix::io::{Errno, read};

const RECORD_BYTES: usize = 8192;
/// Most lines kept of a cell, and most bytes of each.
const LINES: usize = 32;
const LINE_BYTES: usize = 200;
/// Most records of the whole log: the ring of 16 MiB, the largest there is, holds no more.
const RECORDS: usize = 1 << 18;
/// Most records read at one look: a flood is not worth a late sample.
const AT_ONCE: usize = 64;

pub struct KernelLog {
    file: OwnedFd,
    buffer: Vec<u8>,
    lines: Vec<LogLine>,
}

impl KernelLog {
    /// Opens it at its end.
    ///
    /// # Errors
    /// Without CAP_SYSLOG where `kernel.dmesg_restrict` is set.
    pub fn open() -> io::Result<KernelLog> {
        let file = open()?;
        seek(&file, SeekFrom::End(0))?;
        let lines = Vec::with_capacity(LINES);
        Ok(KernelLog { file, buffer: vec![0; RECORD_BYTES], lines })
    }

    pub fn look(&mut self) {
        for _ in 0..AT_ONCE {
            match read(&self.file, &mut self.buffer) {
                Ok(0) => return,
                Ok(n) => self.keep(n),
                Err(Errno::PIPE | Errno::INTR) => {}
                Err(_) => return,
            }
        }
    }

    fn keep(&mut self, n: usize) {
        if self.lines.len() < LINES {
            // A problem is rare, and what is measured meanwhile is thrown away: here it may
            // allocate.
            self.lines.extend(problem(&self.buffer[..n]));
        }
    }

    /// The lines since the last [`KernelLog::forget`].
    pub fn lines(&self) -> Vec<LogLine> {
        self.lines.clone()
    }

    pub fn forget(&mut self) {
        self.lines.clear();
    }
}

/// All there is about problem with storage since boot, the oldest first; only the last lines where
/// there are many.
pub fn since_boot() -> Fact<Vec<LogLine>> {
    let why = |error: io::Error| format!("needs root or CAP_SYSLOG: {error}");
    let file = open().map_err(why)?;
    let mut buffer = vec![0; RECORD_BYTES];
    let mut lines = Vec::new();
    for _ in 0..RECORDS {
        let n = match read(&file, &mut buffer) {
            Ok(0) | Err(Errno::AGAIN) => break,
            Ok(n) => n,
            // Records were overwritten before they were read; the next read goes on behind them.
            Err(Errno::PIPE | Errno::INTR) => continue,
            Err(error) => return Err(why(error.into())),
        };
        lines.extend(problem(&buffer[..n]));
    }
    Ok(lines)
}

fn open() -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    Ok(rustix::fs::open("/dev/kmsg", flags, Mode::empty())?)
}

fn problem(record: &[u8]) -> Option<LogLine> {
    let text = String::from_utf8_lossy(record);
    let (_, message) = kmsg::record(&text)?;
    let cut = &message.as_bytes()[..message.len().min(LINE_BYTES)];
    Some(LogLine { problem: kmsg::problem(message)?, text: printable(cut) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_logged_after_opening_is_seen_and_nothing_else() {
        let Ok(mut log) = KernelLog::open() else {
            crate::skip::skip("kernel log", "/dev/kmsg cannot be read here");
            return;
        };
        let marker =
            format!("bakeoff test: blk_update_request: I/O error, pid {}", std::process::id());
        if std::fs::write("/dev/kmsg", format!("<4>{marker}\n")).is_err() {
            crate::skip::skip("kernel log", "/dev/kmsg cannot be written here");
            return;
        }
        std::fs::write("/dev/kmsg", "<6>bakeoff test: all is well\n").unwrap();
        log.look();
        let lines = log.lines();
        assert!(lines.iter().any(|line| line.text == marker), "{lines:?}");
        assert!(!lines.iter().any(|line| line.text.contains("all is well")));
    }
}
