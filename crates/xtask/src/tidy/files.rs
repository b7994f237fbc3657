//! What holds for a file of any kind: size, line width, unfinished work, executable bits.

use super::Violation;
use super::layout::WIDTH;
use super::tree::File;

/// Largest file the repository takes.
const SIZE_BYTES: u64 = 1 << 20;

/// Lines of a script, style sheet or TypeScript file that are not blank.
const SCRIPT_LINES: usize = 400;

/// Words for work that was not finished. In two parts, or this file would break its own rule.
const UNFINISHED: [&str; 3] = [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X")];

/// How a line ignores a test, and how it says that it is none: the child process of one, or a
/// measurement. cargo-nextest reports nothing of ignored tests.
const IGNORED: (&str, &str) = ("#[ignore", "#[ignore = \"not a test: ");

/// What git leaves in a file that two sides changed. In two parts, as above.
const MERGE_MARKS: [&str; 2] = [concat!("<<<<", "<<< "), concat!(">>>>", ">>> ")];

/// Checks one file.
pub fn check(file: &File) -> Vec<Violation> {
    let mut violations = Vec::new();
    let mut add = |line, rule, what: String| {
        violations.push(Violation { path: file.path.clone(), line, rule, what });
    };
    if file.size_bytes > SIZE_BYTES {
        let what =
            format!("{} bytes, 1 MiB at most: make it at build or test time", file.size_bytes);
        add(1, "file-size", what);
    }
    if file.is_executable != file.text.starts_with("#!") {
        let what = "a script has a first line with #! and the executable bit; nothing else has \
                    either (chmod +x or -x)";
        add(1, "executable", what.to_owned());
    }
    if !file.is_text || is_made_by_tools(&file.path) {
        return violations;
    }
    if file.path.ends_with(".rs") && !file.text.starts_with("//! ") {
        let what = "open with a //! comment: what it is, what it is not, its source";
        add(1, "module-doc", what.to_owned());
    }
    for (line, text) in (1..).zip(file.text.lines()) {
        let width = text.chars().count();
        if is_width_limited(&file.path) && width > WIDTH && !text.contains("://") {
            add(line, "width", format!("{width} columns, {WIDTH} at most: wrap it"));
        }
        if text.ends_with([' ', '\t', '\r']) && !file.path.ends_with(".md") {
            add(line, "trailing-space", "ends in white space: remove it".to_owned());
        }
        if MERGE_MARKS.iter().any(|mark| text.starts_with(mark)) {
            add(line, "merge-mark", "a merge was not finished here: resolve it".to_owned());
        }
        let attribute = text.trim_start();
        if attribute.starts_with(IGNORED.0) && !attribute.starts_with(IGNORED.1) {
            let what = "an ignored test is reported nowhere: note a skip with its reason (skip.rs)";
            add(line, "ignored", what.to_owned());
        }
        if let Some(word) = UNFINISHED.iter().find(|word| has_word(text, word)) {
            add(line, "unfinished", format!("{word}: finish it, or say in the issue what is left"));
        }
    }
    let lines = file.text.lines().filter(|line| !line.trim().is_empty()).count();
    if is_script(&file.path) && lines > SCRIPT_LINES {
        let what = format!("{lines} lines, {SCRIPT_LINES} at most: one concept a file; split it");
        add(1, "file-length", what);
    }
    violations
}

/// Captures, goldens and lock files are as their tools wrote them.
fn is_made_by_tools(path: &str) -> bool {
    let made = [".snap", ".lock", "package-lock.json", ".svg"];
    made.iter().any(|end| path.ends_with(end))
        || ["fixtures", "golden", "seeds", "snapshots"]
            .iter()
            .any(|folder| path.split('/').any(|part| part == *folder))
}

fn is_script(path: &str) -> bool {
    [".ts", ".js", ".mjs", ".css", ".sh", ".py"].iter().any(|end| path.ends_with(end))
}

/// Tables of prose cannot be wrapped, so Markdown is left to its author; Rust is `layout`'s.
fn is_width_limited(path: &str) -> bool {
    let ends = [".sql", ".html", "Makefile", ".ci/run"];
    is_script(path) || ends.iter().any(|end| path.ends_with(end))
}

/// Whether a word stands alone in a line, so that `mktemp XXXXXX` is none.
fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(path: &str, text: &str) -> Vec<&'static str> {
        let size_bytes = text.len() as u64;
        let (path, text) = (path.to_owned(), text.to_owned());
        let file = File { path, text, size_bytes, is_text: true, is_executable: false };
        check(&file).into_iter().map(|found| found.rule).collect()
    }

    #[test]
    fn a_hundred_columns_pass_whatever_their_bytes() {
        assert_eq!(rules("a.ts", &"é".repeat(100)), [""; 0]);
        assert_eq!(rules("a.ts", &"é".repeat(101)), ["width"]);
        assert_eq!(rules("a.md", &"é".repeat(101)), [""; 0]);
    }

    /// A changelog with both sides of a conflict passed every check.
    #[test]
    fn an_unfinished_merge_is_found() {
        let text = MERGE_MARKS.map(|mark| format!("{mark}HEAD\n- a line\n")).concat();
        assert_eq!(rules("CHANGELOG.md", &text), ["merge-mark"; 2]);
    }

    #[test]
    fn a_test_that_is_ignored_in_silence_is_found() {
        let found = |attribute: &str| rules("a.rs", &format!("//! What.\n    {attribute}\n"));
        assert_eq!(found("#[ignore]"), ["ignored"]);
        assert_eq!(found("#[ignore = \"takes an hour\"]"), ["ignored"]);
        assert_eq!(found("#[ignore = \"not a test: a child\"]"), [""; 0]);
    }

    #[test]
    fn unfinished_work_is_found_as_a_word() {
        for word in UNFINISHED {
            assert_eq!(rules("a.sh", &format!("# {word}: later")), ["unfinished"], "{word}");
            assert_eq!(rules("a.sh", &format!("mktemp {word}abc")), [""; 0], "{word}");
        }
    }

    #[test]
    fn a_script_is_executable_and_a_module_says_what_it_is() {
        assert_eq!(rules("a", "#!/bin/sh"), ["executable"]);
        assert_eq!(rules("a.rs", "fn f() {}"), ["module-doc"]);
        assert_eq!(rules("a.rs", "//! What it is."), [""; 0]);
    }

    #[test]
    fn binaries_are_measured_only() {
        let file = File { path: "a.png".into(), size_bytes: SIZE_BYTES + 1, ..File::default() };
        let found: Vec<_> = check(&file).into_iter().map(|found| found.rule).collect();
        assert_eq!(found, ["file-size"]);
    }
}
