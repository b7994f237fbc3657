//! Whether a whole stack can be made here: encryption and volumes beside the filesystem.

use std::ffi::OsStr;

use bakeoff_machine::prepare::recipe;
use bakeoff_machine::setup::kernels::Remedy;
use bakeoff_machine::setup::lacking::{Lacking, NoDriver, not_installed};
use bakeoff_machine::sysinfo::{filesystems, scheduler};
use bakeoff_model::candidate::{Crypt, Stack};

use super::root::Root;
use crate::exec::find_program;

/// Whether everything for a stack is there; what is lacking when not. `drive` is the kernel name of
/// the drive whose settings it changes, where that is known.
pub fn stack_support(stack: &Stack, drive: Option<&str>) -> Result<(), Lacking> {
    if let Some(recipe) = recipe::recipe_of(stack) {
        super::support(recipe)?;
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
    match find_program(OsStr::new(program)) {
        Some(_) => Ok(()),
        None => Err(Lacking::Program(not_installed(program, super::likely_manager()))),
    }
}

fn device_mapper(root: &Root) -> Result<(), Lacking> {
    match root.path("sys/class/misc/device-mapper").exists() {
        true => Ok(()),
        false => module(root, "dm_mod", "BLK_DEV_DM").map_err(Lacking::Driver),
    }
}

/// Whether a module is loaded, built in, or can be loaded.
fn module(root: &Root, name: &str, option: &str) -> Result<(), NoDriver> {
    if root.path(format!("sys/module/{name}")).exists() {
        return Ok(());
    }
    let kernel = root.attr("proc/sys/kernel/osrelease").unwrap_or_default();
    let offers = |list: &&str| {
        let text = root.text(format!("lib/modules/{kernel}/modules.{list}"));
        text.is_some_and(|text| filesystems::has_module(&text, name))
    };
    match ["dep", "builtin"].iter().any(offers) {
        true => Ok(()),
        false => {
            let options = vec![format!("CONFIG_{option}")];
            let remedy = Remedy::Options { options, has_modules: true };
            Err(NoDriver { fs: name.to_string(), kernel, remedy })
        }
    }
}

/// A cipher that is registered or has a module is taken on trust; Adiantum is a module of its own
/// that small kernels leave out.
fn cipher(root: &Root, crypt: &Crypt) -> Result<(), Lacking> {
    match crypt.cipher.contains("adiantum") {
        true => match root.text("proc/crypto").unwrap_or_default().contains("adiantum") {
            true => Ok(()),
            false => module(root, "adiantum", "CRYPTO_ADIANTUM").map_err(Lacking::Driver),
        },
        false => Ok(()),
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
    match available.split_ascii_whitespace().any(|name| name == wanted) {
        true => Ok(()),
        false => Err(Lacking::Other(format!(
            "this kernel has no governor {wanted}. Available: {available}"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::root::tree;

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
