//! Which words of a plan or of a record may become arguments of mkfs, mount and cryptsetup.
//!
//! A plan from a forum is hostile text, and so is a record that somebody else wrote: `-z FILE` of
//! mke2fs writes any file, `-l logdev=` of mkfs.xfs and a second word for mkfs.btrfs format
//! another drive. So a word is accepted by name and by the shape of its value, and no shape has
//! room for a path. The words are a table, `data/options.toml`;
//! nothing is accepted that is not in it.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::LazyLock;

use serde::Deserialize;
use thiserror::Error;

use super::recipe::recipe_of;
use bakeoff_model::candidate::{Crypt, Stack};
use bakeoff_model::path::printable;
use bakeoff_model::undo::Knob;

#[derive(Deserialize)]
struct Accepted {
    formats: Vec<String>,
    mkfs: String,
    mount: String,
    /// Lists that an option of mkfs takes: of which option, and what may be in it.
    #[serde(default)]
    lists: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct AcceptedWords {
    every_mount: String,
    accepted: Vec<Accepted>,
}

static TABLE: LazyLock<AcceptedWords> = LazyLock::new(|| {
    toml::from_str(include_str!("../../data/options.toml")).expect("data/options.toml is broken")
});

/// The words of a format; `None` for one that bakeoff does not make.
fn of_format(format: &str) -> Option<&'static Accepted> {
    TABLE.accepted.iter().find(|accepted| accepted.formats.iter().any(|of| of == format))
}

const VALUE_BYTES: usize = 128;

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Unaccepted {
    #[error(
        "Refusing {0}: bakeoff accepts only options that cannot reach other files, drives or \
         filesystems. Remove it. docs/filesystems.md lists the accepted options"
    )]
    Refused(String),
    #[error("{0}")]
    Slip(String),
}

/// Checks everything that a stack hands to other programs.
///
/// # Errors
/// The first word that is not accepted.
pub fn check(stack: &Stack) -> Result<(), Unaccepted> {
    let Some(recipe) = recipe_of(stack) else {
        let fs = printable(stack.fs.as_bytes());
        return Err(Unaccepted::Refused(format!("the filesystem '{fs}'")));
    };
    mkfs(recipe.format, &stack.mkfs)?;
    mount(recipe.format, &stack.mount)?;
    if let Some(wanted) = &stack.crypt {
        crypt(wanted)?;
    }
    let disk = || "sda".to_string();
    let knobs = [
        (Knob::Scheduler(disk()), &stack.knobs.scheduler),
        (Knob::Governor("policy0".to_string()), &stack.knobs.governor),
    ];
    for (knob, value) in knobs {
        if let Some(value) = value.as_ref().filter(|value| !knob.accepts(value)) {
            let value = printable(value.as_bytes());
            return Err(Unaccepted::Refused(format!("the {} '{value}'", knob.name())));
        }
    }
    Ok(())
}

/// Checks words for the mkfs of a format.
///
/// # Errors
/// The first word that is not accepted.
pub fn mkfs(format: &str, words: &[String]) -> Result<(), Unaccepted> {
    let what = What { kind: "mkfs", format };
    let Some(accepted) = of_format(format) else {
        return words.first().map_or(Ok(()), |word| Err(what.refused(word)));
    };
    let table = [accepted.mkfs.as_str()];
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let is_flag = |name: &str| entry(&table, name).is_some_and(|e| e.takes.is_none());
        // Flags of one letter behind one hyphen (getopt(3)).
        let mut letters = word.strip_prefix('-').unwrap_or("").chars().peekable();
        let is_short = letters.peek().is_some_and(|letter| *letter != '-');
        if is_short && letters.all(|letter| is_flag(&format!("-{letter}"))) {
            continue;
        }
        let (name, joined) = match word.split_once('=') {
            Some((name, value)) if word.starts_with("--") => (name, Some(value)),
            _ if is_short && word.is_char_boundary(2) && word.len() > 2 => {
                (&word[..2], Some(&word[2..]))
            }
            _ => (word.as_str(), None),
        };
        let found = entry(&table, name);
        let Some(entry) = found.filter(|entry| entry.takes.is_some() || joined.is_none()) else {
            return Err(what.refused(word));
        };
        let Some(shape) = entry.takes else { continue };
        let value = match joined {
            Some(value) => value,
            None if entry.is_optional => continue,
            None => rest.next().map(String::as_str).ok_or_else(|| {
                Unaccepted::Slip(format!("the mkfs option {name} of {format} needs a value"))
            })?,
        };
        match shape {
            "{}" => check_list(&what, accepted, name, value)?,
            shape if fits(shape, value) => {}
            shape => return Err(what.wrong(name, value, shape)),
        }
    }
    Ok(())
}

