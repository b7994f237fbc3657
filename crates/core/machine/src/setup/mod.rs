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

/// What has to be asked of this machine.
pub struct Here<'a> {
    pub is_installed: &'a dyn Fn(&str) -> bool,
    /// Whether the kernel can mount a filesystem of that name.
    pub has_driver: &'a dyn Fn(&str) -> bool,
}

/// Programs that are used and not installed. Those of a filesystem only where the kernel can mount
/// it.
pub fn missing(uses: &Uses, here: &Here) -> Vec<&'static PackagedTool> {
    let mountable = uses.filesystems.iter().filter_map(|recipes| mountable(recipes, here));
    let mut wanted: Vec<&str> = mountable.flat_map(programs_of).collect();
    wanted.extend(&uses.programs);
    let tools = distinct::in_order(wanted).into_iter().filter_map(packages::find);
    tools.filter(|tool| !(here.is_installed)(tool.program)).collect()
}

/// The packages of these programs, each once.
pub fn packages_of(tools: &[&PackagedTool], manager: Manager) -> Vec<&'static str> {
    distinct::in_order(tools.iter().filter_map(|tool| tool.package(manager)))
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
