//! What a machine lacks for a filesystem, a stack or a tool, and how to get it.

use crate::phrases;
use crate::setup::kernels::{Package, Remedy};
use crate::setup::lacking::{Lacking, NoDriver};
use crate::setup::manager::Manager;
use crate::setup::packages::{self, Tool};

/// What is missing for a stack, and what would help.
pub fn lacking(lacking: &Lacking) -> String {
    match lacking {
        Lacking::Program { program, manager } => not_installed(program, *manager),
        Lacking::Driver(none) => no_driver(none),
        Lacking::FuseDevice => "/dev/fuse does not exist. Load the module (modprobe fuse), or run \
                                outside the container"
            .to_string(),
        Lacking::Queue { drive } => {
            format!("{drive} has no request queue of its own, so it has no I/O scheduler")
        }
        Lacking::Scheduler { module, drive, available } => {
            format!("{}; {drive} has {}", no_driver(module), available.join(", "))
        }
        Lacking::FrequencyScaling => {
            "this machine has no CPU frequency scaling, so it has no governor".to_string()
        }
        Lacking::Governor { wanted, available } => {
            format!("this kernel has no governor {wanted}. Available: {available}")
        }
    }
}

/// A program that is missing.
pub fn not_installed(program: &str, manager: Option<Manager>) -> String {
    format!("{program} is not installed. {}", install_advice(program, manager))
}

/// A driver that the kernel lacks.
pub fn no_driver(none: &NoDriver) -> String {
    let NoDriver { fs, kernel, .. } = none;
    format!(
        "this kernel ({kernel}) has no {fs}, neither built in nor as a module under /lib/modules. \
         {}",
        remedy(&none.remedy)
    )
}

/// Which kernel has what this one lacks: one or two sentences without the last full stop.
pub fn remedy(remedy: &Remedy) -> String {
    match remedy {
        Remedy::Later { fs, since: (major, minor) } => {
            format!("{fs} needs Linux {major}.{minor} or later. Update the kernel")
        }
        Remedy::Earlier { fs, since: (major, minor), removed: (first, without) } => format!(
            "Linux {first}.{without} removed {fs}. Kernels from {major}.{minor} to {first}.{} have \
             it",
            without.saturating_sub(1)
        ),
        Remedy::Package(Package::Debian { package }) => {
            format!("Debian's full kernel has it: apt install {package}, then reboot")
        }
        Remedy::Package(Package::Alpine) => {
            "Alpine's full kernel has it: apk add linux-lts, then reboot".to_string()
        }
        Remedy::Package(Package::Ubuntu { package }) => {
            format!("Ubuntu's extra modules may have it: apt install {package}")
        }
        Remedy::Package(Package::Fedora) => {
            "Fedora's extra modules may have it: dnf install kernel-modules-extra".to_string()
        }
        Remedy::NotInRhel => {
            "This distribution's kernel is built without it. ELRepo's kernel-ml has it".to_string()
        }
        Remedy::Options { options, has_modules: true } => {
            format!("Use a kernel built with {}", phrases::list(options))
        }
        Remedy::Options { options, has_modules: false } => format!(
            "No modules of this kernel are installed: reboot if the kernel was updated, otherwise \
             use a kernel built with {}",
            phrases::list(options)
        ),
    }
}

/// How to install a missing program, for the end of an error message.
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
        None => match tool.and_then(Tool::usual_package) {
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
    fn every_remedy_in_words() {
        let name = |name: &str| name.to_string();
        let options = |has_modules| {
            let options = ["CONFIG_F2FS_FS", "CONFIG_EXFAT_FS"].map(str::to_string).to_vec();
            Remedy::Options { options, has_modules }
        };
        let remedies = [
            Remedy::Later { fs: "ntfs3", since: (5, 15) },
            Remedy::Earlier { fs: "reiserfs", since: (2, 4), removed: (6, 13) },
            Remedy::Package(Package::Debian { package: name("linux-image-arm64") }),
            Remedy::Package(Package::Alpine),
            Remedy::Package(Package::Ubuntu { package: name("linux-modules-extra-6.8.0") }),
            Remedy::Package(Package::Fedora),
            Remedy::NotInRhel,
            options(true),
            options(false),
        ];
        insta::assert_snapshot!(remedies.map(|one| remedy(&one)).join("\n"));
    }

    #[test]
    fn everything_that_can_be_lacking_in_words() {
        let module = |name: &str, option: &str| NoDriver {
            fs: name.to_string(),
            kernel: "6.12.0".to_string(),
            remedy: Remedy::Options { options: vec![option.to_string()], has_modules: true },
        };
        let all = [
            Lacking::Program { program: "mkfs.xfs", manager: Some(Manager::Apt) },
            Lacking::Driver(module("vfat", "CONFIG_VFAT_FS")),
            Lacking::FuseDevice,
            Lacking::Queue { drive: "dm-0".to_string() },
            Lacking::Scheduler {
                module: Box::new(module("kyber_iosched", "CONFIG_IOSCHED_KYBER")),
                drive: "sda".to_string(),
                available: ["none", "mq-deadline"].map(str::to_string).to_vec(),
            },
            Lacking::FrequencyScaling,
            Lacking::Governor {
                wanted: "performance".to_string(),
                available: "powersave schedutil".to_string(),
            },
        ];
        insta::assert_snapshot!(all.map(|one| lacking(&one)).join("\n"));
    }

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
