//! mkfs and mount words of a stack: the recipe's, those of an option profile, and a plan's own.
//!
//! Later words win in mount(8), and mke2fs(8) keeps only the last `-E` and `-O`; so words about the
//! same thing are put together here and the record shows what was in force.

use strum::{IntoStaticStr, VariantArray};

use super::recipe::{Driver, Recipe};
use bakeoff_model::candidate::Stack;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum OptionProfile {
    #[default]
    Default,
    Equalised,
}

impl OptionProfile {
    pub fn name(self) -> &'static str {
        self.into()
    }
}

pub fn stack(recipe: &Recipe, profile: OptionProfile, mkfs: &[String], mount: &[String]) -> Stack {
    let mut made = recipe.stack();
    if profile == OptionProfile::Equalised {
        for word in &recipe.equalised {
            set_mount(&mut made.mount, word);
        }
        made.mkfs.extend(recipe.equalised_mkfs.iter().map(|word| word.to_string()));
    }
    for word in mount.iter().flat_map(|words| words.split(',')) {
        set_mount(&mut made.mount, word);
    }
    let is_e2fs = recipe.package == "e2fsprogs";
    let mut words = mkfs.iter().peekable();
    while let Some(word) = words.next() {
        let joins = is_e2fs && matches!(word.as_str(), "-E" | "-O");
        match words.peek() {
            Some(value) if joins => {
                join(&mut made.mkfs, word, value);
                words.next();
            }
            _ => made.mkfs.push(word.clone()),
        }
    }
    made.fuse = matches!(recipe.driver, Driver::Fuse { .. });
    made
}

fn join(words: &mut Vec<String>, flag: &str, value: &str) {
    match words.iter().position(|word| word == flag) {
        Some(at) if at + 1 < words.len() => {
            let list = &mut words[at + 1];
            for item in value.split(',').filter(|item| !item.is_empty()) {
                let key = item.split('=').next();
                let kept = list.split(',').filter(|old| old.split('=').next() != key);
                *list = kept.chain([item]).collect::<Vec<_>>().join(",");
            }
        }
        _ => words.extend([flag.to_string(), value.to_string()]),
    }
}

fn set_mount(options: &mut Vec<String>, word: &str) {
    if word.is_empty() {
        return;
    }
    options.retain(|old| subject(old) != subject(word));
    options.push(word.to_string());
}

/// What a mount option is about: `nodiscard` and `discard=async` about `discard`.
fn subject(word: &str) -> &str {
    let name = word.split('=').next().unwrap_or(word);
    match name {
        "relatime" | "strictatime" | "norelatime" | "nostrictatime" | "noatime" => "atime",
        "norecovery" => name,
        _ => name.strip_prefix("no").unwrap_or(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prepare::recipe::{RECIPES, recipe_of, recipes_for};

    fn made(fs: &str, profile: OptionProfile, mkfs: &[&str], mount: &[&str]) -> Stack {
        let words = |list: &[&str]| list.iter().map(|w| w.to_string()).collect::<Vec<_>>();
        stack(recipes_for(fs)[0], profile, &words(mkfs), &words(mount))
    }

    #[test]
    fn the_default_profile_adds_nothing() {
        for recipe in RECIPES.iter() {
            assert_eq!(stack(recipe, OptionProfile::Default, &[], &[]), recipe.stack());
        }
    }

    #[test]
    fn a_plans_mount_option_replaces_ours_about_the_same_thing() {
        let stack = made("btrfs", OptionProfile::Default, &[], &["discard=async,relatime"]);
        assert_eq!(stack.mount, ["discard=async", "relatime"]);
        let stack = made("f2fs", OptionProfile::Equalised, &[], &["fsync_mode=posix"]);
        assert_eq!(stack.mount, ["noatime", "nodiscard", "fsync_mode=posix"]);
    }

    #[test]
    fn mke2fs_gets_one_list_of_features_and_one_of_extended_options() {
        let more = ["-O", "^has_journal", "-E", "stride=4,lazy_itable_init=1", "-m", "0"];
        let stack = made("ext4", OptionProfile::Default, &more, &[]);
        let words = stack.mkfs.join(" ");
        assert_eq!(
            words,
            "-q -F -E nodiscard,lazy_journal_init=0,stride=4,lazy_itable_init=1 -O ^has_journal \
             -m 0"
        );
        assert_eq!(recipe_of(&stack).map(|r| r.name), Some("ext4 without journal"));
    }

    #[test]
    fn equalised_says_what_it_asks_for() {
        let mount = |fs| made(fs, OptionProfile::Equalised, &[], &[]).mount.join(",");
        assert_eq!(mount("f2fs"), "noatime,nodiscard,fsync_mode=strict");
        assert_eq!(mount("ext4"), "noatime,barrier=1,data=ordered,commit=5");
        let btrfs = made("btrfs", OptionProfile::Equalised, &[], &[]);
        assert!(btrfs.mkfs.join(" ").ends_with("-m single -d single"), "{btrfs:?}");
    }
}
