//! What a stack needs, and a machine lacks, and how to get it.

use std::fmt;

use super::kernels::Remedy;
use super::manager::Manager;
use super::packages::{self, PackagedTool};

/// What is missing for a stack, and what would help.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lacking {
    Program(String),
    Driver(NoDriver),
    Other(String),
}

impl fmt::Display for Lacking {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Lacking::Program(words) | Lacking::Other(words) => out.write_str(words),
            Lacking::Driver(none) => none.fmt(out),
        }
    }
}

/// A filesystem or another module that the kernel has neither built in nor as a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoDriver {
    pub fs: String,
    pub kernel: String,
    pub remedy: Remedy,
}

impl NoDriver {
    /// What one remedy gives a driver to: the filesystems, and the first of them with that remedy.
    pub fn together(all: &[NoDriver]) -> Vec<(NoDriver, Vec<String>)> {
        let mut groups: Vec<(NoDriver, Vec<String>)> = Vec::new();
        for one in all {
            let mut known = groups.iter_mut();
            match known.find_map(|(of, names)| of.remedy.absorb(&one.remedy).then_some(names)) {
                Some(names) => names.push(one.fs.clone()),
                None => groups.push((one.clone(), vec![one.fs.clone()])),
            }
        }
        groups
    }
}

impl fmt::Display for NoDriver {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NoDriver { fs, kernel, remedy } = self;
        write!(
            out,
            "this kernel ({kernel}) has no {fs}, neither built in nor as a module under \
             /lib/modules. {remedy}"
        )
    }
}

pub fn not_installed(program: &str, manager: Option<Manager>) -> String {
    format!("{program} is not installed. {}", install_advice(program, manager))
}

pub fn install_advice(program: &str, manager: Option<Manager>) -> String {
    let tool = packages::find(program);
    match manager.zip(tool).map(|(manager, tool)| (manager, tool.package(manager))) {
        Some((Manager::Apt, Some("iozone3"))) => {
            "Install it: apt install iozone3 (in non-free)".to_string()
        }
        Some((manager, Some(package))) => format!("Install it: {}", manager.hint(package)),
        Some((manager, None)) => {
            format!("The repositories of {} do not have it", manager.program())
        }
        None => match tool.and_then(PackagedTool::usual_package) {
            Some(package) => format!(
                "Install it with the package manager of this system (usual package: {package})"
            ),
            None => "Install it with the package manager of this system".to_string(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_is_for_this_distribution() {
        let words = |manager| install_advice("mkfs.btrfs", manager);
        assert_eq!(words(Some(Manager::Zypper)), "Install it: zypper install btrfsprogs");
        assert_eq!(words(Some(Manager::Apt)), "Install it: apt install btrfs-progs");
        assert!(words(None).contains("package manager"));
        assert!(install_advice("mount.exfat-fuse", Some(Manager::Dnf)).contains("do not have it"));
        assert!(words(None).contains("(usual package: btrfs-progs)"), "{}", words(None));
    }
}
