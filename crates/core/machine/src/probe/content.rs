//! A read of everything that is on a drive, which may take several sittings: what it has seen so
//! far, and what that says.

use serde::{Deserialize, Serialize};

use super::exam::{ExamAnswer, ExamPart, PartSeen};
use super::speed;
use super::weak;
use bakeoff_stats::phrases;
use bakeoff_stats::units;

/// Most places that are remembered of each kind.
pub const REMEMBERED: usize = 64;
/// After so many pieces that cannot be read, the drive is known well enough.
pub const GIVE_UP: u64 = 256;

/// What was read and how it went; kept in a file between two sittings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ContentRead {
    /// Everything before it was read.
    pub at_bytes: u64,
    pub took_ns: u64,
    pub chunks: u64,
    /// Pieces that could not be read again either: the lowest places, and how many there are.
    pub unreadable: Vec<u64>,
    pub unreadable_pieces: u64,
    /// Reads that failed and succeeded when repeated.
    pub recovered: Vec<u64>,
    pub recovered_reads: u64,
    /// The slowest reads: place and time.
    pub slowest: Vec<(u64, u64)>,
}

impl ContentRead {
    pub fn mean_ns(&self) -> f64 {
        self.took_ns as f64 / self.chunks.max(1) as f64
    }

    pub fn bytes_per_s(&self) -> f64 {
        self.at_bytes as f64 * 1e9 / self.took_ns.max(1) as f64
    }

    /// Notes a read that took so long.
    pub fn took(&mut self, at_bytes: u64, took_ns: u64) {
        self.took_ns = self.took_ns.saturating_add(took_ns);
        self.chunks += 1;
        if self.chunks > 8 && weak::is_slow(took_ns, self.mean_ns()) {
            self.slowest.push((at_bytes, took_ns));
            self.slowest.sort_by_key(|(_, ns)| std::cmp::Reverse(*ns));
            self.slowest.truncate(weak::PLACES);
        }
    }

    pub fn cannot_read(&mut self, at_bytes: u64) {
        self.unreadable_pieces += 1;
        if self.unreadable.len() < REMEMBERED {
            self.unreadable.push(at_bytes);
        }
    }

    pub fn recovers(&mut self, at_bytes: u64) {
        self.recovered_reads += 1;
        if self.recovered.len() < REMEMBERED {
            self.recovered.push(at_bytes);
        }
    }

    pub fn is_hopeless(&self) -> bool {
        self.unreadable_pieces >= GIVE_UP
    }

    /// What it says of a drive of that size. `pairs` are the times of slow places and of places
    /// beside them, read again in turn.
    pub fn seen(&self, size_bytes: u64, pairs: &[(u64, u64)]) -> PartSeen {
        let part = ExamPart::Contents;
        let share = if self.at_bytes >= size_bytes {
            format!("all {} were read", units::size_decimal(size_bytes))
        } else {
            format!(
                "{} of {} were read so far",
                units::size_decimal(self.at_bytes),
                units::size_decimal(size_bytes)
            )
        };
        if let Some(first) = self.unreadable.first() {
            let pieces = phrases::count(self.unreadable_pieces, "piece");
            let more = if self.is_hopeless() { " or more, where the read was ended" } else { "" };
            let found = format!(
                "{share}; {pieces} of 64 KiB{more} could not be read, the first at {}",
                units::size_decimal(*first)
            );
            return PartSeen::wrong(part, ExamAnswer::Failing, found)
                .advise("back up what can be read, and replace the drive");
        }
        if let Some(first) = self.recovered.first() {
            let count = usize::try_from(self.recovered_reads).unwrap_or(usize::MAX);
            let seen = speed::failed(part, *first, true, count);
            return PartSeen { found: format!("{share}; {}", seen.found), ..seen };
        }
        if weak::are_weak(pairs, self.mean_ns()) {
            let found = format!(
                "{share} without an error, but the slowest places answered slowly each time they \
                 were read, as after many tries of the drive's own"
            );
            return PartSeen::wrong(part, ExamAnswer::Failing, found).advise(
                "back up its contents; writing everything again once (a full restore) may heal it",
            );
        }
        let rate = units::rate(self.bytes_per_s());
        PartSeen::fine(part, format!("{share} without an error, at {rate}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    fn read(chunks: u64) -> ContentRead {
        let mut read = ContentRead::default();
        for i in 0..chunks {
            read.took(i * MIB, 10_000_000);
        }
        ContentRead { at_bytes: chunks * MIB, ..read }
    }

    #[test]
    fn a_read_says_how_far_it_came_and_what_it_met() {
        let seen = read(100).seen(100 * MIB, &[]);
        assert_eq!(seen.answer, ExamAnswer::NothingWrongFound);
        assert_eq!(seen.found, "all 105 MB were read without an error, at 105 MB/s");
        assert!(
            read(50).seen(100 * MIB, &[]).found.starts_with("52 MB of 105 MB were read so far")
        );
        let mut bad = read(100);
        bad.recovers(3 * MIB);
        let seen = bad.seen(100 * MIB, &[]);
        assert_eq!(seen.answer, ExamAnswer::Failing);
        assert!(seen.found.contains("1 read failed and succeeded"), "{seen:?}");
        (0..GIVE_UP).for_each(|i| bad.cannot_read(i * MIB));
        assert!(bad.is_hopeless() && bad.unreadable.len() == REMEMBERED);
        assert!(bad.seen(100 * MIB, &[]).found.contains("256 pieces of 64 KiB or more"));
    }

    #[test]
    fn slow_places_are_weak_only_if_they_stay_slow() {
        let mut slow = read(1000);
        slow.took(7 * MIB, 900_000_000);
        assert_eq!(slow.slowest, [(7 * MIB, 900_000_000)]);
        let again = [(900_000_000, 10_000_000); 12];
        assert_eq!(slow.seen(1000 * MIB, &again).answer, ExamAnswer::Failing);
        let gone = [(10_000_000, 10_000_000); 12];
        assert_eq!(slow.seen(1000 * MIB, &gone).answer, ExamAnswer::NothingWrongFound);
    }

    #[test]
    fn what_is_kept_between_sittings_comes_back() {
        let mut read = read(20);
        read.cannot_read(MIB);
        let text = serde_json::to_string(&read).unwrap();
        assert_eq!(serde_json::from_str::<ContentRead>(&text).unwrap(), read);
        assert!(serde_json::from_str::<ContentRead>("{}").is_ok(), "of a version to come");
    }
}