/// Checks mount options of a format, each of which may be several between commas.
///
/// # Errors
/// The first option that is not accepted.
pub fn mount(format: &str, options: &[String]) -> Result<(), Unaccepted> {
    let what = What { kind: "mount", format };
    let tables: Vec<&str> = match of_format(format) {
        Some(accepted) => vec![&accepted.mount, &TABLE.every_mount],
        None => Vec::new(),
    };
    options
        .iter()
        .flat_map(|o| o.split(','))
        .filter(|o| !o.is_empty())
        .try_for_each(|option| check_item(&what, option, &tables))
}

/// Checks what cryptsetup gets.
///
/// # Errors
/// The first value that is not accepted.
pub fn crypt(wanted: &Crypt) -> Result<(), Unaccepted> {
    let refused = |what: String| Err(Unaccepted::Refused(what));
    match wanted {
        Crypt { kind, .. } if !matches!(kind.as_str(), "luks2" | "plain") => {
            refused(format!("the kind of encryption '{}'", printable(kind.as_bytes())))
        }
        Crypt { cipher, .. } if !is_cipher(cipher) => {
            refused(format!("the cipher '{}'", printable(cipher.as_bytes())))
        }
        _ => Ok(()),
    }
}

/// Whether a cipher is one word that is no option, as cryptsetup(8) takes it.
pub fn is_cipher(word: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_,:()".contains(c);
    (1..=64).contains(&word.len()) && !word.starts_with('-') && word.chars().all(is_plain)
}

/// The accepted options of a recipe's mkfs and mount, for documentation.
pub fn listed(format: &str) -> Option<[String; 2]> {
    let accepted = of_format(format)?;
    let tidy = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut mkfs = tidy(&accepted.mkfs);
    for (option, list) in &accepted.lists {
        let with = format!("{option}={{{}}}", tidy(list));
        mkfs = mkfs.replace(&format!("{option}={{}}"), &with);
    }
    Some([mkfs, tidy(&accepted.mount)])
}

/// The mount options that every filesystem accepts, for documentation.
pub fn listed_for_all() -> String {
    TABLE.every_mount.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[derive(Clone, Copy)]
struct AllowedOption<'t> {
    name: &'t str,
    has_no: bool,
    takes: Option<&'t str>,
    is_optional: bool,
}

