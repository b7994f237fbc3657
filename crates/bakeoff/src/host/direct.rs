//! Whether O_DIRECT really passes the page cache by.
//!
//! It is a request. Some filesystems refuse it; btrfs with checksums accepts it and writes through
//! the cache all the same, which leaves nothing resident that could give it away. The kernel's
//! count of pages made dirty (`nr_dirtied` in /proc/vmstat) does: about one more for each page
//! written where direct writes are not direct, about none where they are.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::OFlags;

use super::evidence::vmstat;

/// Pages written to find out. The kernel keeps up to 125 pages of the count to each CPU before it
/// adds them up (`calculate_normal_threshold()` in mm/vmstat.c), so few pages would say nothing.
const PAGES: usize = 1024;
/// A multiple of every page and logical block size there is.
const WRITE_BYTES: usize = 64 << 10;

/// Pages dirtied for each page written with O_DIRECT to `file`, which must exist and may be
/// overwritten; `None` where O_DIRECT is refused or the kernel keeps no count.
///
/// # Errors
/// Those of opening and writing the file.
pub fn dirtied_per_page(file: &Path) -> io::Result<Option<f64>> {
    let file = match open_direct(file, OpenOptions::new().write(true)) {
        Err(error) if is_refusal(&error) => return Ok(None),
        file => file?,
    };
    let mut buffer = vec![0u8; WRITE_BYTES * 2];
    let start = buffer.as_ptr().align_offset(WRITE_BYTES).min(WRITE_BYTES);
    let block = &mut buffer[start..][..WRITE_BYTES];
    // Not zeros: a filesystem may make a hole of them.
    block.iter_mut().enumerate().for_each(|(i, byte)| *byte = (i * 31 % 251) as u8);
    let page = rustix::param::page_size();
    let writes = (PAGES * page).div_ceil(WRITE_BYTES);
    // The first write may allocate and dirty metadata.
    if let Err(error) = file.write_all_at(block, 0) {
        return if is_refusal(&error) { Ok(None) } else { Err(error) };
    }
    let before = vmstat().nr_dirtied;
    for i in 0..writes {
        file.write_all_at(block, (i * WRITE_BYTES) as u64)?;
    }
    let after = vmstat().nr_dirtied;
    let pages = (writes * WRITE_BYTES / page) as f64;
    Ok(before.zip(after).map(|(before, after)| after.saturating_sub(before) as f64 / pages))
}

/// Whether `file` can be opened with O_DIRECT: tried on the file itself, or where it is not there
/// yet on a nameless one in its directory.
pub fn supports_direct(file: &Path) -> bool {
    if file.exists() {
        return open_direct(file, OpenOptions::new().read(true)).is_ok();
    }
    let dir = file.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let flags = (OFlags::TMPFILE | OFlags::DIRECT).bits() as i32;
    OpenOptions::new().read(true).write(true).custom_flags(flags).open(dir).is_ok()
}

fn open_direct(file: &Path, options: &mut OpenOptions) -> io::Result<File> {
    options.custom_flags(OFlags::DIRECT.bits() as i32).open(file)
}

/// The errors that filesystems without O_DIRECT give.
fn is_refusal(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported)
}

/// What a quiet moment shows. The counter is the machine's, so what else writes meanwhile (other
/// tests do) only adds to it: the least of many tries counts, and one quiet moment is enough.
#[cfg(test)]
fn least_dirtied(file: &Path) -> Option<f64> {
    let mut least = dirtied_per_page(file).ok()??;
    for _ in 0..200 {
        if least < 0.3 {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
        least = dirtied_per_page(file).ok()??.min(least);
    }
    Some(least)
}

/// Checks that direct writes to `file` are direct. Beside programs that write without a pause the
/// counter cannot show it, and the test is noted as skipped.
#[cfg(test)]
pub fn check_direct(file: &Path) {
    let least = least_dirtied(file).unwrap();
    let grows = || {
        let before = vmstat().nr_dirtied;
        std::thread::sleep(std::time::Duration::from_millis(50));
        vmstat().nr_dirtied > before
    };
    if least >= 0.3 && (0..20).any(|_| grows()) {
        crate::skip::skip("a quiet machine", "other programs write without a pause");
        return;
    }
    assert!(least < 0.3, "{least}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::place;
    use crate::skip;

    #[test]
    fn direct_writes_dirty_nothing_where_they_are_direct() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let fs = place(here).unwrap().fs;
        if !matches!(fs.as_str(), "ext2" | "ext4" | "xfs") {
            skip::skip("ext4 or xfs", &format!("the source directory is on {fs}"));
            return;
        }
        assert!(supports_direct(&here.join("Cargo.toml")));
        assert!(supports_direct(&here.join("not there yet")));
        check_direct(tempfile::NamedTempFile::new_in(here).unwrap().path());
    }

    #[test]
    fn tmpfs_dirties_nothing_on_any_disk() {
        let shm = Path::new("/dev/shm");
        let fs = place(shm).unwrap().fs;
        if fs != "tmpfs" {
            skip::skip("tmpfs", &format!("/dev/shm is {fs} here"));
            return;
        }
        // Linux 6.6 and later accept O_DIRECT there; its pages are never counted as dirtied.
        let file = tempfile::NamedTempFile::new_in(shm).unwrap();
        match dirtied_per_page(file.path()).unwrap() {
            Some(_) => check_direct(file.path()),
            None => assert!(!supports_direct(&shm.join("x"))),
        }
    }

    #[test]
    fn a_missing_file_is_an_error_not_a_refusal() {
        let dir = tempfile::tempdir().unwrap();
        assert!(dirtied_per_page(&dir.path().join("x")).is_err());
    }
}
