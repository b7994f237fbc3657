//! What losetup(8) lists: loop devices with the files behind them by number, which a name in
//! /sys/block/*/loop/backing_file is not: the file may have been renamed, removed, or replaced by
//! another.

use super::dev::Dev;
use crate::model::path::{RawPath, bytes_path};

/// Words for losetup that make it print what [`parse`] reads.
pub const LIST: [&str; 4] =
    ["--list", "--noheadings", "--output", "NAME,OFFSET,BACK-MAJ:MIN,BACK-INO"];

/// A loop device in use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// `/dev/loop0`.
    pub device: RawPath,
    /// Where in the file it begins, bytes.
    pub offset_bytes: u64,
    /// The filesystem of its file, or the device of that file's own.
    pub backing_dev: Dev,
    /// The file in it.
    pub backing_ino: u64,
}

/// Every loop device of the list. Lines that lack a number are left out.
pub fn parse(text: &[u8]) -> Vec<Loop> {
    text.split(|b| *b == b'\n').filter_map(loop_device).collect()
}

fn loop_device(line: &[u8]) -> Option<Loop> {
    let mut fields = line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty());
    let device = bytes_path(fields.next()?.to_vec());
    let mut number = || std::str::from_utf8(fields.next()?).ok();
    let offset_bytes = number()?.parse().ok()?;
    let backing_dev = number()?.parse().ok()?;
    let backing_ino = number()?.parse().ok()?;
    Some(Loop { device, offset_bytes, backing_dev, backing_ino })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_with_the_numbers_of_their_files() {
        let text = b"/dev/loop0  16777216      254:0    1966085\n\
            /dev/loop1         0      254:0\n\
            /dev/loop12        0        0:41         7\n";
        let of = |device: &str, offset_bytes, major, minor, backing_ino| {
            let backing_dev = Dev::new(major, minor);
            Loop { device: RawPath::new(device), offset_bytes, backing_dev, backing_ino }
        };
        let whole =
            [of("/dev/loop0", 16_777_216, 254, 0, 1_966_085), of("/dev/loop12", 0, 0, 41, 7)];
        assert_eq!(parse(text), whole);
        assert_eq!(parse(b""), []);
    }
}
