//! What limits the answers of a run, as its page has it below them.

use crate::answer::Limit;
use crate::run_document::{FindingView, RunDocument};
use bakeoff_stats::phrases;

/// Limits that are shown at once; the others are folded below them.
const LIMITS_MAX: usize = 3;

pub struct PageLimits<'a> {
    pub shown: Vec<&'a Limit>,
    pub folded: Vec<&'a Limit>,
    pub notes: Vec<&'a FindingView>,
    pub advice: Vec<String>,
}

impl PageLimits<'_> {
    pub fn from_document(run: &RunDocument) -> PageLimits<'_> {
        let answer = &run.answer;
        // The answers stand above, whole.
        let limits = || answer.limits.iter().filter(|limit| !limit.is_in_answers);
        let findings = || limits().filter_map(|limit| limit.finding.as_ref());
        let is_shown = |f: &&FindingView| !findings().any(|finding| finding == *f);
        // A finding says itself what to do about it.
        let is_said = |text: &str| findings().any(|finding| finding.advice == text);
        // How a run that ended early continues is in how it ended.
        let resume = answer.resume.iter().filter(|_| run.ending.is_none());
        let resume = resume.map(|how| format!("Continue with: {how}"));
        let advice = answer.advice.iter().filter(|text| !is_said(text)).cloned();
        PageLimits {
            shown: limits().take(LIMITS_MAX).collect(),
            folded: limits().skip(LIMITS_MAX).collect(),
            notes: run.findings.iter().filter(is_shown).collect(),
            advice: advice.chain(resume).collect(),
        }
    }

    /// Whether anything limits the answers or was noticed.
    pub fn has_any(&self) -> bool {
        !(self.shown.is_empty() && self.notes.is_empty() && self.advice.is_empty())
    }

    /// "3 more findings".
    pub fn more(&self) -> String {
        phrases::count(self.folded.len() + self.notes.len(), "more finding")
    }
}
