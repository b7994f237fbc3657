//! The first screen of a page: what the terminal shows, with a picture.

use crate::model::run::Run;
use crate::model::verdict::Analysis;
use crate::report::answer::{self, Answer, Limit};
use crate::report::view::View;

use super::matrix::MatrixPage;

/// Findings that are shown in one line each; all are below in full.
const LIMITS_MAX: usize = 3;

/// The first screen as the template walks it.
pub struct First {
    /// Candidates x workloads.
    pub matrix: MatrixPage,
    /// What has to be known of the recommendation.
    pub notes: Vec<String>,
    /// Commands that make the recommended candidate.
    pub commands: Vec<String>,
    /// What holds the candidates back.
    pub bottleneck: Option<String>,
    /// What limits the answers, the most important of it.
    pub limits: Vec<Limit>,
    /// Limits that are not among them.
    pub hidden: usize,
    /// What to do about them.
    pub advice: Vec<String>,
}

impl First {
    /// The first screen of a run by the lead that compares something.
    pub fn new(
        index: usize,
        run: &Run,
        analysis: &Analysis,
        view: &View,
        styles: &[String],
    ) -> Option<First> {
        if !answer::applies(run) {
            return None;
        }
        let answer = Answer::new(run, analysis);
        let matrix = MatrixPage::new(index, &answer, view, styles)?;
        let hidden = answer.limits.len().saturating_sub(LIMITS_MAX);
        let resume = answer.resume.iter().map(|how| format!("Continue with: {how}"));
        Some(First {
            matrix,
            hidden,
            advice: answer.advice.iter().cloned().chain(resume).collect(),
            notes: answer.choice.notes,
            commands: answer.choice.commands,
            bottleneck: answer.bottleneck,
            limits: answer.limits.into_iter().take(LIMITS_MAX).collect(),
        })
    }
}
