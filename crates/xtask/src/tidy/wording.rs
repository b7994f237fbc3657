//! The words of what people read: a standard term in place of each that only we would use.
//!
//! Looked at are literals and help texts of the product; documents are read by people.

use super::Violation;
use super::rust::{Source, Text};

/// Phrases that no text has, with what to write.
const INSTEAD_OF: &[(&str, &str)] = &[
    ("in the hands of", "locked by, in use by"),
    ("cannot be said", "cannot determine"),
    ("is not known", "is unknown"),
    ("that is not it", "does not match"),
    ("goes on with", "continues with"),
    ("here and there", "random"),
    ("mend", "fix"),
    ("put back", "restored, restores"),
    ("taken away", "removed"),
    ("what holds", "bottleneck"),
    ("held back", "limited"),
    ("the time was used up", "time limit reached"),
    ("is told", "is reported"),
    ("was told", "was given"),
    ("whoever", "name the actor"),
    ("of those that", "one idea a sentence"),
];

/// Checks one file.
pub fn check(path: &str, source: &Source) -> Vec<Violation> {
    let found = |text: &Text| {
        let lower = text.text.to_lowercase();
        let hit = INSTEAD_OF.iter().find(|(phrase, _)| has_phrase(&lower, phrase))?;
        Some(Violation {
            path: path.to_owned(),
            line: text.line,
            rule: "wording",
            what: format!("\"{}\" is no term of the field: {}", hit.0, hit.1),
        })
    };
    texts(path, source).into_iter().filter_map(found).collect()
}

/// Whether a file has texts for people.
pub fn is_for_people(path: &str) -> bool {
    path.starts_with("crates/core/") || path.starts_with("crates/bakeoff/src/")
}

/// What a user can meet of a file: sentences and headings, and the help of the command line, which
/// clap takes from its documentation.
pub fn texts<'s>(path: &str, source: &'s Source) -> Vec<&'s Text> {
    let is_help = path.ends_with("/cli.rs");
    let counts = |text: &&Text| {
        let is_prose = text.text.contains(' ') && text.text.contains(char::is_alphabetic);
        is_prose && (!text.is_doc || is_help) && !is_program(&text.text)
    };
    match source.is_test || !is_for_people(path) {
        true => Vec::new(),
        false => source.texts.iter().filter(counts).collect(),
    }
}

/// SQL, shell and the like.
fn is_program(text: &str) -> bool {
    const STATEMENTS: [&str; 8] =
        ["SELECT ", "INSERT ", "UPDATE ", "DELETE ", "CREATE ", "PRAGMA ", "BEGIN ", "#!/"];
    STATEMENTS.iter().any(|start| text.trim_start().starts_with(start))
}

/// Whether a phrase stands in a text as whole words.
fn has_phrase(text: &str, phrase: &str) -> bool {
    let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    text.match_indices(phrase).any(|(at, _)| {
        !is_word(text[..at].chars().next_back())
            && !is_word(text[at + phrase.len()..].chars().next())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: &str = "crates/core/report/src/a.rs";

    fn lines(path: &str, text: &str) -> Vec<usize> {
        let source = Source::parse(text).unwrap();
        check(path, &source).iter().map(|found| found.line).collect()
    }

    #[test]
    fn refuses_words_of_our_own_in_literals_and_errors() {
        let text = "#[error(\"the drive is in the hands of {0}\")]\nstruct A;\n\
                    fn f() { say(\"fix it\"); say(\"to \\\n mend it\") }";
        assert_eq!(lines(PATH, text), [1, 3]);
        assert_eq!(lines("crates/engine/src/a.rs", text), Vec::<usize>::new());
    }

    #[test]
    fn looks_at_whole_words_outside_tests_and_at_documentation_of_the_command_line_only() {
        let none = Vec::<usize>::new();
        assert_eq!(lines(PATH, "fn f() { say(\"to amend a recommendation\") }"), none);
        assert_eq!(lines(PATH, "#[cfg(test)]\nmod tests { const A: &str = \"to mend\"; }"), none);
        assert_eq!(lines(PATH, "/// To mend.\nfn f() {}"), none);
        assert_eq!(lines("crates/bakeoff/src/cli.rs", "/// To mend.\nfn f() {}"), [1]);
    }
}
