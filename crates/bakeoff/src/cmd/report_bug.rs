//! `bakeoff self report-bug`: the facts that somebody who looks for a bug needs, in one file,
//! without what identifies the machine or its owner unless that is kept. Nothing is sent.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bakeoff_judge::analyse::analyse;
use bakeoff_machine::prepare::recipe::{RECIPES, Recipe};
use bakeoff_machine::setup::packages::{PackagedTool, TOOLS};
use bakeoff_model::path::{RawPath, printable};
use bakeoff_model::run::Run;
use bakeoff_model::verdict::Analysis;
use bakeoff_report::devices::Devices;
use bakeoff_report::facts::{self, Facts, FilesystemFact, ToolFact};
use bakeoff_stats::phrases;

use super::{about, devices, redacted, stored};
use crate::cli::{Global, ReportBug};
use crate::exec::{Spec, find_program};
use crate::fault::{Fault, Outcome};
use crate::host;
use crate::signals::Cancel;
use crate::store::{Records, folded, last_error};
use crate::ui::say;

const FILE: &str = "bakeoff-report.json";
const VERSION_LIMIT: Duration = Duration::from_secs(5);
const VERSION_CHARS: usize = 80;

pub fn run(global: &Global, args: &ReportBug) -> Result<Outcome, Fault> {
    if global.format.is_some() {
        return Err(Fault::usage("report-bug always writes JSON. Omit --format"));
    }
    let cancel = Cancel::listen().map_err(Fault::environment)?;
    let devices = host::system().ok().map(|system| Devices::new(&system, &devices::asker()));
    let tools: Vec<ToolFact> = TOOLS.iter().map(|tool| installed(tool, &cancel)).collect();
    let made = RECIPES.iter().filter(|recipe| !recipe.mkfs.is_empty());
    let (last_run, last_error) = (last_run(global), last_error::kept(global.store.as_deref()));
    let facts = Facts {
        unix_ns: host::unix_ns(),
        about: &about::gather(global.store.as_deref()),
        host: &host::fingerprint(),
        devices: devices.as_ref(),
        tools: &tools,
        filesystems: &made.map(filesystem).collect::<Vec<_>>(),
        last_run: last_run.as_ref().map(|(run, analysis)| (run, analysis)),
        last_error: last_error.as_ref(),
        users: &users(),
    };
    let (text, replaced) = match args.no_redact {
        true => (facts::whole_json(&facts), Vec::new()),
        false => facts::facts_json(&facts),
    };
    if cancel.is_set() {
        return Err(Fault::interrupted("interrupted; nothing was written"));
    }
    redacted::show_few(global, &replaced, " (keep them with --no-redact)");
    let output = args.output.clone().unwrap_or_else(|| PathBuf::from(FILE));
    stored::write_text(Some(&output), &text)?;
    if output == Path::new("-") {
        return Ok(Outcome::Done);
    }
    let replaced = match args.no_redact {
        true => "private values are kept".to_string(),
        false => {
            let count = phrases::count(replaced.len(), "private value");
            format!("{count} replaced by pseudonyms")
        }
    };
    writeln!(
        std::io::stdout(),
        "{} ({} kB; {replaced})\nRead it before you attach it to a report. bakeoff sends nothing.",
        RawPath::new(&output),
        text.len().div_ceil(1000)
    )?;
    Ok(Outcome::Done)
}

fn filesystem(recipe: &Recipe) -> FilesystemFact {
    let lacks = host::support(recipe).err().map(|missing| missing.to_string());
    FilesystemFact { filesystem: recipe.name, lacks }
}

/// The last run; a store that cannot be read is said in the facts about the program.
fn last_run(global: &Global) -> Option<(Run, Analysis)> {
    let store = stored::open_file(global).ok()??;
    let id = store.find("last").ok()?;
    match folded::read(&store, &id) {
        Ok(run) => {
            let analysis = analyse(&run);
            Some((run, analysis))
        }
        Err(error) => {
            say::line(format_args!("bakeoff: the last run is not included: {error}"));
            None
        }
    }
}

fn installed(tool: &PackagedTool, cancel: &Cancel) -> ToolFact {
    let is_installed = find_program(OsStr::new(tool.program)).is_some();
    let asked = is_installed && !tool.version.is_empty() && !cancel.is_set();
    let version = asked.then(|| version(tool, cancel)).flatten();
    ToolFact { program: tool.program, version, installed: is_installed }
}

fn version(tool: &PackagedTool, cancel: &Cancel) -> Option<String> {
    let argv = [tool.program, tool.version];
    // One that does not tell its version is installed all the same.
    let done = Spec::whole_tool(&argv, VERSION_LIMIT).ok()?.run(cancel).ok()?;
    let printed = [done.stdout, done.stderr].concat();
    let text = String::from_utf8_lossy(&printed).into_owned();
    let line = text.lines().find(|line| line.contains(|c: char| c.is_ascii_digit()))?;
    Some(printable(line.trim().as_bytes()).chars().take(VERSION_CHARS).collect())
}

fn users() -> Vec<String> {
    let names = ["USER", "LOGNAME", "SUDO_USER", "DOAS_USER"];
    let mut users: Vec<String> = names.iter().filter_map(|name| std::env::var(name).ok()).collect();
    users.sort();
    users.dedup();
    users
}
