//! What of a file lies in the page cache, and how to get it out.
//!
//! A read is cold only if nothing of it was in memory before. cachestat(2), Linux 6.5, answers
//! with one call; mincore(2) does on older kernels and where a sandbox forbids the new one. Neither
//! sees the caches of a drive, of a FUSE daemon or of another machine.
//! Source: cachestat(2), mincore(2), posix_fadvise(2).

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};

use rustix::fs::Advice;

/// Number of cachestat(2), the same on every architecture Linux runs on but Alpha.
const SYS_CACHESTAT: libc::c_long = 451;
/// How much of a file is mapped at a time, so that 32-bit address space holds it beside buffers.
const WINDOW_BYTES: u64 = 64 << 20;

/// Bytes of the first `len` bytes of `file` that lie in the page cache, in whole pages but at most
/// `len`.
///
/// Where the file is neither ours nor writable for us, the kernel reports all of it as resident
/// rather than tell what others read (mincore(2), since Linux 5.2): a file is never wrongly cold.
///
/// # Errors
/// Those of cachestat(2), mmap(2) and mincore(2); a file opened for writing only cannot be mapped.
pub fn resident_bytes(file: impl AsFd, len: u64) -> io::Result<u64> {
    let file = file.as_fd();
    match by_cachestat(file, len) {
        // No such call here, forbidden by a sandbox, or not for this kind of file.
        Err(error)
            if matches!(
                error.raw_os_error(),
                Some(libc::ENOSYS | libc::EPERM | libc::EACCES | libc::EOPNOTSUPP)
            ) =>
        {
            by_mincore(file, len)
        }
        answer => answer,
    }
}

/// Writes what is dirty and asks the kernel to forget the file's pages. It need not obey: pages
/// that are mapped, locked or of a tmpfs stay; [`resident_bytes`] says what happened.
///
/// # Errors
/// Those of fdatasync(2) (write-back errors of this file come to light here) and posix_fadvise(2).
pub fn evict(file: impl AsFd) -> io::Result<()> {
    let file = file.as_fd();
    rustix::fs::fdatasync(file)?;
    Ok(rustix::fs::fadvise(file, 0, None, Advice::DontNeed)?)
}

fn page_bytes() -> u64 {
    rustix::param::page_size() as u64
}

fn by_cachestat(file: BorrowedFd<'_>, len: u64) -> io::Result<u64> {
    if len == 0 {
        // A length of 0 means "to the end" to the kernel.
        return Ok(0);
    }
    #[repr(C)]
    struct Range {
        off: u64,
        len: u64,
    }
    #[repr(C)]
    #[derive(Default)]
    struct Stat {
        nr_cache: u64,
        nr_dirty: u64,
        nr_writeback: u64,
        nr_evicted: u64,
        nr_recently_evicted: u64,
    }
    let range = Range { off: 0, len };
    let mut stat = Stat::default();
    // SAFETY: both structs have the layout of the kernel's `cachestat_range` and `cachestat`, live
    // until the call returns, and the kernel writes only to the second.
    let result = unsafe {
        libc::syscall(SYS_CACHESTAT, file.as_raw_fd(), &raw const range, &raw mut stat, 0u32)
    };
    if result != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(stat.nr_cache.saturating_mul(page_bytes()).min(len))
}

