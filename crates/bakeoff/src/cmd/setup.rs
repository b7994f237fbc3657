//! `bakeoff self setup [PLAN]`: what a plan or the demo lacks here, and installing it after a yes.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;

use bakeoff_judge::plan::{self, PlanMachine as PlanHere};
use bakeoff_machine::setup::{self, Here, Privilege, Setup, Uses};
use bakeoff_model::candidate::Stack;
use bakeoff_report as report;

use super::{answer, consent, stored};
use crate::cli::{Format, Global, SetupArgs as Args};
use crate::exec::{find_program, foreground};
use crate::fault::{Fault, Outcome};
use crate::host;
use crate::planning::plan_text;
use crate::signals::Cancel;
use crate::ui::{out, say};

pub const AS_ROOT: [&str; 2] = ["sudo", "doas"];

pub fn run(global: &Global, args: &Args) -> Result<Outcome, Fault> {
    let format = stored::format(global, "self setup")?;
    let uses = uses(args.plan.as_deref())?;
    let found = look(uses);
    if format == Format::Json {
        out::print(Some(format), &report::setup_json(&found))?;
        return Ok(outcome(&found));
    }
    print(&found)?;
    if found.packages().is_empty() {
        return Ok(outcome(&found));
    }
    if found.privilege == Privilege::None {
        return Err(Fault::environment(
            "installing packages needs root, and there is no sudo. Run `bakeoff self setup` as \
             root",
        ));
    }
    if !is_agreed(args.yes) {
        return Ok(Outcome::Open);
    }
    install(&found)?;
    let now = look(found.uses);
    print(&now)?;
    match now.packages().is_empty() {
        true => Ok(outcome(&now)),
        false => Err(Fault::environment(
            "the package manager did not install every package. Its messages are above",
        )),
    }
}

/// What `--install` asks for: installs what a plan or the demo lacks here. What no package manager
/// can install is told by the run itself, as ever.
pub fn install_missing(plan: Option<&Path>) -> Result<(), Fault> {
    let found = look(uses(plan)?);
    if found.packages().is_empty() { Ok(()) } else { install(&found) }
}

fn print(found: &Setup) -> std::io::Result<()> {
    out::print(None, &answer::laid_out(&report::setup_document(found), Format::Text))
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
    let privilege = match rustix::process::geteuid().is_root() {
        true => Privilege::Root,
        false => match AS_ROOT.into_iter().find(|program| is_installed(program)) {
            Some(program) => Privilege::Through(program),
            None => Privilege::None,
        },
    };
    let here = Here {
        is_installed: &is_installed,
        kernel: &host::has_driver,
        manager: host::manager(),
        privilege,
    };
    setup::look(uses, &here)
}

fn outcome(setup: &Setup) -> Outcome {
    if setup.is_complete() { Outcome::Done } else { Outcome::Open }
}

fn is_agreed(yes: bool) -> bool {
    if yes || (consent::can_ask() && consent::says_yes("Install them now?")) {
        return true;
    }
    say::line(format_args!("Nothing was installed. To install without asking: --yes"));
    false
}

/// Installs all packages at once, and one by one where that fails: one unknown name keeps none of
/// the others away.
fn install(found: &Setup) -> Result<(), Fault> {
    // A Ctrl-C is the package manager's to handle; it ends by itself.
    let cancel = Cancel::listen().map_err(Fault::environment)?;
    let packages = found.packages();
    let (refresh, all) = split(found, &packages);
    for command in refresh {
        if !succeeds(&command)? {
            say::line(format_args!(
                "bakeoff: `{}` failed. Continuing with the existing package lists",
                command.join(" ")
            ));
        }
    }
    if succeeds(&all)? || packages.len() == 1 || cancel.is_set() {
        return interrupted(&cancel);
    }
    say::line(format_args!(
        "bakeoff: not all packages could be installed; trying each one separately"
    ));
    for package in packages {
        if cancel.is_set() {
            break;
        }
        succeeds(&split(found, &[package]).1)?;
    }
    interrupted(&cancel)
}

fn split(found: &Setup, packages: &[&str]) -> (Vec<Vec<String>>, Vec<String>) {
    let mut commands = found.commands(packages);
    let install = commands.pop().unwrap_or_default();
    (commands, install)
}

fn succeeds(command: &[String]) -> Result<bool, Fault> {
    say::line(format_args!("$ {}", command.join(" ")));
    Ok(foreground::run(command).map_err(Fault::environment)?.success())
}

fn interrupted(cancel: &Cancel) -> Result<(), Fault> {
    match cancel.is_set() {
        true => Err(Fault::interrupted("interrupted. To see what is missing: bakeoff self setup")),
        false => Ok(()),
    }
}
