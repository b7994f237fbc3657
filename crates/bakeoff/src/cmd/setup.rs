//! `--install`: installs what a plan or the demo lacks here.

use std::ffi::OsStr;
use std::path::Path;

use bakeoff_judge::plan::{self, PlanMachine as PlanHere};
use bakeoff_machine::setup::manager::Manager;
use bakeoff_machine::setup::{self, Here, Uses};
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
    let is_installed = |program: &str| find_program(OsStr::new(program)).is_some();
    let has_driver = |fs: &str| host::has_driver(fs).is_ok();
    let here = Here { is_installed: &is_installed, has_driver: &has_driver };
    let missing = setup::missing(&uses(plan)?, &here);
    let Some(manager) = host::manager() else { return Ok(()) };
    let packages = setup::packages_of(&missing, manager);
    if packages.is_empty() {
        return Ok(());
    }
    let as_root = AS_ROOT.into_iter().find(|program| is_installed(program));
    if rustix::process::geteuid().is_root() {
        install(manager, None, &packages)
    } else if as_root.is_some() {
        install(manager, as_root, &packages)
    } else {
        Err(Fault::environment(
            "installing packages needs root, and there is no sudo. Run bakeoff as root",
        ))
    }
}

fn uses(plan: Option<&Path>) -> Result<Uses, Fault> {
    let Some(name) = plan else { return Ok(Uses::demo()) };
    let plan = plan_text::load(name)?;
    // What is not supported here is the question, so nothing is left out for it.
    let supports = |_: &Stack, _: usize| Ok(());
    let here = PlanHere { supports: &supports };
    let made = plan::expand(&plan, &[], &here).map_err(Fault::usage)?;
    Ok(plan.uses(&made.workloads))
}

/// Installs the packages one by one: one unknown name keeps none of the others away. A failure is
/// not the end: the package manager explains it, and the run reports what it lacks.
fn install(manager: Manager, as_root: Option<&str>, packages: &[&str]) -> Result<(), Fault> {
    // A Ctrl-C is the package manager's to handle; it ends by itself.
    let cancel = Cancel::listen().map_err(Fault::environment)?;
    let each = packages.iter().map(|package| manager.install(&[*package]));
    for argv in manager.refresh().into_iter().chain(each) {
        if cancel.is_set() {
            return Err(Fault::interrupted("interrupted; not every package was installed"));
        }
        let command: Vec<String> = as_root.map(str::to_string).into_iter().chain(argv).collect();
        say::line(format_args!("$ {}", command.join(" ")));
        unlimited::foreground(&command).map_err(Fault::environment)?;
    }
    Ok(())
}
