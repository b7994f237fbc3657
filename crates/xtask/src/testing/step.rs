//! One step of a test run: a command whose output is shown as it comes and counted on the way.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::count::{Count, Counter, Format};
use crate::tool;

/// A command with a name for the summary.
pub struct Step {
    name: String,
    folder: &'static str,
    command: Command,
    format: Format,
    is_quiet: bool,
    followers: Vec<Step>,
}

impl Step {
    /// A step that counts as one check, passed when the command succeeds.
    pub fn new(name: &str, command: Command) -> Step {
        let (name, followers) = (name.to_owned(), Vec::new());
        Step { name, folder: "", command, format: Format::One, is_quiet: false, followers }
    }

    /// Counts the tests its output tells of.
    pub fn counting(mut self, format: Format) -> Step {
        self.format = format;
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
        let mut outcomes = vec![if self.is_quiet {
            self.run_quietly(root, skips)?
        } else {
            self.run_aloud(root, skips)?
        }];
        for follower in followers {
            outcomes.extend(follower.run(root, skips)?);
        }
        Ok(outcomes)
    }

    /// Runs it and shows each line as it comes.
    fn run_aloud(mut self, root: &Path, skips: &Path) -> Result<Outcome> {
        let started = Instant::now();
        let program = self.command.get_program().to_owned();
        self.command
            .current_dir(root.join(self.folder))
            .env("BAKEOFF_SKIPS", skips)
            .stdin(Stdio::null())
            .stdout(Stdio::piped());
        let mut child = match self.command.spawn() {
            Ok(child) => child,
            Err(error) => {
                println!("cannot run {}: {error}", program.display());
                let count = Count { failed: 1, ..Count::default() };
                let took = started.elapsed();
                return Ok(Outcome { took, ..Outcome::new(self.name, count, false) });
            }
        };
        let output = child.stdout.take().context("its output was asked for")?;
        let mut counter = Counter::new(self.format);
        for line in BufReader::new(output).split(b'\n') {
            let mut line = line.context("reading its output")?;
            counter.line(&String::from_utf8_lossy(&line));
            line.push(b'\n');
            // Not locked between lines: other steps may have something to show.
            std::io::stdout().write_all(&line)?;
        }
        let ok = child.wait()?.success();
        let (ignored, said) = (counter.ignored().to_vec(), counter.said().to_vec());
        let took = started.elapsed();
        Ok(Outcome { ignored, said, took, ..Outcome::new(self.name, counter.finish(ok), ok) })
    }

    /// Runs it and shows its output only if it fails.
    fn run_quietly(mut self, root: &Path, skips: &Path) -> Result<Outcome> {
        let started = Instant::now();
        let program = self.command.get_program().to_owned();
        self.command.current_dir(root.join(self.folder)).env("BAKEOFF_SKIPS", skips);
        let mut counter = Counter::new(self.format);
        let (ok, said) = match self.command.stdin(Stdio::null()).output() {
            Ok(output) => {
                String::from_utf8_lossy(&output.stdout).lines().for_each(|line| counter.line(line));
                (output.status.success(), [output.stdout, output.stderr].concat())
            }
            Err(error) => (false, format!("cannot run {}: {error}\n", program.display()).into()),
        };
        if !ok {
            let mut shown = std::io::stdout().lock();
            writeln!(shown, "{}:", self.name)?;
            shown.write_all(&said)?;
        }
        let ignored = counter.ignored().to_vec();
        let (count, took) = (counter.finish(ok), started.elapsed());
        Ok(Outcome { ignored, took, ..Outcome::new(self.name, count, ok) })
    }
}

/// What became of a step.
pub struct Outcome {
    /// The step's name.
    pub name: String,
    /// Tests, or one for the step as a whole.
    pub count: Count,
    /// Whether the command succeeded.
    pub ok: bool,
    /// Tests that cargo was told to ignore, with their reasons.
    pub ignored: Vec<String>,
    /// What failed tests printed, told again at the end of everything.
    pub said: Vec<String>,
    /// How long it took.
    pub took: Duration,
}

impl Outcome {
    /// An outcome with nothing to tell of yet.
    pub fn new(name: String, count: Count, ok: bool) -> Outcome {
        let (ignored, said) = (Vec::new(), Vec::new());
        Outcome { name, count, ok, ignored, said, took: Duration::ZERO }
    }
}

/// A step of cargo, the one that runs us.
pub fn cargo(name: &str, arguments: &[&str]) -> Step {
    let mut command = tool::cargo();
    command.args(arguments);
    Step::new(name, command)
}

/// A step of this program.
pub fn xtask(name: &str, arguments: &[&str]) -> Step {
    cargo(name, &[&["run", "--quiet", "--bin", "xtask", "--"], arguments].concat())
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
