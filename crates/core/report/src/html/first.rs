//! The first screen of a page: what the terminal shows, with a picture.

use crate::answer::Limit;
use crate::view::{FindingView, View};
use bakeoff_stats::phrases;

use super::matrix::MatrixPage;

/// Limits that are shown at once; the others are folded below them.
const LIMITS_MAX: usize = 3;

/// The first screen as the template walks it.
pub struct First {
    pub matrix: MatrixPage,
    /// What limits the answers, the most important of it.
    pub limits: Vec<Limit>,
    pub folded: Vec<Limit>,
    /// Findings that limit nothing.
    pub notes_found: Vec<FindingView>,
    pub advice: Vec<String>,
}

impl First {
    /// Whether anything limits the answers or was noticed.
    pub fn has_findings(&self) -> bool {
        !(self.limits.is_empty() && self.notes_found.is_empty() && self.advice.is_empty())
    }

    /// "3 more findings".
    pub fn more(&self) -> String {
        phrases::count(self.folded.len() + self.notes_found.len(), "more finding")
    }

    /// The first screen of a run by the lead that compares something.
    pub fn new(index: usize, view: &View, styles: &[String]) -> Option<First> {
        let answer = &view.answer;
        let matrix = MatrixPage::new(&format!("#run-{index}"), view, styles)?;
        // The answers stand above, whole.
        let mut limits = answer.limits.clone();
        limits.retain(|limit| !limit.is_in_answers);
        let is_shown = |f: &&FindingView| limits.iter().all(|l| l.finding.as_ref() != Some(*f));
        let notes_found = view.findings.iter().filter(is_shown).cloned().collect();
        // A finding says itself what to do about it.
        let is_said = |text: &str| limits.iter().flat_map(|l| &l.finding).any(|f| f.advice == text);
        // How a run that ended early continues is in how it ended.
        let resume = answer.resume.iter().filter(|_| view.ending.is_none());
        let resume = resume.map(|how| format!("Continue with: {how}"));
        let advice = answer.advice.iter().filter(|text| !is_said(text)).cloned().chain(resume);
        let advice = advice.collect();
        let folded = limits.split_off(limits.len().min(LIMITS_MAX));
        Some(First { matrix, limits, folded, notes_found, advice })
    }
}
