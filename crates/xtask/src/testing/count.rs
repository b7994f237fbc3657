//! Counts tests from what their runners print: cargo's harness and Node's.

/// How many tests there were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Ran and held.
    pub passed: u64,
    /// Ran and did not hold, or could not be built.
    pub failed: u64,
    /// Did not run.
    pub skipped: u64,
}

impl Count {
    /// Adds another count.
    pub fn add(&mut self, other: Count) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

/// Whose output it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// One check, whatever it prints.
    One,
    /// `test result: ok. 3 passed; 0 failed; 1 ignored; …`, once a test binary.
    Cargo,
    /// `3 passed, 0 failed, 1 skipped`, at the end: our own.
    Ours,
    /// `# pass 3` of Node's TAP reporter, or `ℹ pass 3` of its spec reporter.
    Node,
}

/// The most lines of failed tests that are kept for the end.
const KEPT_LINES: usize = 200;

/// Reads output line by line.
pub struct Counter {
    format: Format,
    count: Count,
    ignored: Vec<String>,
    helpers: u64,
    /// What cargo's failed tests printed, which it tells between two lines of its own.
    said: Vec<String>,
    is_telling: bool,
}

impl Counter {
    /// Nothing counted yet.
    pub fn new(format: Format) -> Counter {
        let (count, ignored, said) = (Count::default(), Vec::new(), Vec::new());
        Counter { format, count, ignored, helpers: 0, said, is_telling: false }
    }

    /// Reads a line.
    pub fn line(&mut self, line: &str) {
        match self.format {
            Format::One => {}
            Format::Ours => self.ours(line),
            Format::Cargo => self.cargo(line),
            Format::Node => self.node(line),
        }
    }

    /// Tests that cargo was told to ignore, with their reasons.
    pub fn ignored(&self) -> &[String] {
        &self.ignored
    }

    /// What failed tests of cargo printed, to be told again where nobody has to look for it.
    pub fn said(&self) -> &[String] {
        &self.said
    }

    /// The count; a command that failed without a failed test (it was not built, it crashed) and
    /// a runner that told of no test at all are a failure.
    pub fn finish(self, ok: bool) -> Count {
        let mut count = self.count;
        count.skipped = count.skipped.saturating_sub(self.helpers);
        let told = count != Count::default();
        if self.format == Format::One && ok {
            count.passed = 1;
        } else if !ok && count.failed == 0 || ok && !told {
            count.failed += 1;
        }
        count
    }

    fn cargo(&mut self, line: &str) {
        if let Some((name, reason)) = line.split_once(" ... ignored, ") {
            // The child of a test is marked so, since only a test can find its own binary.
            if reason.starts_with("not a test: ") {
                self.helpers += 1;
            } else {
                self.ignored.push(format!("{}: {reason}", name.trim_start_matches("test ")));
            }
        }
        match line {
            _ if line.starts_with("---- ") => self.is_telling = true,
            "failures:" => self.is_telling = false,
            _ => {}
        }
        if self.is_telling && self.said.len() < KEPT_LINES && !line.is_empty() {
            self.said.push(line.to_owned());
        }
        let Some(result) = line.strip_prefix("test result: ") else { return };
        let Some((_, counts)) = result.split_once(". ") else { return };
        for part in counts.split("; ") {
            match part.split_once(' ') {
                Some((number, "passed")) => self.count.passed += number.parse().unwrap_or(0),
                Some((number, "failed")) => self.count.failed += number.parse().unwrap_or(0),
                Some((number, "ignored")) => self.count.skipped += number.parse().unwrap_or(0),
                _ => {}
            }
        }
    }

    fn ours(&mut self, line: &str) {
        let mut numbers = [0; 3];
        for (at, name) in ["passed", "failed", "skipped"].into_iter().enumerate() {
            let part = line.split(", ").nth(at).and_then(|part| part.strip_suffix(name));
            match part.and_then(|part| part.trim_end().parse().ok()) {
                Some(number) => numbers[at] = number,
                None => return,
            }
        }
        let [passed, failed, skipped] = numbers;
        self.count = Count { passed, failed, skipped };
    }

    fn node(&mut self, line: &str) {
        let mut words = line.split_whitespace();
        let (Some("#" | "ℹ"), Some(what), Some(number), None) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            return;
        };
        let number = number.parse().unwrap_or(0);
        match what {
            "pass" => self.count.passed += number,
            "fail" | "cancelled" => self.count.failed += number,
            "skipped" | "todo" => self.count.skipped += number,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(format: Format, text: &str, ok: bool) -> (u64, u64, u64) {
        let mut counter = Counter::new(format);
        text.lines().for_each(|line| counter.line(line));
        let count = counter.finish(ok);
        (count.passed, count.failed, count.skipped)
    }

    #[test]
    fn cargo_is_summed_over_its_binaries() {
        let rest = "0 measured; 0 filtered out; finished in 0.1s";
        let text = format!(
            "running 3 tests\ntest result: ok. 3 passed; 0 failed; 1 ignored; {rest}\n\
             test result: FAILED. 4 passed; 2 failed; 0 ignored; {rest}\n"
        );
        assert_eq!(count(Format::Cargo, &text, false), (7, 2, 1));
    }

    #[test]
    fn children_of_tests_are_no_skipped_tests() {
        let text = "test a::child ... ignored, not a test: the child of b\n\
             test a::slow ... ignored, takes an hour\n\
             test result: ok. 3 passed; 0 failed; 2 ignored; 0 measured; 0 filtered out\n";
        assert_eq!(count(Format::Cargo, text, true), (3, 0, 1));
        let mut counter = Counter::new(Format::Cargo);
        text.lines().for_each(|line| counter.line(line));
        assert_eq!(counter.ignored(), ["a::slow: takes an hour"]);
    }

    #[test]
    fn what_failed_tests_printed_is_kept() {
        let text = "test a ... FAILED\n\nfailures:\n\n---- a stdout ----\nthread 'a' panicked:\n\n\
             failures:\n    a\n\ntest result: FAILED. 4 passed; 1 failed; 0 ignored; 0 measured\n";
        let mut counter = Counter::new(Format::Cargo);
        text.lines().for_each(|line| counter.line(line));
        assert_eq!(counter.said(), ["---- a stdout ----", "thread 'a' panicked:"]);
    }

    #[test]
    fn node_is_read_from_both_reporters() {
        let tap = "# tests 5\n# pass 3\n# fail 1\n# cancelled 0\n# skipped 1\n# duration_ms 3\n";
        assert_eq!(count(Format::Node, tap, false), (3, 1, 1));
        assert_eq!(count(Format::Node, "ℹ pass 3\nℹ fail 0\n# Subtest: pass 9", true), (3, 0, 0));
    }

    #[test]
    fn our_own_last_line_is_read() {
        let text = "ok      guard/swap     3.1 s\n12 passed, one failed\n\n40 passed, 2 failed, 1 skipped\n";
        assert_eq!(count(Format::Ours, text, false), (40, 2, 1));
        assert_eq!(count(Format::Ours, "no image for pc", false), (0, 1, 0));
    }

    #[test]
    fn what_cannot_be_built_has_failed() {
        assert_eq!(count(Format::Cargo, "error: expected item", false), (0, 1, 0));
        assert_eq!(count(Format::One, "", false), (0, 1, 0));
        assert_eq!(count(Format::One, "", true), (1, 0, 0));
    }

    #[test]
    fn a_runner_that_ran_nothing_has_failed() {
        assert_eq!(count(Format::Node, "", true), (0, 1, 0));
    }
}
