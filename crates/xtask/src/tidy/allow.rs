//! The exceptions to the house rules, each with its reason. One that is not needed any more is
//! itself a violation, so the list only shrinks or is argued for.

use super::Violation;

/// One exception: a rule that one file may break.
pub struct Allowed {
    /// Rule as violations name it.
    pub rule: &'static str,
    /// Path from the top of the repository.
    pub path: &'static str,
    /// Why this file may.
    pub reason: &'static str,
}

/// Every exception there is.
pub const ALLOWED: &[Allowed] = &[
    Allowed {
        rule: "pure-core",
        path: "crates/core/report/src/redact/patterns.rs",
        reason: "tells addresses from other words with the parsers of std::net, and opens nothing",
    },
    Allowed {
        rule: "system-files",
        path: "crates/bakeoff/src/exec.rs",
        reason: "starts itself as /proc/self/exe, whatever became of the path it was started by",
    },
    Allowed {
        rule: "system-files",
        path: "crates/bakeoff/src/steps/own_mounts.rs",
        reason: "names what a copy of the mount table keeps, and reads nothing there",
    },
    Allowed {
        rule: "system-files",
        path: "crates/bakeoff/src/store/trust.rs",
        reason: "asks which file this process itself has open, as the database opened it",
    },
    Allowed {
        rule: "system-files",
        path: "crates/engine/src/clock.rs",
        reason: "chooses its clock in the process that reads it, before the first reading",
    },
    Allowed {
        rule: "system-files",
        path: "crates/engine/src/engine/uring.rs",
        reason: "says why the ring was refused, in the process that was refused it",
    },
    Allowed {
        rule: "system-files",
        path: "crates/engine/src/buffer.rs",
        reason: "asks whether its own memory is huge pages, which no other process can",
    },
    Allowed {
        rule: "system-files",
        path: "crates/engine/src/counters.rs",
        reason: "only the process that does the parts of a profile knows when each begins and ends",
    },
    Allowed {
        rule: "system-files",
        path: "crates/engine/src/waiting.rs",
        reason: "a lane's thread is gone, and its count with it, before anybody else could look",
    },
];

/// Takes away what is allowed and adds what is allowed for nothing.
pub fn apply(violations: Vec<Violation>, allowed: &[Allowed]) -> Vec<Violation> {
    let is_allowed =
        |found: &Violation, entry: &Allowed| found.rule == entry.rule && found.path == entry.path;
    let mut left: Vec<Violation> = allowed
        .iter()
        .filter(|entry| !violations.iter().any(|found| is_allowed(found, entry)))
        .map(|entry| Violation {
            path: entry.path.to_owned(),
            line: 1,
            rule: entry.rule,
            what: format!("not broken any more: take it off the list ({})", entry.reason),
        })
        .collect();
    left.extend(
        violations
            .into_iter()
            .filter(|found| !allowed.iter().any(|entry| is_allowed(found, entry))),
    );
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exceptions_hold_for_their_file_and_must_be_used() {
        let allowed = |path| Allowed { rule: "width", path, reason: "a table" };
        let found = |path: &str| Violation {
            path: path.to_owned(),
            line: 3,
            rule: "width",
            what: "wide".to_owned(),
        };
        let left = apply(vec![found("a.rs"), found("b.rs")], &[allowed("a.rs"), allowed("c.rs")]);
        let left: Vec<_> = left.iter().map(|left| (left.path.as_str(), left.line)).collect();
        assert_eq!(left, [("c.rs", 1), ("b.rs", 3)]);
    }
}
