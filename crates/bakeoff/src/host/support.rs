//! Whether a filesystem can be made and mounted here, and if not, what would mend it.

use std::ffi::OsStr;

use bakeoff_core::prepare::support::{Driver, Recipe};
use bakeoff_core::sysinfo::filesystems;
use thiserror::Error;

use super::root::Root;
use crate::exec::find_program;

/// What is missing for a filesystem.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Missing {
    /// A program.
    #[error("{program} is not installed. Install it: apt install {package}")]
    Program {
        /// The program.
        program: &'static str,
        /// The Debian package that has it.
        package: &'static str,
    },
    /// A driver in the kernel.
    #[error(
        "this kernel ({kernel}) has no {fs}, neither built in nor as a module under /lib/modules. \
         Use a kernel built with CONFIG_{option}"
    )]
    Kernel {
        /// The filesystem.
        fs: String,
        /// `uname -r`.
        kernel: String,
        /// The option, without `CONFIG_`.
        option: String,
    },
    /// /dev/fuse.
    #[error(
        "/dev/fuse does not exist. Load the module (modprobe fuse), or run outside the container"
    )]
    FuseDevice,
}

/// Whether everything for a filesystem is there.
pub fn support(recipe: &Recipe) -> Result<(), Missing> {
    supported_in(&Root::system(), recipe, &|program| find_program(OsStr::new(program)).is_some())
}

fn supported_in(
    root: &Root,
    recipe: &Recipe,
    is_installed: &dyn Fn(&str) -> bool,
) -> Result<(), Missing> {
    let need = |program, package| match is_installed(program) {
        true => Ok(()),
        false => Err(Missing::Program { program, package }),
    };
    match recipe.driver {
        Driver::Raw => Ok(()),
        Driver::Kernel(fs) => {
            need(recipe.mkfs, recipe.package)?;
            kernel_driver(root, fs)
        }
        Driver::Fuse { program, package } => {
            need(recipe.mkfs, recipe.package)?;
            need(program, package)?;
            kernel_driver(root, "fuse")?;
            match root.path("dev/fuse").exists() {
                true => Ok(()),
                false => Err(Missing::FuseDevice),
            }
        }
    }
}

fn kernel_driver(root: &Root, fs: &str) -> Result<(), Missing> {
    let registered = root.text("proc/filesystems").unwrap_or_default();
    if filesystems::is_registered(&registered, fs) {
        return Ok(());
    }
    let kernel = root.attr("proc/sys/kernel/osrelease").unwrap_or_default();
    let offers = |list: &&str| {
        let text = root.text(format!("lib/modules/{kernel}/modules.{list}"));
        text.is_some_and(|text| filesystems::has_module(&text, fs))
    };
    match ["dep", "builtin", "alias"].iter().any(offers) {
        true => Ok(()),
        false => Err(Missing::Kernel { fs: fs.to_string(), option: kernel_option(fs), kernel }),
    }
}

/// The option's name without `CONFIG_`: `EXT4_FS`, but `FUSE_FS`, `F2FS_FS` alike.
fn kernel_option(fs: &str) -> String {
    format!("{}_FS", fs.to_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::root::tree;
    use bakeoff_core::prepare::support::RECIPES;

    fn recipe(name: &str) -> &'static Recipe {
        RECIPES.iter().find(|r| r.name == name).unwrap()
    }

    #[test]
    fn built_in_loaded_loadable_or_missing() {
        let (_dir, root) = tree(&[
            ("proc/filesystems", "nodev\ttmpfs\n\text4\n"),
            ("proc/sys/kernel/osrelease", "6.12.0\n"),
            ("lib/modules/6.12.0/modules.dep", "kernel/fs/f2fs/f2fs.ko.xz:\n"),
        ]);
        let installed = |_: &str| true;
        assert_eq!(supported_in(&root, recipe("ext4"), &installed), Ok(()));
        assert_eq!(supported_in(&root, recipe("f2fs"), &installed), Ok(()));
        let no = supported_in(&root, recipe("vfat"), &installed).unwrap_err().to_string();
        assert!(no.contains("6.12.0") && no.contains("CONFIG_VFAT_FS"), "{no}");
    }

    #[test]
    fn a_missing_program_names_its_package() {
        let (_dir, root) = tree(&[("proc/filesystems", "\text4\n\tfuseblk\nnodev\tfuse\n")]);
        let no = supported_in(&root, recipe("xfs"), &|_| false).unwrap_err().to_string();
        assert_eq!(no, "mkfs.xfs is not installed. Install it: apt install xfsprogs");
        let only_mkfs = |program: &str| program.starts_with("mkfs");
        let no = supported_in(&root, recipe("exfat-fuse"), &only_mkfs).unwrap_err().to_string();
        assert!(no.contains("exfat-fuse"), "{no}");
        assert_eq!(supported_in(&root, recipe("ntfs-3g"), &|_| true), Err(Missing::FuseDevice));
    }
}
