//! How long a Rust file may be, and how wide its lines. clippy limits functions (`clippy.toml`).

use std::collections::BTreeSet;

use super::Violation;
use super::rust::{Source, Token};

/// Lines of a file that carry code, tests beside it not counted.
const FILE_LINES: usize = 400;

/// Columns of a line.
pub const WIDTH: usize = 100;

/// Checks one file.
pub fn check(path: &str, text: &str, source: &Source) -> Vec<Violation> {
    let violation = |line, rule, what| Violation { path: path.to_owned(), line, rule, what };
    let mut violations = wide_lines(text, source)
        .into_iter()
        .map(|(line, width)| {
            violation(line, "width", format!("{width} columns, {WIDTH} at most: wrap it"))
        })
        .collect::<Vec<_>>();
    let counts = |token: &&Token| source.is_test || !token.is_test;
    let lines: BTreeSet<usize> =
        source.tokens.iter().filter(counts).map(|token| token.line).collect();
    if lines.len() > FILE_LINES {
        let what = format!(
            "{} lines of code, {FILE_LINES} at most: one concept a file; split it",
            lines.len()
        );
        violations.push(violation(1, "file-length", what));
    }
    violations
}

/// Lines too wide, with their widths; what a tool printed is given in tests as it was printed, and
/// addresses cannot be wrapped.
fn wide_lines(text: &str, source: &Source) -> Vec<(usize, usize)> {
    let captures: BTreeSet<usize> = source
        .tokens
        .iter()
        .filter(|token| token.is_literal && token.is_test)
        .flat_map(|token| token.line..=token.last)
        .collect();
    (1..)
        .zip(text.lines())
        .map(|(line, text)| (line, text.chars().count(), text.contains("://")))
        .filter(|(line, width, is_address)| {
            *width > WIDTH && !is_address && !captures.contains(line)
        })
        .map(|(line, width, _)| (line, width))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(text: &str) -> Vec<&'static str> {
        let source = Source::parse(text).unwrap();
        check("crates/core/judge/src/a.rs", text, &source)
            .into_iter()
            .map(|found| found.rule)
            .collect()
    }

    #[test]
    fn captures_in_tests_may_be_wide() {
        let wide = format!("const A: &str = \"\n{}\";\n", "e".repeat(101));
        assert_eq!(rules(&wide), ["width"]);
        assert_eq!(rules(&format!("#[cfg(test)]\nmod tests {{\n{wide}}}")), [""; 0]);
    }

    #[test]
    fn tests_and_comments_do_not_count_for_the_file() {
        let long = "const A: u8 = 1;\n".repeat(401);
        assert_eq!(rules(&long), ["file-length"]);
        assert_eq!(rules(&format!("#[cfg(test)]\nmod tests {{\n{long}}}")), [""; 0]);
        assert_eq!(rules(&"// a comment\n".repeat(500)), [""; 0]);
    }
}
