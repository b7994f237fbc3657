//! Small things of English that several sentences need, and the word somebody may have meant.

pub mod figures;

use std::fmt::Display;
use strum::VariantArray;

/// `a`, `a and b`, `a, b and c`.
pub fn list(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// The same of names that others chose: one with a comma in it is put in quotes, so that it is not
/// taken for two.
pub fn names(names: &[String]) -> String {
    let quoted = |name: &String| {
        if name.contains(',') && names.len() > 1 { format!("“{name}”") } else { name.clone() }
    };
    list(&names.iter().map(quoted).collect::<Vec<_>>())
}

/// `1 block`, `2 blocks`.
pub fn count<N: Display + PartialEq + From<u8>>(n: N, noun: &str) -> String {
    let ending = if n == N::from(1) { "" } else { "s" };
    format!("{n} {noun}{ending}")
}

/// What has the same key together, in the order in which the keys came first.
pub fn grouped<K: PartialEq, V>(all: impl IntoIterator<Item = (K, V)>) -> Vec<(K, Vec<V>)> {
    let mut groups: Vec<(K, Vec<V>)> = Vec::new();
    for (key, value) in all {
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, values)) => values.push(value),
            None => groups.push((key, vec![value])),
        }
    }
    groups
}

/// A drive by its vendor and model, without the spaces that firmware fills them with, and without
/// the vendor where the model begins with it. Nothing where neither is known.
pub fn product(vendor: Option<&str>, model: Option<&str>) -> String {
    let squeezed = |text: Option<&str>| {
        text.unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let (vendor, model) = (squeezed(vendor), squeezed(model));
    if model.starts_with(&vendor) { model } else { format!("{vendor} {model}").trim().to_string() }
}

/// What to type, for root or for somebody else: root needs no `sudo`.
pub fn typed_by(is_root: bool, what: &str) -> String {
    let words = what.split_inclusive(' ');
    let is_kept = |word: &&str| !is_root || !matches!(word.trim_end(), "sudo" | "`sudo");
    let mut typed = String::with_capacity(what.len());
    for word in words {
        if is_kept(&word) {
            typed.push_str(word)
        } else {
            typed.extend(word.chars().filter(|c| *c == '`'))
        }
    }
    typed
}

pub fn capital(text: &str) -> String {
    let mut chars = text.chars();
    // eMMC begins as it is written.
    if text.starts_with("eMMC") {
        return text.to_string();
    }
    chars.next().map_or(String::new(), |c| c.to_uppercase().chain(chars).collect())
}

/// The name nearest to `word`, when it is near enough to be what was meant.
pub fn nearest<'a>(word: &str, names: &[&'a str]) -> Option<&'a str> {
    let plain = |text: &str| text.to_ascii_lowercase().replace('-', "_");
    let word = plain(word);
    let distance = |name: &str| strsim::damerau_levenshtein(&word, &plain(name));
    // Longer words are cut first: nothing that long is a slip of a name.
    if word.len() > 64 {
        return None;
    }
    let near = names.iter().map(|name| (distance(name), *name)).min_by_key(|(d, _)| *d)?;
    let allowed = (word.chars().count().max(near.1.len()) / 3).max(1);
    (near.0 <= allowed).then_some(near.1)
}

/// The values of an enum, each with its name, in the order help lists them.
pub fn choices<T: Copy + VariantArray + Into<&'static str>>() -> Vec<(&'static str, T)> {
    T::VARIANTS.iter().map(|value| ((*value).into(), *value)).collect()
}

pub fn did_you_mean(word: &str, names: &[&str]) -> String {
    match nearest(word, names) {
        Some(near) => format!("did you mean '{near}'?"),
        None => format!("choose from {}", names.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn root_needs_no_sudo() {
        let advice = "check them with `sudo dmesg`: echo idle | sudo tee /sys/x, or sudo swapoff a";
        assert_eq!(typed_by(false, advice), advice);
        let by_root = "check them with `dmesg`: echo idle | tee /sys/x, or swapoff a";
        assert_eq!(typed_by(true, advice), by_root);
        assert_eq!(typed_by(true, "or use sudo."), "or use sudo.", "not a command");
    }

    #[test]
    fn lists_and_counts() {
        let of = |n: &[&str]| list(&n.iter().map(|s| s.to_string()).collect::<Vec<_>>());
        assert_eq!((of(&["a"]), of(&["a", "b", "c"])), ("a".into(), "a, b and c".into()));
        assert_eq!((capital("it is"), capital("")), ("It is".into(), String::new()));
        assert_eq!(
            (count(1u32, "block"), count(0u64, "block")),
            ("1 block".into(), "0 blocks".into())
        );
    }

    #[test]
    fn a_product_names_its_vendor_once() {
        assert_eq!(product(Some("SanDisk "), Some("Ultra  USB")), "SanDisk Ultra USB");
        assert_eq!(product(Some("SanDisk"), Some("SanDisk Ultra")), "SanDisk Ultra");
        assert_eq!((product(Some("WD"), None), product(None, None)), ("WD".into(), String::new()));
    }

    #[test]
    fn a_name_with_a_comma_is_not_two() {
        let of = |n: &[&str]| names(&n.iter().map(|s| s.to_string()).collect::<Vec<_>>());
        assert_eq!(of(&["ext4", "ext4, no journal", "xfs"]), "ext4, “ext4, no journal” and xfs");
        assert_eq!(of(&["ext4, no journal"]), "ext4, no journal");
    }

    #[test]
    fn a_slip_is_understood_and_another_word_is_not() {
        let names = ["scheduler", "fs", "mkfs", "io_size"];
        assert_eq!(nearest("shceduler", &names), Some("scheduler"));
        assert_eq!(nearest("IO-size", &names), Some("io_size"));
        assert_eq!(nearest("fs2", &names), Some("fs"));
        assert_eq!(nearest("journal", &names), None);
        assert_eq!(nearest(&"x".repeat(100_000), &names), None);
        assert_eq!(did_you_mean("zz", &["a", "b"]), "choose from a, b");
    }
}
