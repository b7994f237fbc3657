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
mod nextest;
mod skips;
mod step;

use count::Count;
use fuzz::Search;
use step::{Outcome, Step};

use crate::junit::{self, Case};
use crate::tool;

/// How long each fuzz target runs; `cargo xtask fuzz SECONDS` runs them for longer.
const FUZZ_SECONDS: u32 = 5;

/// Tests of seconds each, which simulate many runs or try every cut of an output: `test` has them.
const LONG: [&str; 7] = [
    "a_clean_machine_gives_no_alarm",
    "every_cut_and_every_flipped_byte_is_noticed",
    "finds_a_lead_on_six_workloads_with_eight_candidates",
    "finds_equals_within_the_margin",
    "looks_name_a_false_winner_as_often_as_numpy_says",
    "names_a_false_winner_among_equals_in_five_percent_of_runs_at_most",
    "what_people_do_to_an_output_gives_none_but_its_own_figures",
];

/// The quick checks, for while working.
pub fn check(root: &Path) -> Result<bool> {
    let mut steps = vec![step::cargo("format", &["fmt", "--all", "--check"])];
    steps.extend([clippy(), fuzz_lints()]);
    steps.push(python("house rules", &["scripts/tidy.py"]));
    steps.push(python("prose", &["scripts/others.py", "prose"]));
    steps.push(python("dependencies", &["scripts/others.py", "dependencies"]).quiet());
    let quick = format!("not test(/({})$/)", LONG.join("|"));
    steps.push(nextest::step("unit tests", &["--lib", "--bins", "-E", &quick])?);
    run(root, steps, Vec::new())
}

/// Every check and test there is.
pub fn test(root: &Path) -> Result<bool> {
    // Most of them wait for a disk or a clock most of the time.
    let threads = format!("--test-threads={}", 2 * std::thread::available_parallelism()?.get());
    let install = ["ci", "--no-audit", "--no-fund", "--loglevel=error"];
    let first = vec![
        step::cargo("format", &["fmt", "--all", "--check"]),
        python("house rules", &["scripts/tidy.py"]),
        python("prose", &["scripts/others.py", "prose"]),
        python("dependencies", &["scripts/others.py", "dependencies"]).quiet(),
        // Before what is compiled, since the program carries the bundle.
        Step::new("web bundle", Command::new("scripts/web.sh")),
        step::npm("web types", "web", &["run", "--silent", "check"]),
        clippy(),
        fuzz_lints(),
        step::cargo("compiled tests", &["test", "--workspace", "--no-run", "--quiet"]),
        // Before the tests, since cargo links it where they find the program.
        python("plain program", &["scripts/release/dist.py", "--plain"]),
        python("packages", &["scripts/release/check_packages.py"]).quiet(),
        pytest("scripts", &["tests/scripts"]).quiet(),
    ];
    let browser = step::npm("browser tests", "tests/browser", &["test", "--silent"]);
    let (targets, fuzz) = fuzz::steps(root, FUZZ_SECONDS, Search::Repeated)?;
    // The tests leave half of the processors to what compiles and computes.
    let beside = vec![
        nextest::step("tests", &[&threads])?,
        python("instructions per I/O", &["bench/instructions.py"]).quiet(),
        targets.quiet().then(fuzz),
        step::npm("browser packages", "tests/browser", &install)
            .quiet()
            .then(vec![browser.reporting("browser-tests.xml").quiet()]),
        machines().quiet(),
        python("32-bit ARM", &["scripts/release/dist.py", "--narrow"]).quiet(),
    ];
    run(root, first, beside)
}

/// The tests on emulated machines that protect people's data; `make test-vm` runs all of them.
/// Two guests at a time. They are all of the PC, so they take the program that is compiled already.
fn machines() -> Step {
    let binary = tool::target().join("dist-test/bakeoff-plain");
    let binary = binary.to_string_lossy();
    let words = "tests/machines -m each_time -n 2 --dist loadfile --binary".split(' ');
    pytest("emulated machines", &words.chain([&*binary]).collect::<Vec<_>>())
}

/// A step of pytest.
fn pytest(name: &str, words: &[&str]) -> Step {
    let report = format!("{}-tests.xml", name.replace(' ', "-"));
    let path = tool::target().join(&report);
    let options = ["-p", "no:cacheprovider", "--junitxml", &path.to_string_lossy()];
    python(name, &[&["-m", "pytest", "-q"], words, &options].concat()).reporting(&report)
}

/// A step of the system's Python, for which scripts/packages installs pytest.
fn python(name: &str, words: &[&str]) -> Step {
    let mut command = Command::new("/usr/bin/python3");
    command.args(words).env("PYTHONDONTWRITEBYTECODE", "1");
    command.env("CARGO_TARGET_DIR", tool::target());
    Step::new(name, command)
}

/// Every fuzz target for so many seconds.
pub fn fuzz(root: &Path, seconds: u32) -> Result<bool> {
    let (targets, fuzz) = fuzz::steps(root, seconds, Search::New)?;
    run(root, vec![targets], fuzz)
}

fn clippy() -> Step {
    let arguments = ["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"];
    step::cargo("lints", &arguments)
}

/// The fuzz targets are a workspace of their own: a change elsewhere breaks them unseen.
fn fuzz_lints() -> Step {
    let target = tool::target();
    let mut arguments = vec!["clippy", "--manifest-path", "fuzz/Cargo.toml", "--quiet", "--locked"];
    let folder = target.to_string_lossy();
    arguments.extend(["--target-dir", &folder, "--", "-D", "warnings"]);
    step::cargo("fuzz lints", &arguments)
}

