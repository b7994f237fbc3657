//! Core is a function from value to value: no files, processes, threads, clocks or environment,
//! no order from a hash table, and no arithmetic that differs between platforms.
//!
//! `crates/core/clippy.toml` says the same with resolved names; this check also sees what clippy's
//! lists leave out, and that nobody allows those lints.

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
    ("std::time::Instant", "take nanoseconds as an argument"),
    ("std::time::SystemTime", "take nanoseconds as an argument"),
    ("std::collections::HashMap", "its order changes from run to run: BTreeMap"),
    ("std::collections::HashSet", "its order changes from run to run: BTreeSet"),
    ("clippy::disallowed_methods", "do what the lint says"),
    ("clippy::disallowed_types", "do what the lint says"),
    ("clippy::disallowed_macros", "do what the lint says"),
];

/// Methods of f64 that call the platform's mathematical library.
const PLATFORM_FLOATS: &[&str] = &[
    "ln", "ln_1p", "log", "log2", "log10", "exp", "exp2", "exp_m1", "powf", "powi", "cbrt",
    "hypot", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh",
];

/// Checks one file of core; tests beside the code may do as they like.
pub fn check(path: &str, source: &Source) -> Vec<Violation> {
    let mut violations = Vec::new();
    if !path.starts_with("crates/core/src/") {
        return violations;
    }
    let mut add = |line, rule, what| {
        violations.push(Violation { path: path.to_owned(), line, rule, what });
    };
    for found in source.paths().iter().filter(|found| !found.is_test) {
        for (impure, instead) in IMPURE {
            let is_it = found.text == *impure || found.text.starts_with(&format!("{impure}::"));
            if is_it {
                add(found.line, "pure-core", format!("core stays pure, {impure}: {instead}"));
            }
        }
        let method = found.text.strip_prefix("f64::");
        if let Some(method) = method.filter(|method| PLATFORM_FLOATS.contains(method)) {
            add(found.line, "libm", float_advice(method));
        }
    }
    for window in source.tokens.windows(3).filter(|window| !window[1].is_test) {
        let is_call = window[0].text == "." && window[2].text == "(";
        if is_call && PLATFORM_FLOATS.contains(&window[1].text.as_str()) {
            add(window[1].line, "libm", float_advice(&window[1].text));
        }
    }
    violations
}

fn float_advice(method: &str) -> String {
    format!("f64::{method} differs between platforms: call the libm crate, so reports do not")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(text: &str) -> Vec<&'static str> {
        let source = Source::parse(text).unwrap();
        check("crates/core/src/a.rs", &source).into_iter().map(|found| found.rule).collect()
    }

    #[test]
    fn the_system_is_out_of_reach() {
        assert_eq!(rules("use std::{fs, fmt};"), ["pure-core"]);
        assert_eq!(rules("fn f() { std::env::var(n) }"), ["pure-core"]);
        assert_eq!(rules("use std::time::{Duration, Instant};"), ["pure-core"]);
        assert_eq!(rules("use std::time::Duration;"), [""; 0]);
    }

    #[test]
    fn tests_beside_the_code_are_free() {
        assert_eq!(rules("#[cfg(test)] mod tests { use std::fs; }"), [""; 0]);
    }

    #[test]
    fn logarithms_come_from_libm() {
        assert_eq!(rules("fn f(x: f64) -> f64 { x.ln() }"), ["libm"]);
        assert_eq!(rules("fn f(x: f64) -> f64 { f64::exp(x) }"), ["libm"]);
        assert_eq!(rules("fn f(x: f64) -> f64 { libm::log(x.sqrt()) }"), [""; 0]);
    }

    #[test]
    fn other_crates_are_not_checked() {
        let source = Source::parse("use std::fs;").unwrap();
        assert_eq!(check("crates/bakeoff/src/a.rs", &source), []);
    }
}
