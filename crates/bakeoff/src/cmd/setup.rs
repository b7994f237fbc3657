//! `--install`: installs what a plan or the demo lacks here.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;

use bakeoff_judge::plan::{self, PlanMachine as PlanHere};
use bakeoff_machine::setup::{self, Here, Privilege, Setup, Uses};
use bakeoff_model::candidate::Stack;

use crate::exec::{find_program, unlimited};
use crate::fault::Fault;
use crate::host;
use crate::planning::plan_text;
use crate::signals::Cancel;
use crate::ui::say;

pub const AS_ROOT: [&str; 2] = ["sudo", "doas"];

/// Installs what a plan or the demo lacks here. The run itself reports what no package manager can
/// install.
pub fn install_missing(plan: Option<&Path>) -> Result<(), Fault> {
    let found = look(uses(plan)?);
    if found.packages().is_empty() {
        return Ok(());
    }
    match found.privilege {
        Privilege::None => Err(Fault::environment(
            "installing packages needs root, and there is no sudo. Run bakeoff as root",
        )),
        Privilege::Root | Privilege::Through(_) => install(&found),
    }
}

fn uses(plan: Option<&Path>) -> Result<Uses, Fault> {
    let Some(name) = plan else { return Ok(Uses::demo()) };
    let plan = plan_text::load(name)?;
    let job_files: BTreeMap<String, String> = plan_text::job_files(&plan)?;
    // What is not supported here is the question, so nothing is left out for it.
    let supports = |_: &Stack, _: usize| Ok(());
    let here = PlanHere { supports: &supports, job_files: &job_files };
    let made = plan::expand(&plan, &[], &here).map_err(Fault::usage)?;
    Ok(plan.uses(&made.workloads))
}

fn look(uses: Uses) -> Setup {
    let is_installed = |program: &str| find_program(OsStr::new(program)).is_some();
    let privilege = if rustix::process::geteuid().is_root() {
        Privilege::Root
    } else {
        match AS_ROOT.into_iter().find(|program| is_installed(program)) {
            Some(program) => Privilege::Through(program),
            None => Privilege::None,
        }
    };
    let here = Here {
        is_installed: &is_installed,
        has_driver: &|fs| host::has_driver(fs).is_ok(),
        manager: host::manager(),
        privilege,
    };
    setup::look(&uses, &here)
}

/// Installs the packages one by one: one unknown name keeps none of the others away. A failure is
/// not the end: the package manager explains it, and the run reports what it lacks.
fn install(found: &Setup) -> Result<(), Fault> {
    // A Ctrl-C is the package manager's to handle; it ends by itself.
    let cancel = Cancel::listen().map_err(Fault::environment)?;
    for (at, package) in found.packages().into_iter().enumerate() {
        let commands = found.commands(&[package]);
        // The package lists are up to date after the first.
        let first = if at == 0 { 0 } else { commands.len().saturating_sub(1) };
        for command in &commands[first..] {
            if cancel.is_set() {
                return Err(Fault::interrupted("interrupted; not every package was installed"));
            }
            say::line(format_args!("$ {}", command.join(" ")));
            unlimited::foreground(command).map_err(Fault::environment)?;
        }
    }
    Ok(())
}
