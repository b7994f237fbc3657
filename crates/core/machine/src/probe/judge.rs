//! From what the samples were to what may be said: how much is real at most, what is excluded.

use serde::Serialize;

use super::exam::{ExamAnswer, ExamPart, PartSeen};
use super::{Readback, UPPER_SAMPLES, wrap_found};
use bakeoff_stats::units;

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    #[serde(skip)]
    pub target: String,
    pub claimed_bytes: u64,
    pub samples: u64,
    pub good: u64,
    /// Of the others, those that gave an error instead of other data.
    pub unreadable: u64,
    /// Whether the samples are all blocks there are.
    pub is_whole: bool,
    /// The lowest place that did not; `None` when all did.
    pub first_bad_bytes: Option<u64>,
    pub wraps_at_bytes: Option<u64>,
    pub repeated: bool,
    pub verdict: ProbeVerdict,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ProbeVerdict {
    NoEvidence,
    Mismatch,
    /// Some did not, and the next time they did: a bad contact, reader or cable, or a dying drive.
    Unstable,
}

/// Judges a pass, and the pass that looked again where the first found something.
pub fn judge(
    target: &str,
    claimed_bytes: u64,
    first: &[(u64, Readback)],
    again: Option<&[(u64, Readback)]>,
) -> Report {
    let bad = |pass: &[(u64, Readback)]| pass.iter().any(|(_, seen)| *seen != Readback::Good);
    let verdict = match (bad(first), again.map(bad)) {
        (false, _) => ProbeVerdict::NoEvidence,
        (true, Some(false)) => ProbeVerdict::Unstable,
        (true, _) => ProbeVerdict::Mismatch,
    };
    let judged = match again {
        Some(again) if verdict == ProbeVerdict::Mismatch => again,
        _ => first,
    };
    let mut tally = ReadbackTally::default();
    judged.iter().for_each(|(at, seen)| tally.saw(*at, *seen));
    Report { repeated: again.is_some(), verdict, ..tally.report(target, claimed_bytes) }
}

/// What was read back, counted: every block of a drive is too much to be listed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReadbackTally {
    pub blocks: u64,
    pub good: u64,
    pub unreadable: u64,
    pub first_bad_bytes: Option<u64>,
    pub wraps_at_bytes: Option<u64>,
}

impl ReadbackTally {
    /// Counts what was at a place; places come in ascending order.
    pub fn saw(&mut self, at_bytes: u64, seen: Readback) {
        self.blocks += 1;
        match seen {
            Readback::Good => self.good += 1,
            Readback::Unreadable => self.unreadable += 1,
            Readback::Other => {}
            Readback::Alias(other) => {
                let apart = at_bytes.abs_diff(other);
                self.wraps_at_bytes =
                    Some(self.wraps_at_bytes.map_or(apart, |least| least.min(apart)));
            }
        }
        if seen != Readback::Good {
            self.first_bad_bytes.get_or_insert(at_bytes);
        }
    }

    /// The report of one look at all of it.
    pub fn report(&self, target: &str, claimed_bytes: u64) -> Report {
        Report {
            target: target.to_string(),
            claimed_bytes,
            samples: self.blocks,
            good: self.good,
            unreadable: self.unreadable,
            is_whole: false,
            first_bad_bytes: self.first_bad_bytes,
            wraps_at_bytes: self.wraps_at_bytes,
            repeated: false,
            verdict: if self.good == self.blocks {
                ProbeVerdict::NoEvidence
            } else {
                ProbeVerdict::Mismatch
            },
        }
    }
}

impl Report {
    /// What it says of the drive. Blocks that give errors are those of a drive that fails; only
    /// one that gives other data than it was given lies.
    pub fn seen(&self) -> PartSeen {
        let part = if self.is_whole { ExamPart::EveryBlock } else { ExamPart::Capacity };
        let answer = match self.verdict {
            ProbeVerdict::NoEvidence => ExamAnswer::NothingWrongFound,
            ProbeVerdict::Unstable => ExamAnswer::Failing,
            ProbeVerdict::Mismatch if self.good + self.unreadable == self.samples => {
                ExamAnswer::Failing
            }
            ProbeVerdict::Mismatch => ExamAnswer::Fake,
        };
        PartSeen::wrong(part, answer, self.sentence())
    }

