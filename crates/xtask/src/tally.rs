//! How tests went that this program runs itself, with a line for each as it ends and a last line
//! that `cargo xtask test` reads.

use std::fmt;
use std::time::Instant;

use anyhow::Result;

/// The counts so far.
#[derive(Default)]
pub struct Tally {
    /// Tests that held.
    pub passed: u32,
    /// Names of those that did not.
    pub failed: Vec<String>,
    skipped: u32,
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
        let Err(error) = result else {
            self.passed += 1;
            println!("ok      {name:<68} {took}");
            return true;
        };
        match error.downcast_ref::<Skip>() {
            Some(Skip(reason)) => {
                self.skipped += 1;
                println!("SKIPPED {name:<68} {took}  {reason}");
            }
            None => {
                self.failed.push(name.to_owned());
                println!("FAILED  {name:<68} {took}\n{error:#}\n");
            }
        }
        false
    }

    /// Prints the failed ones again and the sums; whether nothing failed.
    pub fn end(&self) -> bool {
        self.failed.iter().for_each(|name| println!("FAILED  {name}"));
        let failed = self.failed.len();
        println!("\n{} passed, {failed} failed, {} skipped", self.passed, self.skipped);
        failed == 0
    }
}
