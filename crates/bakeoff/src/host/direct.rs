//! Whether O_DIRECT really passes the page cache by.
//!
//! It is a request. Some filesystems refuse it; btrfs with checksums accepts it and writes through
//! the cache all the same, which leaves nothing resident afterwards that could give it away. The
//! kernel's count of pages made dirty (`nr_dirtied` in /proc/vmstat) does: about one more for each
//! page written where direct writes are not direct, about none where they are.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use bakeoff_engine::residency;
use rustix::fs::OFlags;

use super::evidence::vmstat;

/// Pages written to find out. The kernel keeps up to 125 pages of the count to each CPU before it
/// adds them up (`calculate_normal_threshold()` in mm/vmstat.c), so few pages would say nothing.
const PAGES: usize = 1024;
const WRITE_BYTES: usize = 64 << 10;

/// Pages for each page written from which on the count is looked into: others may have made them.
const SUSPECT: f64 = 0.3;
/// Writes that are watched: beside other programs the thread that looks may miss the cached pages
/// of the first ones.
const WATCHED_WRITES: u32 = 8;
/// Looks during a write from which on it was watched. On a busy machine it may be over before the
/// thread that looks has its turn.
const LOOKS: u32 = 16;
const MOST_WRITES: u32 = 64;
/// What such a write holds: long enough to be looked at, little enough for a slow card.
const LOOK_BYTES: usize = 1 << 20;

/// Pages dirtied for each page written with O_DIRECT to `file`, which must exist and may be
/// overwritten; `None` where O_DIRECT is refused, the kernel keeps no count, or the count grows and
/// the file cannot be looked at (some filesystems in user space cannot be mapped).
///
/// The count is the whole machine's. Where it grows, `file` itself is looked at while more is
/// written. Where little of that is seen in the page cache, only that counts.
///
/// # Errors
/// Those of opening and writing the file.
pub fn dirtied_per_page(file: &Path) -> io::Result<Option<f64>> {
    let file = match open_direct(file, OpenOptions::new().read(true).write(true)) {
        Err(error) if is_refusal(&error) => return Ok(None),
        file => file?,
    };
    let mut buffer = vec![0u8; LOOK_BYTES + WRITE_BYTES];
    let start = buffer.as_ptr().align_offset(WRITE_BYTES).min(WRITE_BYTES);
    let large = &mut buffer[start..][..LOOK_BYTES];
    // Not zeros: a filesystem may make a hole of them.
    large.iter_mut().enumerate().for_each(|(i, byte)| *byte = (i * 31 % 251) as u8);
    let block = &large[..WRITE_BYTES];
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
    let counted =
        before.zip(after).map(|(before, after)| after.saturating_sub(before) as f64 / pages);
    match counted {
        Some(counted) if counted > SUSPECT => {
            let share = share_cached(&file, large).ok();
            // A look may come before all of a write is there: seen at all, the count is believed.
            Ok(share.map(|share| if share > SUSPECT { counted } else { counted.min(share) }))
        }
        _ => Ok(counted),
    }
}

/// The largest share of `block` that lay in the page cache while it was written to the end of
/// `file`, where it has to be allocated as well (to the start of a device).
fn share_cached(file: &File, block: &[u8]) -> io::Result<f64> {
    let end = file.metadata()?.len();
    let (mut most, mut watched) = (0, 0);
    for _ in 0..MOST_WRITES {
        let (seen, looks) = seen_cached(file, block, end)?;
        if end > 0 {
            file.set_len(end)?;
        }
        most = seen.max(most);
        watched += u32::from(looks >= LOOKS);
        if most as f64 > SUSPECT * block.len() as f64 || watched == WATCHED_WRITES {
            break;
        }
    }
    Ok(most as f64 / block.len() as f64)
}

/// Bytes more in the page cache while `block` is written at `end`, and how often was looked.
fn seen_cached(file: &File, block: &[u8], end: u64) -> io::Result<(u64, u32)> {
    let len = end + block.len() as u64;
    let before = residency::resident_bytes(file, len)?;
    let (begun, is_over) = (Barrier::new(2), AtomicBool::new(false));
    let (seen, looks) = thread::scope(|scope| {
        let look = || {
            begun.wait();
            let (mut seen, mut looks) = (0, 0);
            while !is_over.load(Ordering::Relaxed) {
                seen = residency::resident_bytes(file, len)?.max(seen);
                looks += 1;
            }
            io::Result::Ok((seen, looks))
        };
        let looking = thread::Builder::new().spawn_scoped(scope, look)?;
        begun.wait();
        let written = file.write_all_at(block, end);
        is_over.store(true, Ordering::Relaxed);
        let seen = looking.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        written.and(seen)
    })?;
    Ok((seen.saturating_sub(before), looks))
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

fn is_refusal(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported)
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
        let file = tempfile::NamedTempFile::new_in(here).unwrap();
        assert!(dirtied_per_page(file.path()).unwrap().unwrap() < SUSPECT);
    }

    /// Beside other writers a run said of ext4 that its direct writes went through the page cache.
    #[test]
    fn what_others_write_is_not_counted_as_ours() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        if !matches!(place(here).unwrap().fs.as_str(), "ext2" | "ext4" | "xfs") {
            skip::skip("ext4 or xfs", "the source directory is on another filesystem");
            return;
        }
        let (ours, theirs) =
            (tempfile::NamedTempFile::new_in(here).unwrap(), tempfile::tempfile_in(here).unwrap());
        let is_over = AtomicBool::new(false);
        let dirtied = thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    theirs.write_all_at(&[1; 1 << 16], 0).unwrap();
                    theirs.sync_data().unwrap();
                }
            });
            let dirtied = (0..10).map(|_| dirtied_per_page(ours.path()).unwrap().unwrap());
            let most = dirtied.fold(0.0, f64::max);
            is_over.store(true, Ordering::Relaxed);
            most
        });
        assert!(dirtied < SUSPECT, "{dirtied}");
    }

    #[test]
    fn a_missing_file_is_an_error_not_a_refusal() {
        let dir = tempfile::tempdir().unwrap();
        assert!(dirtied_per_page(&dir.path().join("x")).is_err());
    }
}
