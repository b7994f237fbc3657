//! The words beside the charts of a page, and its contents. Not what the charts draw.

use crate::view::{Question, View};
use bakeoff_stats::phrases;

use super::QuestionPage;
use super::sweep::SweepPage;

/// The parts of a run's page, in their order.
pub(super) fn contents(
    index: usize,
    questions: &[QuestionPage],
    sweeps: &[SweepPage],
    has_machine: bool,
) -> Vec<(String, String)> {
    let curves = sweeps.iter().map(|sweep| (sweep.id.clone(), sweep.title.clone()));
    let own = questions.iter().filter(|q| !q.is_swept);
    let own = own.map(|q| (q.id.clone(), q.question.title.clone()));
    let mut all: Vec<(String, String)> = curves.chain(own).collect();
    if has_machine {
        all.push((format!("run-{index}-meanwhile"), "The machine".to_string()));
    }
    all.push((format!("run-{index}-how"), "How it was measured".to_string()));
    all
}

/// What the points, bars, dots and the band of the first chart are.
pub(super) fn points(question: &Question, is_ratio: bool, view: &View) -> String {
    let n = question.rows.iter().map(|r| r.cells).max().unwrap_or(0);
    let blocks = phrases::count(n, "block");
    if !is_ratio {
        return format!(
            "Rate in {}, up to {blocks}. Symbol: geometric mean over complete blocks. Dot: one \
             block. No intervals: nothing is {} here.",
            question.unit,
            if question.is_alone { "compared" } else { "ranked" },
        );
    }
    let reference = question.reference.as_deref().unwrap_or("the reference");
    format!(
        "Rate as a ratio to {reference}, paired within blocks, up to {blocks}. Symbol: geometric \
         mean. Bar: confidence interval, valid at every check. Dot: one block. Shaded: equally \
         fast (within {:.0} %).",
        view.tie_margin * 100.0
    )
}

/// What the bars of the second chart are.
pub(super) fn bars(question: &Question) -> String {
    let better = match question.unit {
        "ms" | "µs" => "; shorter is better",
        _ => "",
    };
    format!(
        "{}, geometric mean over blocks{better}. Line: its 95 % confidence interval over blocks, \
         which widens if the drive drifts.",
        question.unit
    )
}

pub(super) fn pairs(question: &QuestionPage) -> String {
    format!("How the first differs from the second, {}", question.question.workload)
}

pub(super) fn label(question: &Question) -> String {
    let rows: Vec<String> = question
        .rows
        .iter()
        .map(|r| format!("{} {} {}, {}", r.candidate, r.rate, question.unit, r.change_words()))
        .collect();
    format!("{}: {}", question.workload, rows.join("; "))
}
