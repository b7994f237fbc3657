//! A stored run as a line of a list: the same for `bakeoff runs` and for the pages.

use bakeoff_judge::history::found_by;
use bakeoff_model::run::Run;
use bakeoff_model::verdict::Analysis;
use bakeoff_report::fit;
use bakeoff_report::runs::{Row, State, short};

use super::{Digest, Summary};

pub fn digest_of(run: &Run, analysis: &Analysis) -> Digest {
    Digest {
        events: run.next_seq,
        blocks: analysis.blocks,
        verdict: if run.fit.is_empty() { short(run, analysis) } else { fit::short(run) },
        is_stopped: run.stopped.is_some(),
        found_by: found_by(&run.header),
    }
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
    /// Whether a text is in what is known of the run, without regard to the case of ASCII letters.
    pub fn has(&self, text: &str) -> bool {
        let text = text.to_ascii_lowercase();
        let known = [self.verb.word(), &self.title, self.label.as_deref().unwrap_or_default()];
        let found_by = self.digest.iter().flat_map(|digest| digest.found_by.iter());
        let mut all = known.into_iter().chain(found_by.map(String::as_str));
        self.run.as_str().starts_with(&text)
            || all.any(|word| word.to_ascii_lowercase().contains(&text))
    }

    /// Whether it said why it stopped; a run without a digest counts as stopped.
    pub fn is_stopped(&self) -> bool {
        self.digest.as_ref().is_none_or(|digest| digest.is_stopped)
    }

    pub fn into_row(self, state: State) -> Row {
        Row {
            run: self.run.to_string(),
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
