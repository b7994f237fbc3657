//! The command that began a run.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The command that began a run. Records have its word, and those of newer versions may have a
/// word that is unknown here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum Verb {
    /// `quick`: directories, as they are.
    Quick,
    /// `demo`: stacks on an image file.
    Demo,
    /// `run`: a plan, on the targets given with it.
    Run,
    /// `bench`: one job on one target; without a record that is kept.
    Bench,
    /// `probe`: whether a drive has its stated capacity; without a record that is kept.
    Probe,
    /// `fit`: one directory, for applications.
    Fit,
    Other(String),
}

impl Verb {
    /// The word of the command line and of records. Text from outside where it is unknown.
    pub fn word(&self) -> &str {
        match self {
            Verb::Quick => "quick",
            Verb::Demo => "demo",
            Verb::Run => "run",
            Verb::Bench => "bench",
            Verb::Probe => "probe",
            Verb::Fit => "fit",
            Verb::Other(word) => word,
        }
    }

    /// Whether such runs leave no record: it exists only to undo their steps.
    pub fn is_unkept(&self) -> bool {
        matches!(self, Verb::Bench | Verb::Probe)
    }
}

impl fmt::Display for Verb {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.word())
    }
}

impl From<String> for Verb {
    fn from(word: String) -> Verb {
        match word.as_str() {
            "quick" => Verb::Quick,
            "demo" => Verb::Demo,
            "run" => Verb::Run,
            "bench" => Verb::Bench,
            "probe" => Verb::Probe,
            "fit" => Verb::Fit,
            _ => Verb::Other(word),
        }
    }
}

impl From<Verb> for String {
    fn from(verb: Verb) -> String {
        verb.word().to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_every_word_of_a_record() {
        for (word, is_known) in [
            ("quick", true),
            ("demo", true),
            ("run", true),
            ("bench", true),
            ("probe", true),
            ("fit", true),
            ("Run", false),
            ("", false),
            ("of a later version", false),
        ] {
            let stored = serde_json::to_string(word).unwrap();
            let verb: Verb = serde_json::from_str(&stored).unwrap();
            assert_eq!(matches!(verb, Verb::Other(_)), !is_known, "{word}");
            assert_eq!(serde_json::to_string(&verb).unwrap(), stored);
        }
    }
}
