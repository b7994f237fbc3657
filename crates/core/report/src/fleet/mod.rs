//! The same plan on many boards: is the answer the same, and what is it on the next one?
//!
//! Each board has one run: its latest. What is compared are the effects inside runs, block by
//! block, so what a board does to all candidates cancels. Over boards, an effect follows the
//! random-effects model of [`random_effects`]; the claim is its prediction interval, which is about
//! a board like these, not about their mean. Boards may differ in everything that belongs to a
//! machine, a drive or a kernel; plans may not ([`bakeoff_judge::compare`] has the rules).

pub mod board;
pub mod coverage;
pub mod effect;
pub mod over;
pub mod run_group;

#[cfg(test)]
mod tests;

use serde::Serialize;

use bakeoff_judge::compare::differences::{self, LeftOut};
use bakeoff_model::difference::Difference;
use bakeoff_model::path::sanitize;
use bakeoff_model::run::Run;
use bakeoff_model::verdict::{Analysis, Verdict, WorkloadVerdict};
use board::FleetBoard;
use effect::Answer;
use over::Over;

pub const ALPHA: f64 = 0.05;
pub const MOST_BOARDS: usize = 1_024;

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fleet {
    pub over: Over,
    pub boards: Vec<OfBoard>,
    pub notes: Vec<String>,
    pub unlike: Vec<Difference>,
    #[serde(skip)]
    pub left_out: Vec<LeftOut>,
    pub answers: Vec<Answer>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OfBoard {
    #[serde(flatten)]
    pub board: FleetBoard,
    pub run: String,
    /// When it began, nanoseconds since 1970.
    pub started_unix_ns: i64,
    pub kernel: String,
    pub verdicts: Vec<Own>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Own {
    pub workload: String,
    pub verdict: Verdict,
    pub leader: Option<String>,
    /// How far that one is ahead of all others at least, a fraction; below 0: at most behind.
    pub lead: Option<f64>,
}

/// The answer over the boards of these runs, or over their drives, kernels or years. `roles` are
/// of those that sent the runs; none for runs of a local store.
pub fn fleet(runs: &[(Run, Analysis)], roles: &[Option<String>], over: Over) -> Fleet {
    let all: Vec<&Run> = runs.iter().map(|(run, _)| run).collect();
    let (boards, notes) = over::groups(&all, roles, over);
    let kept: Vec<&(Run, Analysis)> =
        boards.iter().filter_map(|board| board.runs.last().map(|at| &runs[*at])).collect();
    let only: Vec<&Run> = kept.iter().map(|(run, _)| run).collect();
    let differences = differences::differences(&only);
    let (may_differ, unlike): (Vec<Difference>, Vec<Difference>) =
        differences.into_iter().partition(|d| d.factor.is_some());
    let names: Vec<&str> = boards.iter().map(|board| board.name.as_str()).collect();
    let answers = match unlike.is_empty() {
        true => effect::answers(&kept, &names, &may_differ),
        false => Vec::new(),
    };
    let left_out = differences::left_out(&only);
    let pairs = boards.iter().zip(&kept);
    let of_boards = pairs.map(|(board, (run, analysis))| of_board(board, run, analysis)).collect();
    Fleet { over, boards: of_boards, notes, unlike, left_out, answers }
}

/// The run without what a fleet does not need, once it is analysed: with a thousand boards all of
/// it would not fit into memory.
pub fn lighter(mut run: Run) -> Run {
    for cell in run.blocks.iter_mut().flat_map(|block| &mut block.cells) {
        cell.telemetry = None;
        cell.raw = None;
    }
    run.steps = Vec::new();
    run
}

impl Fleet {
    pub fn is_answered(&self) -> bool {
        !self.answers.is_empty() && self.answers.iter().all(|answer| answer.verdict.is_answer())
    }
}

fn of_board(board: &FleetBoard, run: &Run, analysis: &Analysis) -> OfBoard {
    let own = |v: &WorkloadVerdict| Own {
        workload: sanitize(&v.workload),
        verdict: v.verdict,
        leader: v
            .lead
            .as_ref()
            .and_then(|lead| lead.leader.as_deref())
            .or(v.winner.as_deref())
            .map(sanitize),
        lead: v.lead.as_ref().and_then(|lead| lead.fraction()),
    };
    OfBoard {
        board: board.clone(),
        run: sanitize(&run.header.run),
        started_unix_ns: run.started_unix_ns,
        kernel: sanitize(&run.header.host.kernel),
        verdicts: analysis.verdicts.iter().map(own).collect(),
    }
}