    pub fn sentence(&self) -> String {
        let claimed = units::size(self.claimed_bytes);
        let what = if self.is_whole { "blocks" } else { "samples" };
        let of = format!("{} of {} {what} over {claimed}", self.samples - self.good, self.samples);
        match self.verdict {
            ProbeVerdict::NoEvidence if self.is_whole => format!(
                "All {claimed} were written and read back correctly: the whole capacity is there."
            ),
            ProbeVerdict::NoEvidence => format!(
                "No evidence of fake capacity in {} samples over {claimed}. Of drives with at most \
                 90 % of it, one that loses what lies beyond its end would have been detected with \
                 a probability of {:.4} %, one that begins again there with {:.0} %. This check \
                 cannot exclude damage between the samples.",
                self.samples,
                (1.0 - overlooked(0.9)) * 100.0,
                wrap_found(self.claimed_bytes) * 100.0
            ),
            ProbeVerdict::Unstable => format!(
                "{of} were not read back correctly at first, but all of them were on the second \
                 attempt. Likely causes are a bad contact, reader or cable, or a failing drive. \
                 Try another reader or port and probe again before you trust or reject it."
            ),
            ProbeVerdict::Mismatch => {
                let wraps = self.wraps_at_bytes.map_or(String::new(), |bytes| {
                    format!(
                        " Addresses that are {} apart return the same data.",
                        units::size(bytes)
                    )
                });
                let times = if self.repeated { " in two attempts" } else { "" };
                let meaning = if self.good + self.unreadable == self.samples {
                    "They gave errors: the drive fails"
                } else {
                    "The drive stores less than it claims: do not use it"
                };
                format!(
                    "{of} were not read back correctly{times}. The first of them is at \
                     {}.{wraps} {meaning}.",
                    units::size(self.first_bad_bytes.unwrap_or(0))
                )
            }
        }
    }
}

/// The chance to overlook a device of which only that fraction is real: every sample of the upper
/// half would have to lie in the real part.
pub fn overlooked(real_fraction: f64) -> f64 {
    let upper = ((real_fraction - 0.5) / 0.5).clamp(0.0, 1.0);
    libm::pow(upper, UPPER_SAMPLES as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: u64 = 1 << 30;

    #[test]
    fn all_good_is_no_evidence() {
        let pass: Vec<(u64, Readback)> = (0..100).map(|i| (i << 20, Readback::Good)).collect();
        let report = judge("/dev/sdb", 32 * GIB, &pass, None);
        assert_eq!((report.verdict, report.good), (ProbeVerdict::NoEvidence, 100));
    }

    #[test]
    fn a_fake_is_one_only_after_it_was_looked_at_again() {
        let fake: Vec<(u64, Readback)> = (0..32)
            .map(|i| (i * GIB, if i < 8 { Readback::Good } else { Readback::Alias(i % 8 * GIB) }))
            .collect();
        let report = judge("/dev/sdb", 32 * GIB, &fake, Some(&fake));
        assert_eq!(report.verdict, ProbeVerdict::Mismatch);
        assert_eq!((report.first_bad_bytes, report.wraps_at_bytes), (Some(8 * GIB), Some(8 * GIB)));
        let good: Vec<(u64, Readback)> = fake.iter().map(|(at, _)| (*at, Readback::Good)).collect();
        assert_eq!(judge("x", GIB, &fake, Some(&good)).verdict, ProbeVerdict::Unstable);
        assert_eq!(judge("x", GIB, &fake, None).verdict, ProbeVerdict::Mismatch);
    }

    #[test]
    fn a_drive_that_gives_errors_fails_and_is_no_fake() {
        let mut pass: Vec<(u64, Readback)> = (0..32).map(|i| (i * GIB, Readback::Good)).collect();
        pass[20].1 = Readback::Unreadable;
        let failing = judge("x", 32 * GIB, &pass, Some(&pass)).seen();
        assert_eq!((failing.answer, failing.part), (ExamAnswer::Failing, ExamPart::Capacity));
        assert!(failing.found.contains("They gave errors"), "{failing:?}");
        pass[30].1 = Readback::Other;
        assert_eq!(judge("x", 32 * GIB, &pass, Some(&pass)).seen().answer, ExamAnswer::Fake);
        let whole = Report { is_whole: true, ..judge("x", 32 * GIB, &pass[..9], None) };
        assert!(whole.sentence().contains("the whole capacity"), "{}", whole.sentence());
        assert_eq!(whole.seen().part, ExamPart::EveryBlock);
    }

    #[test]
    fn the_chance_to_overlook_is_that_of_every_sample_lying_in_the_real_part() {
        assert!((overlooked(0.9) - 6.28e-7).abs() < 1e-8);
        assert_eq!((overlooked(0.4), overlooked(1.0)), (0.0, 1.0));
    }
}
