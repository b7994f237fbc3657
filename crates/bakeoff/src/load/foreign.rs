//! Runs a foreign tool on a workload, in a directory of ours.
//!
//! The tool is looked up on PATH; its version is asked first and recorded. It works in the
//! directory it is given and is handed no path but names in it. What it prints is kept.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::time::Duration;

use bakeoff_engine::residency;
use bakeoff_judge::cold_reads;
use bakeoff_model::candidate::Skipped;
use bakeoff_model::host::Counted;
use bakeoff_model::measurement::{Measurement, Tool};
use bakeoff_model::workload::{DriverName, Workload};
use bakeoff_tools::foreign::{self, CommandPlace, Invocation, RawOutput, ToolDriver, Unsupported};
use bakeoff_tools::measured;
use thiserror::Error;

use crate::exec::{ExecError, Finished, Spec};
use crate::host;
use crate::signals::Cancel;

/// Time a tool may take to say its version: one that is first read from a slow card, beside other
/// work, takes seconds. Each is waited for before anything else can be said.
const VERSION_LIMIT: Duration = Duration::from_secs(10);

/// How long a cell of a tool may take where neither mode nor plan limits it.
const CELL_LIMIT: Duration = Duration::from_secs(3600);
/// Beside that a few times as long, within these limits: starting, laying files out, a flush at the
/// end of much on a slow card.
const GRACE: (u32, Duration, Duration) = (6, Duration::from_secs(5), Duration::from_secs(120));

/// Time each command may take that measures `parts` figures, with cells of at most `cell_max_ns`.
pub fn limit(cell_max_ns: Option<u64>, parts: usize) -> Duration {
    let cell = cell_max_ns.map_or(CELL_LIMIT, Duration::from_nanos);
    let grace = cell.saturating_mul(GRACE.0).clamp(GRACE.1, GRACE.2);
    cell.saturating_add(grace).saturating_mul(u32::try_from(parts).unwrap_or(u32::MAX).max(1))
}

