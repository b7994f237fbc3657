//! No logic searches a sentence of ours or compares it with a literal: what is said to people is
//! made of types and never read again, so that rewording it cannot change a verdict.

use super::Violation;
use super::rust::{Source, Token};

/// Fields and methods that hold what is said to people.
const SENTENCES: [&str; 11] = [
    "advice", "context", "evidence", "headline", "label", "message", "reason", "says", "sentence",
    "summary", "why",
];
/// What would read it.
const SEARCHES: [&str; 11] = [
    "contains",
    "starts_with",
    "ends_with",
    "find",
    "matches",
    "split",
    "split_once",
    "split_whitespace",
    "strip_prefix",
    "strip_suffix",
    "parse",
];
/// What only changes the form of the text in between.
const FORMS: [&str; 7] =
    ["as_deref", "as_ref", "as_str", "clone", "to_ascii_lowercase", "to_lowercase", "trim"];

/// Checks one file of the product.
pub fn check(path: &str, source: &Source) -> Vec<Violation> {
    if path.starts_with("crates/xtask/") {
        return Vec::new();
    }
    let tokens = &source.tokens;
    let is_read = |at: &usize| {
        let Some(name) = after_dot(tokens, *at).filter(|t| SENTENCES.contains(&t.text.as_str()))
        else {
            return false;
        };
        !name.is_test && is_read_behind(tokens, at + 2)
    };
    (0..tokens.len())
        .filter(is_read)
        .map(|at| Violation {
            path: path.to_owned(),
            line: tokens[at + 1].line,
            rule: "sentences",
            what: format!(
                "a text that is shown to people is read ({}): give the fact a type and make the \
                 text of it",
                tokens[at + 1].text
            ),
        })
        .collect()
}

/// The word after a full stop.
fn after_dot(tokens: &[Token], at: usize) -> Option<&Token> {
    (tokens[at].text == ".").then(|| tokens.get(at + 1)).flatten()
}

/// Whether what follows, after changes of form, is a search or a comparison with a literal.
fn is_read_behind(tokens: &[Token], mut at: usize) -> bool {
    loop {
        if tokens.get(at).is_some_and(|t| t.text == "(")
            && tokens.get(at + 1).is_some_and(|t| t.text == ")")
        {
            at += 2;
        }
        let Some(next) = tokens.get(at).and_then(|_| after_dot(tokens, at)) else {
            return is_compared(&tokens[at.min(tokens.len())..]);
        };
        match next.text.as_str() {
            name if SEARCHES.contains(&name) => {
                return tokens.get(at + 2).is_some_and(|t| t.text == "(");
            }
            name if FORMS.contains(&name) => at += 2,
            _ => return false,
        }
    }
}

/// `== "…"` or `!= "…"`.
fn is_compared(tokens: &[Token]) -> bool {
    let [first, second, literal, ..] = tokens else { return false };
    matches!((first.text.as_str(), second.text.as_str()), ("=" | "!", "="))
        && literal.is_literal
        && literal.text.starts_with('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(code: &str) -> Vec<usize> {
        let source = Source::parse(code).unwrap();
        check("crates/core/judge/src/a.rs", &source).into_iter().map(|found| found.line).collect()
    }

    #[test]
    fn a_search_in_a_sentence_is_found_in_all_its_forms() {
        assert_eq!(lines("fn f() { finding.evidence.contains(\"6 MiB\") }"), [1]);
        assert_eq!(lines("fn f() { s.reason.as_str().starts_with(x) }"), [1]);
        assert_eq!(lines("fn f() {\n a.headline\n .as_deref().trim().split(' ') }"), [2]);
        assert_eq!(lines("fn f() { cause.label().contains('x') }"), [1]);
    }

    #[test]
    fn a_sentence_compared_with_a_literal_is_found() {
        assert_eq!(lines("fn f() { cause.label() == \"the CPU\" }"), [1]);
        assert_eq!(lines("fn f() { if s.reason.as_str() != \"\" {} }"), [1]);
        assert_eq!(lines("fn f() { a.label = \"x\"; a.label == b.label }"), [0; 0]);
    }

    #[test]
    fn showing_a_sentence_and_searching_other_texts_is_fine() {
        assert_eq!(lines("fn f() { say(finding.evidence.trim()); line.contains(x) }"), [0; 0]);
        assert_eq!(lines("fn f() { all.iter().find(|f| f.evidence == *e) }"), [0; 0]);
        let test = "#[cfg(test)] mod tests { fn f() { a.evidence.contains(\"x\") } }";
        assert_eq!(lines(test), [0; 0]);
    }
}
