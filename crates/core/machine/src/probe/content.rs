//! A read of everything that is on a drive: what was met, and what that says.

use super::exam::{ExamAnswer, ExamPart, PartSeen};
use super::speed;
use bakeoff_stats::phrases;
use bakeoff_stats::units;

/// After so many pieces that cannot be read, the drive is known well enough.
pub const GIVE_UP: usize = 256;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContentRead {
    /// Everything before it was read, in this time.
    pub at_bytes: u64,
    pub took_ns: u64,
    /// Places of pieces that could not be read again either.
    pub unreadable: Vec<u64>,
    /// Places of reads that failed and succeeded when repeated.
    pub recovered: Vec<u64>,
}

impl ContentRead {
    pub fn is_hopeless(&self) -> bool {
        self.unreadable.len() >= GIVE_UP
    }

    /// What it says of a drive of that size.
    pub fn seen(&self, size_bytes: u64) -> PartSeen {
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
            let pieces = phrases::count(self.unreadable.len(), "piece");
            let more = if self.is_hopeless() { " or more, where the read was ended" } else { "" };
            let found = format!(
                "{share}; {pieces} of 64 KiB{more} could not be read, the first at {}",
                units::size_decimal(*first)
            );
            return PartSeen::wrong(part, ExamAnswer::Failing, found)
                .advise("back up what can be read, and replace the drive");
        }
        if let Some(first) = self.recovered.first() {
            let seen = speed::failed(part, *first, true, self.recovered.len());
            return PartSeen { found: format!("{share}; {}", seen.found), ..seen };
        }
        let rate = units::rate(self.at_bytes as f64 * 1e9 / self.took_ns.max(1) as f64);
        PartSeen::fine(part, format!("{share} without an error, at {rate}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    #[test]
    fn a_read_says_how_far_it_came_and_what_it_met() {
        let took_ns = 1_000_000_000;
        let read = ContentRead { at_bytes: 100 * MIB, took_ns, ..ContentRead::default() };
        let seen = read.seen(100 * MIB);
        assert_eq!(seen.answer, ExamAnswer::NothingWrongFound);
        assert_eq!(seen.found, "all 105 MB were read without an error, at 105 MB/s");
        assert!(read.seen(200 * MIB).found.starts_with("105 MB of 210 MB were read so far"));
        let mut bad = ContentRead { recovered: vec![3 * MIB], ..read };
        let seen = bad.seen(100 * MIB);
        assert_eq!(seen.answer, ExamAnswer::Failing);
        assert!(seen.found.contains("1 read failed and succeeded"), "{seen:?}");
        bad.unreadable = vec![MIB; GIVE_UP];
        assert!(bad.is_hopeless());
        assert!(bad.seen(100 * MIB).found.contains("256 pieces of 64 KiB or more"));
    }
}
