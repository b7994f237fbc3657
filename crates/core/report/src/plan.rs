//! A plan as `bakeoff plan` shows it before anything happens: cases, visits, commands, time, bytes,
//! and what consents to it.
//!
//! Schema `bakeoff/plan/1`, documented in docs/format.md.

mod brief;
mod text;

pub use text::expected;

use std::collections::BTreeSet;

use serde::Serialize;

use crate::document::Document;
use crate::left_out;
use crate::run_document;
use bakeoff_judge::decide::groups;
use bakeoff_judge::decide::limits::RunCost;
use bakeoff_judge::plan::budget::Estimate;
use bakeoff_judge::plan::{Expanded, Plan, PlanAxis};
use bakeoff_machine::prepare::contents::Sign;
use bakeoff_machine::prepare::stand_in::StandIn;
use bakeoff_model::candidate::{Candidate, Skipped, are_compared};
use bakeoff_model::event::FlashState;
use bakeoff_model::finding::{Finding, Severity};
use bakeoff_model::protocol::{Isolation, Mode, Protocol};
use bakeoff_model::workload::Workload;
use bakeoff_stats::steady_state::{MOST_ROUNDS, ROUNDS};

pub fn state_label(state: FlashState) -> &'static str {
    match state {
        FlashState::WrittenOnce => "written once",
        FlashState::Overwritten => "written in full before every visit",
        FlashState::Trimmed => "discarded before every visit",
    }
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlanView {
    /// `bakeoff/plan/1`.
    pub schema: &'static str,
    pub plan: String,
    pub title: String,
    pub protocol: Protocol,
    /// State of the region before every visit: `overwritten`, `trimmed`.
    pub flash_state: &'static str,
    /// How the plan wants candidates to share a block; what comes of it is in `protocol`.
    #[serde(skip)]
    pub isolation: Option<Isolation>,
    pub visited_because: Option<String>,
    pub axes: Vec<PlanAxis>,
    pub candidates: Vec<Candidate>,
    pub workloads: Vec<Workload>,
    pub skipped: Vec<Skipped>,
    /// Workloads that are not measured here, with why: a tool is missing or has no words for them.
    pub dropped_workloads: Vec<Skipped>,
    pub too_large: Vec<Skipped>,
    /// What is wrong with the plan, before any drive is known.
    pub findings: Vec<Finding>,
    pub cases: u64,
    /// Blocks until something can be said, and at most; in mode characterise rounds.
    pub blocks: Span,
    pub visits: Span,
    pub cells: Span,
    pub targets: Vec<TargetView>,
    /// What will be run: once, and for each candidate in each block.
    pub commands: Vec<Commands>,
    /// Time and bytes; `None` without a target.
    pub estimate: Option<EstimateView>,
}

/// At the first look, and at the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Span {
    pub first: u64,
    pub last: u64,
}

impl Span {
    fn times(self, n: u64) -> Span {
        Span { first: self.first * n, last: self.last * n }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TargetView {
    pub path: String,
    pub about: String,
    pub contents: Vec<Sign>,
    pub contents_words: Vec<String>,
    pub erase_token: String,
    pub size_bytes: u64,
    pub region_start_bytes: u64,
    pub region_size_bytes: u64,
    /// Candidates that share the region, side by side; 1 = one after the other has all of it.
    pub region_parts: u16,
    pub state: &'static str,
    /// What may be written to it unless the user allows more; `None` = no limit.
    pub max_write_bytes: Option<u64>,
}

/// Commands in their order, each with what it is for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Commands {
    /// `once on …`, or a candidate.
    pub of: String,
    pub run: Vec<String>,
    /// What puts it back, in the order it is done.
    pub undo: Vec<String>,
    #[serde(skip)]
    pub stand_ins: BTreeSet<StandIn>,
}

/// Time and bytes from the kind of drive alone.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EstimateView {
    pub assumed: &'static str,
    pub assumed_bytes_per_s: u64,
    pub first: RunCost,
    /// At most, within the limits.
    pub last: RunCost,
    pub last_blocks: u64,
    /// The longest slices with a part in which the drive settles; `None` = none has one.
    pub settling: Option<SettlingView>,
    /// What may be written; `None` = no limit.
    pub max_write_bytes: Option<u64>,
    pub dropped: Vec<Skipped>,
    pub refused: Option<String>,
}

