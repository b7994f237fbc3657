//! What the demo and plans need on machines of several kinds.

use crate::plan;
use bakeoff_machine::setup::manager::Manager;
use bakeoff_machine::setup::{packages, *};
use bakeoff_model::workload::DriverName;
use bakeoff_tools::driver::driver;

fn machine(uses: Uses, installed: &[&str], drivers: &[&str], manager: Option<Manager>) -> Setup {
    let here = Here {
        is_installed: &|program| installed.contains(&program),
        has_driver: &|fs| drivers.contains(&fs),
        manager,
        privilege: Privilege::Through("sudo"),
    };
    look(&uses, &here)
}

fn missing(setup: &Setup) -> Vec<&str> {
    setup.missing().map(|program| program.tool.program).collect()
}

const KERNEL: [&str; 8] = ["ext4", "ext2", "xfs", "btrfs", "ntfs3", "f2fs", "exfat", "vfat"];

#[test]
fn the_demo_lacks_what_is_not_installed_and_only_for_drivers_that_are_there() {
    let installed = ["mkfs.ext4", "mkfs.ext2", "mkfs.vfat"];
    let setup = machine(Uses::demo(), &installed, &KERNEL, Some(Manager::Apt));
    assert_eq!(missing(&setup), ["mkfs.xfs", "mkfs.btrfs", "mkfs.ntfs", "mkfs.f2fs", "mkfs.exfat"]);
    let packages = setup.packages();
    assert_eq!(packages, ["xfsprogs", "btrfs-progs", "ntfs-3g", "f2fs-tools", "exfatprogs"]);
    let setup = machine(Uses::demo(), &installed, &["ext4", "ext2"], Some(Manager::Apt));
    assert!(missing(&setup).is_empty(), "{setup:?}");
}

/// A driver in user space is wanted only where the kernel has none of its own.
#[test]
fn fuse_stands_in_for_drivers_that_the_kernel_lacks() {
    let fuse = ["ext4", "ext2", "fuse"];
    let setup = machine(Uses::demo(), &[], &fuse, Some(Manager::Apk));
    let wanted = ["mkfs.ext4", "mkfs.ext2", "mkfs.ntfs", "mount.ntfs-3g", "mkfs.exfat"];
    assert_eq!(missing(&setup), [&wanted[..], &["mount.exfat-fuse"]].concat());
    let packages = ["e2fsprogs", "ntfs-3g-progs", "ntfs-3g", "exfatprogs", "fuse-exfat"];
    assert_eq!(setup.packages(), packages);
}

#[test]
fn a_plan_needs_the_programs_of_its_layers_and_drivers() {
    let text = r#"
        title = "t"
        [[stack]]
        fs = "ntfs"
        crypt = { cipher = "aes-xts-plain64", key_bits = 512, sector_size = 4096 }
        [[stack]]
        fs = "reiserfs"
        [[workload]]
        rw = "randread"
        driver = "fio""#;
    let parsed = plan::parse(text, "mine.toml").unwrap();
    let here = plan::PlanMachine { supports: &|_, _| Ok(()), job_files: &Default::default() };
    let workloads = plan::expand(&parsed, &[], &here).unwrap().workloads;
    let setup =
        machine(parsed.uses(&workloads), &["wipefs", "blkid"], &["fuse"], Some(Manager::Dnf));
    assert_eq!(
        missing(&setup),
        ["mkfs.ntfs", "mount.ntfs-3g", "dmsetup", "cryptsetup", "fio"],
        "the plan's first choice for NTFS is not in this kernel"
    );
}

#[test]
fn commands_refresh_what_is_stale_and_go_through_sudo() {
    let commands = |manager| {
        let setup = machine(Uses::demo(), &["mkfs.ext4"], &["ext4", "ext2", "xfs"], manager);
        let typed = setup.commands(&setup.packages());
        typed.iter().map(|argv| argv.join(" ")).collect::<Vec<_>>()
    };
    assert_eq!(
        commands(Some(Manager::Apt)),
        [
            "sudo apt-get update",
            "sudo apt-get install --yes --no-install-recommends xfsprogs e2fsprogs"
        ]
    );
    assert_eq!(commands(Some(Manager::Apk)), ["sudo apk add --update-cache xfsprogs e2fsprogs"]);
    assert!(commands(None).is_empty());
}

#[test]
fn a_program_without_a_package_is_missing_and_not_installed() {
    let drivers = ["fuse"];
    let setup = machine(Uses::demo(), &["mkfs.exfat", "mkfs.ntfs"], &drivers, Some(Manager::Dnf));
    assert_eq!(missing(&setup), ["mount.ntfs-3g", "mount.exfat-fuse"]);
    assert_eq!(setup.packages(), ["ntfs-3g"]);
}

#[test]
fn every_driver_of_workloads_is_here() {
    for driver in DriverName::ALL.iter().filter_map(|name| driver(*name)) {
        let tool = packages::find(driver.program).expect("it is in the table");
        assert!(tool.package(Manager::Apt).is_some(), "Debian has them all");
    }
}
