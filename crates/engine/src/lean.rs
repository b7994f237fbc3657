//! Gives back memory that a process does not need while it measures or waits.
//!
//! What was touched while arguments were read and a task was prepared stays mapped, and on a board
//! with little memory it is missing where a cell is about the page cache. The pages of program
//! code and constants are the file's own: mapped again, from the page cache, when they are touched
//! the next time. Free pages of the heap go back to the kernel. Nothing that was written is
//! dropped: segments that can be written to, relocated constants among them, are left alone.
//!
//! Code that is about to run is mapped first and kept: where the page cache has a program in large
//! folios, the kernel maps hundreds of KiB at a touch. Source: madvise(2), dl_iterate_phdr(3),
//! malloc_trim(3).

use std::ffi::{c_int, c_void};
use std::ops::Range;

/// Bytes kept from the first instruction of a function on that is about to run.
const KEPT: usize = 12 << 10;
/// Most segments of a program that are looked at, and most functions that are kept.
const SEGMENTS_MAX: usize = 8;
const KEPT_MAX: usize = 12;

/// The program's segments that cannot be written to.
type Segments = [Range<usize>; SEGMENTS_MAX];

/// Gives back what can be given back, but for the functions at the addresses `kept`.
pub fn let_go(kept: &[usize]) {
    #[cfg(target_env = "gnu")]
    // SAFETY: it only hands free memory of the allocator back.
    unsafe {
        libc::malloc_trim(0);
    }
    let mut segments = [const { 0..0 }; SEGMENTS_MAX];
    let found: *mut Segments = &mut segments;
    // SAFETY: the callback gets what it expects, which outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(look), found.cast()) };
    let page = rustix::param::page_size();
    // On the stack: letting go of a vector would map the allocator's code again.
    let mut ranges = [const { 0..0 }; KEPT_MAX];
    let ours = [let_go as *const () as usize];
    for (range, at) in ranges.iter_mut().zip(ours.iter().chain(kept)) {
        *range = at / page * page..at.saturating_add(KEPT) / page * page;
    }
    let kept = &mut ranges;
    kept.sort_unstable_by_key(|range| range.start);
    kept.iter().for_each(|range| advise(range.clone(), libc::MADV_POPULATE_READ));
    for segment in segments {
        let mut start = segment.start;
        for keep in kept.iter().filter(|keep| keep.end > segment.start) {
            advise(start..keep.start.min(segment.end), libc::MADV_DONTNEED);
            start = start.max(keep.end);
        }
        advise(start..segment.end, libc::MADV_DONTNEED);
    }
}

/// Advice on whole pages of a file that cannot be written to.
fn advise(pages: Range<usize>, advice: c_int) {
    if pages.is_empty() {
        return;
    }
    let first = std::ptr::with_exposed_provenance_mut::<c_void>(pages.start);
    // SAFETY: a mapping of a file that cannot be written to: what is dropped is read again from
    // the file. Refused where it is something else or the kernel does not know the advice (5.14),
    // and then nothing is lost.
    unsafe { libc::madvise(first, pages.len(), advice) };
}

/// Notes the segments of the program itself, which comes first; libraries are others' too.
///
/// # Safety
/// `info` is what dl_iterate_phdr(3) gives, `found` is a [`Segments`].
unsafe extern "C" fn look(
    info: *mut libc::dl_phdr_info,
    _size: usize,
    found: *mut c_void,
) -> c_int {
    // SAFETY: valid during the call, as are the headers it names; `found` as the caller promises.
    let (info, found) = unsafe { (&*info, &mut *found.cast::<Segments>()) };
    if info.dlpi_phdr.is_null() {
        return 1;
    }
    // SAFETY: so many headers are there.
    let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) };
    let page = rustix::param::page_size();
    let fixed = |header: &&_| is_fixed(header);
    for (header, found) in headers.iter().filter(fixed).zip(found) {
        let start = (info.dlpi_addr as usize).wrapping_add(header.p_vaddr as usize);
        // The first page has the headers; the last may be shared with the next segment.
        let end = start.wrapping_add(header.p_memsz as usize) / page * page;
        *found = (start / page + 1) * page..end;
    }
    1
}

#[cfg(target_pointer_width = "64")]
type Header = libc::Elf64_Phdr;
#[cfg(target_pointer_width = "32")]
type Header = libc::Elf32_Phdr;

/// Whether a segment is of the file, and nothing in it is ever written.
fn is_fixed(header: &Header) -> bool {
    header.p_type == libc::PT_LOAD && header.p_flags & libc::PF_W == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relocated at start, and so written to.
    static WORDS: [&str; 3] = ["constants", "that", "point"];

    fn file_kib() -> u64 {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("RssFile:")).unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    }

    #[test]
    fn code_and_constants_are_dropped_and_come_back() {
        let heap: Vec<String> = (0..1000).map(|i| format!("number {i}")).collect();
        let before = file_kib();
        let_go(&[file_kib as *const () as usize, 0, usize::MAX]);
        let after = file_kib();
        assert!(after < before, "{before} KiB, {after} KiB");
        assert_eq!(WORDS.concat(), "constantsthatpoint");
        assert!(heap.iter().enumerate().all(|(i, text)| *text == format!("number {i}")));
    }
}