/// Why a tool gave no numbers.
#[derive(Debug, Error)]
pub enum ForeignError {
    #[error("{tool} is not installed. {advice}")]
    Missing { tool: &'static str, advice: String },
    /// It was asked for its version and went on.
    #[error(
        "{tool} did not print its version within 10 s. Check that `{command}` exits on its own"
    )]
    Silent { tool: &'static str, command: String },
    #[error("the program installed as {0} does not print its version in the format of {0}")]
    Stranger(&'static str),
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    #[error(transparent)]
    Exec(#[from] ExecError),
    #[error("{0}")]
    Parse(String),
    #[error("cannot {0}: {1}")]
    Io(&'static str, io::Error),
}

/// The numbers of one workload, or which figure is missing; and what the tool printed.
pub type Told = (Result<Measurement, String>, String);

pub struct Installed {
    pub name: DriverName,
    pub version: String,
    driver: &'static dyn ToolDriver,
}

/// Looks a tool up and asks its version. `None` for bakeoff's own engine.
pub fn find(name: DriverName, cancel: &Cancel) -> Result<Option<Installed>, ForeignError> {
    let Some(driver) = foreign::driver(name) else { return Ok(None) };
    let (tool, command) = (name.name(), driver.version_command());
    let asked = Spec::whole_tool(command, VERSION_LIMIT).and_then(|spec| spec.run(cancel));
    let asked = asked.map_err(|error| match error {
        ExecError::Missing { .. } => {
            let advice = host::install_advice(foreign::program(name));
            ForeignError::Missing { tool, advice }
        }
        ExecError::TimedOut { .. } => ForeignError::Silent { tool, command: command.join(" ") },
        ExecError::Start { .. } | ExecError::Interrupted => error.into(),
    })?;
    match driver.version(&raw(asked)) {
        Some(version) => Ok(Some(Installed { name, version, driver })),
        None => Err(ForeignError::Stranger(tool)),
    }
}

impl Installed {
    pub fn invocation(&self, workload: &Workload) -> Result<Invocation, Unsupported> {
        let is_root = rustix::process::geteuid().is_root();
        self.driver.command(workload, &CommandPlace { version: self.version.clone(), is_root })
    }

    /// Runs it in `dir`, which is as [`Invocation::target_set`] wants it, for workloads that belong
    /// together: the numbers of each, or why it told none, with what it printed. A command that
    /// gives the numbers of several is run once. `limit` is for each command. What `counted` read
    /// meanwhile is shared out among the figures of a command as they read.
    pub fn run(
        &self,
        workloads: &[Workload],
        (dir, counted): (&Path, &Counted),
        limit: Duration,
        cancel: &Cancel,
    ) -> Result<Vec<Told>, ForeignError> {
        let mut last: Option<(Invocation, RawOutput)> = None;
        // Of each command: the first of its figures, and what the drives read.
        let mut commands: Vec<(usize, Option<u64>)> = Vec::new();
        let mut all = Vec::with_capacity(workloads.len());
        for workload in workloads {
            let invocation = self.invocation(workload)?;
            let output = match last.take() {
                Some((known, output)) if known == invocation => output,
                _ => {
                    let (output, read) = self.output(&invocation, (dir, counted), limit, cancel)?;
                    commands.push((all.len(), read));
                    output
                }
            };
            let metrics = self.driver.parse(&output).map_err(ForeignError::Parse)?;
            let findings = foreign::findings(self.name, &output);
            let measured =
                measured::measurement(workload, self.tool(&invocation), &metrics, findings);
            all.push((measured, output.kept()));
            last = Some((invocation, output));
        }
        let mut rest = all.as_mut_slice();
        for (first, read) in commands.into_iter().rev() {
            let (before, own) = rest.split_at_mut(first);
            let mut own: Vec<&mut Measurement> =
                own.iter_mut().filter_map(|(measured, _)| measured.as_mut().ok()).collect();
            if let Some(read) = read {
                cold_reads::share_out(&mut own, read);
            }
            rest = before;
        }
        Ok(all)
    }

    fn tool(&self, invocation: &Invocation) -> Tool {
        Tool {
            driver: self.name,
            version: self.version.clone(),
            command: invocation.measure.clone(),
        }
    }

    fn output(
        &self,
        invocation: &Invocation,
        (dir, counted): (&Path, &Counted),
        limit: Duration,
        cancel: &Cancel,
    ) -> Result<(RawOutput, Option<u64>), ForeignError> {
        for (name, text) in &invocation.files {
            let written = fs::write(dir.join(name), text);
            written.map_err(|e| ForeignError::Io("write the tool's job file", e))?;
        }
        let run =
            |argv: &[String]| Spec::whole_tool(argv, limit)?.in_directory(dir).run(cancel).map(raw);
        for argv in &invocation.prepare {
            let output = run(argv)?;
            if !output.is_success {
                return Err(ForeignError::Parse(foreign::failed(self.name, &output)));
            }
        }
        if invocation.cool {
            cool(dir)
                .map_err(|e| ForeignError::Io("drop the tool's files from the page cache", e))?;
        }
        let before = host::Moment::take(counted);
        let output = run(&invocation.measure)?;
        Ok((output, host::Moment::take(counted).since(&before).device_read_bytes))
    }
}

fn raw(finished: Finished) -> RawOutput {
    let is_success = finished.status.success();
    RawOutput { stdout: finished.stdout, stderr: finished.stderr, is_success }
}

/// Takes out the workloads that cannot be had here: their own tool or one of `tools`, which are to
/// do each of them, is missing or has no words for them.
pub fn without_unusable(
    workloads: &mut Vec<Workload>,
    tools: &[DriverName],
    cancel: &Cancel,
) -> Result<Vec<Skipped>, ExecError> {
    let mut dropped = Vec::new();
    let mut known: Vec<(DriverName, Result<Option<Installed>, String>)> = Vec::new();
    for name in workloads.iter().map(|workload| workload.driver).chain(tools.iter().copied()) {
        if known.iter().any(|(other, _)| *other == name) {
            continue;
        }
        let found = match find(name, cancel) {
            Err(ForeignError::Exec(ExecError::Interrupted)) => return Err(ExecError::Interrupted),
            found => found.map_err(|error| error.to_string()),
        };
        known.push((name, found));
    }
    for workload in std::mem::take(workloads) {
        let is_wanted = |name: &DriverName| *name == workload.driver || tools.contains(name);
        let wanted = known.iter().filter(|(name, _)| is_wanted(name));
        let why = wanted.map(|(_, tool)| tool).find_map(|tool| match tool {
            Ok(Some(tool)) => tool.invocation(&workload).err().map(|why| why.to_string()),
            Ok(None) => None,
            Err(why) => Some(why.clone()),
        });
        match why {
            None => workloads.push(workload),
            Some(why) => dropped.push(Skipped::new(workload.name, why)),
        }
    }
    Ok(dropped)
}

fn cool(dir: &Path) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            residency::evict(&File::open(entry.path())?)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_has_the_time_of_its_cells_and_some_more() {
        let seconds =
            |cell_max_s: u64, parts| limit(Some(cell_max_s * 1_000_000_000), parts).as_secs();
        assert_eq!(
            [seconds(20, 1), seconds(20, 2), seconds(0, 1), seconds(2, 1)],
            [140, 280, 5, 14]
        );
        assert_eq!(limit(None, 1).as_secs(), 3720);
    }
}
