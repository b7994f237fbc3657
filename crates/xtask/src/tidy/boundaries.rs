//! What may be done in one place only: starting processes, reading /proc and /sys. The compiler
//! forbids unsafe code outside the engine.

use super::Violation;
use super::rust::Source;

/// Checks one file.
pub fn check(path: &str, source: &Source) -> Vec<Violation> {
    let mut violations = Vec::new();
    let mut add = |line, rule, what: &str| {
        violations.push(Violation { path: path.to_owned(), line, rule, what: what.to_owned() });
    };
    if path.starts_with("crates/xtask/") {
        return violations;
    }
    let is_exec = path.starts_with("crates/bakeoff/src/exec");
    for found in source.paths() {
        if !found.is_test && !is_exec && found.text.contains("process::Command") {
            let what = "processes are started by crates/bakeoff/src/exec only: it sets the \
                        process group, limits the output and kills it with us";
            add(found.line, "process", what);
        }
    }
    let reads_system = path.starts_with("crates/bakeoff/src/host") || is_core(path);
    for token in source.tokens.iter().filter(|token| token.is_literal && !token.is_test) {
        if !reads_system && is_system_path(&token.text) {
            let what = "/proc and /sys are read by crates/bakeoff/src/host only: add a source \
                        there, and its parser to core's sysinfo";
            add(token.line, "system-files", what);
        }
    }
    violations
}

/// Core cannot read files at all, so there such a text is only ever advice.
fn is_core(path: &str) -> bool {
    path.starts_with("crates/core/")
}

/// Whether a literal is the path of such a file; a message that mentions one in passing is not.
fn is_system_path(literal: &str) -> bool {
    let text = literal.trim_start_matches(['b', 'c', 'r', '#', '"']);
    ["/proc/", "/proc\"", "/sys/", "/sys\""].iter().any(|start| text.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(path: &str, text: &str) -> Vec<&'static str> {
        let mut source = Source::parse(text).unwrap();
        if path.contains("/tests/") {
            source.mark_test();
        }
        check(path, &source).into_iter().map(|found| found.rule).collect()
    }

    #[test]
    fn processes_are_started_in_one_place() {
        let code = "use std::process::{Command, Stdio};";
        assert_eq!(rules("crates/bakeoff/src/cmd/run.rs", code), ["process"]);
        assert_eq!(rules("crates/bakeoff/src/exec/mod.rs", code), [""; 0]);
        assert_eq!(rules("crates/bakeoff/tests/cli.rs", code), [""; 0]);
        assert_eq!(rules("crates/bakeoff/src/a.rs", "use clap::Command;"), [""; 0]);
        let test = "#[cfg(test)] mod tests { fn f() { std::process::Command::new(a) } }";
        assert_eq!(rules("crates/bakeoff/src/a.rs", test), [""; 0]);
    }

    #[test]
    fn system_files_are_read_in_one_place() {
        let code = "fn f() { read(\"/proc/stat\") }";
        assert_eq!(rules("crates/bakeoff/src/a.rs", code), ["system-files"]);
        assert_eq!(rules("crates/engine/src/a.rs", "f(r\"/sys/block\")"), ["system-files"]);
        assert_eq!(rules("crates/bakeoff/src/host/cpu.rs", code), [""; 0]);
        assert_eq!(rules("crates/bakeoff/src/a.rs", "say(\"see /proc/stat\")"), [""; 0]);
        assert_eq!(rules("crates/bakeoff/src/a.rs", "say(\"/system\")"), [""; 0]);
    }
}
