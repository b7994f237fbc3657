//! No test is ignored in silence: cargo-nextest reports nothing of those, so `#[ignore]` marks what
//! is no test (the child process of one, a measurement). A test that cannot run here notes its skip.

use super::Violation;
use super::rust::Source;

/// How the reason of an `#[ignore]` begins.
const NO_TEST: &str = "\"not a test: ";

/// Checks one file.
pub fn check(path: &str, source: &Source) -> Vec<Violation> {
    let text = |at: usize| source.tokens.get(at).map_or("", |token| token.text.as_str());
    let is_silent = |at: &usize| {
        (text(*at), text(at + 1), text(at + 2)) == ("#", "[", "ignore")
            && !(text(at + 3) == "=" && text(at + 4).starts_with(NO_TEST))
    };
    let silent = (0..source.tokens.len()).filter(is_silent);
    let what = "an ignored test is reported nowhere: note a skip with its reason (skip.rs), or \
                write #[ignore = \"not a test: …\"]";
    let violation = |at: usize| Violation {
        path: path.to_owned(),
        line: source.tokens[at].line,
        rule: "ignored",
        what: what.to_owned(),
    };
    silent.map(violation).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_that_is_ignored_in_silence_is_found() {
        let lines = |text: &str| {
            let found = check("a.rs", &Source::parse(text).unwrap());
            found.into_iter().map(|found| found.line).collect::<Vec<_>>()
        };
        assert_eq!(lines("#[test]\n#[ignore]\nfn a() {}"), [2]);
        assert_eq!(lines("#[test]\n#[ignore = \"takes an hour\"]\nfn a() {}"), [2]);
        assert_eq!(lines("#[test]\n#[ignore = \"not a test: a child\"]\nfn a() {}"), [0; 0]);
    }
}
