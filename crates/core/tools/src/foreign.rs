//! A foreign tool as a driver: from a workload to its command, from its output to figures.
//!
//! Nothing here runs anything. A tool works in a directory of ours, which is its current one, so
//! that every word of its command is ours and no path of the user's is one. What a tool cannot do
//! it says ([`Unsupported`]), and what it does not tell stays unknown: no count and no latency is
//! made up for it.

use thiserror::Error;

use super::measured::{Figures, Work};
use crate::scan::{Finder, FoundMetric, ToolResult};
use bakeoff_model::finding::Finding;
use bakeoff_model::job::{EngineName, Job, Rw};
use bakeoff_model::offsets::Offsets;
use bakeoff_model::path::printable;
use bakeoff_model::profile::{Part, Profile};
use bakeoff_model::workload::{DriverName, Phase, Workload};

/// Most characters of a tool's own words in an error.
const SAID_LIMIT: usize = 300;

/// What a tool finds in the directory it works in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkdirContent {
    /// The candidate's data file, laid out, under this name.
    Data(&'static str),
    New(&'static str),
    Empty,
}

impl WorkdirContent {
    /// What a workload in words needs of a tool that takes a file by its name.
    pub fn for_phase(phase: Phase) -> WorkdirContent {
        match phase {
            Phase::ColdRead | Phase::Overwrite => WorkdirContent::Data("data"),
            Phase::Append => WorkdirContent::New("append"),
            Phase::Metadata | Phase::Whole => WorkdirContent::Empty,
        }
    }

    /// The file's name; `None` for an empty directory.
    pub fn file(self) -> Option<&'static str> {
        match self {
            WorkdirContent::Data(name) | WorkdirContent::New(name) => Some(name),
            WorkdirContent::Empty => None,
        }
    }
}

