//! The programs that bakeoff runs, and the package that has it on each
//! distribution: `data/programs.csv`.

use std::sync::LazyLock;

use super::manager::Manager;
use bakeoff_stats::tables::Table;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackagedTool {
    pub program: &'static str,
    /// Its package, by [`Manager::column`]; empty where the distribution has none.
    packages: [&'static str; 5],
}

impl PackagedTool {
    pub fn package(&self, manager: Manager) -> Option<&'static str> {
        Some(self.packages[manager.column()]).filter(|package| !package.is_empty())
    }

    pub fn usual_package(&self) -> Option<&'static str> {
        self.packages.into_iter().find(|package| !package.is_empty())
    }
}

pub static TOOLS: LazyLock<Vec<PackagedTool>> = LazyLock::new(|| {
    let tool = |[program, packages @ ..]: [&'static str; 6]| PackagedTool { program, packages };
    const TABLE: Table<6> = Table::new(include_str!("../../data/programs.csv"));
    TABLE.rows().map(tool).collect()
});

pub fn find(program: &str) -> Option<&'static PackagedTool> {
    TOOLS.iter().find(|tool| tool.program == program)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prepare::recipe::{Driver, RECIPES};

    #[test]
    fn every_program_of_a_filesystem_is_here_under_its_debian_package() {
        for recipe in RECIPES.iter().filter(|recipe| !recipe.mkfs.is_empty()) {
            let tool = find(recipe.mkfs).unwrap_or_else(|| panic!("{} is missing", recipe.mkfs));
            let package = tool.package(Manager::Apt).unwrap_or(recipe.package);
            assert_eq!(package, recipe.package, "{}", recipe.name);
            if let Driver::Fuse { program, package } = recipe.driver {
                assert_eq!(find(program).and_then(|t| t.package(Manager::Apt)), Some(package));
            }
        }
    }
}
