//! The colour of a verdict and of a finding.

use super::document::ColouredWord;
use super::layout::Tone;
use bakeoff_model::finding::Severity;
use bakeoff_model::verdict::Verdict;

pub fn verdict(verdict: Verdict, word: &str) -> ColouredWord {
    let tone = match verdict {
        Verdict::Refused => Tone::Bad,
        _ if verdict.is_answer() => Tone::Good,
        _ => Tone::Caution,
    };
    ColouredWord { word: word.to_string(), tone }
}

pub fn severity(severity: Severity, word: &str) -> ColouredWord {
    let tone = match severity {
        Severity::Refuse | Severity::Error => Tone::Bad,
        Severity::Warn | Severity::Info => Tone::Caution,
    };
    ColouredWord { word: word.to_string(), tone }
}
