//! What a drive keeps of flushed writes across a power cut: which block each write goes to, and
//! which of them are there afterwards.
//!
//! Writes go to [`BLOCKS`] places all over the drive, in an order that jumps, and then to the same
//! places again. The record counts writes only after a flush of all of them has returned, so at
//! most [`FLUSH_EVERY`] writes are under way when the power goes. No promise is about these.

use serde::{Deserialize, Serialize};

use super::exam::{ExamAnswer, ExamPart, PartSeen};
use super::{BLOCK_BYTES, fill};

/// Places that are written: 64 MiB in all.
pub const BLOCKS: u64 = 1 << 14;
pub const FLUSH_EVERY: u64 = 8;
/// Most writes of one test: 1 GiB.
pub const MOST_WRITES: u64 = 1 << 18;
/// Odd, so that all places come before one comes again.
const STEP: u64 = 6_365;
/// The smallest part that a drive writes as a whole.
const PIECE_BYTES: usize = 512;

/// What is recorded during the writes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlushedWrites {
    pub salt: u64,
    pub size_bytes: u64,
    /// Writes before the last flush that returned.
    pub flushed: u64,
}

impl FlushedWrites {
    /// Fills the block of a write; its offset.
    pub fn fill(&self, write: u64, block: &mut [u8]) -> u64 {
        let distance = self.size_bytes / BLOCKS / BLOCK_BYTES as u64;
        let at = write.wrapping_mul(STEP) % BLOCKS * distance * BLOCK_BYTES as u64;
        fill(self.salt.wrapping_add(write), at, block);
        at
    }

    /// The last flushed write of each place that has one.
    pub fn last(&self) -> impl Iterator<Item = u64> {
        let flushed = self.flushed;
        (0..BLOCKS.min(flushed)).map(move |first| first + (flushed - 1 - first) / BLOCKS * BLOCKS)
    }

    /// Whether the write was under way when the power went.
    fn is_under_way(&self, write: u64) -> bool {
        (self.flushed..self.flushed + FLUSH_EVERY).contains(&write)
    }
}

/// What was found at the places of flushed writes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeptWrites {
    whole: u64,
    torn: u64,
    lost: Vec<u64>,
    /// The flush that the latest write there belongs to.
    latest_flush: u64,
}

impl KeptWrites {
    /// Counts the place of `write`; `None` if it cannot be read.
    pub fn count(&mut self, of: &FlushedWrites, write: u64, block: Option<&[u8]>) {
        let mut expected = vec![0; BLOCK_BYTES];
        let mut pieces = |write: u64| -> Vec<bool> {
            of.fill(write, &mut expected);
            let found = block.unwrap_or_default().chunks(PIECE_BYTES);
            found
                .zip(expected.chunks(PIECE_BYTES))
                .map(|(found, expected)| found == expected)
                .collect()
        };
        let mut is_there = pieces(write);
        if of.is_under_way(write + BLOCKS) {
            let newer = pieces(write + BLOCKS);
            is_there.iter_mut().zip(newer).for_each(|(is_there, newer)| *is_there |= newer);
        }
        match is_there.iter().filter(|is_there| **is_there).count() {
            0 => self.lost.push(write),
            found if found == BLOCK_BYTES / PIECE_BYTES => {
                self.whole += 1;
                self.latest_flush = self.latest_flush.max(write / FLUSH_EVERY);
            }
            _ => self.torn += 1,
        }
    }

    /// Lost writes although writes of a later flush are there.
    fn reordered(&self) -> usize {
        self.lost.iter().filter(|write| **write / FLUSH_EVERY < self.latest_flush).count()
    }

    pub fn seen(&self) -> PartSeen {
        let (part, lost) = (ExamPart::PowerCut, self.lost.len() as u64);
        let all = self.whole + self.torn + lost;
        if lost + self.torn == 0 {
            return PartSeen::fine(
                part,
                format!("all {all} blocks with a flushed write are intact"),
            );
        }
        let found = format!(
            "of {all} blocks with a flushed write {lost} have lost it ({} although later writes \
             are there), and {} have only a part of it",
            self.reordered(),
            self.torn
        );
        PartSeen::wrong(part, ExamAnswer::Failing, found).advise(
            "do not trust this drive with a database or a journal: it reports writes as stored \
             that a power cut removes",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: u64 = 1 << 30;

    /// What is counted of a drive that got `writes` writes and changed `spoil`ed blocks.
    fn counted(of: &FlushedWrites, writes: u64, spoil: impl Fn(u64, &mut Vec<u8>)) -> KeptWrites {
        let mut blocks = std::collections::BTreeMap::new();
        for write in 0..writes {
            let mut block = vec![0; BLOCK_BYTES];
            let at = of.fill(write, &mut block);
            spoil(write, &mut block);
            if !block.is_empty() {
                blocks.insert(at, block);
            }
        }
        let mut kept = KeptWrites::default();
        for write in of.last() {
            let at = of.fill(write, &mut [0; BLOCK_BYTES]);
            kept.count(of, write, blocks.get(&at).map(Vec::as_slice));
        }
        kept
    }

    #[test]
    fn an_honest_drive_keeps_what_was_flushed_whatever_was_under_way() {
        for flushed in [8, BLOCKS - 8, BLOCKS, BLOCKS + 800] {
            let of = FlushedWrites { salt: 7, size_bytes: SIZE, flushed };
            for under_way in [0, 3, FLUSH_EVERY] {
                let kept = counted(&of, flushed + under_way, |_, _| ());
                assert_eq!(kept.whole, flushed.min(BLOCKS), "{kept:?}");
                assert_eq!(kept.seen().answer, ExamAnswer::NothingWrongFound);
            }
        }
    }

    #[test]
    fn lost_torn_and_reordered_writes_are_told_apart() {
        let of = FlushedWrites { salt: 7, size_bytes: SIZE, flushed: BLOCKS + 800 };
        let end = of.flushed;
        // The last three flushes never reached the flash.
        let tail = counted(&of, end, |write, block| {
            if write >= end - 24 {
                block.clear();
            }
        });
        assert_eq!((tail.lost.len(), tail.reordered(), tail.torn), (24, 0, 0));
        let spoiled = counted(&of, end, |write, block| match end - write {
            // An older write is still there.
            100..104 => block.clear(),
            200..202 => block[512..1024].fill(0),
            _ => (),
        });
        assert_eq!((spoiled.lost.len(), spoiled.reordered(), spoiled.torn), (4, 4, 2));
        assert!(spoiled.seen().found.contains("4 although later"), "{:?}", spoiled.seen());
        // A write of the next flush may not excuse one that is gone.
        let early = FlushedWrites { flushed: end - 800, ..of.clone() };
        assert_eq!(counted(&early, end, |_, _| ()).lost.len(), 800 - FLUSH_EVERY as usize);
    }
}
