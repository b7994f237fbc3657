//! From what the samples were to what may be said: how much is real at most, what is excluded.

use serde::Serialize;

use super::{Seen, UPPER_SAMPLES};
use crate::report::Document;
use crate::units;

/// What a probe found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Always `bakeoff/probe/1`.
    pub schema: &'static str,
    /// What was probed, for people.
    pub target: String,
    /// What the device says it has, bytes.
    pub claimed_bytes: u64,
    /// Samples written and read.
    pub samples: u64,
    /// Those that came back as written.
    pub good: u64,
    /// The lowest place that did not; `None` when all did.
    pub first_bad_bytes: Option<u64>,
    /// Distance at which addresses land on one another.
    pub wraps_at_bytes: Option<u64>,
    /// Whether the pass that looked again found the same.
    pub repeated: bool,
    /// `no_evidence`, `mismatch` or `unstable`.
    pub verdict: Verdict,
    /// The whole in one sentence.
    pub sentence: String,
    /// What the card's own id gives reason to suspect, in words. It changes no verdict.
    pub hint: Option<String>,
}

/// What may be said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Every sample came back.
    NoEvidence,
    /// Some did not, twice.
    Mismatch,
    /// Some did not, and the next time they did: a bad contact, reader or cable, or a dying drive.
    Unstable,
}

/// Judges a pass, and the pass that looked again where the first found something.
pub fn judge(
    target: &str,
    claimed_bytes: u64,
    first: &[(u64, Seen)],
    again: Option<&[(u64, Seen)]>,
) -> Report {
    let bad = |pass: &[(u64, Seen)]| pass.iter().any(|(_, seen)| *seen != Seen::Good);
    let verdict = match (bad(first), again.map(bad)) {
        (false, _) => Verdict::NoEvidence,
        (true, Some(false)) => Verdict::Unstable,
        (true, _) => Verdict::Mismatch,
    };
    let judged = match again {
        Some(again) if verdict == Verdict::Mismatch => again,
        _ => first,
    };
    let good = judged.iter().filter(|(_, seen)| *seen == Seen::Good).count() as u64;
    let mut wraps: Vec<u64> = judged
        .iter()
        .filter_map(|(at, seen)| match seen {
            Seen::Alias(other) => Some(at.abs_diff(*other)),
            Seen::Good | Seen::Other | Seen::Unreadable => None,
        })
        .collect();
    wraps.sort_unstable();
    let mut report = Report {
        schema: "bakeoff/probe/1",
        target: target.to_string(),
        claimed_bytes,
        samples: judged.len() as u64,
        good,
        first_bad_bytes: judged.iter().find(|(_, s)| *s != Seen::Good).map(|(at, _)| *at),
        wraps_at_bytes: wraps.first().copied(),
        repeated: again.is_some(),
        verdict,
        sentence: String::new(),
        hint: None,
    };
    report.sentence = sentence(&report);
    report
}

/// The chance to overlook a device of which only that fraction is real: every sample of the upper
/// half would have to lie in the real part.
pub fn overlooked(real_fraction: f64) -> f64 {
    let upper = ((real_fraction - 0.5) / 0.5).clamp(0.0, 1.0);
    libm::pow(upper, UPPER_SAMPLES as f64)
}

fn sentence(report: &Report) -> String {
    let claimed = units::size(report.claimed_bytes);
    match report.verdict {
        Verdict::NoEvidence => format!(
            "No evidence of fake capacity in {} samples over {claimed}. A drive with at most 90 % \
             of that capacity would have been detected with a probability of {:.4} %. This check \
             cannot exclude damage between the samples. The write passes of a run check every byte \
             of their region.",
            report.samples,
            (1.0 - overlooked(0.9)) * 100.0
        ),
        Verdict::Unstable => format!(
            "{} of {} samples over {claimed} were not read back correctly at first, but all of \
             them were on the second attempt. Likely causes are a bad contact, reader or cable, or \
             a failing drive. Try another reader or port and probe again before you trust or \
             reject it.",
            report.samples - report.good,
            report.samples
        ),
        Verdict::Mismatch => {
            let wraps = report.wraps_at_bytes.map_or(String::new(), |bytes| {
                format!(" Addresses that are {} apart return the same data.", units::size(bytes))
            });
            let first = report.first_bad_bytes.unwrap_or(0);
            format!(
                "{} of {} samples over {claimed} were not read back correctly in two attempts. The \
                 first of them is at {}.{wraps} The drive stores less than it claims: do not use \
                 it.",
                report.samples - report.good,
                report.samples,
                units::size(first)
            )
        }
    }
}

impl Report {
    /// For people.
    pub fn document(&self) -> Document {
        let mut out = Document::default();
        out.headline(self.target.as_str());
        out.paragraph(self.sentence.as_str());
        self.hint.iter().for_each(|hint| out.paragraph(hint.as_str()));
        out
    }

    /// For programs: one document.
    pub fn json(&self) -> String {
        // Plain data: strings, numbers and a word.
        serde_json::to_string_pretty(self).map(|text| text + "\n").unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: u64 = 1 << 30;

    #[test]
    fn all_good_is_no_evidence_and_never_genuine() {
        let pass: Vec<(u64, Seen)> = (0..100).map(|i| (i << 20, Seen::Good)).collect();
        let report = judge("/dev/sdb", 32 * GIB, &pass, None);
        assert_eq!(report.verdict, Verdict::NoEvidence);
        let text = |report: &Report| report.document().text(80, false);
        insta::assert_snapshot!(text(&report));
        let hinted = Report { hint: Some("Its card id is odd.".to_string()), ..report.clone() };
        assert_eq!(text(&hinted), text(&report) + "Its card id is odd.\n");
        assert!(!text(&report).to_lowercase().contains("genuine"));
    }

    #[test]
    fn a_fake_is_one_only_after_it_was_looked_at_again() {
        let fake: Vec<(u64, Seen)> = (0..32)
            .map(|i| (i * GIB, if i < 8 { Seen::Good } else { Seen::Alias(i % 8 * GIB) }))
            .collect();
        let report = judge("/dev/sdb", 32 * GIB, &fake, Some(&fake));
        assert_eq!(report.verdict, Verdict::Mismatch);
        assert_eq!((report.first_bad_bytes, report.wraps_at_bytes), (Some(8 * GIB), Some(8 * GIB)));
        insta::assert_snapshot!(report.document().text(80, false));
        let good: Vec<(u64, Seen)> = fake.iter().map(|(at, _)| (*at, Seen::Good)).collect();
        assert_eq!(judge("x", GIB, &fake, Some(&good)).verdict, Verdict::Unstable);
        assert_eq!(judge("x", GIB, &fake, None).verdict, Verdict::Mismatch);
    }

    #[test]
    fn the_chance_to_overlook_is_that_of_every_sample_lying_in_the_real_part() {
        assert!((overlooked(0.9) - 6.28e-7).abs() < 1e-8);
        assert_eq!((overlooked(0.4), overlooked(1.0)), (0.0, 1.0));
    }
}
