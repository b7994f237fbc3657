//! The programs that bakeoff runs, what each is for, and the package that has it on each
//! distribution.
//!
//! Names are those of Debian 12, Fedora 41, Arch, Alpine 3.20 and openSUSE Tumbleweed. `None` means
//! that the distribution's own repositories have no such package.

use super::manager::Manager;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tool {
    pub program: &'static str,
    pub why: &'static str,
    /// Its package, by [`Manager::column`].
    packages: [Option<&'static str>; 5],
    pub version: &'static [&'static str],
}

impl Tool {
    pub fn package(&self, manager: Manager) -> Option<&'static str> {
        self.packages[manager.column()]
    }

    pub fn usual_package(&self) -> Option<&'static str> {
        self.packages.iter().find_map(|package| *package)
    }
}

const fn tool(
    program: &'static str,
    packages: [Option<&'static str>; 5],
    version: &'static [&'static str],
    why: &'static str,
) -> Tool {
    Tool { program, why, packages, version }
}

const fn same(package: &'static str) -> [Option<&'static str>; 5] {
    [Some(package); 5]
}

const E2FS: [Option<&str>; 5] = same("e2fsprogs");
const UTIL_LINUX: [Option<&str>; 5] = same("util-linux");
const MKNTFS: [Option<&str>; 5] =
    [Some("ntfs-3g"), Some("ntfsprogs"), Some("ntfs-3g"), Some("ntfs-3g-progs"), Some("ntfsprogs")];
const BTRFS: [Option<&str>; 5] = [
    Some("btrfs-progs"),
    Some("btrfs-progs"),
    Some("btrfs-progs"),
    Some("btrfs-progs"),
    Some("btrfsprogs"),
];
const EXFAT_FUSE: [Option<&str>; 5] =
    [Some("exfat-fuse"), None, None, Some("fuse-exfat"), Some("fuse-exfat")];
const NILFS: [Option<&str>; 5] = [
    Some("nilfs-tools"),
    Some("nilfs-utils"),
    Some("nilfs-utils"),
    Some("nilfs-utils"),
    Some("nilfs-utils"),
];
const REISERFS: [Option<&str>; 5] =
    [Some("reiserfsprogs"), Some("reiserfs-utils"), None, None, Some("reiserfs")];
const BCACHEFS: [Option<&str>; 5] =
    [None, None, Some("bcachefs-tools"), Some("bcachefs-tools"), Some("bcachefs-tools")];
const CRYPTSETUP: [Option<&str>; 5] = [
    Some("cryptsetup-bin"),
    Some("cryptsetup"),
    Some("cryptsetup"),
    Some("cryptsetup"),
    Some("cryptsetup"),
];
const DMSETUP: [Option<&str>; 5] = [
    Some("dmsetup"),
    Some("device-mapper"),
    Some("device-mapper"),
    Some("device-mapper"),
    Some("device-mapper"),
];
const BONNIE: [Option<&str>; 5] =
    [Some("bonnie++"), Some("bonnie++"), Some("bonnie++"), None, Some("bonnie")];
const IOZONE: [Option<&str>; 5] = [Some("iozone3"), None, None, Some("iozone"), Some("iozone")];

pub const TOOLS: &[Tool] = &[
    tool("mkfs.ext4", E2FS, &["-V"], "creates ext4"),
    tool("mkfs.ext3", E2FS, &["-V"], "creates ext3"),
    tool("mkfs.ext2", E2FS, &["-V"], "creates ext2"),
    tool("mkfs.xfs", same("xfsprogs"), &["-V"], "creates xfs"),
    tool("mkfs.btrfs", BTRFS, &["--version"], "creates btrfs"),
    tool("mkfs.ntfs", MKNTFS, &["--version"], "creates NTFS"),
    tool("mount.ntfs-3g", same("ntfs-3g"), &["--version"], "mounts NTFS in user space"),
    tool("mkfs.f2fs", same("f2fs-tools"), &["-V"], "creates f2fs"),
    tool("mkfs.exfat", same("exfatprogs"), &["-V"], "creates exfat"),
    tool("mount.exfat-fuse", EXFAT_FUSE, &["-V"], "mounts exfat in user space"),
    tool("mkfs.vfat", same("dosfstools"), &["--help"], "creates vfat"),
    tool("mkfs.reiserfs", REISERFS, &["-V"], "creates reiserfs"),
    tool("mkfs.nilfs2", NILFS, &["-V"], "creates nilfs2"),
    tool("mkfs.jfs", same("jfsutils"), &["-V"], "creates jfs"),
    tool("mkfs.bcachefs", BCACHEFS, &["version"], "creates bcachefs"),
    tool("mkfs.udf", same("udftools"), &["--help"], "creates udf"),
    tool("wipefs", UTIL_LINUX, &["--version"], "shows and wipes the signatures on a drive"),
    tool("blkid", UTIL_LINUX, &["--version"], "reads the contents of a drive"),
    tool("blkdiscard", UTIL_LINUX, &["--version"], "discards a region"),
    tool("dmsetup", DMSETUP, &["--version"], "maps a region to a separate device"),
    tool("cryptsetup", CRYPTSETUP, &["--version"], "encrypts a region"),
    tool("lvcreate", same("lvm2"), &["--version"], "creates a logical volume"),
    tool("fio", same("fio"), &["--version"], "runs workloads of plans that use fio"),
    tool("sysbench", same("sysbench"), &["--version"], "runs workloads of plans that use sysbench"),
    tool("bonnie++", BONNIE, &[], "runs workloads of plans that use bonnie++"),
    tool("iozone", IOZONE, &["-v"], "runs workloads of plans that use iozone"),
    tool("dd", same("coreutils"), &["--version"], "runs workloads of plans that use dd"),
    tool("smartctl", same("smartmontools"), &["--version"], "reads the health of a drive"),
];

pub fn find(program: &str) -> Option<&'static Tool> {
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
