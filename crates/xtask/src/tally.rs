//! How tests went that this program runs itself, with a line for each as it ends and the sums last;
//! as a report, it is what `cargo xtask test` reads.

use std::fmt;
use std::time::Instant;

use anyhow::Result;

use crate::junit::{Case, Outcome};

/// The tests so far.
#[derive(Default)]
pub struct Tally {
    /// In the order in which they ended.
    pub cases: Vec<Case>,
}

/// Why a test could not be run here: an error that counts as skipped.
#[derive(Debug)]
pub struct Skip(pub String);

impl fmt::Display for Skip {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&self.0)
    }
}

impl std::error::Error for Skip {}

impl Tally {
    /// Runs a test and notes how it went; whether it held.
    pub fn run(&mut self, name: &str, test: impl FnOnce() -> Result<()>) -> bool {
        let started = Instant::now();
        let result = test();
        self.add(name, started, "", result)
    }

    /// Notes how a test went, with what else is known of it; whether it held.
    pub fn add(&mut self, name: &str, started: Instant, note: &str, result: Result<()>) -> bool {
        let took = format!("{:>6.1} s{note}", started.elapsed().as_secs_f64());
        let outcome = result.map_or_else(outcome, |()| Outcome::Passed);
        match &outcome {
            Outcome::Passed => println!("ok      {name:<68} {took}"),
            Outcome::Failed(said) => println!("FAILED  {name:<68} {took}\n{said}\n"),
            Outcome::Skipped(why) => println!("SKIPPED {name:<68} {took}  {why}"),
        }
        let held = outcome == Outcome::Passed;
        self.cases.push(Case { name: name.to_owned(), outcome });
        held
    }

    /// Names of the tests that did not hold.
    pub fn failed(&self) -> impl Iterator<Item = &str> {
        let failed = |case: &&Case| matches!(case.outcome, Outcome::Failed(_));
        self.cases.iter().filter(failed).map(|case| case.name.as_str())
    }

    /// Prints the failed ones again and the sums; whether nothing failed.
    pub fn end(&self) -> bool {
        self.failed().for_each(|name| println!("FAILED  {name}"));
        let count = Count::from_cases(&self.cases);
        println!("\n{count}");
        count.failed == 0
    }
}

fn outcome(error: anyhow::Error) -> Outcome {
    match error.downcast_ref::<Skip>() {
        Some(Skip(why)) => Outcome::Skipped(why.clone()),
        None => Outcome::Failed(format!("{error:#}")),
    }
}

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
    /// Counts them.
    pub fn from_cases(cases: &[Case]) -> Count {
        let mut count = Count::default();
        for case in cases {
            match case.outcome {
                Outcome::Passed => count.passed += 1,
                Outcome::Failed(_) => count.failed += 1,
                Outcome::Skipped(_) => count.skipped += 1,
            }
        }
        count
    }

    /// Adds another count.
    pub fn add(&mut self, other: Count) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

impl fmt::Display for Count {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped)
    }
}
