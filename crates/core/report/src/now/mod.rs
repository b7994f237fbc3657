//! A run as it is now, for everything that watches one: the page, the terminal view, monitors.
//!
//! The document is `bakeoff/now/1` (docs/format.md). It is made of the record alone, so the same
//! document describes a run that is measured, one that died and one that ended long ago.

mod words;

#[cfg(test)]
mod tests;

pub use words::{doing, notification, state_words};

use serde::{Deserialize, Serialize};

use bakeoff_judge::decide::{self, cost, eta};
use bakeoff_model::ceiling::CeilingLayer;
use bakeoff_model::event::StopReason;
use bakeoff_model::health::{DriveTold, Health};
use bakeoff_model::index::WorkloadIx;
use bakeoff_model::path::sanitize;
use bakeoff_model::run::{BlockState, Run};
use bakeoff_model::verb::Verb;
use bakeoff_model::verdict::{Analysis, Verdict};

use super::answer::{Answer, Limit, MatrixRow};
pub use super::answer::{MatrixCell, Place};
use super::runs::State;

pub const SCHEMA: &str = "bakeoff/now/1";
const FINDINGS_MAX: usize = 20;

/// A run as it is now. Text from outside is harmless in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Now {
    pub schema: String,
    pub run: String,
    pub verb: Verb,
    pub title: String,
    pub host: String,
    pub state: State,
    /// Why it stopped; `None` while it runs and for one that died.
    pub stopped: Option<StopReason>,
    pub can_resume: bool,
    pub mode: String,
    pub events: u64,
    /// When it began, nanoseconds since 1970.
    pub started_unix_ns: i64,
    pub last_unix_ns: i64,
    pub elapsed_ns: u64,
    /// Time it is expected to take from the last event on; `None` when it does not run, or while
    /// the duration of a block is unknown.
    pub left_ns: Option<u64>,
    pub doing: String,
    pub blocks: u32,
    pub workloads_done: Option<(u32, u32)>,
    pub written_bytes: u64,
    pub max_write_bytes: Option<u64>,
    pub headline: String,
    pub verdicts: Vec<VerdictNow>,
    pub candidates: Vec<MatrixRow>,
    /// What limits the answers, the most important first.
    pub findings: Vec<Limit>,
    pub drives: Vec<DriveNow>,
    pub ceilings: Vec<CeilingNow>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VerdictNow {
    pub workload: String,
    pub name: String,
    pub verdict: Verdict,
    pub leader: Option<String>,
    /// The lead, a fraction: 0.12 is at least 12 % ahead of all others.
    pub lead: Option<f64>,
    pub sentence: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DriveNow {
    pub name: String,
    /// `Samsung SSD 860`.
    pub model: Option<String>,
    pub serial: Option<String>,
    pub size_bytes: u64,
    pub health: Option<Health>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CeilingNow {
    pub layer: CeilingLayer,
    pub workload: String,
    pub bytes_per_s: f64,
}

impl Now {
    pub fn new(run: &Run, analysis: &Analysis, state: State) -> Now {
        let answer = Answer::new(run, analysis);
        let is_live = state == State::Running;
        Now {
            schema: SCHEMA.to_string(),
            run: sanitize(&run.header.run),
            verb: Verb::from(sanitize(run.header.verb.word())),
            title: sanitize(&run.header.title),
            host: sanitize(&run.header.host.hostname),
            state,
            stopped: run.stopped.as_ref().map(|(reason, _)| *reason),
            can_resume: can_resume(run, state),
            mode: run.header.protocol.mode.name().to_string(),
            events: run.next_seq,
            started_unix_ns: run.started_unix_ns,
            last_unix_ns: run.last_unix_ns,
            elapsed_ns: run.elapsed_ns,
            left_ns: if is_live { left_ns(run) } else { None },
            doing: doing(run, state),
            blocks: analysis.blocks,
            workloads_done: workloads_done(run).filter(|_| is_live),
            written_bytes: cost::written_bytes(run),
            max_write_bytes: run.header.protocol.max_write_bytes,
            headline: answer.choice.said.clone(),
            verdicts: verdicts(&answer),
            candidates: answer.matrix.as_ref().map_or(Vec::new(), |matrix| matrix.rows.clone()),
            findings: answer.limits.iter().take(FINDINGS_MAX).cloned().collect(),
            drives: drives(run),
            ceilings: ceilings(run),
        }
    }

    /// The share of the expected time that is over, 0 to 1.
    pub fn progress(&self) -> f64 {
        match self.left_ns {
            Some(left_ns) => {
                let whole_ns = self.elapsed_ns.saturating_add(left_ns).max(1);
                self.elapsed_ns as f64 / whole_ns as f64
            }
            None if self.stopped.is_some() => 1.0,
            None => 0.0,
        }
    }
}

fn can_resume(run: &Run, state: State) -> bool {
    let is_over = matches!(state, State::Dead | State::Stopped);
    is_over && run.header.verb != Verb::Bench && decide::is_resumable(run)
}

/// Time left: the forecast, at most up to the time limit. Before anything was measured the forecast
/// is unknown, not 0 s.
fn left_ns(run: &Run) -> Option<u64> {
    let forecast_ns = eta::forecast(run, cost::of_block(run).0).left_ns;
    let is_known = forecast_ns > 0 || decide::schedule::complete(run) > 0;
    let limit_ns = run.header.protocol.time_ns.unwrap_or(u64::MAX);
    is_known.then(|| forecast_ns.min(limit_ns.saturating_sub(run.elapsed_ns)))
}

fn workloads_done(run: &Run) -> Option<(u32, u32)> {
    let open = run.blocks.last().filter(|block| block.state == BlockState::Open)?;
    let of = run.header.workloads.len();
    let done = (0..of).filter(|w| open.cells.iter().any(|c| usize::from(c.workload) == *w));
    Some((done.count() as u32, of as u32))
}

fn verdicts(answer: &Answer) -> Vec<VerdictNow> {
    let one = |line: &super::answer::Line| VerdictNow {
        workload: sanitize(&line.verdict.workload),
        name: line.workload.clone(),
        verdict: line.verdict.verdict,
        leader: line.verdict.lead.as_ref().and_then(|l| l.leader.as_deref()).map(sanitize),
        lead: line.verdict.lead.as_ref().and_then(|l| l.fraction()),
        sentence: line.said.clone(),
    };
    answer.lines.iter().map(one).collect()
}

fn drives(run: &Run) -> Vec<DriveNow> {
    let told = |name: &str| {
        let is_it = |d: &&DriveTold| d.disk == name;
        let after = run.told_after.iter().find(is_it).and_then(|d| d.health.clone());
        after.or_else(|| run.told_before.iter().find(is_it).and_then(|d| d.health.clone()))
    };
    let mut drives: Vec<DriveNow> = Vec::new();
    for disk in run.header.disks() {
        if drives.iter().any(|known| known.name == sanitize(&disk.name)) {
            continue;
        }
        drives.push(DriveNow {
            name: sanitize(&disk.name),
            model: disk.model.as_deref().map(|model| sanitize(model.trim())),
            serial: disk.serial.as_deref().map(|serial| sanitize(serial.trim())),
            size_bytes: disk.size_bytes,
            health: told(&disk.name),
        });
    }
    drives
}

fn ceilings(run: &Run) -> Vec<CeilingNow> {
    let name = |index: WorkloadIx| index.get(&run.header.workloads).map(|w| sanitize(&w.name));
    let whole = run.ceilings.measured.iter().filter(|layer| layer.candidate.is_none());
    whole
        .filter_map(|layer| {
            Some(CeilingNow {
                layer: layer.layer,
                workload: name(layer.workload)?,
                bytes_per_s: layer.bytes_per_s,
            })
        })
        .collect()
}