fn entries<'t>(tables: &'t [&'t str]) -> impl Iterator<Item = AllowedOption<'t>> {
    tables.iter().flat_map(|table| table.split_whitespace()).map(|word| {
        let (name, takes) = word.split_once('=').map_or((word, None), |(n, v)| (n, Some(v)));
        let (name, is_optional) = name.strip_suffix('?').map_or((name, false), |n| (n, true));
        let (name, has_no) = name.strip_prefix("[no]").map_or((name, false), |n| (n, true));
        AllowedOption { name, has_no, takes, is_optional }
    })
}

fn entry<'t>(tables: &'t [&'t str], name: &str) -> Option<AllowedOption<'t>> {
    let positive = |e: &AllowedOption| e.has_no && name.strip_prefix("no") == Some(e.name);
    entries(tables).find(|e| e.name == name || positive(e))
}

/// Whether a value has the shape that the table asks for; no shape has room for a path.
fn fits(shape: &str, value: &str) -> bool {
    value.len() <= VALUE_BYTES
        && shape.split('|').any(|choice| match choice {
            "#" => is_number(value),
            "@" => value.split(',').all(is_name),
            _ => match choice.strip_suffix('#') {
                Some(start) => value.strip_prefix(start).is_some_and(is_number),
                None => choice == value,
            },
        })
}

/// `4096`, `4k`, `1.5`, `64KiB`, `50%`.
fn is_number(text: &str) -> bool {
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    text.starts_with(|c: char| c.is_ascii_digit())
        && unit.len() <= 3
        && unit.bytes().all(|b| b.is_ascii_alphabetic() || b == b'%')
}

fn is_name(text: &str) -> bool {
    let name = text.strip_prefix('^').unwrap_or(text);
    let is_plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
    name.starts_with(|c: char| c.is_ascii_alphanumeric()) && name.bytes().all(is_plain)
}

/// Checks `size=4k,…`, the value of an option with a list of its own.
fn check_list(
    what: &What,
    accepted: &Accepted,
    option: &str,
    value: &str,
) -> Result<(), Unaccepted> {
    let list = accepted.lists.get(option).map_or("", String::as_str);
    value
        .split(',')
        .filter(|item| !item.is_empty())
        .try_for_each(|item| check_item(what, item, &[list]))
}

fn check_item(what: &What, item: &str, tables: &[&str]) -> Result<(), Unaccepted> {
    let (name, value) = item.split_once('=').map_or((item, None), |(n, v)| (n, Some(v)));
    let Some(entry) = entry(tables, name) else {
        return Err(what.refused(item));
    };
    // `nodiscard` takes no value, also where `discard=async` does.
    match (entry.takes.filter(|_| entry.name == name), value) {
        (None, None) => Ok(()),
        (Some(_), None) if entry.is_optional => Ok(()),
        (Some(shape), Some(value)) if fits(shape, value) => Ok(()),
        (Some(shape), given) => Err(what.wrong(name, given.unwrap_or(""), shape)),
        (None, Some(_)) => Err(what.refused(item)),
    }
}

struct What<'a> {
    kind: &'static str,
    format: &'a str,
}

impl What<'_> {
    fn refused(&self, word: &str) -> Unaccepted {
        let (What { kind, format }, word) = (self, printable(word.as_bytes()));
        Unaccepted::Refused(format!("the {kind} option '{word}' for {format}"))
    }

    /// A value of another shape: a slip, unless it could name something.
    fn wrong(&self, name: &str, value: &str, shape: &str) -> Unaccepted {
        let is_plain = |b: u8| b.is_ascii_alphanumeric() || b"_.:+%,-^=".contains(&b);
        if !value.bytes().all(is_plain) {
            return self.refused(&format!("{name} {value}"));
        }
        let mut takes = String::new();
        for (at, choice) in shape.split('|').enumerate() {
            let choice = match choice {
                "#" => "a number".to_string(),
                "@" => "names between commas".to_string(),
                word => word.replace('#', "NUMBER"),
            };
            // Writing to a string does not fail.
            let _ = write!(takes, "{}{choice}", if at > 0 { ", " } else { "" });
        }
        let What { kind, format } = self;
        Unaccepted::Slip(format!(
            "the {kind} option {name} of {format} takes {takes}, not '{value}'"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prepare::recipe::{RAW, RECIPES};
    use proptest::prelude::*;

    fn list(words: &[&str]) -> Vec<String> {
        words.iter().map(|w| w.to_string()).collect()
    }

    /// A plan formatted another drive, wrote a file elsewhere and copied /etc onto the target.
    #[test]
    fn no_word_for_mkfs_reaches_another_file_or_drive() {
        let attacks: &[(&str, &[&str])] = &[
            ("btrfs", &["-f", "/dev/loop7"]),
            ("btrfs", &["sdb"]),
            ("btrfs", &["--rootdir", "/etc"]),
            ("btrfs", &["-r", "/etc"]),
            ("btrfs", &["-U", "01234567-89ab-cdef-0123-456789abcdef"]),
            ("btrfs", &["-L", "rootfs"]),
            ("btrfs", &["--", "/dev/sdb"]),
            ("btrfs", &["-n", "/dev/sdb"]),
            ("btrfs", &["-f/dev/sdb"]),
            ("xfs", &["-l", "logdev=/dev/sdb"]),
            ("xfs", &["-l", "size=64m,logdev=sdb"]),
            ("xfs", &["-llogdev=/dev/sdb"]),
            ("xfs", &["-r", "rtdev=/dev/sdb"]),
            ("xfs", &["-d", "name=/dev/sdb"]),
            ("xfs", &["-d", "file,name=x"]),
            ("xfs", &["-p", "/etc/passwd"]),
            ("xfs", &["-c", "options=/etc/x"]),
            ("xfs", &["-m", "uuid=01234567-89ab-cdef-0123-456789abcdef"]),
            ("ext4", &["-z", "/etc/cron.d/x"]),
            ("ext4", &["-z/etc/cron.d/x"]),
            ("ext4", &["-d", "/etc"]),
            ("ext4", &["-l", "blocks"]),
            ("ext4", &["-J", "device=/dev/sdb"]),
            ("ext4", &["-J", "device=LABEL=x"]),
            ("ext4", &["-Jdevice=sdb"]),
            ("ext4", &["-E", "root_owner=1000:1000"]),
            ("ext4", &["-E", "root_owner"]),
            ("ext4", &["-E", "stride=4,offset=4096"]),
            ("ext4", &["-qFz", "x"]),
            ("ext4", &["-S"]),
            ("ext4", &["-n"]),
            ("ext4", &["-e", "panic"]),
            ("ext4", &["-b", "@file"]),
            ("ext4", &["@file"]),
            ("ext4", &["4096"]),
            ("ext4", &[""]),
            ("f2fs", &["-c", "/dev/sdb"]),
            ("f2fs", &["-R", "1000:1000"]),
            ("vfat", &["-C", "x"]),
            ("vfat", &["-l", "x"]),
            ("vfat", &["-m", "/etc/shadow"]),
            ("vfat", &["--offset", "8"]),
            ("reiserfs", &["-j", "/dev/sdb"]),
            ("reiserfs", &["--journal-device=/dev/sdb"]),
            ("reiserfs", &["-B", "x"]),
            ("jfs", &["-j", "/dev/sdb"]),
            ("jfs", &["-J", "device=/dev/sdb"]),
            ("bcachefs", &["--source=/etc"]),
            ("bcachefs", &["--label=x", "/dev/sdb"]),
            ("bcachefs", &["--encrypted"]),
            ("udf", &["--new-file"]),
            ("udf", &["--label=x"]),
            ("ntfs", &["-L", "x"]),
            ("exfat", &["-L", "x"]),
            ("zfs", &["-f"]),
            (RAW, &["-f"]),
        ];
        for (format, words) in attacks {
            let found = mkfs(format, &list(words));
            assert!(matches!(found, Err(Unaccepted::Refused(_))), "{format} {words:?}: {found:?}");
        }
    }

    #[test]
    fn no_mount_option_reaches_another_file_drive_or_filesystem() {
        let attacks = [
            ("ext4", "loop=/dev/loop3"),
            ("ext4", "loop"),
            ("ext4", "offset=4096"),
            ("ext4", "x-systemd.automount"),
            ("ext4", "X-mount.mkdir=/etc/x"),
            ("ext4", "context=system_u:object_r:etc_t"),
            ("ext4", "noatime,journal_path=/dev/sdb"),
            ("ext4", "journal_dev=0x801"),
            ("ext4", "usrjquota=/etc/shadow"),
            ("ext4", "bind"),
            ("ext4", "remount"),
            ("ext4", "user"),
            ("ext4", "group"),
            ("xfs", "logdev=/dev/sdb"),
            ("xfs", "rtdev=/dev/sdb"),
            ("btrfs", "device=/dev/sdb"),
            ("btrfs", "subvol=/home"),
            ("btrfs", "subvol=@home"),
            ("btrfs", "subvolid=256"),
            ("reiserfs", "jdev=/dev/sdb"),
            ("ntfs", "usermapping=/etc/passwd"),
            ("ntfs", "allow_other"),
            ("f2fs", "compress_extension=../x"),
            ("vfat", "iocharset=/x"),
            ("ext4", "commit=5 /dev/sdb"),
            ("ext4", "noatime\nx"),
            (RAW, "noatime"),
        ];
        for (format, option) in attacks {
            let found = mount(format, &list(&[option]));
            assert!(matches!(found, Err(Unaccepted::Refused(_))), "{format} {option}: {found:?}");
        }
    }

    #[test]
    fn usual_words_are_accepted_and_slips_are_named() {
        let good: &[(&str, &str)] = &[
            (
                "ext4",
                "-O ^has_journal,metadata_csum -E stride=4,stripe_width=8,discard -m 0 -b4096",
            ),
            ("ext4", "-qF -J size=64 -T largefile4 -i 65536 -I 256 -m 0.5"),
            (
                "xfs",
                "-l size=64m,su=64k -d su=64k,sw=4,agcount=8 -m reflink=0,bigtime=1 -i size=512",
            ),
            (
                "btrfs",
                "-m dup -d single --csum xxhash --nodesize=16k -O block-group-tree,^no-holes",
            ),
            ("f2fs", "-O extra_attr,compression -s 2 -o 5 -e mp4,avi"),
            ("vfat", "-F 32 -s 64"),
            ("exfat", "--cluster-size=128K -b 1M"),
            ("ntfs", "-Q -c 4096"),
            ("bcachefs", "--compression=zstd:3 --block_size=4k"),
        ];
        for (format, words) in good {
            let words: Vec<&str> = words.split(' ').collect();
            assert_eq!(mkfs(format, &list(&words)), Ok(()), "{format} {words:?}");
        }
        let mounts = [
            ("ext4", "nobarrier,barrier=0,data=writeback,commit=60,nodelalloc,noauto_da_alloc"),
            ("btrfs", "compress=zstd:3,discard=async,nodiscard,ssd,space_cache=v2,nodatacow"),
            ("xfs", "logbufs=8,logbsize=256k,allocsize=64m,largeio,relatime"),
            ("f2fs", "fsync_mode=strict,compress_algorithm=lz4,background_gc=off"),
            ("vfat", "flush,umask=022,utf8,iocharset=utf8,codepage=437"),
            ("ntfs", "big_writes,norecover,windows_names,prealloc"),
        ];
        for (format, options) in mounts {
            assert_eq!(mount(format, &list(&[options])), Ok(()), "{format} {options}");
        }
        let said = |found: Result<(), Unaccepted>| match found {
            Err(Unaccepted::Slip(said)) => said,
            other => panic!("{other:?}"),
        };
        assert!(matches!(mount("ext4", &list(&["noatme"])), Err(Unaccepted::Refused(_))));
        let slip = said(mount("ext4", &list(&["data=orderd"])));
        assert!(slip.ends_with("takes journal, ordered, writeback, not 'orderd'"), "{slip}");
        let slip = said(mkfs("ext4", &list(&["-b", "big"])));
        assert!(slip.ends_with("takes a number, not 'big'"), "{slip}");
        assert!(said(mkfs("ext4", &list(&["-b"]))).ends_with("needs a value"));
    }

    #[test]
    fn no_name_is_in_a_table_twice() {
        assert_eq!(TABLE.accepted.len(), 12);
        for accepted in &TABLE.accepted {
            let mount = [accepted.mount.as_str(), &TABLE.every_mount];
            for tables in [&[accepted.mkfs.as_str()][..], &mount] {
                for entry in entries(tables) {
                    let same = entries(tables).filter(|other| other.name == entry.name).count();
                    assert_eq!(same, 1, "{:?}: {}", accepted.formats, entry.name);
                }
            }
        }
    }

    #[test]
    fn every_recipe_is_accepted_with_every_set_of_options() {
        use crate::prepare::options::{OptionProfile, stack};
        for recipe in RECIPES.iter() {
            for profile in [OptionProfile::Default, OptionProfile::Equalised] {
                let made = stack(recipe, profile, &[], &[]);
                assert_eq!(check(&made), Ok(()), "{}", recipe.name);
            }
        }
        let foreign = Stack::plain("../sh", Vec::new(), Vec::new(), false);
        assert!(check(&foreign).is_err());
        let mut ext4 = RECIPES[0].stack();
        ext4.knobs.scheduler = Some("none/../../x".to_string());
        assert!(check(&ext4).is_err());
    }

    fn any_word() -> impl Strategy<Value = String> {
        let pieces = [
            "-",
            "--",
            "=",
            ",",
            "/",
            "/dev/sdb",
            "..",
            "@f",
            "device",
            "logdev",
            "root_owner",
            "sdb",
            "4k",
            "no",
            "x-y",
            " ",
            "\n",
        ];
        let tables = TABLE
            .accepted
            .iter()
            .flat_map(|a| [&a.mkfs, &a.mount].into_iter().chain(a.lists.values()));
        let words = tables
            .flat_map(|table| table.split_whitespace())
            .flat_map(|w| w.split(['=', '?', '|']));
        let pieces: Vec<String> = pieces.into_iter().chain(words).map(str::to_string).collect();
        prop::collection::vec(prop::sample::select(pieces), 1..4).prop_map(|p| p.concat())
    }

    proptest! {
        #[test]
        fn no_accepted_word_has_a_path_or_is_no_option(
            format in prop::sample::select(vec!["ext4", "xfs", "btrfs", "f2fs", "vfat", "ntfs", "jfs"]),
            words in prop::collection::vec(any_word(), 1..4),
        ) {
            let hostile = ["/", "..", "@f", "device", "logdev", "root_owner", "sdb", " ", "\n"];
            let all = words.join("|");
            if mount(format, &words).is_ok() || mkfs(format, &words).is_ok() {
                // `sdb` may be a name where names are taken (-O), never a word of its own.
                let found = hostile.iter().find(|bad| all.contains(**bad) && **bad != "sdb");
                prop_assert_eq!(found, None, "{}: {:?}", format, words);
            }
            if mkfs(format, &words).is_ok() {
                let mut takes_value = false;
                for word in &words {
                    prop_assert!(takes_value || word.starts_with('-'), "{}: {:?}", format, words);
                    takes_value = !takes_value && word.starts_with('-');
                }
            }
        }
    }
}
