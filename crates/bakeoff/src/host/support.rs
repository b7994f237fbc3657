//! Whether a filesystem can be made and mounted here, and if not, what is lacking.

use std::ffi::OsStr;

use bakeoff_machine::prepare::recipe::{self, Driver, Recipe};
use bakeoff_machine::setup::kernels::{self, Kernel, Remedy};
use bakeoff_machine::setup::lacking::{self, Lacking, NoDriver};
use bakeoff_machine::setup::manager::Manager;
use bakeoff_machine::sysinfo::{filesystems, os_release, scheduler};
use bakeoff_model::candidate::{Crypt, Stack};

use super::root::Root;
use crate::exec::find_program;

pub fn support(recipe: &Recipe) -> Result<(), Lacking> {
    supported_in(&Root::system(), recipe, &is_installed)
}

fn supported_in(
    root: &Root,
    recipe: &Recipe,
    is_installed: &dyn Fn(&str) -> bool,
) -> Result<(), Lacking> {
    let need = |program| {
        if is_installed(program) {
            Ok(())
        } else {
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
            if root.path("dev/fuse").exists() {
                Ok(())
            } else {
                Err(Lacking::Other(
                    "/dev/fuse does not exist. Load the module (modprobe fuse), or run outside the \
                     container"
                        .to_string(),
                ))
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
    if offers(root, &kernel, &["dep", "builtin", "alias"], fs) {
        Ok(())
    } else {
        let here = Kernel {
            release: &kernel,
            has_modules: root.path(format!("lib/modules/{kernel}")).is_dir(),
        };
        let remedy = kernels::remedy(fs, here);
        Err(NoDriver { fs: fs.to_string(), kernel, remedy })
    }
}

fn offers(root: &Root, kernel: &str, lists: &[&str], module: &str) -> bool {
    lists.iter().any(|list| {
        let text = root.text(format!("lib/modules/{kernel}/modules.{list}"));
        text.is_some_and(|text| filesystems::has_module(&text, module))
    })
}

pub fn has_driver(fs: &str) -> Result<(), NoDriver> {
    kernel_driver(&Root::system(), fs)
}

pub fn manager() -> Option<Manager> {
    Manager::detect(&distribution(&Root::system()), &is_installed)
}

pub fn install_advice(program: &str) -> String {
    lacking::install_advice(program, likely_manager())
}

pub fn likely_manager() -> Option<Manager> {
    Manager::likely(&distribution(&Root::system()), &is_installed)
}

fn is_installed(program: &str) -> bool {
    find_program(OsStr::new(program)).is_some()
}

fn distribution(root: &Root) -> Vec<String> {
    let text = root.text("etc/os-release").or_else(|| root.text("usr/lib/os-release"));
    os_release::ids(&text.unwrap_or_default())
}

/// Whether everything for a stack is there; what is lacking when not. `drive` is the kernel name of
/// the drive whose settings it changes, where that is known.
pub fn stack_support(stack: &Stack, drive: Option<&str>) -> Result<(), Lacking> {
    if let Some(recipe) = recipe::recipe_of(stack) {
        support(recipe)?;
    }
    let root = Root::system();
    if let Some(crypt) = &stack.crypt {
        // The kernel first: where it lacks a part, installing a program does not help.
        device_mapper(&root)?;
        module(&root, "dm_crypt", "DM_CRYPT").map_err(Lacking::Driver)?;
        cipher(&root, crypt)?;
        program("cryptsetup")?;
    }
    if stack.lvm {
        device_mapper(&root)?;
        program("lvcreate")?;
    }
    if let (Some(wanted), Some(drive)) = (&stack.knobs.scheduler, drive) {
        has_scheduler(&root, wanted, drive)?;
    }
    if let Some(governor) = &stack.knobs.governor {
        has_governor(&root, governor)?;
    }
    Ok(())
}

/// Whether device mapper volumes can be made: the kernel's part and the program.
pub fn dm_runs() -> bool {
    device_mapper(&Root::system()).is_ok() && program("dmsetup").is_ok()
}

fn program(program: &'static str) -> Result<(), Lacking> {
    if is_installed(program) {
        Ok(())
    } else {
        Err(Lacking::Program(lacking::not_installed(program, likely_manager())))
    }
}

fn device_mapper(root: &Root) -> Result<(), Lacking> {
    if root.path("sys/class/misc/device-mapper").exists() {
        Ok(())
    } else {
        module(root, "dm_mod", "BLK_DEV_DM").map_err(Lacking::Driver)
    }
}

fn module(root: &Root, name: &str, option: &str) -> Result<(), NoDriver> {
    if root.path(format!("sys/module/{name}")).exists() {
        return Ok(());
    }
    let kernel = root.attr("proc/sys/kernel/osrelease").unwrap_or_default();
    if offers(root, &kernel, &["dep", "builtin"], name) {
        Ok(())
    } else {
        let options = vec![format!("CONFIG_{option}")];
        let remedy = Remedy::Options { options, has_modules: true };
        Err(NoDriver { fs: name.to_string(), kernel, remedy })
    }
}

/// A cipher that is registered or has a module is taken on trust; Adiantum is a module of its own
/// that small kernels leave out.
fn cipher(root: &Root, crypt: &Crypt) -> Result<(), Lacking> {
    if crypt.cipher.contains("adiantum") {
        if root.text("proc/crypto").unwrap_or_default().contains("adiantum") {
            Ok(())
        } else {
            module(root, "adiantum", "CRYPTO_ADIANTUM").map_err(Lacking::Driver)
        }
    } else {
        Ok(())
    }
}

/// The kernel loads a scheduler's module when it is chosen, so one that is listed nowhere may
/// still be there as a module.
fn has_scheduler(root: &Root, wanted: &str, drive: &str) -> Result<(), Lacking> {
    let text = root.attr(format!("sys/block/{drive}/queue/scheduler"));
    let Some(text) = text else {
        let why = format!("{drive} has no request queue of its own, so it has no I/O scheduler");
        return Err(Lacking::Other(why));
    };
    let available = scheduler::parse(&text).available;
    if available.iter().any(|name| name == wanted) {
        return Ok(());
    }
    let file = match wanted {
        "kyber" => "kyber_iosched",
        other => other,
    };
    let option = format!("IOSCHED_{}", wanted.to_uppercase().replace('-', "_"));
    module(root, file, &option)
        .map_err(|no| Lacking::Other(format!("{no}; {drive} has {}", available.join(", "))))
}

fn has_governor(root: &Root, wanted: &str) -> Result<(), Lacking> {
    let policies = super::cpufreq_policies();
    let Some(policy) = policies.first() else {
        let why = "this machine has no CPU frequency scaling, so it has no governor";
        return Err(Lacking::Other(why.to_string()));
    };
    let file = format!("sys/devices/system/cpu/cpufreq/{policy}/scaling_available_governors");
    let available = root.attr(file).unwrap_or_default();
    if available.split_ascii_whitespace().any(|name| name == wanted) {
        Ok(())
    } else {
        Err(Lacking::Other(format!("this kernel has no governor {wanted}. Available: {available}")))
    }
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

    #[test]
    fn a_missing_module_names_the_kernel_and_its_option() {
        let (_dir, root) = tree(&[
            ("proc/sys/kernel/osrelease", "6.12.0\n"),
            ("lib/modules/6.12.0/modules.dep", "kernel/drivers/md/dm-crypt.ko.xz:\n"),
            ("sys/module/dm_mod/version", "1"),
        ]);
        assert_eq!(module(&root, "dm_crypt", "DM_CRYPT"), Ok(()));
        assert_eq!(device_mapper(&root), Ok(()));
        let no = module(&root, "adiantum", "CRYPTO_ADIANTUM").unwrap_err();
        let options = vec!["CONFIG_CRYPTO_ADIANTUM".to_string()];
        let remedy = Remedy::Options { options, has_modules: true };
        let kernel = "6.12.0".to_string();
        assert_eq!(no, NoDriver { fs: "adiantum".to_string(), kernel, remedy });
    }

    #[test]
    fn schedulers_by_the_queue_or_as_modules() {
        let (_dir, root) = tree(&[
            ("proc/sys/kernel/osrelease", "6.12.0\n"),
            ("lib/modules/6.12.0/modules.dep", "kernel/block/bfq.ko:\n"),
            ("sys/block/sda/queue/scheduler", "none [mq-deadline]\n"),
        ]);
        assert_eq!(has_scheduler(&root, "none", "sda"), Ok(()));
        assert_eq!(has_scheduler(&root, "bfq", "sda"), Ok(()));
        let no = |name, drive| has_scheduler(&root, name, drive).unwrap_err().to_string();
        let kyber = no("kyber", "sda");
        assert!(kyber.contains("has no kyber_iosched,"), "{kyber}");
        assert!(kyber.ends_with("; sda has none, mq-deadline"), "{kyber}");
        assert!(no("none", "dm-0").starts_with("dm-0 has no request queue of its own"));
    }
}