/// Runs the `first` steps one after another, then the others beside each other, whatever becomes of
/// each, and sums up.
fn run(root: &Path, first: Vec<Step>, beside: Vec<Step>) -> Result<bool> {
    let list = skips_file()?;
    let mut outcomes = Vec::new();
    for step in first {
        outcomes.extend(step.run(root, &list)?);
    }
    let cpus = std::thread::available_parallelism()?.get();
    outcomes.extend(at_once(root, &list, VecDeque::from(beside), cpus)?);
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
    println!("\n{total}");
    Ok(total.failed == 0)
}

/// Runs steps beside each other, as many at a time as there are CPUs, in order of their beginning;
/// each is followed by its own.
fn at_once(root: &Path, skips: &Path, steps: VecDeque<Step>, cpus: usize) -> Result<Vec<Outcome>> {
    let waiting = Mutex::new(steps);
    let next = || waiting.lock().expect("nobody panics with it").pop_front();
    let worker = || -> Result<Vec<Outcome>> {
        let mut outcomes = Vec::new();
        while let Some(step) = next() {
            outcomes.extend(step.run(root, skips)?);
        }
        Ok(outcomes)
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
    let mut text = String::new();
    for (Case { name, outcome }, step) in cases(outcomes) {
        if let junit::Outcome::Failed(said) = outcome {
            text += &format!("\n== failed in {step}: {name}\n{}\n", tool::last_lines(said));
        }
    }
    text += "\n== summary\n";
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
    for (Case { name, outcome }, _) in cases(outcomes) {
        match outcome {
            junit::Outcome::Skipped(why) => text += &format!("SKIPPED: {name}: {why}\n"),
            junit::Outcome::Flaky(said) => {
                text += &format!("FLAKY: {name}\n{}\n", tool::last_lines(said));
            }
            junit::Outcome::Passed | junit::Outcome::Failed(_) => {}
        }
    }
    for skip in skips {
        text += &format!("SKIPPED: {}: {} (needs {})\n", skip.test, skip.reason, skip.needs);
    }
    text
}

/// The tests of all reports, each with the name of its step.
fn cases(outcomes: &[Outcome]) -> impl Iterator<Item = (&Case, &str)> {
    outcomes.iter().flat_map(|step| step.cases.iter().map(|case| (case, step.name.as_str())))
}

/// An empty file for tests to note in why they could not run.
fn skips_file() -> Result<PathBuf> {
    let path = tool::target().join("skipped-tests");
    std::fs::create_dir_all(tool::target())?;
    std::fs::write(&path, "")?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn outcome(passed: u64, failed: u64, skipped: u64) -> Outcome {
        let count = Count { passed, failed, skipped };
        let (name, cases, took) = ("tests".to_owned(), Vec::new(), Duration::ZERO);
        Outcome { name, count, ok: failed == 0, cases, took }
    }

    #[test]
    fn steps_beside_each_other_are_each_run_and_counted() {
        let folder = tempfile::tempdir().unwrap();
        let skips = tempfile::NamedTempFile::new().unwrap();
        let step = |script: &str| {
            let mut command = Command::new("sh");
            command.args(["-c", script]);
            Step::new(script, command).quiet()
        };
        let three = "<testsuite><testcase name='a'/><testcase name='b'><failure>no</failure></testcase>\
            <testcase name='c'><skipped message='why'/></testcase></testsuite>";
        std::fs::write(folder.path().join("three"), three).unwrap();
        let report = folder.path().join("report");
        let steps = VecDeque::from([
            step("cp three report; exit 1").reporting(&report.to_string_lossy()),
            step("true"),
            step("false"),
        ]);
        let outcomes = at_once(folder.path(), skips.path(), steps, 2).unwrap();
        let counts = total(&outcomes, 0, 0);
        assert_eq!(counts, Count { passed: 2, failed: 2, skipped: 1 });
        let said: Vec<&str> = cases(&outcomes).map(|(case, _)| case.name.as_str()).collect();
        assert_eq!(said, ["a", "b", "c"]);
        assert_eq!(outcomes.iter().filter(|outcome| outcome.ok).count(), 1);
    }

    #[test]
    fn what_follows_a_step_begins_when_it_has_ended() {
        let folder = tempfile::tempdir().unwrap();
        let step = |script: &str| {
            let mut command = Command::new("sh");
            command.args(["-c", &format!("cd {}; {script}", folder.path().display())]);
            Step::new(script, command).quiet()
        };
        let skips = tempfile::NamedTempFile::new().unwrap();
        let built = step("sleep 0.1; touch built").then(vec![step("rm built"), step("rm built")]);
        let steps = VecDeque::from([built]);
        let outcomes = at_once(Path::new("/"), skips.path(), steps, 3).unwrap();
        assert_eq!(outcomes.iter().map(|o| o.ok).collect::<Vec<_>>(), [true, true, false]);
    }

    /// Three were skipped by a folder that had moved: the quick checks took 44 s more.
    #[test]
    fn each_long_test_is_there() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let is_gone = |name: &&str| {
            let mut grep = Command::new("git");
            grep.current_dir(&root).args(["grep", "--quiet", &format!("fn {name}("), "--", "*.rs"]);
            !grep.status().unwrap().success()
        };
        let gone: Vec<&str> = LONG.into_iter().filter(is_gone).collect();
        assert_eq!(gone, [""; 0]);
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
