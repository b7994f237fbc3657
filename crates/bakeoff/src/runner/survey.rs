//! How fast a region reads from its start to its end: a handful of short raw reads.
//!
//! Coarse on purpose and over in seconds; it decides whether a region is too long for one speed
//! and is shown, and is no measurement of a candidate.

use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::time::{Duration, Instant};

use bakeoff_core::model::event::Position;
use bakeoff_core::prepare::region::Span;
use rustix::fs::OFlags;

use crate::signals::Cancel;

/// Places read at, evenly spread.
const POSITIONS: u64 = 9;
/// How long each is read.
const READ_TIME: Duration = Duration::from_millis(250);
/// Bytes of one read, and what its memory is aligned to.
const READ_BYTES: usize = 1 << 20;
const ALIGN_BYTES: usize = 4096;

/// Reads the region that begins at `from_bytes` of a block device: 0 where the device is just the
/// region, the region's own start where it is the target. Offsets are given on the target. Empty
/// when the region is too small or was interrupted.
///
/// # Errors
/// When the device cannot be read.
pub fn survey(
    device: &Path,
    from_bytes: u64,
    span: Span,
    cancel: &Cancel,
) -> io::Result<Vec<Position>> {
    let options = OFlags::DIRECT.bits() as i32;
    let file = OpenOptions::new().read(true).custom_flags(options).open(device)?;
    let mut memory = vec![0u8; READ_BYTES + ALIGN_BYTES];
    let start = memory.as_ptr().align_offset(ALIGN_BYTES).min(ALIGN_BYTES);
    let block = &mut memory[start..][..READ_BYTES];
    let each = span.size_bytes / POSITIONS / READ_BYTES as u64 * READ_BYTES as u64;
    if each == 0 {
        return Ok(Vec::new());
    }
    let mut positions = Vec::new();
    for i in 0..POSITIONS {
        if cancel.is_set() {
            return Ok(Vec::new());
        }
        let (began, mut read) = (Instant::now(), 0);
        while began.elapsed() < READ_TIME && read < each {
            file.read_exact_at(block, from_bytes + i * each + read)?;
            read += READ_BYTES as u64;
        }
        let bytes_per_s = read as f64 / began.elapsed().as_secs_f64().max(1e-9);
        positions.push(Position { offset_bytes: span.start_bytes + i * each, bytes_per_s });
    }
    Ok(positions)
}
