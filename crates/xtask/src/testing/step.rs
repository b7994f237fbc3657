//! One step of a test run: a command, and the tests of the report that it writes.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::Result;

use super::count::Count;
use crate::junit::{self, Case};
use crate::tool;

/// A command with a name for the summary.
pub struct Step {
    name: String,
    folder: &'static str,
    command: Command,
    report: Option<String>,
    is_quiet: bool,
    followers: Vec<Step>,
}

impl Step {
    /// A step that counts as one check, passed when the command succeeds.
    pub fn new(name: &str, command: Command) -> Step {
        let (name, followers) = (name.to_owned(), Vec::new());
        Step { name, folder: "", command, report: None, is_quiet: false, followers }
    }

    /// Counts the tests of the JUnit report that it writes there, below cargo's directory.
    pub fn reporting(mut self, report: &str) -> Step {
        self.report = Some(report.to_owned());
        self
    }

    /// Shows its output only if it fails.
    pub fn quiet(mut self) -> Step {
        self.is_quiet = true;
        self
    }

    /// The steps that use what this one makes: they run after it, one after another.
    pub fn then(mut self, followers: Vec<Step>) -> Step {
        self.followers = followers;
        self
    }

    /// Runs it and its followers. `skips` is the file that tests note their skips in.
    pub fn run(mut self, root: &Path, skips: &Path) -> Result<Vec<Outcome>> {
        let followers = std::mem::take(&mut self.followers);
        println!("\n== {}", self.name);
        let mut outcomes = vec![self.run_alone(root, skips)?];
        for follower in followers {
            outcomes.extend(follower.run(root, skips)?);
        }
        Ok(outcomes)
    }

    fn run_alone(mut self, root: &Path, skips: &Path) -> Result<Outcome> {
        let started = Instant::now();
        let report = self.report.as_ref().map(|report| tool::target().join(report));
        if let Some(report) = report.as_deref().filter(|report| report.exists()) {
            // That of the last time is not the answer of a command that writes none.
            std::fs::remove_file(report)?;
        }
        self.command.current_dir(root.join(self.folder)).env("BAKEOFF_SKIPS", skips);
        self.command.stdin(Stdio::null());
        let ok = if self.is_quiet { self.run_quietly()? } else { self.run_aloud() };
        let cases = match report.filter(|report| report.exists()) {
            Some(report) => junit::read(&std::fs::read_to_string(report)?)?,
            None => Vec::new(),
        };
        let count = count(self.report.is_some(), ok, &cases);
        Ok(Outcome { name: self.name, count, ok, cases, took: started.elapsed() })
    }

    fn run_aloud(&mut self) -> bool {
        match self.command.status() {
            Ok(status) => status.success(),
            Err(error) => {
                println!("{}", self.not_run(&error));
                false
            }
        }
    }

    fn run_quietly(&mut self) -> Result<bool> {
        let (ok, said) = match self.command.output() {
            Ok(output) => (output.status.success(), [output.stdout, output.stderr].concat()),
            Err(error) => (false, self.not_run(&error).into_bytes()),
        };
        if !ok {
            // Locked: other steps may have something to show.
            let mut shown = std::io::stdout().lock();
            writeln!(shown, "{}:", self.name)?;
            shown.write_all(&said)?;
        }
        Ok(ok)
    }

    fn not_run(&self, error: &std::io::Error) -> String {
        format!("cannot run {}: {error}\n", self.command.get_program().display())
    }
}

/// The tests of a step. A command that failed without a failed test (it was not built, it crashed)
/// and a runner that told of no test at all are a failure.
fn count(reports: bool, ok: bool, cases: &[Case]) -> Count {
    let mut count = Count::from_cases(cases);
    if ok && !reports {
        count.passed = 1;
    } else if !ok && count.failed == 0 || ok && cases.is_empty() {
        count.failed += 1;
    }
    count
}

/// What became of a step.
pub struct Outcome {
    /// The step's name.
    pub name: String,
    /// Tests, or one for the step as a whole.
    pub count: Count,
    /// Whether the command succeeded.
    pub ok: bool,
    /// The tests of its report.
    pub cases: Vec<Case>,
    /// How long it took.
    pub took: Duration,
}

/// A step of cargo, the one that runs us.
pub fn cargo(name: &str, arguments: &[&str]) -> Step {
    let mut command = tool::cargo();
    command.args(arguments);
    Step::new(name, command)
}

/// A step of npm in a folder.
pub fn npm(name: &str, folder: &'static str, arguments: &[&str]) -> Step {
    let mut command = Command::new("npm");
    command.args(arguments);
    Step { folder, ..Step::new(name, command) }
}

/// Whether this is a CI run, where nothing may be missing.
pub fn in_ci() -> bool {
    std::env::var_os("CI").is_some_and(|value| value == "true" || value == "1")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::junit::Outcome;

    fn case(outcome: Outcome) -> Case {
        Case { name: "a".to_owned(), outcome }
    }

    #[test]
    fn what_cannot_be_built_has_failed() {
        let failed = Count { failed: 1, ..Count::default() };
        assert_eq!(count(true, false, &[]), failed);
        assert_eq!(count(false, false, &[]), failed);
        assert_eq!(count(false, true, &[]), Count { passed: 1, ..Count::default() });
    }

    #[test]
    fn a_runner_that_ran_nothing_has_failed() {
        assert_eq!(count(true, true, &[]).failed, 1);
    }

    #[test]
    fn a_runner_that_failed_after_its_tests_has_failed() {
        let passed = [case(Outcome::Passed)];
        assert_eq!(count(true, false, &passed), Count { passed: 1, failed: 1, skipped: 0 });
        let failed = [case(Outcome::Failed(String::new()))];
        assert_eq!(count(true, false, &failed), Count { failed: 1, ..Count::default() });
    }
}
