//! From what the samples were to what may be said: how much is real at most, what is excluded.

use serde::Serialize;

use super::{Readback, UPPER_SAMPLES};

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Always `bakeoff/probe/1`.
    pub schema: &'static str,
    pub target: String,
    pub claimed_bytes: u64,
    pub samples: u64,
    pub good: u64,
    /// The lowest place that did not; `None` when all did.
    pub first_bad_bytes: Option<u64>,
    pub wraps_at_bytes: Option<u64>,
    pub repeated: bool,
    pub verdict: ProbeVerdict,
    /// What the card's own id gives reason to suspect. It changes no verdict.
    #[serde(skip)]
    pub hint: Option<String>,
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
    let good = judged.iter().filter(|(_, seen)| *seen == Readback::Good).count() as u64;
    let mut wraps: Vec<u64> = judged
        .iter()
        .filter_map(|(at, seen)| match seen {
            Readback::Alias(other) => Some(at.abs_diff(*other)),
            Readback::Good | Readback::Other | Readback::Unreadable => None,
        })
        .collect();
    wraps.sort_unstable();
    Report {
        schema: "bakeoff/probe/1",
        target: target.to_string(),
        claimed_bytes,
        samples: judged.len() as u64,
        good,
        first_bad_bytes: judged.iter().find(|(_, s)| *s != Readback::Good).map(|(at, _)| *at),
        wraps_at_bytes: wraps.first().copied(),
        repeated: again.is_some(),
        verdict,
        hint: None,
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
    fn the_chance_to_overlook_is_that_of_every_sample_lying_in_the_real_part() {
        assert!((overlooked(0.9) - 6.28e-7).abs() < 1e-8);
        assert_eq!((overlooked(0.4), overlooked(1.0)), (0.0, 1.0));
    }
}
