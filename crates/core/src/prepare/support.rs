//! The filesystems bakeoff can make, with the programs and kernel parts each needs.
//!
//! Options follow one rule: what the distribution does, except where a default would start
//! background work or trim only some of the candidates (mke2fs(8) lazy_itable_init and nodiscard,
//! mkfs.xfs(8) -K, mkfs.btrfs(8) -K, mkfs.f2fs(8) -t 0, mkfs.nilfs2(8) -K), and noatime for all.
//! How options are put together is in [`super::options`].

use crate::model::candidate::{Candidate, Kind, Stack};

/// The filesystem whose mkfs compares the files behind loop devices.
pub const BTRFS: &str = "btrfs";
/// The word for no filesystem at all: workloads go to the device itself.
pub const RAW: &str = "raw";

/// The word for NTFS by whichever driver is there.
pub const NTFS: &str = "ntfs";

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
    /// Bytes of a region, however small, that no file gets: what is known of it beforehand.
    pub keeps_bytes: u64,
    /// Bytes that a file without any takes.
    pub file_bytes: u64,
    /// Further mount options that bring what fsync promises up to what ext4 promises, and what is
    /// lost without fsync down to 5 s.
    pub equalised: &'static [&'static str],
    /// Whether it is consistent after a crash without a check: it keeps a journal or copies on
    /// write.
    pub has_journal: bool,
    /// Tried only where that recipe is not supported.
    pub stands_in_for: Option<&'static str>,
    /// Whether `demo` tries it: what people choose among today.
    pub in_demo: bool,
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
    /// Nobody: the device itself.
    Raw,
}

const MIB: u64 = 1 << 20;
const E2FS: &[&str] = &["-q", "-F", "-E", "nodiscard,lazy_itable_init=0"];
const E2FS_JOURNAL: &[&str] =
    &["-q", "-F", "-E", "nodiscard,lazy_itable_init=0,lazy_journal_init=0"];

/// What most recipes are: a kernel driver called as the filesystem, nothing special.
const fn kernel(fs: &'static str, mkfs: &'static str, package: &'static str) -> Recipe {
    Recipe {
        name: fs,
        fs,
        mkfs,
        package,
        options: &[],
        mount: &["noatime"],
        driver: Driver::Kernel(fs),
        min_bytes: 16 * MIB,
        keeps_bytes: 0,
        file_bytes: 0,
        equalised: &[],
        has_journal: true,
        stands_in_for: None,
        in_demo: true,
    }
}

/// Every filesystem, in the order of tables. What `equalised` holds is explained in docs/plans.md;
/// sources: ext4(5), btrfs(5), the kernel's f2fs.rst and nilfs2.rst, fs/reiserfs/super.c.
pub const RECIPES: &[Recipe] = &[
    Recipe {
        options: E2FS_JOURNAL,
        equalised: &["barrier=1", "data=ordered", "commit=5"],
        ..kernel("ext4", "mkfs.ext4", "e2fsprogs")
    },
    Recipe {
        name: "ext4 without journal",
        options: &["-q", "-F", "-O", "^has_journal", "-E", "nodiscard,lazy_itable_init=0"],
        equalised: &["barrier=1", "dirsync"],
        has_journal: false,
        ..kernel("ext4", "mkfs.ext4", "e2fsprogs")
    },
    Recipe {
        options: &["-q", "-f", "-K"],
        min_bytes: 300 * MIB,
        keeps_bytes: 80 * MIB,
        ..kernel("xfs", "mkfs.xfs", "xfsprogs")
    },
    Recipe {
        options: &["-q", "-f", "-K"],
        mount: &["noatime", "nodiscard"],
        min_bytes: 128 * MIB,
        keeps_bytes: 80 * MIB,
        equalised: &["barrier", "commit=5"],
        ..kernel("btrfs", "mkfs.btrfs", "btrfs-progs")
    },
    Recipe {
        options: E2FS,
        equalised: &["dirsync"],
        has_journal: false,
        ..kernel("ext2", "mkfs.ext2", "e2fsprogs")
    },
    Recipe {
        options: E2FS_JOURNAL,
        equalised: &["barrier=1", "data=ordered", "commit=5"],
        in_demo: false,
        ..kernel("ext3", "mkfs.ext3", "e2fsprogs")
    },
    Recipe { options: &["-q", "-f", "-F"], ..kernel("ntfs3", "mkfs.ntfs", "ntfs-3g") },
    Recipe {
        options: &["-q", "-f", "-F"],
        driver: Driver::Fuse { program: "mount.ntfs-3g", package: "ntfs-3g" },
        stands_in_for: Some("ntfs3"),
        ..kernel("ntfs-3g", "mkfs.ntfs", "ntfs-3g")
    },
    Recipe {
        options: &["-q", "-f", "-t", "0"],
        mount: &["noatime", "nodiscard"],
        min_bytes: 128 * MIB,
        keeps_bytes: 60 * MIB,
        // Each has a block of its own for its inode (kernel, f2fs.rst).
        file_bytes: 4096,
        equalised: &["fsync_mode=strict"],
        ..kernel("f2fs", "mkfs.f2fs", "f2fs-tools")
    },
    Recipe {
        equalised: &["dirsync"],
        has_journal: false,
        ..kernel("exfat", "mkfs.exfat", "exfatprogs")
    },
    Recipe {
        driver: Driver::Fuse { program: "mount.exfat-fuse", package: "exfat-fuse" },
        has_journal: false,
        stands_in_for: Some("exfat"),
        ..kernel("exfat-fuse", "mkfs.exfat", "exfatprogs")
    },
    Recipe {
        options: &["-F", "32"],
        min_bytes: 64 * MIB,
        equalised: &["dirsync"],
        has_journal: false,
        ..kernel("vfat", "mkfs.vfat", "dosfstools")
    },
    Recipe {
        // Twice -f: no question is asked (mkreiserfs(8)).
        options: &["-q", "-f", "-f"],
        min_bytes: 64 * MIB,
        // Its journal of 8193 blocks (mkreiserfs(8)).
        keeps_bytes: 32 * MIB,
        equalised: &["barrier=flush", "data=ordered", "commit=5"],
        in_demo: false,
        ..kernel("reiserfs", "mkfs.reiserfs", "reiserfsprogs")
    },
    Recipe {
        options: &["-q", "-f", "-K"],
        min_bytes: 128 * MIB,
        keeps_bytes: 88 * MIB,
        equalised: &["barrier", "order=strict"],
        in_demo: false,
        ..kernel("nilfs2", "mkfs.nilfs2", "nilfs-tools")
    },
    Recipe { options: &["-q"], in_demo: false, ..kernel("jfs", "mkfs.jfs", "jfsutils") },
    Recipe {
        options: &["--quiet", "--force"],
        min_bytes: 128 * MIB,
        in_demo: false,
        ..kernel("bcachefs", "mkfs.bcachefs", "bcachefs-tools")
    },
    Recipe {
        mount: &[],
        driver: Driver::Raw,
        min_bytes: MIB,
        in_demo: false,
        ..kernel(RAW, "", "")
    },
];

