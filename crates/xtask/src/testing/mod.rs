//! Runs every check and test and says at the end how it went, for people and for machines.
//!
//! The last lines are the steps with their times, what was skipped and why, what failed, and one
//! line `N passed, N failed, N skipped`. Checks that are not tests (format, lints, …) count one.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use anyhow::Result;

mod count;
mod fuzz;
mod skips;
mod step;

use count::{Count, Format};
use step::{Outcome, Step};

use crate::dist::plain;
use crate::vm;

/// The quick checks, for while working.
pub fn check(root: &Path) -> Result<bool> {
    let mut steps = vec![step::cargo("format", &["fmt", "--all", "--check"])];
    steps.push(clippy());
    steps.push(step::xtask("house rules", &["tidy"]));
    let tests = ["test", "--workspace", "--lib", "--bins", "--quiet"];
    steps.push(step::cargo("unit tests", &tests).counting(Format::Cargo));
    run(root, steps)
}

/// Every check and test there is.
pub fn test(root: &Path) -> Result<bool> {
    // Most of them wait for a disk or a clock most of the time.
    let threads = format!("--test-threads={}", 2 * std::thread::available_parallelism()?.get());
    let tests = ["test", "--workspace", "--no-fail-fast", "--", &threads];
    let install = ["ci", "--no-audit", "--no-fund", "--loglevel=error"];
    let mut steps = vec![
        step::cargo("format", &["fmt", "--all", "--check"]),
        step::xtask("house rules", &["tidy"]),
        // Before what is compiled, since the program carries the bundle.
        Step::new("web bundle", Command::new("scripts/web.sh")),
        step::npm("web types", "web", &["run", "--silent", "check"]),
        clippy(),
        step::cargo("tests", &tests).counting(Format::Cargo),
        step::xtask("plain program", &["plain"]),
        step::xtask("instructions an I/O", &["bench", "--instructions"]),
        step::npm("browser packages", "tests/browser", &install),
    ];
    let seconds = if step::in_ci() { 30 } else { 10 };
    let mut fuzz = VecDeque::from(fuzz::steps(root, seconds)?);
    steps.extend(fuzz.pop_front());
    // From here on beside each other, what takes longest first.
    steps.push(machines().counting(Format::Ours).quiet());
    let browser = step::npm("browser tests", "tests/browser", &["test", "--silent"]);
    steps.push(browser.counting(Format::Node).quiet());
    steps.extend(fuzz);
    run(root, steps)
}

/// The tests on emulated machines that are worth their time each time; `make test-vm` has them all.
/// They are all of the PC, so what the tests before them compiled is the program they take.
fn machines() -> Step {
    let words = ["test-vm", "--binary", plain::BINARY].into_iter();
    let arguments: Vec<&str> = words.chain(vm::EACH_TIME.iter().copied()).collect();
    step::xtask("emulated machines", &arguments)
}

/// Every fuzz target for so many seconds.
pub fn fuzz(root: &Path, seconds: u32) -> Result<bool> {
    run(root, fuzz::steps(root, seconds)?)
}

fn clippy() -> Step {
    let arguments = ["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"];
    step::cargo("lints", &arguments)
}

/// Runs the steps one after another, whatever becomes of each, and sums up.
fn run(root: &Path, steps: Vec<Step>) -> Result<bool> {
    let list = skips_file(root)?;
    let mut outcomes = Vec::new();
    let cpus = std::thread::available_parallelism()?.get();
    let mut steps = VecDeque::from(steps);
    while let Some(step) = steps.pop_front() {
        println!("\n== {}", step.name());
        if !step.is_quiet() {
            outcomes.push(step.run(root, &list)?);
            continue;
        }
        let mut together = VecDeque::from([step]);
        while steps.front().is_some_and(Step::is_quiet) {
            together.extend(steps.pop_front().inspect(|step| println!("== {}", step.name())));
        }
        outcomes.extend(at_once(root, &list, together, cpus)?);
    }
    let skips = skips::read(&list)?;
    print!("{}", summary(&outcomes, &skips));
    let missed = if step::in_ci() { skips::unexcused(&skips, root)? } else { Vec::new() };
    for skip in &missed {
        println!(
            "FAILED: {}: skipped for want of {}, which scripts/install.sh installs: in CI it has \
             to run",
            skip.test, skip.needs
        );
    }
    let total = total(&outcomes, skips.len() as u64, missed.len() as u64);
    println!("\n{} passed, {} failed, {} skipped", total.passed, total.failed, total.skipped);
    Ok(total.failed == 0)
}

