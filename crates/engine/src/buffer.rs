//! The I/O buffers of one lane: one anonymous mapping, in memory before the clock starts.
//!
//! Every in-flight slot owns a stretch of it and every stretch starts on a page, which satisfies
//! every O_DIRECT alignment known. Blocks of 64 KiB and more ask for huge pages: a request made of
//! single pages is split when it has more segments than the device takes (1 MiB is 256 pages, many
//! devices take 254 or fewer), and then the buffer is measured, not the drive. Source: madvise(2),
//! Documentation/admin-guide/mm/transhuge.rst.

use std::ffi::c_void;
use std::ptr::{self, NonNull};

use bakeoff_machine::sysinfo::meminfo;
use bakeoff_model::job::Mem;
use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous, munmap};

use crate::error::EngineError;

pub const PAGE_BYTES: usize = 4096;
/// Size of a huge page on every architecture that matters here; elsewhere only alignment is lost.
const HUGE_BYTES: usize = 2 << 20;
const HUGE_FROM_BYTES: u64 = 64 << 10;

const SMALL_BYTES: usize = 64 << 20;

/// Memory of one lane, `count` blocks of `block_bytes` each.
pub struct Buffers {
    map: NonNull<u8>,
    map_bytes: usize,
    first: NonNull<u8>,
    block_bytes: usize,
    stride: usize,
    count: usize,
    huge: bool,
}

// SAFETY: the mapping belongs to this value alone and is not tied to a thread.
unsafe impl Send for Buffers {}

impl Buffers {
    /// Maps and touches `count` blocks of `block_bytes`.
    ///
    /// # Errors
    /// Of memory when the size overflows, the kernel refuses, or it would fill the
    /// memory there is: the kernel would promise it, and kill somebody when it is used.
    pub fn new(block_bytes: usize, count: usize, mem: Mem) -> Result<Buffers, EngineError> {
        let want = (block_bytes as u64).saturating_mul(count as u64);
        let too_much = || EngineError::no_memory(want);
        // Small blocks share pages in steps of 512 bytes, the smallest unit O_DIRECT knows.
        let step = if block_bytes < PAGE_BYTES {
            512.min(block_bytes.next_power_of_two())
        } else {
            PAGE_BYTES
        };
        let stride = block_bytes.checked_next_multiple_of(step).ok_or_else(too_much)?;
        let bytes = stride.checked_mul(count).ok_or_else(too_much)?.max(1);
        let huge = match mem {
            Mem::Auto => block_bytes as u64 >= HUGE_FROM_BYTES,
            Mem::Malloc => false,
            Mem::Thp => true,
        };
        let align = if huge { HUGE_BYTES } else { PAGE_BYTES };
        let bytes = bytes.checked_next_multiple_of(align).ok_or_else(too_much)?;
        let map_bytes = bytes.checked_add(align).ok_or_else(too_much)?;
        if bytes >= SMALL_BYTES {
            let meminfo = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
            if !leaves_some(bytes as u64, &meminfo) {
                return Err(too_much());
            }
        }
        // SAFETY: a fresh anonymous mapping aliases nothing.
        let map = unsafe {
            mmap_anonymous(
                ptr::null_mut(),
                map_bytes,
                ProtFlags::READ | ProtFlags::WRITE,
                MapFlags::PRIVATE,
            )
        }
        .map_err(|_| too_much())?;
        let map = NonNull::new(map.cast::<u8>()).ok_or_else(too_much)?;
        let skip = map.as_ptr().align_offset(align);
        // SAFETY: skip is below align and the mapping is align bytes longer than needed.
        let first = unsafe { map.add(skip) };
        let mut buffers =
            Buffers { map, map_bytes, first, block_bytes, stride, count, huge: false };
        buffers.huge = huge && buffers.ask_for_huge_pages(bytes);
        buffers.touch(bytes);
        Ok(buffers)
    }

    fn ask_for_huge_pages(&self, bytes: usize) -> bool {
        // SAFETY: the range lies inside our own mapping, and the advice keeps its contents.
        unsafe { madvise(self.first.as_ptr().cast::<c_void>(), bytes, Advice::LinuxHugepage) }
            .is_ok()
    }

    /// Writes to every page, so that no page fault falls into the measured time.
    fn touch(&mut self, bytes: usize) {
        for at in (0..bytes).step_by(PAGE_BYTES) {
            // SAFETY: at lies inside the mapping; volatile keeps the write.
            unsafe { self.first.as_ptr().add(at).write_volatile(0) };
        }
    }

    #[inline]
    pub fn block_mut(&mut self, index: usize) -> &mut [u8] {
        debug_assert!(index < self.count);
        // SAFETY: block index of count lies inside the mapping; the borrow of self keeps others
        // out, and the lane hands no block to the kernel while it holds this slice.
        unsafe {
            std::slice::from_raw_parts_mut(
                self.first.as_ptr().add(index * self.stride),
                self.block_bytes,
            )
        }
    }

    #[inline]
    pub fn block_ptr(&self, index: usize) -> *mut u8 {
        debug_assert!(index < self.count);
        // SAFETY: block index of count lies inside the mapping.
        unsafe { self.first.as_ptr().add(index * self.stride) }
    }

    pub fn stride(&self) -> usize {
        self.stride
    }

    pub fn count(&self) -> usize {
        self.count
    }

    pub fn is_huge(&self) -> bool {
        self.huge
    }
}

/// Whether an eighth of what is available stays so; where the kernel does not tell, it does.
fn leaves_some(bytes: u64, meminfo: &str) -> bool {
    meminfo::parse(meminfo).available_bytes.is_none_or(|available| bytes <= available / 8 * 7)
}

impl Drop for Buffers {
    fn drop(&mut self) {
        // SAFETY: map and map_bytes are those of mmap, and the engine that used the memory has
        // been dropped before (see Lane).
        let unmapped = unsafe { munmap(self.map.as_ptr().cast::<c_void>(), self.map_bytes) };
        debug_assert!(unmapped.is_ok());
    }
}

#[cfg(test)]
mod tests {
    use bakeoff_tools::native::FailureKind;

    use super::*;

    #[test]
    fn blocks_are_aligned_apart_and_writable() {
        for (bs, count) in [(1, 3), (7, 5), (512, 2), (4096, 4), (5000, 2), (1 << 20, 2)] {
            let mut buffers = Buffers::new(bs, count, Mem::Auto).unwrap();
            for i in 0..count {
                let at = buffers.block_ptr(i) as usize;
                let want =
                    if bs >= PAGE_BYTES { PAGE_BYTES } else { 512.min(bs.next_power_of_two()) };
                assert_eq!(at % want, 0, "bs {bs}");
                buffers.block_mut(i).fill(i as u8 + 1);
            }
            for i in 0..count {
                assert!(buffers.block_mut(i).iter().all(|b| *b == i as u8 + 1));
            }
        }
    }

    #[test]
    fn more_memory_than_the_machine_has_is_an_error_not_a_crash() {
        let got = Buffers::new(1 << 30, usize::MAX >> 8, Mem::Malloc);
        assert!(got.is_err_and(|error| error.kind() == FailureKind::NoMemory));
    }

    #[test]
    fn buffers_that_would_fill_memory_are_refused() {
        let of = |kib: u64| format!("MemTotal: 4000000 kB\nMemAvailable: {kib} kB\n");
        assert!(leaves_some(1 << 30, &of(1_200_000)));
        assert!(!leaves_some(1 << 30, &of(1_190_000)));
        assert!(leaves_some(1 << 30, ""));
    }
}
