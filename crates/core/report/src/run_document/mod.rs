//! Everything a person is shown about a run: ordered, rounded and worded, but not yet laid out.
//!
//! Text from outside has passed [`sanitize`] here, so writers may print it to a terminal as it
//! is; the HTML writer escapes it besides.

mod alone;
mod details;
mod facts;
mod finding;
mod process;
mod question;
mod setup;

pub use facts::{Column, Group};
pub use finding::{FindingView, findings};
pub use process::{StepView, name as candidate_name};
pub use question::{Question, Row};
pub use setup::Setup;

use crate::answer::{self, Answer};
use crate::document::Table;
use bakeoff_judge::decide::rounds::is_of_rounds;
use bakeoff_judge::decide::schedule;
use bakeoff_judge::decide::stop;
use bakeoff_machine::prepare::steps::shell_word;
use bakeoff_model::candidate::Skipped;
use bakeoff_model::event::{FlashState, SHORT_ID, StopReason};
use bakeoff_model::path::{RawPath, sanitize};
use bakeoff_model::run::Run;
use bakeoff_model::verdict::Analysis;
use bakeoff_stats::phrases;
use bakeoff_stats::steady_state::{MOST_ROUNDS, RANGE, ROUNDS, SLOPE, UNLIKE_SNIA};
use bakeoff_stats::units;

/// A run, ready to be laid out.
#[derive(Clone, Debug, PartialEq)]
pub struct RunDocument {
    pub run: String,
    /// For people: "quick: /home, /mnt/usb".
    pub title: String,
    pub setup: Setup,
    pub answer: Answer,
    /// Start, in UTC: `2026-11-20 14:03 UTC`.
    pub started: String,
    /// "5 blocks, 80 cells, 4 min 52 s, mode quick".
    pub extent: String,
    pub ending: Option<String>,
    pub interval_note: String,
    pub tie_margin: f64,
    pub columns: Vec<Column>,
    pub alone: Option<Table>,
    pub questions: Vec<Question>,
    /// Most severe first, equal ones once.
    pub findings: Vec<FindingView>,
    /// Wanted and not possible, with the reason: candidates, then workloads.
    pub missing: Vec<(String, String)>,
    pub facts: Vec<Group>,
    pub steps: Vec<StepView>,
    /// Cells thrown away: "block 2, ext4, randwrite: reason".
    pub invalid: Vec<String>,
    pub repeat: String,
    pub version: String,
}

impl RunDocument {
    /// Orders, rounds and words a run and its analysis.
    pub fn new(run: &Run, analysis: &Analysis) -> RunDocument {
        let header = &run.header;
        let questions =
            analysis.verdicts.iter().enumerate().map(|(at, v)| Question::new(run, at, v));
        let questions: Vec<Question> = questions.collect();
        let missing = [&header.skipped, &header.dropped_workloads];
        let missing = missing.into_iter().flat_map(Skipped::together);
        RunDocument {
            run: sanitize(&header.run),
            title: sanitize(&header.title),
            setup: setup::from_run(run),
            answer: Answer::new(run, analysis),
            started: utc(run.started_unix_ns),
            extent: extent(run, analysis),
            ending: ending(run),
            interval_note: interval_note(run),
            tie_margin: header.protocol.tie_margin,
            columns: facts::columns(run),
            alone: alone::table(&questions),
            questions,
            findings: findings(&analysis.findings),
            missing: missing.map(|s| (sanitize(&s.name), sanitize(&s.reason))).collect(),
            facts: facts::groups(run),
            steps: process::steps(run),
            invalid: process::invalid(run),
            repeat: process::repeat(run),
            version: sanitize(&header.version),
        }
    }
}

impl RunDocument {
    pub fn own_findings<'a>(&'a self, question: &'a Question) -> Vec<&'a FindingView> {
        let is_own = |f: &&FindingView| !self.findings.iter().any(|g| g.says_as(f));
        question.findings.iter().filter(is_own).collect()
    }
}

/// The digits of a run's id that people are shown; harmless.
pub fn short_id(run: &str) -> String {
    sanitize(&run.chars().take(SHORT_ID).collect::<String>())
}

/// `2026-11-20 14:03 UTC`; a time outside the calendar is shown as a number.
pub fn utc(unix_ns: i64) -> String {
    formatted(unix_ns, "%Y-%m-%d %H:%M UTC")
}

/// The day in UTC: `2026-11-24`.
pub fn day(unix_ns: i64) -> String {
    formatted(unix_ns, "%Y-%m-%d")
}

fn formatted(unix_ns: i64, format: &str) -> String {
    match jiff::Timestamp::from_nanosecond(unix_ns.into()) {
        Ok(time) => time.strftime(format).to_string(),
        Err(_) => format!("{unix_ns} ns after 1970"),
    }
}