/// Slices with a part in which the drive settles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct SettlingView {
    pub slice_ns: u64,
    pub rounds: u32,
}

impl EstimateView {
    pub fn new(
        estimate: Estimate,
        assumed: bakeoff_judge::plan::budget::Speed,
        max_write_bytes: Option<u64>,
    ) -> EstimateView {
        let (dropped, refused) = match estimate.fit {
            Ok(fit) => (fit.dropped.iter().map(left_out::dropped).collect(), None),
            Err(error) => (Vec::new(), Some(left_out::unfit(&error))),
        };
        EstimateView {
            assumed: assumed.kind,
            assumed_bytes_per_s: assumed.write_bytes_per_s,
            first: estimate.first,
            last: estimate.last,
            last_blocks: estimate.last_blocks.into(),
            settling: estimate.settling.map(|slices| SettlingView {
                slice_ns: slices.each.time_ns,
                rounds: slices.rounds,
            }),
            max_write_bytes,
            dropped,
            refused,
        }
    }
}

impl Span {
    pub fn blocks(made: &Expanded) -> Span {
        let series = groups(&made.workloads).len() as u64;
        let protocol = &made.protocol;
        match protocol.mode {
            Mode::Characterise => {
                Span { first: series * ROUNDS as u64, last: series * MOST_ROUNDS as u64 }
            }
            Mode::Quick | Mode::Decide | Mode::Precise => {
                let most = protocol.most_blocks(are_compared(&made.candidates));
                Span { first: protocol.first_look().into(), last: most.into() }
            }
        }
    }
}

impl PlanView {
    pub fn new(plan: &Plan, made: Expanded) -> PlanView {
        let (candidates, workloads) = (made.candidates.len() as u64, made.workloads.len() as u64);
        let series = groups(&made.workloads).len() as u64;
        let blocks = Span::blocks(&made);
        // Rounds are blocks of one workload, all on the visit before the first of them.
        let (visits, cells) = match made.protocol.mode {
            Mode::Characterise => {
                let rounds = Span { first: ROUNDS as u64, last: MOST_ROUNDS as u64 };
                (Span { first: series, last: series }, rounds.times(candidates * workloads))
            }
            Mode::Quick | Mode::Decide | Mode::Precise => {
                (blocks.times(candidates), blocks.times(candidates * workloads))
            }
        };
        PlanView {
            schema: "bakeoff/plan/1",
            plan: plan.name.clone(),
            title: plan.title.clone(),
            flash_state: made.flash_state.name(),
            isolation: plan.protocol.isolation,
            visited_because: None,
            axes: plan.axes.clone(),
            cases: candidates * workloads,
            blocks,
            visits,
            cells,
            protocol: made.protocol,
            candidates: made.candidates,
            workloads: made.workloads,
            skipped: made.skipped.clone(),
            dropped_workloads: made.dropped_workloads.clone(),
            too_large: Vec::new(),
            findings: Vec::new(),
            targets: Vec::new(),
            commands: Vec::new(),
            estimate: None,
        }
    }

    /// What is wrong with the plan, of at least this severity.
    fn write_findings(&self, least: Severity, out: &mut Document) {
        let found = self.findings.iter().filter(|finding| finding.severity >= least);
        let found: Vec<Finding> = found.cloned().collect();
        run_document::findings(&found).iter().for_each(|finding| out.bullet(finding.line()));
    }

    /// On one screen.
    pub fn document(&self) -> Document {
        brief::document(self)
    }

    /// With every rule, step and undo.
    pub fn with_commands(&self) -> Document {
        text::document(self)
    }

    pub fn json(&self) -> String {
        // The view holds only what JSON can say, so this cannot fail.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }
}