fn by_mincore(file: BorrowedFd<'_>, len: u64) -> io::Result<u64> {
    let page = page_bytes();
    let mut resident_pages: u64 = 0;
    let mut offset = 0;
    let mut answer = vec![0u8; (WINDOW_BYTES.min(len).div_ceil(page)) as usize];
    while offset < len {
        let bytes = WINDOW_BYTES.min(len - offset) as usize;
        let pages = (bytes as u64).div_ceil(page) as usize;
        // SAFETY: a new mapping at an address the kernel chooses; nothing reads through it, so a
        // file that shrinks meanwhile cannot fault.
        let window = unsafe {
            rustix::mm::mmap(
                std::ptr::null_mut(),
                bytes,
                rustix::mm::ProtFlags::READ,
                rustix::mm::MapFlags::SHARED,
                file,
                offset,
            )?
        };
        // SAFETY: `window` is `bytes` long and mapped; `answer` has a byte for each of its pages.
        let result = unsafe { libc::mincore(window, bytes, answer.as_mut_ptr().cast()) };
        let error = io::Error::last_os_error();
        // SAFETY: exactly the mapping made above; no reference into it exists.
        unsafe { rustix::mm::munmap(window, bytes)? };
        if result != 0 {
            return Err(error);
        }
        resident_pages += answer[..pages].iter().filter(|page| *page & 1 == 1).count() as u64;
        offset += bytes as u64;
    }
    Ok(resident_pages.saturating_mul(page).min(len))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skip;
    use std::fs::File;
    use std::io::Write;
    use std::path::Path;

    const LEN: u64 = 3 << 20;

    fn filled(dir: &Path) -> File {
        let mut file = tempfile::tempfile_in(dir).expect("a file in the directory");
        file.write_all(&vec![7; LEN as usize]).expect("room for 3 MiB");
        file
    }

    fn is_memory(dir: &Path) -> bool {
        const TMPFS_MAGIC: u64 = 0x0102_1994;
        rustix::fs::statfs(dir).is_ok_and(|s| u64::try_from(s.f_type) == Ok(TMPFS_MAGIC))
    }

    fn on_disk() -> &'static Path {
        Path::new(env!("CARGO_MANIFEST_DIR"))
    }

    #[test]
    fn written_is_resident_and_evicted_is_not() {
        if is_memory(on_disk()) {
            skip::skip("disk", "the source directory is on tmpfs");
            return;
        }
        let file = filled(on_disk());
        assert_eq!(resident_bytes(&file, LEN).expect("residency"), LEN);
        evict(&file).expect("eviction");
        let left = resident_bytes(&file, LEN).expect("residency");
        assert!(left < LEN / 50, "{left} bytes stayed");
    }

    #[test]
    fn both_ways_to_ask_agree_on_a_file_half_in_memory() {
        let file = filled(on_disk());
        evict(&file).expect("eviction");
        // Pages being read ahead are counted by one of the two only.
        rustix::fs::fadvise(&file, 0, None, Advice::Random).expect("advice");
        let mut half = vec![0; LEN as usize / 2];
        std::os::unix::fs::FileExt::read_exact_at(&file, &mut half, 0).expect("half of it");
        let mincore = by_mincore(file.as_fd(), LEN).expect("mincore");
        assert!((LEN / 2..LEN * 3 / 4).contains(&mincore), "{mincore}");
        match by_cachestat(file.as_fd(), LEN) {
            // Memory may be taken back between the two.
            Ok(cachestat) => assert!((LEN / 2..=mincore).contains(&cachestat), "{cachestat}"),
            Err(error) => skip::skip("Linux 6.5", &format!("no cachestat(2) here: {error}")),
        }
    }

    #[test]
    fn windows_of_a_large_sparse_file_add_up() {
        let file = tempfile::tempfile_in(on_disk()).expect("a file");
        let len = 2 * WINDOW_BYTES + 12_345;
        file.set_len(len).expect("a sparse file");
        for offset in [0, WINDOW_BYTES - 1, WINDOW_BYTES, 2 * WINDOW_BYTES + 12_000] {
            std::os::unix::fs::FileExt::write_all_at(&file, b"x", offset).expect("one byte");
        }
        let resident = by_mincore(file.as_fd(), len).expect("mincore");
        assert!(resident >= 4 * page_bytes() && resident < len / 4, "{resident}");
        assert_eq!(resident_bytes(&file, 0).expect("nothing"), 0);
    }

    #[test]
    fn memory_filesystems_cannot_be_evicted() {
        let shm = Path::new("/dev/shm");
        if !is_memory(shm) {
            skip::skip("tmpfs", "/dev/shm is no tmpfs here");
            return;
        }
        let file = filled(shm);
        evict(&file).expect("asking is allowed");
        assert_eq!(resident_bytes(&file, LEN).expect("residency"), LEN);
    }

    #[test]
    fn what_cannot_be_evicted_says_so() {
        let (reader, _writer) = std::io::pipe().expect("a pipe");
        assert!(evict(&reader).is_err());
        assert!(by_mincore(reader.as_fd(), 4096).is_err());
    }
}
