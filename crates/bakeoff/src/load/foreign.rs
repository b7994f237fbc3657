//! Runs a foreign tool on a workload, in a directory of ours.
//!
//! The tool is looked up on PATH; its version is asked first and recorded. It works in the
//! directory it is given and is handed no path but names in it. What it prints is kept.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::time::Duration;

use bakeoff_engine::residency;
use bakeoff_model::candidate::Skipped;
use bakeoff_model::host::Counted;
use bakeoff_model::measurement::{Measurement, Tool};
use bakeoff_model::workload::{DriverName, Workload};
use bakeoff_tools::driver::{self, CommandPlace, Driver, Invocation, RawOutput, Unsupported};
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

/// Time each command may take, with cells of at most `cell_max_ns`.
pub fn limit(cell_max_ns: Option<u64>) -> Duration {
    let cell = cell_max_ns.map_or(CELL_LIMIT, Duration::from_nanos);
    let grace = cell.saturating_mul(GRACE.0).clamp(GRACE.1, GRACE.2);
    cell.saturating_add(grace)
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

pub struct Installed {
    pub name: DriverName,
    pub version: String,
    driver: &'static Driver,
}

/// Looks a tool up and asks its version. `None` for bakeoff's own engine.
pub fn find(name: DriverName, cancel: &Cancel) -> Result<Option<Installed>, ForeignError> {
    let Some(driver) = driver::driver(name) else { return Ok(None) };
    let (tool, command) = (name.name(), driver.version_command);
    let asked = Spec::whole_tool(command, VERSION_LIMIT).and_then(|spec| spec.run(cancel));
    let asked = asked.map_err(|error| match error {
        ExecError::Missing { .. } => {
            let advice = host::install_advice(driver.program);
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

    /// Runs it in `dir`, which is as its invocation wants it: the numbers, and what it printed.
    /// What `counted` read meanwhile is theirs. `limit` is for each command.
    pub fn run(
        &self,
        workload: &Workload,
        (dir, counted): (&Path, &Counted),
        limit: Duration,
        cancel: &Cancel,
    ) -> Result<(Measurement, String), ForeignError> {
        let invocation = self.invocation(workload)?;
        let (output, read) = self.output(&invocation, (dir, counted), limit, cancel)?;
        let metrics = self.driver.parse(&output).map_err(ForeignError::Parse)?;
        let (tool, findings) = (self.tool(&invocation), self.driver.findings(&output));
        let measured = measured::measurement(workload, tool, &metrics, findings);
        let measured = measured.map_err(ForeignError::Parse)?;
        let device_read_bytes = read.or(measured.device_read_bytes);
        Ok((Measurement { device_read_bytes, ..measured }, output.kept()))
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
        let run =
            |argv: &[String]| Spec::whole_tool(argv, limit)?.in_directory(dir).run(cancel).map(raw);
        if let Some(argv) = &invocation.prepare {
            let output = run(argv)?;
            if !output.is_success {
                return Err(ForeignError::Parse(self.driver.failed(&output)));
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
        let seconds = |cell_max_s: u64| limit(Some(cell_max_s * 1_000_000_000)).as_secs();
        assert_eq!([seconds(20), seconds(0), seconds(2)], [140, 5, 14]);
        assert_eq!(limit(None).as_secs(), 3720);
    }
}
