//! What a plan or the demo needs of a machine, and what of it is missing.
//!
//! Pure: what is installed and what the kernel has is asked of the caller, and nothing is
//! installed here.

pub mod kernels;
pub mod lacking;
pub mod manager;
pub mod packages;

use crate::prepare::recipe::{Driver, RECIPES, Recipe};
use bakeoff_stats::distinct;
use manager::Manager;
use packages::PackagedTool;

#[derive(Clone, Debug, PartialEq)]
pub struct Uses {
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
        Uses { filesystems: first.map(with_stand_ins).collect(), programs: Vec::new() }
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
    /// Whether the kernel can mount a filesystem of that name.
    pub has_driver: &'a dyn Fn(&str) -> bool,
    pub manager: Option<Manager>,
    pub privilege: Privilege,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    pub programs: Vec<Program>,
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
pub fn look(uses: &Uses, here: &Here) -> Setup {
    let mountable = uses.filesystems.iter().filter_map(|recipes| mountable(recipes, here));
    let mut wanted: Vec<&str> = mountable.flat_map(programs_of).collect();
    wanted.extend(&uses.programs);
    let program = |tool: &'static PackagedTool| Program {
        tool,
        package: here.manager.and_then(|manager| tool.package(manager)),
        is_installed: (here.is_installed)(tool.program),
    };
    let programs =
        distinct::in_order(wanted).into_iter().filter_map(packages::find).map(program).collect();
    Setup { programs, manager: here.manager, privilege: here.privilege }
}

/// The first recipe whose driver the kernel has.
fn mountable(recipes: &[&'static Recipe], here: &Here) -> Option<&'static Recipe> {
    let has = |recipe: &&&'static Recipe| match recipe.driver {
        Driver::Kernel(fs) => (here.has_driver)(fs),
        Driver::Fuse { .. } => (here.has_driver)("fuse"),
        Driver::Raw => true,
    };
    recipes.iter().find(has).copied()
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
