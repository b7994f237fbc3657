//! How fast a region reads from its start to its end: a handful of short raw reads.
//!
//! Coarse on purpose and over in seconds; it decides whether a region is too long for one speed
//! and is shown, and is no measurement of a candidate. Read there and back, so that a machine that
//! gets faster or slower meanwhile is not taken for a drive that does from its start to its end.

use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::time::{Duration, Instant};

use bakeoff_machine::prepare::region::Span;
use bakeoff_model::event::Position;
use rustix::fs::OFlags;

use crate::signals::Cancel;

const POSITIONS: u64 = 9;
const READ_TIME: Duration = Duration::from_millis(125);
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
    // What was read on the way there may be in the drive's own memory on the way back.
    let half = span.size_bytes / POSITIONS / 2 / READ_BYTES as u64 * READ_BYTES as u64;
    if half == 0 {
        return Ok(Vec::new());
    }
    let mut positions: Vec<Position> = (0..POSITIONS)
        .map(|i| Position { offset_bytes: span.start_bytes + i * 2 * half, bytes_per_s: 0.0 })
        .collect();
    for (way, at) in turns() {
        if cancel.is_set() {
            return Ok(Vec::new());
        }
        let from = from_bytes + (2 * at as u64 + way) * half;
        let (began, mut read) = (Instant::now(), 0);
        while began.elapsed() < READ_TIME && read < half {
            file.read_exact_at(block, from + read)?;
            read += READ_BYTES as u64;
        }
        let bytes_per_s = read as f64 / began.elapsed().as_secs_f64().max(1e-9);
        positions[at].bytes_per_s += bytes_per_s / 2.0;
    }
    Ok(positions)
}

/// The way, 0 there and 1 back, and the position that is read then.
fn turns() -> impl Iterator<Item = (u64, usize)> {
    let there = (0..POSITIONS as usize).map(|at| (0, at));
    there.chain((0..POSITIONS as usize).rev().map(|at| (1, at)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drift_in_time_is_no_slope() {
        let mut speeds = [0; POSITIONS as usize];
        for (turn, (_, at)) in turns().enumerate() {
            speeds[at] += 100 + turn;
        }
        assert!(speeds.iter().all(|speed| *speed == speeds[0]), "{speeds:?}");
    }
}