/// Runs steps beside each other, as many at a time as there are CPUs, in order of their beginning.
fn at_once(root: &Path, skips: &Path, steps: VecDeque<Step>, cpus: usize) -> Result<Vec<Outcome>> {
    let waiting = Mutex::new(steps);
    let next = || waiting.lock().expect("nobody panics with it").pop_front();
    let worker = || -> Result<Vec<Outcome>> {
        std::iter::from_fn(next).map(|step| step.run_quietly(root, skips)).collect()
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..cpus).map(|_| scope.spawn(worker)).collect();
        let mut outcomes = Vec::new();
        for worker in workers {
            outcomes.extend(worker.join().expect("a step does not panic")?);
        }
        Ok(outcomes)
    })
}

/// A test that had to skip counted as passed with its runner, so it moves from there.
fn total(outcomes: &[Outcome], skipped: u64, missed: u64) -> Count {
    let mut total = Count::default();
    for outcome in outcomes {
        total.add(outcome.count);
    }
    total.passed = total.passed.saturating_sub(skipped);
    total.skipped += skipped - missed;
    total.failed += missed;
    total
}

fn summary(outcomes: &[Outcome], skips: &[skips::Skip]) -> String {
    let mut text = String::from("\n== summary\n");
    for outcome in outcomes {
        let state = if outcome.ok { "ok" } else { "FAILED" };
        let count = outcome.count;
        text += &format!(
            "{state:<7}{:<24}{:>5} passed{:>4} failed{:>4} skipped{:>8.1} s\n",
            outcome.name,
            count.passed,
            count.failed,
            count.skipped,
            outcome.took.as_secs_f64()
        );
    }
    for ignored in outcomes.iter().flat_map(|outcome| &outcome.ignored) {
        text += &format!("SKIPPED: {ignored}\n");
    }
    for skip in skips {
        text += &format!("SKIPPED: {}: {} (needs {})\n", skip.test, skip.reason, skip.needs);
    }
    text
}

/// An empty file for tests to note in why they could not run.
fn skips_file(root: &Path) -> Result<PathBuf> {
    let path = root.join("target/skipped-tests");
    std::fs::create_dir_all(root.join("target"))?;
    std::fs::write(&path, "")?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(passed: u64, failed: u64, skipped: u64) -> Outcome {
        let count = Count { passed, failed, skipped };
        let took = std::time::Duration::from_secs(1);
        Outcome { name: "tests".into(), count, ok: failed == 0, ignored: Vec::new(), took }
    }

    #[test]
    fn steps_beside_each_other_are_each_run_and_counted() {
        let skips = tempfile::NamedTempFile::new().unwrap();
        let step = |script: &str, format| {
            let mut command = Command::new("sh");
            command.args(["-c", script]);
            Step::new(script, command).counting(format).quiet()
        };
        let steps = VecDeque::from([
            step("echo '3 passed, 1 failed, 2 skipped'; exit 1", Format::Ours),
            step("true", Format::One),
            step("false", Format::One),
        ]);
        let outcomes = at_once(Path::new("/"), skips.path(), steps, 2).unwrap();
        let counts = total(&outcomes, 0, 0);
        assert_eq!(counts, Count { passed: 4, failed: 2, skipped: 2 });
        assert_eq!(outcomes.iter().filter(|outcome| outcome.ok).count(), 1);
    }

    #[test]
    fn a_skip_is_not_a_pass() {
        let total = total(&[outcome(10, 0, 1), outcome(5, 2, 0)], 3, 0);
        assert_eq!(total, Count { passed: 12, failed: 2, skipped: 4 });
    }

    #[test]
    fn a_skip_without_excuse_is_a_failure() {
        let total = total(&[outcome(10, 0, 0)], 3, 1);
        assert_eq!(total, Count { passed: 7, failed: 1, skipped: 2 });
    }
}
