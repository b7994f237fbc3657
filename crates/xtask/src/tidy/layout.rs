//! How long a Rust file and its functions may be.

use std::collections::BTreeSet;

use super::Violation;
use super::rust::Source;

/// Lines of a function from `fn` to its closing brace.
const FUNCTION_LINES: usize = 70;

/// Lines of a file that carry code, tests not counted.
const FILE_LINES: usize = 400;

/// Checks one file.
pub fn check(path: &str, source: &Source) -> Vec<Violation> {
    let violation = |line, rule, what| Violation { path: path.to_owned(), line, rule, what };
    let mut violations = Vec::new();
    for function in &source.functions {
        let lines = function.last - function.first + 1;
        if lines > FUNCTION_LINES {
            let what = format!(
                "{} is {lines} lines long, {FUNCTION_LINES} at most: split it by what it does",
                function.name
            );
            violations.push(violation(function.first, "function-length", what));
        }
    }
    let lines: BTreeSet<usize> =
        source.tokens.iter().filter(|token| !token.is_test).map(|token| token.line).collect();
    if lines.len() > FILE_LINES && !is_test_file(path) {
        let what = format!(
            "{} lines of code, {FILE_LINES} at most: one concept a file; split it",
            lines.len()
        );
        violations.push(violation(1, "file-length", what));
    }
    violations
}

/// Whether a whole file is test code.
pub fn is_test_file(path: &str) -> bool {
    path.split('/').any(|part| part == "tests" || part == "tests.rs") || path.starts_with("fuzz/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(text: &str) -> Vec<&'static str> {
        let source = Source::parse(text).unwrap();
        check("crates/core/src/a.rs", &source).into_iter().map(|found| found.rule).collect()
    }

    #[test]
    fn seventy_lines_pass_and_seventy_one_do_not() {
        let function = |lines: usize| format!("fn f() {{{}}}", "\n".repeat(lines - 1));
        assert_eq!(rules(&function(70)), [""; 0]);
        assert_eq!(rules(&function(71)), ["function-length"]);
    }

    #[test]
    fn tests_and_comments_do_not_count_for_the_file() {
        let long = "const A: u8 = 1;\n".repeat(401);
        assert_eq!(rules(&long), ["file-length"]);
        assert_eq!(rules(&format!("#[cfg(test)]\nmod tests {{\n{long}}}")), [""; 0]);
        assert_eq!(rules(&"// a comment\n".repeat(500)), [""; 0]);
    }
}
