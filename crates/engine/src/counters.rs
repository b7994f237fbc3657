//! What the devices below have read and written, and what this process has written: the counters
//! in `/sys/dev/block/MAJOR:MINOR/stat` and in `/proc/self/io`.
//!
//! Only the process that does the parts of a profile knows when each of them begins and ends, so
//! it reads the counters itself. The files are opened before the first part: a profile with a
//! database runs in a root directory without /proc and /sys.

use std::fs::File;
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt;

use bakeoff_machine::sysinfo::block_stat::{self, BlockStat};
use bakeoff_machine::sysinfo::process_io;
use bakeoff_model::wear::{DriveWrites, WornDevices};
use rustix::fs::syncfs;

const TEXT_BYTES: usize = 512;

#[derive(Debug, Default)]
pub struct Counters {
    drives: Vec<File>,
    own: Option<File>,
    worn: Option<Worn>,
}

#[derive(Debug)]
struct Worn {
    bytes: Vec<File>,
    flushes: Vec<File>,
    is_shared: bool,
    /// A directory of the filesystem that is synced before its devices are looked at.
    at: OwnedFd,
}

/// What the counters say, or by how much they grew; `None` = unknown.
#[derive(Clone, Copy, Debug, Default)]
pub struct Moved {
    pub read_bytes: Option<u64>,
    /// Bytes that this process handed to write(2) and its like.
    pub written_bytes: Option<u64>,
    pub reached_bytes: Option<u64>,
    pub flushes: Option<u64>,
}

impl Counters {
    /// Of the drives with these `major:minor` numbers, and of this process.
    pub fn open(numbers: &[String]) -> Counters {
        let own = File::open("/proc/self/io").ok();
        Counters { drives: stats(numbers).unwrap_or_default(), own, worn: None }
    }

    /// The same, and of devices that the filesystem of a directory wears.
    pub fn with_worn(self, devices: Option<&WornDevices>, at: &OwnedFd) -> Counters {
        let worn = devices.filter(|devices| !devices.bytes.is_empty()).and_then(|devices| {
            let bytes = stats(&devices.bytes)?;
            let flushes = stats(&devices.flushes).unwrap_or_default();
            let at = at.try_clone().ok()?;
            Some(Worn { bytes, flushes, is_shared: devices.is_shared, at })
        });
        Counters { worn, ..self }
    }

    pub fn now(&self) -> Moved {
        let worn = self.worn.as_ref();
        Moved {
            read_bytes: sum(&self.drives, |stat| Some(stat.read_bytes)),
            written_bytes: self.own.as_ref().and_then(|file| text(file, process_io::written)),
            reached_bytes: worn.and_then(|worn| sum(&worn.bytes, |stat| Some(stat.written_bytes))),
            flushes: worn.and_then(|worn| sum(&worn.flushes, |stat| stat.flushes)),
        }
    }

    /// The same once nothing that was written waits in memory, where that is asked about.
    pub fn settled(&self) -> Moved {
        // A failure is that of a write, which whoever wrote meets too.
        let _ = self.worn.as_ref().map(|worn| syncfs(&worn.at));
        self.now()
    }

    /// What `moved` cost the flash; `None` where nothing was written, or nobody counted.
    pub fn drive_writes(&self, moved: Moved) -> Option<DriveWrites> {
        let asked_bytes = moved.written_bytes.filter(|bytes| *bytes > 0)?;
        Some(DriveWrites {
            asked_bytes,
            reached_bytes: moved.reached_bytes?,
            flushes: moved.flushes,
            is_shared: self.worn.as_ref()?.is_shared,
        })
    }
}

fn stats(numbers: &[String]) -> Option<Vec<File>> {
    numbers.iter().map(|dev| File::open(format!("/sys/dev/block/{dev}/stat")).ok()).collect()
}

/// A counter of these devices, together; `None` where there are none or one cannot be read.
fn sum(devices: &[File], counter: impl Fn(&BlockStat) -> Option<u64>) -> Option<u64> {
    let mut sum: Option<u64> = None;
    for device in devices {
        sum = Some(sum.unwrap_or(0).checked_add(counter(&text(device, block_stat::parse)?)?)?);
    }
    sum
}

impl Moved {
    /// By how much they grew since `before`.
    pub fn since(self, before: Moved) -> Moved {
        let grown = |now: Option<u64>, then: Option<u64>| Some(now?.saturating_sub(then?));
        Moved {
            read_bytes: grown(self.read_bytes, before.read_bytes),
            written_bytes: grown(self.written_bytes, before.written_bytes),
            reached_bytes: grown(self.reached_bytes, before.reached_bytes),
            flushes: grown(self.flushes, before.flushes),
        }
    }

    pub fn plus(self, more: Moved) -> Moved {
        let sum = |a: Option<u64>, b: Option<u64>| b.map(|b| a.unwrap_or(0).saturating_add(b));
        Moved {
            read_bytes: sum(self.read_bytes, more.read_bytes),
            written_bytes: sum(self.written_bytes, more.written_bytes),
            reached_bytes: sum(self.reached_bytes, more.reached_bytes),
            flushes: sum(self.flushes, more.flushes),
        }
    }
}

fn text<T>(file: &File, parse: impl FnOnce(&str) -> Option<T>) -> Option<T> {
    let mut bytes = [0; TEXT_BYTES];
    let len = file.read_at(&mut bytes, 0).ok()?;
    parse(std::str::from_utf8(&bytes[..len]).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_this_process_writes_is_counted_and_drives_that_are_none_are_unknown() {
        let counters = Counters::open(&[]);
        let before = counters.now();
        std::fs::write("/dev/null", vec![0; 1 << 20]).unwrap();
        let moved = counters.now().since(before);
        assert!(moved.written_bytes.is_none_or(|bytes| bytes >= 1 << 20), "{moved:?}");
        assert_eq!(moved.read_bytes, None);
        assert_eq!(Counters::open(&["999:999".to_string()]).now().read_bytes, None);
    }
}