impl Recipe {
    /// The stack a candidate is made of.
    pub fn stack(&self) -> Stack {
        let words = |list: &[&str]| list.iter().map(|w| w.to_string()).collect();
        let fuse = matches!(self.driver, Driver::Fuse { .. });
        Stack::plain(self.fs, words(self.options), words(self.mount), fuse)
    }
}

/// The recipes a filesystem's word in a plan stands for, the one to be preferred first: `ntfs` is
/// ntfs3 or else ntfs-3g, `exfat` the kernel's or else exfat-fuse. Empty for an unknown word.
pub fn recipes_for(word: &str) -> Vec<&'static Recipe> {
    let first = if word == NTFS { "ntfs3" } else { word };
    let falls_back = word == NTFS || word == "exfat";
    let stands_in = |r: &&Recipe| falls_back && r.stands_in_for == Some(first);
    let by_name = RECIPES.iter().filter(|r| r.name == first && r.fs == first);
    by_name.chain(RECIPES.iter().filter(stands_in)).collect()
}

/// Every word for a filesystem in a plan.
pub fn words() -> Vec<&'static str> {
    let mut words: Vec<&str> = RECIPES.iter().map(|r| r.fs).collect();
    words.dedup();
    let at = words.iter().position(|w| *w == "ntfs3").unwrap_or(words.len());
    words.insert(at, NTFS);
    words
}

/// What a LUKS2 header takes of a region (cryptsetup(8): 16 MiB), and LVM at most for its own.
const LAYER_BYTES: u64 = 16 * MIB;

/// The smallest region on which each of these candidates can be made; directories need none.
pub fn smallest_region_bytes(candidates: &[Candidate]) -> u64 {
    let of = |candidate: &Candidate| match &candidate.kind {
        Kind::Stack(stack) => recipe_of(stack).map(|recipe| recipe.min_bytes + layers_bytes(stack)),
        Kind::Directory { .. } => None,
    };
    candidates.iter().filter_map(of).max().unwrap_or(0)
}

/// What lies below the filesystem takes so much of a region.
pub fn layers_bytes(stack: &Stack) -> u64 {
    (u64::from(stack.crypt.is_some()) + u64::from(stack.lvm)) * LAYER_BYTES
}

/// The recipe of a stack: by filesystem, and for ext4 by whether it keeps a journal.
pub fn recipe_of(stack: &Stack) -> Option<&'static Recipe> {
    let without = keeps_no_journal(&stack.mkfs);
    let mut same_fs = RECIPES.iter().filter(|r| r.fs == stack.fs);
    same_fs.clone().find(|r| no_journal_words(r.options) == without).or_else(|| same_fs.next())
}

/// Whether mkfs words leave the journal out (mke2fs(8) -O ^has_journal).
pub fn keeps_no_journal(mkfs: &[String]) -> bool {
    mkfs.iter().any(|word| word.split(',').any(|feature| feature == "^has_journal"))
}

fn no_journal_words(options: &[&str]) -> bool {
    options.contains(&"^has_journal")
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
        for recipe in RECIPES.iter().filter(|r| r.fs != RAW) {
            assert!(recipe.mount.contains(&"noatime"), "{}", recipe.name);
            let all = recipe.options.join(" ") + " " + &recipe.mount.join(" ");
            let trims_by_default =
                matches!(recipe.fs, "ext2" | "ext3" | "ext4" | "xfs" | "btrfs" | "f2fs" | "nilfs2");
            let switched_off = ["nodiscard", "-K", "-t 0"].iter().any(|o| all.contains(o));
            assert!(switched_off || !trims_by_default, "{}", recipe.name);
        }
    }

    #[test]
    fn words_stand_for_recipes_and_ntfs_for_two() {
        let names = |word| recipes_for(word).iter().map(|r| r.name).collect::<Vec<_>>();
        assert_eq!(names("ntfs"), ["ntfs3", "ntfs-3g"]);
        assert_eq!(names("ntfs-3g"), ["ntfs-3g"]);
        assert_eq!(names("exfat"), ["exfat", "exfat-fuse"]);
        assert_eq!(names("ext4"), ["ext4"]);
        assert!(names("zfs").is_empty());
        for word in words() {
            assert!(!names(word).is_empty(), "{word}");
        }
    }
}
