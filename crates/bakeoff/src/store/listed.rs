//! A stored run as a line of a list: the same for `bakeoff runs` and for the pages.

use bakeoff_judge::history::facts::{Facts, contains};
use bakeoff_model::run::Run;
use bakeoff_model::verdict::Analysis;
use bakeoff_report::fit;
use bakeoff_report::runs::{Row, State, short};

use super::{Digest, Summary};

pub fn digest_of(run: &Run, analysis: &Analysis) -> (Digest, Facts) {
    let cells: u64 = run.blocks.iter().map(|block| block.cells.len() as u64).sum();
    let digest = Digest {
        events: run.next_seq,
        blocks: analysis.blocks,
        cells: cells + run.fit.len() as u64,
        verdict: if run.fit.is_empty() { short(run, analysis) } else { fit::short(run) },
        is_stopped: run.stopped.is_some(),
    };
    (digest, Facts::from_header(&run.header))
}

/// How a run of this machine stands: whether a process measures it now, and whether it said why it
/// stopped.
pub fn state(is_held: bool, is_stopped: bool) -> State {
    match (is_held, is_stopped) {
        (true, _) => State::Running,
        (false, true) => State::Stopped,
        (false, false) => State::Dead,
    }
}

impl Summary {
    /// Whether the text that a list is searched for is in what the store itself knows of the run.
    pub fn has(&self, text: &str) -> bool {
        let known = [self.verb.word(), &self.title, self.label.as_deref().unwrap_or_default()];
        let is_start = || self.run.as_str().starts_with(&text.to_ascii_lowercase());
        known.into_iter().any(|word| contains(word, text)) || is_start()
    }

    /// Whether it said why it stopped; a run without a digest counts as stopped.
    pub fn is_stopped(&self) -> bool {
        self.digest.as_ref().is_none_or(|digest| digest.is_stopped)
    }

    /// Its line. The short id is left empty: how long it is depends on the other runs.
    pub fn into_row(self, state: State) -> Row {
        Row {
            run: self.run.to_string(),
            short: String::new(),
            created_unix_ns: self.created_unix_ns,
            verb: self.verb,
            title: self.title,
            label: self.label,
            imported: self.is_imported,
            events: self.events,
            state,
            blocks: self.digest.as_ref().map(|digest| digest.blocks),
            verdict: self.digest.map(|digest| digest.verdict),
            error: None,
        }
    }
}
