//! How many tests there were, and how they went.

use std::fmt;

use crate::junit::{Case, Outcome};

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
                Outcome::Passed | Outcome::Flaky(_) => count.passed += 1,
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
