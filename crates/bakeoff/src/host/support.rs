//! Whether a filesystem can be made and mounted here, and if not, what is lacking.

use std::ffi::OsStr;

use bakeoff_machine::prepare::recipe::{Driver, Recipe};
use bakeoff_machine::setup::kernels::{self, Kernel};
use bakeoff_machine::setup::lacking::{self, Lacking, NoDriver};
use bakeoff_machine::setup::manager::Manager;
use bakeoff_machine::sysinfo::{filesystems, os_release};

use super::root::Root;
use crate::exec::find_program;

/// Whether everything for a filesystem is there.
pub fn support(recipe: &Recipe) -> Result<(), Lacking> {
    supported_in(&Root::system(), recipe, &is_installed)
}

fn supported_in(
    root: &Root,
    recipe: &Recipe,
    is_installed: &dyn Fn(&str) -> bool,
) -> Result<(), Lacking> {
    let need = |program| match is_installed(program) {
        true => Ok(()),
        false => {
            let manager = Manager::likely(&distribution(root), is_installed);
            Err(Lacking::Program(lacking::not_installed(program, manager)))
        }
    };
    match recipe.driver {
        Driver::Raw => Ok(()),
        // The kernel first: where it lacks the filesystem, installing a program does not help.
        Driver::Kernel(fs) => {
            kernel_driver(root, fs).map_err(Lacking::Driver)?;
            need(recipe.mkfs)
        }
        Driver::Fuse { program, .. } => {
            kernel_driver(root, "fuse").map_err(Lacking::Driver)?;
            need(recipe.mkfs)?;
            need(program)?;
            match root.path("dev/fuse").exists() {
                true => Ok(()),
                false => Err(Lacking::Other(
                    "/dev/fuse does not exist. Load the module (modprobe fuse), or run outside the \
                     container"
                        .to_string(),
                )),
            }
        }
    }
}

fn kernel_driver(root: &Root, fs: &str) -> Result<(), NoDriver> {
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
        false => {
            let here = Kernel {
                release: &kernel,
                has_modules: root.path(format!("lib/modules/{kernel}")).is_dir(),
                distribution: &distribution(root),
            };
            let remedy = kernels::remedy(fs, here);
            Err(NoDriver { fs: fs.to_string(), kernel, remedy })
        }
    }
}

/// Whether the kernel can mount a filesystem of that name; what it lacks when not.
pub fn has_driver(fs: &str) -> Result<(), NoDriver> {
    kernel_driver(&Root::system(), fs)
}

pub fn manager() -> Option<Manager> {
    Manager::detect(&distribution(&Root::system()), &is_installed)
}

/// How to install a program here, for the end of an error message.
pub fn install_advice(program: &str) -> String {
    lacking::install_advice(program, likely_manager())
}

/// The package manager for the words of an error, whether or not it is installed.
pub fn likely_manager() -> Option<Manager> {
    Manager::likely(&distribution(&Root::system()), &is_installed)
}

fn is_installed(program: &str) -> bool {
    find_program(OsStr::new(program)).is_some()
}

/// ID and ID_LIKE of the distribution.
fn distribution(root: &Root) -> Vec<String> {
    let text = root.text("etc/os-release").or_else(|| root.text("usr/lib/os-release"));
    os_release::ids(&text.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::root::tree;
    use bakeoff_machine::prepare::recipe::RECIPES;

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
        let no = supported_in(&root, recipe("vfat"), &installed).unwrap_err();
        let Lacking::Driver(no) = no else { panic!("{no:?}") };
        assert_eq!((no.fs.as_str(), no.kernel.as_str()), ("vfat", "6.12.0"));
    }

    /// `apt install reiserfsprogs` was the advice on kernels that have no reiserfs any more.
    #[test]
    fn no_program_is_advised_for_a_filesystem_that_the_kernel_lacks() {
        let (_dir, root) =
            tree(&[("proc/filesystems", "\text4\n"), ("proc/sys/kernel/osrelease", "6.18.0\n")]);
        let lacking = |name| supported_in(&root, recipe(name), &|_| false).unwrap_err();
        for recipe in RECIPES.iter().filter(|r| !matches!(r.driver, Driver::Raw)) {
            let no = lacking(recipe.name);
            let is_kernel = matches!(no, Lacking::Driver(_));
            assert_eq!(is_kernel, recipe.driver != Driver::Kernel("ext4"), "{}", recipe.name);
        }
    }

    #[test]
    fn a_missing_program_is_named_with_the_manager_that_has_it() {
        let registered = "\text4\n\txfs\n\tbtrfs\n\tfuseblk\nnodev\tfuse\n";
        let (_dir, root) = tree(&[("proc/filesystems", registered)]);
        let only = |manager: &'static str| move |program: &str| program == manager;
        let lacks = |program, manager| {
            Err(Lacking::Program(lacking::not_installed(program, Some(manager))))
        };
        let no = supported_in(&root, recipe("xfs"), &only("apt-get"));
        assert_eq!(no, lacks("mkfs.xfs", Manager::Apt));
        let no = supported_in(&root, recipe("btrfs"), &only("zypper"));
        assert_eq!(no, lacks("mkfs.btrfs", Manager::Zypper));
        let only_mkfs = |program: &str| program.starts_with("mkfs") || program == "apt-get";
        let no = supported_in(&root, recipe("exfat-fuse"), &only_mkfs);
        assert_eq!(no, lacks("mount.exfat-fuse", Manager::Apt));
        let no = supported_in(&root, recipe("ntfs-3g"), &|_| true).unwrap_err().to_string();
        assert!(no.starts_with("/dev/fuse does not exist"), "{no}");
    }
}
