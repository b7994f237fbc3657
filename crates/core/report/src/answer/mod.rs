//! The answer of a run in words and figures, for every reader: what the terminal shows on one
//! screen, the page on its first, and a screen reader in sentences.
//!
//! Sentences are made here, from types, and nowhere else. Text from outside has passed
//! [`bakeoff_model::path::sanitize`].

mod alone;
pub mod amount;
mod choice;
pub mod factors;
mod limits;
mod live;
mod matrix;
mod names;
pub mod normal;
pub mod others;
mod screen;
mod sentence;
mod spoken;
mod table;
mod used;
mod wear;

pub use choice::{Choice, from_run as choice};
pub use limits::{Limit, discarded};
pub use live::live;
pub use matrix::{Matrix, MatrixCell, MatrixRow, Place, figure_words};
pub use names::{heading as workload_heading, labels as short_names, workload as workload_name};
pub use normal::{PlaceAnswer, table as place_table, words as place_answer};
pub use screen::write as screen;
pub use sentence::full as sentence;
pub use spoken::write as spoken;
pub use wear::{TITLE as WEAR_TITLE, full as wear_of};

use crate::beside;
use crate::run_document::short_id;
use crate::said;
use bakeoff_judge::decide::rounds::is_of_rounds;
use bakeoff_judge::decide::stop;
use bakeoff_judge::rules::limit;
use bakeoff_judge::rules::run::{blocks, cpu_taken};
use bakeoff_model::event::StopReason;
use bakeoff_model::finding::Finding;
use bakeoff_model::run::Run;
use bakeoff_model::verdict::{Analysis, Verdict, WorkloadVerdict};
use bakeoff_model::wear::RankedBy;
use bakeoff_stats::distinct;
use bakeoff_stats::phrases;

/// Whether a run is shown as an answer of this kind: those in rounds are not.
pub fn applies(run: &Run) -> bool {
    !is_of_rounds(run)
}

/// What is said of one workload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub workload: String,
    pub said: String,
    /// What a candidate did that is compared with nobody: "1240/s (lowest 1180/s, highest 1300/s)".
    pub figure: String,
    pub blocks: u32,
}

/// Everything that a first screen shows.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    pub choice: Choice,
    pub lines: Vec<Line>,
    /// Candidates x workloads; `None` where nothing is compared.
    pub matrix: Option<Matrix>,
    /// The same of what they cost the flash, where that was counted.
    pub wear: Option<Matrix>,
    /// Whether candidates are ranked by that and not by speed.
    pub is_by_wear: bool,
    pub place: Option<PlaceAnswer>,
    /// What companions do to the workloads beside them, a sentence each.
    pub beside: Vec<String>,
    /// Which factor matters, where candidates are every combination of several; a sentence each.
    pub factors: Vec<String>,
    pub bottleneck: Option<String>,
    /// What limits the answers, the most important first.
    pub limits: Vec<Limit>,
    pub advice: Vec<String>,
    pub resume: Option<String>,
    pub id: String,
}

impl Answer {
    pub fn new(run: &Run, analysis: &Analysis) -> Answer {
        let id = short_id(&run.header.run);
        let line = |v: &WorkloadVerdict| Line {
            workload: names::workload(&v.workload),
            said: said::sentence(run, v),
            figure: alone::words(run, v),
            blocks: v.lead.as_ref().map_or(analysis.blocks, |lead| lead.blocks),
        };
        let place = analysis.normal.as_ref().map(|normal| normal::words(run, normal));
        let mut choice = match &place {
            Some(place) => Choice::without_candidate(place.said.clone()),
            None if analysis.compares => choice::from_run(run, analysis),
            None => Choice::without_candidate(said::measured(run, analysis)),
        };
        let used = used::sentences(analysis);
        choice.notes.splice(0..0, used);
        choice.notes.extend(said::context(run, analysis));
        let resume = resume(run, analysis, &id);
        let matrix = analysis.compares.then(|| matrix::from_run(run, analysis));
        let by_speed = Answer {
            choice,
            lines: analysis.verdicts.iter().map(line).collect(),
            wear: matrix.as_ref().and_then(|like| wear::matrix(analysis, like)),
            matrix,
            is_by_wear: false,
            place,
            beside: beside::sentences(run, &analysis.beside),
            factors: factors::over_workloads(&analysis.factors),
            bottleneck: limits::bottleneck(analysis),
            limits: limits::all(run, analysis),
            advice: advice(run, analysis, resume.is_some()),
            resume,
            id,
        };
        match analysis.by {
            RankedBy::Speed => by_speed,
            RankedBy::Wear => wear::ranked(by_speed, run, analysis),
        }
    }

    /// The workloads that are not among the figures of a place.
    fn lines_beside_place(&self) -> impl Iterator<Item = &Line> {
        let figures = || self.place.iter().flat_map(|place| &place.figures);
        self.lines.iter().filter(move |line| !figures().any(|of| of.is_of(&line.workload)))
    }

    pub fn everything_to_know(&self) -> Vec<String> {
        let resume = self.resume.iter().map(|how| format!("Continue with: {how}"));
        let notes = self.choice.notes.iter().chain(&self.beside).chain(&self.advice);
        let notes = notes.cloned();
        notes.chain(resume).collect()
    }
}

/// The margin of a run: `10 %`.
pub fn margin_words(run: &Run) -> String {
    amount::share(run.header.protocol.tie_margin)
}

/// What would let a claim be made, and drives whose own counts of errors grew.
fn advice(run: &Run, analysis: &Analysis, says_how_to_resume: bool) -> Vec<String> {
    let refused = analysis.verdicts.iter().filter(|v| v.verdict == Verdict::Refused);
    let forbidding = refused.flat_map(|v| limit::forbidding(&v.findings));
    // What few blocks need is the command that continues the run.
    let is_said = |f: &&Finding| says_how_to_resume && f.id == blocks::NO_REPLICATION;
    let advice = forbidding
        .filter(|finding| !is_said(finding))
        .map(|finding| format!("{}.", phrases::capital(&sentence::stopless(&finding.advice))));
    distinct::in_order(said::worsened(run).chain(advice))
}

/// The command that continues a run, where more time is expected to help or it ended early.
fn resume(run: &Run, analysis: &Analysis, id: &str) -> Option<String> {
    // How a run in rounds goes on is in how it ended.
    let (reason, _) = run.stopped.as_ref().filter(|_| applies(run))?;
    let is_early = matches!(reason, StopReason::Interrupted | StopReason::Failed);
    // Where others had the CPUs, more time would measure the same.
    let is_taken = analysis.findings.iter().any(|f| f.id == cpu_taken::ID);
    let may_help = !is_taken && analysis.verdicts.iter().any(sentence::is_worth_more_time);
    match (is_early, may_help && reason.is_resumable()) {
        (true, _) => Some(format!("bakeoff resume {id}")),
        (false, true) if *reason == StopReason::WriteBudget => Some(stop::write_more(run)),
        (false, true) => Some(format!("bakeoff resume {id} --time 10m")),
        (false, false) => None,
    }
}

#[cfg(test)]
mod tests;
