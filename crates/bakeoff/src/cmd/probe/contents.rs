//! Reads everything that is on a drive once, and writes nothing. It can be interrupted, and goes on
//! where it was.

use std::time::{Duration, Instant};

use bakeoff_machine::probe::content::ContentRead;
use bakeoff_machine::probe::weak;

use super::kept::KeptState;
use super::reads::{CHUNK_BYTES, ReadPlace};
use crate::fault::Fault;
use crate::signals::Cancel;
use crate::ui::progress::{LiveProgress, Progress};

/// What a chunk that fails twice is read in.
const PIECE_BYTES: usize = 64 << 10;
const SAVE_EVERY: Duration = Duration::from_secs(20);

/// What was read, and the times of slow places and of places beside them, read again in turn.
pub struct ContentsSeen {
    pub read: ContentRead,
    pub pairs: Vec<(u64, u64)>,
}

/// Reads from where an earlier one ended to the end, or until it is interrupted.
///
/// # Errors
/// How far it came cannot be kept.
pub fn read(
    place: &mut ReadPlace,
    size_bytes: u64,
    kept: &KeptState,
    progress: &Progress,
    cancel: &Cancel,
) -> Result<ContentsSeen, Fault> {
    let mut read: ContentRead = kept.load().unwrap_or_default();
    if read.at_bytes > 0 {
        progress.note("Continuing where the last read ended.");
    }
    progress.doing("reading everything");
    let (began, first, mut saved) = (Instant::now(), read.at_bytes, Instant::now());
    while read.at_bytes < size_bytes && !cancel.is_set() && !read.is_hopeless() {
        let bytes = (size_bytes - read.at_bytes).min(CHUNK_BYTES as u64) as usize;
        chunk(place, &mut read, bytes);
        read.at_bytes += bytes as u64;
        if saved.elapsed() >= SAVE_EVERY {
            kept.save(&read)?;
            saved = Instant::now();
        }
        let (elapsed_ns, done) = (nanos(began), read.at_bytes - first);
        let left = (size_bytes - read.at_bytes) as f64 / done as f64 * elapsed_ns as f64;
        progress.expect(elapsed_ns, left as u64);
        progress.live(LiveProgress { ios: read.chunks, bytes: read.at_bytes });
    }
    if read.at_bytes < size_bytes && !read.is_hopeless() {
        kept.save(&read)?;
        return Ok(ContentsSeen { read, pairs: Vec::new() });
    }
    kept.forget();
    progress.doing("reading the slowest places again");
    let slow: Vec<u64> = read.slowest.iter().map(|(at, _)| *at).collect();
    let pairs = weak::look_again(slow, (size_bytes, read.mean_ns()), |at| {
        let bytes = (size_bytes - at).min(CHUNK_BYTES as u64) as usize;
        let began = Instant::now();
        let is_read = !cancel.is_set() && place.read(at, bytes).is_ok();
        is_read.then(|| nanos(began))
    });
    Ok(ContentsSeen { read, pairs })
}

fn nanos(began: Instant) -> u64 {
    u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

/// Reads a chunk; one that fails once more, and then piece by piece.
fn chunk(place: &mut ReadPlace, read: &mut ContentRead, bytes: usize) {
    let (at, began) = (read.at_bytes, Instant::now());
    if place.read(at, bytes).is_ok() {
        return read.took(at, nanos(began));
    }
    if place.read(at, bytes).is_ok() {
        return read.recovers(at);
    }
    for start in (0..bytes).step_by(PIECE_BYTES) {
        let at = at + start as u64;
        if place.read(at, PIECE_BYTES.min(bytes - start)).is_err() && !read.is_hopeless() {
            read.cannot_read(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_machine::probe::exam::ExamAnswer;

    const SIZE: u64 = 5 << 20;

    fn kept(dir: &tempfile::TempDir) -> KeptState {
        KeptState::new(&dir.path().join("store.db"), "read", "image", SIZE)
    }

    #[test]
    fn an_interrupted_read_goes_on_where_it_was() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("disk.img");
        std::fs::write(&path, vec![7; SIZE as usize]).unwrap();
        let mut place = ReadPlace::open(&path).unwrap();
        let progress = Progress::new(true);
        let cancel = Cancel::default();
        cancel.reach(crate::signals::Limit::Time);
        let kept = kept(&dir);
        let begun = ContentRead { at_bytes: 3 << 20, chunks: 3, ..ContentRead::default() };
        kept.save(&begun).unwrap();
        let contents = read(&mut place, SIZE, &kept, &progress, &cancel).unwrap();
        assert_eq!(contents.read, begun, "nothing was read");
        let contents = read(&mut place, SIZE, &kept, &progress, &Cancel::default()).unwrap();
        assert_eq!((contents.read.at_bytes, contents.read.chunks), (SIZE, 5));
        assert_eq!(kept.load::<ContentRead>(), None, "there is nothing to go on with");
        let seen = contents.read.seen(SIZE, &contents.pairs);
        assert_eq!(seen.answer, ExamAnswer::NothingWrongFound);
    }

    #[test]
    fn what_cannot_be_read_is_counted_by_piece() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("disk.img");
        std::fs::write(&path, vec![7; (2 << 20) + 65536]).unwrap();
        let mut place = ReadPlace::open(&path).unwrap();
        let progress = Progress::new(true);
        let contents = read(&mut place, SIZE, &kept(&dir), &progress, &Cancel::default()).unwrap();
        // Of the three chunks beyond the second, all but the first piece.
        assert_eq!(contents.read.unreadable_pieces, 3 * 16 - 1);
        assert_eq!(contents.read.unreadable[0], (2 << 20) + 65536);
        assert_eq!(contents.read.seen(SIZE, &[]).answer, ExamAnswer::Failing);
    }
}
