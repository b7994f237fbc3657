//! What the demo and plans need on machines of several kinds.

use crate::plan;
use bakeoff_machine::setup::manager::Manager;
use bakeoff_machine::setup::packages::{self, PackagedTool};
use bakeoff_machine::setup::*;
use bakeoff_model::workload::DriverName;
use bakeoff_tools::driver::driver;

fn missing_on(uses: &Uses, installed: &[&str], drivers: &[&str]) -> Vec<&'static PackagedTool> {
    let here = Here {
        is_installed: &|program| installed.contains(&program),
        has_driver: &|fs| drivers.contains(&fs),
    };
    missing(uses, &here)
}

fn names<'a>(tools: &[&'a PackagedTool]) -> Vec<&'a str> {
    tools.iter().map(|tool| tool.program).collect()
}

const KERNEL: [&str; 8] = ["ext4", "ext2", "xfs", "btrfs", "ntfs3", "f2fs", "exfat", "vfat"];

#[test]
fn the_demo_lacks_what_is_not_installed_and_only_for_drivers_that_are_there() {
    let installed = ["mkfs.ext4", "mkfs.ext2", "mkfs.vfat"];
    let tools = missing_on(&Uses::demo(), &installed, &KERNEL);
    assert_eq!(names(&tools), ["mkfs.xfs", "mkfs.btrfs", "mkfs.ntfs", "mkfs.f2fs", "mkfs.exfat"]);
    let packages = packages_of(&tools, Manager::Apt);
    assert_eq!(packages, ["xfsprogs", "btrfs-progs", "ntfs-3g", "f2fs-tools", "exfatprogs"]);
    assert_eq!(
        missing_on(&Uses::demo(), &installed, &["ext4", "ext2"]),
        Vec::<&PackagedTool>::new()
    );
}

/// A driver in user space is wanted only where the kernel has none of its own.
#[test]
fn fuse_stands_in_for_drivers_that_the_kernel_lacks() {
    let fuse = ["ext4", "ext2", "fuse"];
    let tools = missing_on(&Uses::demo(), &[], &fuse);
    let wanted = ["mkfs.ext4", "mkfs.ext2", "mkfs.ntfs", "mount.ntfs-3g", "mkfs.exfat"];
    assert_eq!(names(&tools), [&wanted[..], &["mount.exfat-fuse"]].concat());
    let packages = ["e2fsprogs", "ntfs-3g-progs", "ntfs-3g", "exfatprogs", "fuse-exfat"];
    assert_eq!(packages_of(&tools, Manager::Apk), packages);
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
    let here = plan::PlanMachine { supports: &|_, _| Ok(()) };
    let workloads = plan::expand(&parsed, &[], &here).unwrap().workloads;
    let tools = missing_on(&parsed.uses(&workloads), &["wipefs", "blkid"], &["fuse"]);
    assert_eq!(
        names(&tools),
        ["mkfs.ntfs", "mount.ntfs-3g", "dmsetup", "cryptsetup", "fio"],
        "the plan's first choice for NTFS is not in this kernel"
    );
}

#[test]
fn each_manager_installs_in_its_own_words() {
    let words = |argv: Vec<String>| argv.join(" ");
    let apt = "apt-get install --yes --no-install-recommends xfsprogs";
    assert_eq!(words(Manager::Apt.install(&["xfsprogs"])), apt);
    assert_eq!(Manager::Apt.refresh().map(words).as_deref(), Some("apt-get update"));
    assert_eq!(words(Manager::Apk.install(&["xfsprogs"])), "apk add --update-cache xfsprogs");
    assert_eq!(Manager::Apk.refresh(), None);
}

#[test]
fn a_program_without_a_package_is_missing_and_not_installed() {
    let drivers = ["fuse"];
    let tools = missing_on(&Uses::demo(), &["mkfs.exfat", "mkfs.ntfs"], &drivers);
    assert_eq!(names(&tools), ["mount.ntfs-3g", "mount.exfat-fuse"]);
    assert_eq!(packages_of(&tools, Manager::Dnf), ["ntfs-3g"]);
}

#[test]
fn every_driver_of_workloads_is_here() {
    for driver in DriverName::ALL.iter().filter_map(|name| driver(*name)) {
        let tool = packages::find(driver.program).expect("it is in the table");
        assert!(tool.package(Manager::Apt).is_some(), "Debian has them all");
    }
}