/// What a command depends on beside its workload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandPlace {
    /// The installed tool's version, as [`Driver::version`] read it.
    pub version: String,
    /// Whether it runs as root: bonnie++ refuses to without being told.
    pub is_root: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invocation {
    pub workdir: WorkdirContent,
    /// Files with these contents, made in the directory first: a job file of fio.
    pub files: Vec<(&'static str, String)>,
    /// Commands that make the files it works on; not measured.
    pub prepare: Vec<Vec<String>>,
    pub cool: bool,
    pub measure: Vec<String>,
}

impl Invocation {
    pub fn plain(workdir: WorkdirContent, measure: Vec<String>) -> Invocation {
        Invocation { workdir, files: Vec::new(), prepare: Vec::new(), cool: false, measure }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{tool} cannot run this: {why}")]
pub struct Unsupported {
    pub tool: &'static str,
    pub why: String,
}

/// Refuses what `tool` has no words for: the first of the reasons that holds.
pub(super) fn refuse(tool: &'static str, reasons: &[(bool, &str)]) -> Result<(), Unsupported> {
    match reasons.iter().find(|(holds, _)| *holds) {
        Some((_, why)) => Err(Unsupported { tool, why: (*why).to_string() }),
        None => Ok(()),
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RawOutput {
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    /// Whether it ended with status 0.
    pub is_success: bool,
}

impl RawOutput {
    /// Both streams, as they are kept with a cell.
    pub fn kept(&self) -> String {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        text(&self.stdout) + &text(&self.stderr)
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    pub job: &'a Job,
    pub part: Option<Part>,
    pub rw: Rw,
}

pub trait ToolDriver {
    fn version_command(&self) -> &'static [&'static str];
    /// The version out of what that printed; `None` when it is another program.
    fn version(&self, output: &RawOutput) -> Option<String>;
    fn command(
        &self,
        workload: &Workload,
        scratch: &CommandPlace,
    ) -> Result<Invocation, Unsupported>;
    /// The figures in its output, in our units, each with the tool's own text; else why it has not
    /// what was asked for, without a full stop.
    fn parse(&self, output: &RawOutput) -> Result<Vec<FoundMetric>, String>;
    fn work(&self, asked: Asked<'_>, figures: Figures<'_>) -> Result<Work, String>;
}

/// The driver of that name; `None` for bakeoff's own engine.
pub fn driver(name: DriverName) -> Option<&'static dyn ToolDriver> {
    Some(match name {
        DriverName::Native => return None,
        DriverName::Fio => &super::fio::command::Fio,
        DriverName::Sysbench => &super::sysbench::command::Sysbench,
        DriverName::Bonnie => &super::bonnie::command::BonnieCommand,
        DriverName::Iozone => &super::iozone::command::IozoneCommand,
        DriverName::Dd => &super::dd::command::DdCommand,
    })
}

/// The part of the profile that is a tool's own, `None` for what is no profile. Of another profile
/// a tool would do something else under the same name.
pub(super) fn own_part(
    tool: &'static str,
    own: Option<Profile>,
    workload: &Workload,
) -> Result<Option<Part>, Unsupported> {
    let Some(part) = workload.profile.filter(|part| Some(part.profile) != own) else {
        return Ok(workload.profile);
    };
    let name = part.profile.name();
    let is_a_driver = DriverName::ALL.iter().any(|driver| driver.name() == name);
    let or_itself = if is_a_driver { format!(" or \"{name}\"") } else { String::new() };
    let why = format!("profile = \"{name}\" needs driver = \"native\"{or_itself}");
    Err(Unsupported { tool, why })
}

/// Bytes to move: what is asked for; of writes that wait in memory for a flush at the end one pass,
/// because a page that is written again there costs nothing and reaches no disk.
pub(super) fn amount(job: &Job) -> Option<u64> {
    let waits = job.rw.writes() && !job.direct && job.fsync == 0 && job.fdatasync == 0;
    job.io_size.or(waits.then_some(job.size))
}

/// Refuses what neither dd nor sysbench nor iozone has words for.
pub(super) fn refuse_beyond_plain(tool: &'static str, job: &Job) -> Result<(), Unsupported> {
    let is_plain = matches!(job.offsets, Offsets::Uniform | Offsets::Once);
    refuse(
        tool,
        &[
            (job.engine != EngineName::Psync, "it uses only read and write calls: omit engine"),
            (!is_plain, "its offsets are sequential or uniformly random: omit offsets"),
        ],
    )
}

pub fn one_result(tool: &'static str, output: &RawOutput) -> Result<ToolResult, String> {
    let mut finder = Finder::for_tool(tool);
    finder.push(&output.stdout);
    finder.push(b"\n");
    finder.push(&output.stderr);
    let found = finder.finish();
    let said = || found.unread.first().map_or_else(|| said(output), |unread| unread.why.clone());
    match found.results.as_slice() {
        _ if !output.is_success => Err(format!("{tool} failed: {}", said())),
        [result] => Ok(result.clone()),
        results => Err(format!(
            "{tool} printed {} results where one was expected: {}",
            results.len(),
            said()
        )),
    }
}

/// What limits the figures of an output, as `show FILE` would say; of its figures alone, because what
/// the command asks for stands in the workload.
pub fn findings(name: DriverName, output: &RawOutput) -> Vec<Finding> {
    let tool = program(name);
    one_result(tool, output).map(|result| result.findings).unwrap_or_default()
}

/// The error for a command that ended with another status than 0.
pub fn failed(name: DriverName, output: &RawOutput) -> String {
    format!("{} failed: {}", name.name(), said(output))
}

pub fn program(name: DriverName) -> &'static str {
    if name == DriverName::Bonnie { "bonnie++" } else { name.name() }
}

/// A tool's last words, harmless and short.
fn said(output: &RawOutput) -> String {
    let of = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        let last = &lines[lines.len().saturating_sub(3)..];
        last.join(" / ").chars().take(SAID_LIMIT).collect::<String>()
    };
    let stderr = of(&output.stderr);
    let text = if stderr.is_empty() { of(&output.stdout) } else { stderr };
    match text.is_empty() {
        true => "it printed nothing".to_string(),
        false => printable(text.as_bytes()),
    }
}

/// The words of a command: `program --name=value …`.
pub(super) struct Words(pub Vec<String>);

impl Words {
    pub fn new(words: &[&str]) -> Words {
        Words(words.iter().map(|word| (*word).to_string()).collect())
    }

    pub fn long(&mut self, name: &str, value: impl std::fmt::Display) -> &mut Words {
        self.0.push(format!("--{name}={value}"));
        self
    }

    pub fn add(&mut self, words: &[&str]) -> &mut Words {
        self.0.extend(words.iter().map(|word| (*word).to_string()));
        self
    }
}