/// Words as one command line, quoted where a shell needs it.
pub fn words(words: &[String]) -> String {
    let quoted: Vec<String> = words.iter().map(|w| shell_word(&as_typed(w))).collect();
    quoted.join(" ")
}

/// A recorded word, which has foreign bytes escaped, as it was typed.
fn as_typed(word: &str) -> RawPath {
    RawPath::parse(word).unwrap_or_else(|| RawPath::new(word))
}

fn extent(run: &Run, analysis: &Analysis) -> String {
    let mut parts = vec![
        phrases::count(run.header.candidates.len(), "candidate"),
        phrases::count(run.header.workloads.len(), "workload"),
        format!("{} complete", phrases::count(analysis.blocks, block_word(run))),
        phrases::count(analysis.cells, "cell"),
    ];
    if analysis.void_cells > 0 {
        parts.push(format!("{} discarded", phrases::count(analysis.void_cells, "cell")));
    }
    parts.push(units::duration(run.elapsed_ns));
    parts.push(format!("mode {}", run.header.protocol.mode.name()));
    if let Some(share) = super::tool_share_max(run) {
        parts.push(format!("bakeoff's own share of a cell is at most {:.1} %", share * 100.0));
    }
    parts.join(", ")
}

fn block_word(run: &Run) -> &'static str {
    if is_of_rounds(run) { "round" } else { "block" }
}

/// Why it ended early and how to go on; `None` for a run that is over.
fn ending(run: &Run) -> Option<String> {
    let id = short_id(&run.header.run);
    let (reason, note) = match &run.stopped {
        None => {
            return Some(format!(
                "The record of this run is incomplete: the run is still in progress, or it was \
                 killed. After a crash, continue with: bakeoff resume {id}"
            ));
        }
        Some((reason, note)) => (*reason, sanitize(note)),
    };
    let what = match reason {
        StopReason::Decided | StopReason::LastBlock => return None,
        // An answer by the lead says itself what more time would do.
        StopReason::TimeUp if answer::applies(run) => return None,
        StopReason::TimeUp => "Time limit reached",
        StopReason::WriteBudget => "Write limit reached",
        StopReason::Interrupted => "The run was interrupted",
        StopReason::Failed => "The run failed",
    };
    // The note of a write limit says the same again, with the bytes.
    let is_known = note.is_empty() || reason == StopReason::WriteBudget;
    let note = if is_known { String::new() } else { format!(": {note}") };
    let how = match reason {
        StopReason::TimeUp => format!("bakeoff resume {id} --time 10m"),
        StopReason::WriteBudget => stop::write_more(run),
        StopReason::Decided
        | StopReason::LastBlock
        | StopReason::Interrupted
        | StopReason::Failed => format!("bakeoff resume {id}"),
    };
    let stop = if note.ends_with(['.', '!', '?']) { "" } else { "." };
    Some(format!("{what}{note}{stop} Continue with: {how}"))
}

fn begins(run: &Run) -> &'static str {
    match run.header.region.as_ref().map(|region| region.flash_state) {
        Some(FlashState::Overwritten) => " The region was written in full once.",
        Some(FlashState::Trimmed) => " The region was discarded.",
        Some(FlashState::WrittenOnce) | None => "",
    }
}

/// What the intervals promise (nominal alpha for repeated looks, divided by the pairs), or what
/// steady means.
fn interval_note(run: &Run) -> String {
    if is_of_rounds(run) {
        return format!(
            "Steady by SNIA's test (SSS PTS 2.0.2): the last {ROUNDS} rounds are within {:.0} % of \
             their mean, and the line through them rises or falls by at most {:.0} % of it, after \
             at most {MOST_ROUNDS} rounds. The figure is the mean of the last {ROUNDS}. \
             {UNLIKE_SNIA}{}",
            RANGE * 100.0,
            SLOPE * 100.0,
            begins(run),
        );
    }
    if !schedule::has_question(run) {
        return "Each figure is the geometric mean of its blocks; lowest and highest are single \
            blocks, not an interval. There is no comparison."
            .to_string();
    }
    lead_note(run)
}

fn lead_note(run: &Run) -> String {
    let margin = super::answer::margin_words(run);
    format!(
        "The lead on each workload is the smallest lower bound of its leader against the others. \
         It is valid with 95 % confidence, however often the run checked its results. Differences \
         are paired within blocks. Candidates within {margin} of each other count as equally fast. \
         Intervals between other candidates are corrected for their number."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_with_foreign_bytes_can_be_typed_again() {
        let recorded = ["quick".to_string(), "a\\x0a\\xff b".to_string()];
        assert_eq!(words(&recorded), "quick $'a\\x0a\\xff b'");
        assert_eq!(words(&["\\odd".to_string()]), "$'\\x5codd'");
    }
}
