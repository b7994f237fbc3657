//! In how many pieces a file lies on its drive: extents that neither follow each other there nor in
//! the file are pieces of their own.
//!
//! Source: Documentation/filesystems/fiemap.rst. Not every filesystem can tell.

use std::io;
use std::os::fd::{AsFd, AsRawFd};

/// `FS_IOC_FIEMAP`: `_IOWR('f', 11, struct fiemap)`, of 32 bytes without its extents.
const FS_IOC_FIEMAP: u32 = (3 << 30) | (32 << 16) | ((b'f' as u32) << 8) | 11;
const FLAG_SYNC: u32 = 1;
const EXTENT_LAST: u32 = 1;
/// The data lie nowhere of their own: with the inode, or not yet anywhere.
const EXTENT_UNKNOWN: u32 = 2;
const EXTENT_INLINE: u32 = 0x200;
const AT_ONCE: usize = 64;

#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Extent {
    logical: u64,
    physical: u64,
    length: u64,
    reserved64: [u64; 2],
    flags: u32,
    reserved: [u32; 3],
}

#[repr(C)]
struct Map {
    start: u64,
    length: u64,
    flags: u32,
    mapped: u32,
    count: u32,
    reserved: u32,
    extents: [Extent; AT_ONCE],
}

/// Pieces of a file, at least one; `None` where the filesystem does not tell.
///
/// # Errors
/// Those of ioctl(2) but `ENOTTY` and `EOPNOTSUPP`, and of writing what is dirty.
pub fn pieces(file: impl AsFd) -> io::Result<Option<u64>> {
    let (mut start, mut pieces) = (0, 0);
    let mut last: Option<Extent> = None;
    loop {
        let extents = [Extent::default(); AT_ONCE];
        let (flags, count) = (FLAG_SYNC, AT_ONCE as u32);
        let mut map =
            Map { start, length: u64::MAX - start, flags, mapped: 0, count, reserved: 0, extents };
        // SAFETY: `map` has the layout of the kernel's `struct fiemap` with room for `count`
        // extents behind it, and lives until the call returns.
        let result =
            unsafe { libc::ioctl(file.as_fd().as_raw_fd(), FS_IOC_FIEMAP as _, &raw mut map) };
        if result != 0 {
            let error = io::Error::last_os_error();
            return match error.raw_os_error() {
                Some(libc::ENOTTY | libc::EOPNOTSUPP | libc::ENOSYS) => Ok(None),
                _ => Err(error),
            };
        }
        let found = &map.extents[..AT_ONCE.min(map.mapped as usize)];
        for extent in found {
            pieces += u64::from(!last.is_some_and(|last| follows(&last, extent)));
            last = Some(*extent);
        }
        match found.last() {
            Some(end) if end.flags & EXTENT_LAST == 0 && end.length > 0 => {
                start = end.logical.saturating_add(end.length);
            }
            _ => return Ok(Some(pieces.max(1))),
        }
    }
}

fn follows(last: &Extent, next: &Extent) -> bool {
    let lies_somewhere = (last.flags | next.flags) & (EXTENT_UNKNOWN | EXTENT_INLINE) == 0;
    lies_somewhere
        && last.logical.checked_add(last.length) == Some(next.logical)
        && last.physical.checked_add(last.length) == Some(next.physical)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::FileExt;

    #[test]
    fn a_file_with_holes_lies_in_pieces() {
        let file = tempfile::tempfile_in(env!("CARGO_MANIFEST_DIR")).expect("a file");
        for piece in 0..200 {
            file.write_all_at(&[7; 4096], piece * 65_536).expect("a block");
        }
        match pieces(&file).expect("FIEMAP") {
            Some(found) => assert_eq!(found, 200),
            None => crate::skip::skip("FIEMAP", "this filesystem does not tell"),
        }
    }

    #[test]
    fn what_follows_in_file_and_on_the_drive_is_one_piece() {
        let extent = |logical, physical, flags| Extent {
            logical,
            physical,
            length: 10,
            flags,
            ..Extent::default()
        };
        let first = extent(0, 100, 0);
        assert!(follows(&first, &extent(10, 110, 0)));
        assert!(!follows(&first, &extent(10, 120, 0)));
        assert!(!follows(&first, &extent(20, 110, 0)));
        assert!(!follows(&first, &extent(10, 110, EXTENT_UNKNOWN)));
    }
}
