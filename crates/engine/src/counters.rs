//! What the devices below have read, and what this process has written: the counters in
//! `/sys/dev/block/MAJOR:MINOR/stat` and in `/proc/self/io`.
//!
//! Only the process that does the parts of a profile knows when each of them begins and ends, so
//! it reads the counters itself. The files are opened before the first part: a profile with a
//! database runs in a root directory without /proc and /sys.

use std::fs::File;
use std::os::unix::fs::FileExt;

use bakeoff_machine::sysinfo::{block_stat, process_io};

const TEXT_BYTES: usize = 512;

#[derive(Debug, Default)]
pub struct Counters {
    drives: Vec<File>,
    own: Option<File>,
}

/// What the counters say, or by how much they grew; `None` = unknown.
#[derive(Clone, Copy, Debug, Default)]
pub struct Moved {
    pub read_bytes: Option<u64>,
    /// Bytes that this process handed to write(2) and its like.
    pub written_bytes: Option<u64>,
}

impl Counters {
    /// Of the drives with these `major:minor` numbers, and of this process.
    pub fn open(numbers: &[String]) -> Counters {
        let open = |dev: &String| File::open(format!("/sys/dev/block/{dev}/stat"));
        Counters {
            drives: numbers.iter().map(open).collect::<Result<_, _>>().unwrap_or_default(),
            own: File::open("/proc/self/io").ok(),
        }
    }

    pub fn now(&self) -> Moved {
        let mut read_bytes: Option<u64> = None;
        for drive in &self.drives {
            let stat = text(drive, block_stat::parse).map(|stat| stat.read_bytes);
            read_bytes = stat.and_then(|bytes| read_bytes.unwrap_or(0).checked_add(bytes));
            if read_bytes.is_none() {
                break;
            }
        }
        let written_bytes = self.own.as_ref().and_then(|file| text(file, process_io::written));
        Moved { read_bytes, written_bytes }
    }
}

impl Moved {
    /// By how much they grew since `before`.
    pub fn since(self, before: Moved) -> Moved {
        let grown = |now: Option<u64>, then: Option<u64>| Some(now?.saturating_sub(then?));
        Moved {
            read_bytes: grown(self.read_bytes, before.read_bytes),
            written_bytes: grown(self.written_bytes, before.written_bytes),
        }
    }

    pub fn plus(self, more: Moved) -> Moved {
        let sum = |a: Option<u64>, b: Option<u64>| b.map(|b| a.unwrap_or(0).saturating_add(b));
        Moved {
            read_bytes: sum(self.read_bytes, more.read_bytes),
            written_bytes: sum(self.written_bytes, more.written_bytes),
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
