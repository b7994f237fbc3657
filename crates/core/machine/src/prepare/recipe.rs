//! What bakeoff knows of a filesystem that it can make, and how a plan's word finds it.
//!
//! The filesystems themselves are rows of `data/filesystems.toml`, from which docs/filesystems.md
//! is made; how the options of a stack are put together is in [`super::options`].

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::{Deserialize, Deserializer};

use bakeoff_model::candidate::{Candidate, Stack};

const MIB: u64 = 1 << 20;

/// The filesystem whose mkfs compares the files behind loop devices.
pub const BTRFS: &str = "btrfs";
/// The word for no filesystem at all: workloads go to the device itself.
pub const RAW: &str = "raw";

/// One filesystem of the comparison, in a form the host can be asked about.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Recipe {
    pub name: &'static str,
    /// Filesystem type for mount(8).
    pub fs: &'static str,
    /// The format on the disk, whichever driver reads it: the word in plans for the first driver
    /// that this machine has, and the name that studies use.
    pub format: &'static str,
    pub mkfs: &'static str,
    pub package: &'static str,
    pub options: Vec<&'static str>,
    pub mount: Vec<&'static str>,
    pub driver: Driver,
    #[serde(rename = "min_mib", deserialize_with = "mebibytes")]
    pub min_bytes: u64,
    /// Bytes of a region, however small, that no file gets: what is known of it beforehand.
    #[serde(rename = "keeps_mib", deserialize_with = "mebibytes")]
    pub keeps_bytes: u64,
    pub file_bytes: u64,
    /// Further mount options that bring what fsync promises up to what ext4 promises, and what is
    /// lost without fsync to 5 s.
    pub equalised: Vec<&'static str>,
    pub equalised_mkfs: Vec<&'static str>,
    /// Why these options, with the source: a cell of a table in the documentation.
    pub equalised_why: &'static str,
    /// Whether it is consistent after a crash without a check: it keeps a journal or copies on
    /// write.
    pub has_journal: bool,
    /// Whether its journal brings synced files back after a power cut, as far as that was tried.
    pub survives_cuts: bool,
    pub checksums_data: bool,
    /// Whether Linux can run from it: owners, permissions, device files.
    pub can_boot: bool,
    /// Whether an initramfs has its driver, so that it can be the root filesystem (initramfs-tools,
    /// `auto_add_modules base`).
    pub is_in_initramfs: bool,
    /// Whether a file may be larger than 4 GiB.
    pub has_large_files: bool,
    pub is_on_windows_and_mac: bool,
    pub stands_in_for: Option<&'static str>,
    /// Whether `demo` tries it: what people choose among today.
    pub in_demo: bool,
}

impl Default for Recipe {
    fn default() -> Recipe {
        Recipe {
            name: "",
            fs: "",
            format: "",
            mkfs: "",
            package: "",
            options: Vec::new(),
            mount: vec!["noatime"],
            driver: Driver::Raw,
            min_bytes: 16 * MIB,
            keeps_bytes: 0,
            file_bytes: 0,
            equalised: Vec::new(),
            equalised_mkfs: Vec::new(),
            equalised_why: "no option changes what its fsync does",
            has_journal: true,
            survives_cuts: true,
            checksums_data: false,
            can_boot: true,
            is_in_initramfs: true,
            has_large_files: true,
            is_on_windows_and_mac: false,
            stands_in_for: None,
            in_demo: true,
        }
    }
}

fn mebibytes<'de, D: Deserializer<'de>>(number: D) -> Result<u64, D::Error> {
    Ok(u64::deserialize(number)? * MIB)
}

/// Every filesystem, in the order of tables.
pub static RECIPES: LazyLock<Vec<Recipe>> = LazyLock::new(|| {
    let table = toml::from_str(include_str!("../../data/filesystems.toml"));
    let mut table: BTreeMap<String, Vec<Recipe>> = table.expect("data/filesystems.toml is broken");
    table.remove("filesystem").expect("data/filesystems.toml has no filesystems")
});

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Driver {
    /// A kernel driver of this name in /proc/filesystems, built in or as a module.
    Kernel(&'static str),
    /// A program in user space, through FUSE, from a Debian package.
    Fuse {
        /// Program that mount(8) calls.
        program: &'static str,
        package: &'static str,
    },
    Raw,
}

impl Recipe {
    pub fn stack(&self) -> Stack {
        let words = |list: &[&str]| list.iter().map(|w| w.to_string()).collect();
        let fuse = matches!(self.driver, Driver::Fuse { .. });
        Stack::plain(self.fs, words(&self.options), words(&self.mount), fuse)
    }
}

/// The recipes a filesystem's word in a plan stands for, the one to be preferred first: `ntfs` is
/// ntfs3 or else ntfs-3g, `exfat` the kernel's or else exfat-fuse. Empty for an unknown word.
pub fn recipes_for(word: &str) -> Vec<&'static Recipe> {
    let is_meant = |r: &&Recipe| r.name == r.fs && (r.format == word || r.fs == word);
    RECIPES.iter().filter(is_meant).collect()
}

pub fn names() -> Vec<&'static str> {
    let mut words: Vec<&str> = RECIPES.iter().flat_map(|r| [r.format, r.fs]).collect();
    let mut seen = std::collections::BTreeSet::new();
    words.retain(|word| seen.insert(*word));
    words
}

/// What a LUKS2 header takes of a region (cryptsetup(8): 16 MiB), and LVM at most for its own.
const LAYER_BYTES: u64 = 16 * MIB;

/// The smallest region on which each of these candidates can be made; directories need none.
pub fn smallest_region_bytes(candidates: &[Candidate]) -> u64 {
    let of = |stack: &Stack| recipe_of(stack).map(|recipe| recipe.min_bytes + layers_bytes(stack));
    candidates.iter().filter_map(Candidate::stack).filter_map(of).max().unwrap_or(0)
}

/// What lies below the filesystem takes so much of a region.
pub fn layers_bytes(stack: &Stack) -> u64 {
    (u64::from(stack.crypt.is_some()) + u64::from(stack.lvm)) * LAYER_BYTES
}

/// The recipe of a stack: by filesystem, and for ext4 by whether it keeps a journal.
pub fn recipe_of(stack: &Stack) -> Option<&'static Recipe> {
    let without = keeps_no_journal(&stack.mkfs);
    let mut same_fs = RECIPES.iter().filter(|r| r.fs == stack.fs);
    same_fs.clone().find(|r| no_journal_words(&r.options) == without).or_else(|| same_fs.next())
}

/// Whether mkfs words leave the journal out (mke2fs(8) -O ^has_journal).
fn keeps_no_journal(mkfs: &[String]) -> bool {
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
            let trims_by_default = matches!(
                recipe.fs,
                "ext2" | "ext3" | "ext4" | "xfs" | "btrfs" | "f2fs" | "nilfs2" | "bcachefs"
            );
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
        for word in super::names() {
            assert!(!names(word).is_empty(), "{word}");
        }
    }
}
