//! The filesystems bakeoff can make, with the programs and kernel parts each needs.
//!
//! Options follow one rule: what the distribution does, except where a default would start
//! background work or trim only some of the candidates (mke2fs(8) lazy_itable_init and nodiscard,
//! mkfs.xfs(8) -K, mkfs.btrfs(8) -K, mkfs.f2fs(8) -t 0), and noatime for all.

use crate::model::candidate::Stack;

/// One filesystem of the comparison, in a form the host can be asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recipe {
    /// Candidate name.
    pub name: &'static str,
    /// Filesystem type for mount(8).
    pub fs: &'static str,
    /// Program that makes it.
    pub mkfs: &'static str,
    /// Debian package of that program.
    pub package: &'static str,
    /// Words for mkfs before the device.
    pub options: &'static [&'static str],
    /// Mount options.
    pub mount: &'static [&'static str],
    /// How the kernel mounts it.
    pub driver: Driver,
    /// Smallest region it can be made on.
    pub min_bytes: u64,
    /// What it does not promise after a power cut that ext4 with a journal does, if anything.
    pub weaker: Option<&'static str>,
}

/// Who serves the mounted filesystem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Driver {
    /// A kernel driver of this name in /proc/filesystems, built in or as a module.
    Kernel(&'static str),
    /// A program in user space, through FUSE, from a Debian package.
    Fuse {
        /// Program that mount(8) calls.
        program: &'static str,
        /// Its package.
        package: &'static str,
    },
}

const MIB: u64 = 1 << 20;

/// Everything `demo` tries, in the order of its table.
pub const RECIPES: &[Recipe] = &[
    Recipe {
        name: "ext4",
        fs: "ext4",
        mkfs: "mkfs.ext4",
        package: "e2fsprogs",
        options: &["-q", "-F", "-E", "nodiscard,lazy_itable_init=0,lazy_journal_init=0"],
        mount: &["noatime"],
        driver: Driver::Kernel("ext4"),
        min_bytes: 16 * MIB,
        weaker: None,
    },
    Recipe {
        name: "ext4, no journal",
        fs: "ext4",
        mkfs: "mkfs.ext4",
        package: "e2fsprogs",
        options: &["-q", "-F", "-O", "^has_journal", "-E", "nodiscard,lazy_itable_init=0"],
        mount: &["noatime"],
        driver: Driver::Kernel("ext4"),
        min_bytes: 16 * MIB,
        weaker: Some("no journal: a power cut can need a full fsck and lose files"),
    },
    Recipe {
        name: "xfs",
        fs: "xfs",
        mkfs: "mkfs.xfs",
        package: "xfsprogs",
        options: &["-q", "-f", "-K"],
        mount: &["noatime"],
        driver: Driver::Kernel("xfs"),
        min_bytes: 300 * MIB,
        weaker: None,
    },
    Recipe {
        name: "btrfs",
        fs: "btrfs",
        mkfs: "mkfs.btrfs",
        package: "btrfs-progs",
        options: &["-q", "-f", "-K"],
        mount: &["noatime", "nodiscard"],
        driver: Driver::Kernel("btrfs"),
        min_bytes: 128 * MIB,
        weaker: None,
    },
    Recipe {
        name: "ext2",
        fs: "ext2",
        mkfs: "mkfs.ext2",
        package: "e2fsprogs",
        options: &["-q", "-F", "-E", "nodiscard,lazy_itable_init=0"],
        mount: &["noatime"],
        driver: Driver::Kernel("ext2"),
        min_bytes: 16 * MIB,
        weaker: Some("no journal: a power cut can need a full fsck and lose files"),
    },
    Recipe {
        name: "ntfs-3g",
        fs: "ntfs-3g",
        mkfs: "mkfs.ntfs",
        package: "ntfs-3g",
        options: &["-q", "-f", "-F"],
        mount: &["noatime"],
        driver: Driver::Fuse { program: "mount.ntfs-3g", package: "ntfs-3g" },
        min_bytes: 16 * MIB,
        weaker: Some("its journal is not replayed for data; a user-space driver serves it"),
    },
    Recipe {
        name: "f2fs",
        fs: "f2fs",
        mkfs: "mkfs.f2fs",
        package: "f2fs-tools",
        options: &["-q", "-f", "-t", "0"],
        mount: &["noatime", "nodiscard"],
        driver: Driver::Kernel("f2fs"),
        min_bytes: 128 * MIB,
        weaker: Some("fsync_mode=posix, its default, promises less order than ext4"),
    },
    Recipe {
        name: "exfat",
        fs: "exfat",
        mkfs: "mkfs.exfat",
        package: "exfatprogs",
        options: &[],
        mount: &["noatime"],
        driver: Driver::Kernel("exfat"),
        min_bytes: 16 * MIB,
        weaker: Some("no journal: a power cut can lose files"),
    },
    Recipe {
        name: "exfat-fuse",
        fs: "exfat-fuse",
        mkfs: "mkfs.exfat",
        package: "exfatprogs",
        options: &[],
        mount: &["noatime"],
        driver: Driver::Fuse { program: "mount.exfat-fuse", package: "exfat-fuse" },
        min_bytes: 16 * MIB,
        weaker: Some("no journal, and a user-space driver serves it"),
    },
    Recipe {
        name: "vfat",
        fs: "vfat",
        mkfs: "mkfs.vfat",
        package: "dosfstools",
        options: &["-F", "32"],
        mount: &["noatime"],
        driver: Driver::Kernel("vfat"),
        min_bytes: 64 * MIB,
        weaker: Some("no journal: a power cut can lose files"),
    },
];

impl Recipe {
    /// The stack a candidate is made of.
    pub fn stack(&self) -> Stack {
        let words = |list: &[&str]| list.iter().map(|w| w.to_string()).collect();
        Stack {
            fs: self.fs.to_string(),
            mkfs: words(self.options),
            mount: words(self.mount),
            fuse: matches!(self.driver, Driver::Fuse { .. }),
        }
    }
}

/// The recipe whose filesystem and mkfs words a stack carries, or the first of its filesystem.
pub fn recipe_of(stack: &Stack) -> Option<&'static Recipe> {
    let same_fs = || RECIPES.iter().filter(|r| r.fs == stack.fs);
    same_fs()
        .find(|r| r.options.iter().copied().eq(stack.mkfs.iter().map(String::as_str)))
        .or_else(|| same_fs().next())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_every_stack_finds_its_recipe() {
        for (i, recipe) in RECIPES.iter().enumerate() {
            assert!(RECIPES[..i].iter().all(|r| r.name != recipe.name), "{}", recipe.name);
            assert_eq!(recipe_of(&recipe.stack()), Some(recipe));
        }
    }

    #[test]
    fn no_candidate_trims_and_none_keeps_access_times() {
        for recipe in RECIPES {
            assert!(recipe.mount.contains(&"noatime"), "{}", recipe.name);
            let all = recipe.options.join(" ") + " " + &recipe.mount.join(" ");
            let trims_by_default = matches!(recipe.fs, "ext2" | "ext4" | "xfs" | "btrfs" | "f2fs");
            let switched_off = ["nodiscard", "-K", "-t 0"].iter().any(|o| all.contains(o));
            assert!(switched_off || !trims_by_default, "{}", recipe.name);
        }
    }
}
