//! The words beside the charts of a page. Not what the charts draw.

use crate::run_document::{Question, RunDocument};
use bakeoff_stats::phrases;

pub(super) fn points_title(question: &Question, is_ratio: bool) -> &'static str {
    match is_ratio {
        true => "Results and confidence",
        false if question.rows.len() == 1 => "Block by block",
        false => "Figure of each candidate",
    }
}

pub(super) fn points(question: &Question, is_ratio: bool, run: &RunDocument) -> String {
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
        "Rate as a ratio to {reference}, paired within blocks, up to {blocks}; further right is \
         better. Symbol: geometric mean. Bar: confidence interval, valid at every check. Dot: one \
         block. Shaded: equally fast (within {:.0} %).",
        run.tie_margin * 100.0
    )
}

pub(super) fn bars(question: &Question) -> String {
    let better = match question.unit {
        "ms" | "µs" => "; shorter is better",
        _ => "; higher is better",
    };
    format!(
        "{}, geometric mean over blocks{better}. Line: its 95 % confidence interval over blocks, \
         which widens if the drive drifts.",
        question.unit
    )
}

pub(super) fn label(question: &Question) -> String {
    let rows: Vec<String> = question
        .rows
        .iter()
        .map(|r| format!("{} {} {}, {}", r.candidate, r.rate, question.unit, r.change_words()))
        .collect();
    format!("{}: {}", question.workload, rows.join("; "))
}
