//! Core is a function from value to value: no files, processes, threads, clocks or environment,
//! no order from a hash table, and no arithmetic that differs between platforms.
//!
//! clippy checks calls, types and floats by `crates/core/clippy.toml`, which its crates let
//! nobody allow. This check sees the rest of those modules.

use super::Violation;
use super::rust::Source;

/// Modules and types core must not name, and what to do in their place.
const IMPURE: &[(&str, &str)] = &[
    ("std::fs", "take the text or bytes as an argument"),
    ("std::net", "nothing is sent anywhere"),
    ("std::process", "return an argv, or an error, for the shell"),
    ("std::thread", "let the shell run two calls"),
    ("std::sync", "values, not shared state"),
    ("std::env", "take the value as an argument"),
];

/// Checks one file of core; tests beside the code may do as they like.
pub fn check(path: &str, source: &Source) -> Vec<Violation> {
    let mut violations = Vec::new();
    if !path.starts_with("crates/core/") {
        return violations;
    }
    for found in source.paths().iter().filter(|found| !found.is_test) {
        for (impure, instead) in IMPURE {
            let is_it = found.text == *impure || found.text.starts_with(&format!("{impure}::"));
            if is_it {
                violations.push(Violation {
                    path: path.to_owned(),
                    line: found.line,
                    rule: "pure-core",
                    what: format!("core stays pure, {impure}: {instead}"),
                });
            }
        }
    }
    violations
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(text: &str) -> Vec<&'static str> {
        let source = Source::parse(text).unwrap();
        check("crates/core/judge/src/a.rs", &source).into_iter().map(|found| found.rule).collect()
    }

    #[test]
    fn the_system_is_out_of_reach() {
        assert_eq!(rules("use std::{fs, fmt};"), ["pure-core"]);
        assert_eq!(rules("fn f() { std::env::var(n) }"), ["pure-core"]);
        assert_eq!(rules("use std::time::Duration;"), [""; 0]);
    }

    #[test]
    fn tests_beside_the_code_are_free() {
        assert_eq!(rules("#[cfg(test)] mod tests { use std::fs; }"), [""; 0]);
    }

    #[test]
    fn other_crates_are_not_checked() {
        let source = Source::parse("use std::fs;").unwrap();
        assert_eq!(check("crates/bakeoff/src/a.rs", &source), []);
    }
}
