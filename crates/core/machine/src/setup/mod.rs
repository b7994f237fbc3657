//! What a plan or the demo needs of a machine, and what of it is missing.
//!
//! Pure: what is installed and what the kernel has is asked of the caller, and nothing is
//! installed here. The words are in `setup`.

pub mod kernels;
pub mod lacking;
pub mod manager;
pub mod packages;

use crate::prepare::recipe::{Driver, RECIPES, Recipe};
use bakeoff_stats::distinct;
use lacking::NoDriver;
use manager::Manager;
use packages::PackagedTool;

#[derive(Clone, Debug, PartialEq)]
pub struct Uses {
    /// What it is: "the demo", "the plan sd-card".
    pub what: String,
    pub takes_what_there_is: bool,
    pub filesystems: Vec<Vec<&'static Recipe>>,
    pub programs: Vec<&'static str>,
}

impl Uses {
    /// What `bakeoff demo` compares. What a plan does is in `plan::uses`.
    pub fn demo() -> Uses {
        let stands_in = |first: &Recipe| {
            RECIPES.iter().filter(move |r| r.stands_in_for == Some(first.name)).collect::<Vec<_>>()
        };
        let first = RECIPES.iter().filter(|r| r.in_demo && r.stands_in_for.is_none());
        let with_stand_ins = |recipe| [vec![recipe], stands_in(recipe)].concat();
        Uses {
            what: "the demo".to_string(),
            takes_what_there_is: true,
            filesystems: first.map(with_stand_ins).collect(),
            programs: Vec::new(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Privilege {
    Root,
    Through(&'static str),
    None,
}

/// What has to be asked of this machine.
pub struct Here<'a> {
    pub is_installed: &'a dyn Fn(&str) -> bool,
    /// Whether the kernel can mount a filesystem of that name; what it lacks when not.
    pub kernel: &'a dyn Fn(&str) -> Result<(), NoDriver>,
    pub manager: Option<Manager>,
    pub privilege: Privilege,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    pub uses: Uses,
    pub programs: Vec<Program>,
    pub no_driver: Vec<NoDriver>,
    pub manager: Option<Manager>,
    pub privilege: Privilege,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Program {
    pub tool: &'static PackagedTool,
    pub package: Option<&'static str>,
    pub is_installed: bool,
}

/// Compares what is used with what is there. Programs are wanted only for filesystems that the
/// kernel can mount.
pub fn look(uses: Uses, here: &Here) -> Setup {
    let (mut wanted, mut no_driver) = (Vec::new(), Vec::new());
    for recipes in &uses.filesystems {
        match mountable(recipes, here) {
            Ok(recipe) => wanted.extend(programs_of(recipe)),
            Err(missing) => no_driver.extend(missing),
        }
    }
    wanted.extend(&uses.programs);
    let program = |tool: &'static PackagedTool| Program {
        tool,
        package: here.manager.and_then(|manager| tool.package(manager)),
        is_installed: (here.is_installed)(tool.program),
    };
    let programs =
        distinct::in_order(wanted).into_iter().filter_map(packages::find).map(program).collect();
    Setup { uses, programs, no_driver, manager: here.manager, privilege: here.privilege }
}

/// The first recipe whose driver the kernel has, or why the preferred one cannot be mounted.
fn mountable(
    recipes: &[&'static Recipe],
    here: &Here,
) -> Result<&'static Recipe, Option<NoDriver>> {
    let driver = |recipe: &Recipe| match recipe.driver {
        Driver::Kernel(fs) => fs,
        Driver::Fuse { .. } => "fuse",
        Driver::Raw => "",
    };
    let has =
        |recipe: &Recipe| recipe.driver == Driver::Raw || (here.kernel)(driver(recipe)).is_ok();
    if let Some(recipe) = recipes.iter().find(|recipe| has(recipe)) {
        return Ok(recipe);
    }
    let first = recipes.first();
    Err(first.and_then(|first| {
        let lacking = (here.kernel)(driver(first)).err()?;
        Some(NoDriver { fs: first.fs.to_string(), ..lacking })
    }))
}

fn programs_of(recipe: &'static Recipe) -> Vec<&'static str> {
    match recipe.driver {
        Driver::Fuse { program, .. } => vec![recipe.mkfs, program],
        Driver::Kernel(_) => vec![recipe.mkfs],
        Driver::Raw => Vec::new(),
    }
}

impl Setup {
    pub fn missing(&self) -> impl Iterator<Item = &Program> {
        self.programs.iter().filter(|program| !program.is_installed)
    }

    pub fn packages(&self) -> Vec<&'static str> {
        distinct::in_order(self.missing().filter_map(|program| program.package))
    }

    pub fn is_complete(&self) -> bool {
        let has_drivers = self.no_driver.is_empty() || self.uses.takes_what_there_is;
        has_drivers && self.missing().next().is_none()
    }

    /// The commands that install packages, in order; none where nobody here may, or nothing is
    /// to be installed.
    pub fn commands(&self, packages: &[&str]) -> Vec<Vec<String>> {
        let Some(manager) = self.manager.filter(|_| !packages.is_empty()) else {
            return Vec::new();
        };
        let as_root = |argv: Vec<String>| match self.privilege {
            Privilege::Through(program) => [vec![program.to_string()], argv].concat(),
            Privilege::Root | Privilege::None => argv,
        };
        let all = manager.refresh().into_iter().chain([manager.install(packages)]);
        all.map(as_root).collect()
    }
}
