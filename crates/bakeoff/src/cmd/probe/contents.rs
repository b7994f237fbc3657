//! Reads everything that is on a drive once, and writes nothing.

use std::time::Instant;

use bakeoff_machine::probe::content::ContentRead;

use super::Bar;
use super::reads::{CHUNK_BYTES, ReadPlace};
use crate::signals::Cancel;

/// What a chunk that fails twice is read in.
const PIECE_BYTES: usize = 64 << 10;

/// Reads to the end, or until it is interrupted.
pub fn read(place: &mut ReadPlace, size_bytes: u64, bar: &Bar, cancel: &Cancel) -> ContentRead {
    let mut read = ContentRead::default();
    bar.progress.doing("reading everything");
    let began = Instant::now();
    while read.at_bytes < size_bytes && !cancel.is_set() && !read.is_hopeless() {
        let bytes = (size_bytes - read.at_bytes).min(CHUNK_BYTES as u64) as usize;
        chunk(place, &mut read, bytes);
        read.at_bytes += bytes as u64;
        bar.draw(read.at_bytes);
    }
    read.took_ns = u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX);
    read
}

/// Reads a chunk; one that fails once more, and then piece by piece.
fn chunk(place: &mut ReadPlace, read: &mut ContentRead, bytes: usize) {
    let at = read.at_bytes;
    if place.read(at, bytes).is_ok() {
        return;
    }
    if place.read(at, bytes).is_ok() {
        return read.recovered.push(at);
    }
    for start in (0..bytes).step_by(PIECE_BYTES) {
        let at = at + start as u64;
        if place.read(at, PIECE_BYTES.min(bytes - start)).is_err() && !read.is_hopeless() {
            read.unreadable.push(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::progress::Progress;
    use bakeoff_machine::probe::exam::ExamAnswer;

    #[test]
    fn what_cannot_be_read_is_counted_by_piece() {
        const SIZE: u64 = 5 << 20;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("disk.img");
        std::fs::write(&path, vec![7; (2 << 20) + 65536]).unwrap();
        let mut place = ReadPlace::open(&path).unwrap();
        let progress = Progress::new(true);
        let contents = read(&mut place, SIZE, &Bar::new(&progress, SIZE), &Cancel::default());
        // Of the three chunks beyond the second, all but the first piece.
        assert_eq!(contents.unreadable.len(), 3 * 16 - 1);
        assert_eq!(contents.unreadable[0], (2 << 20) + 65536);
        assert_eq!(contents.seen(SIZE).answer, ExamAnswer::Failing);
    }
}
