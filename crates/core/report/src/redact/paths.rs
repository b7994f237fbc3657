//! Which parts of a path are the system's own, and where a text has a path in it.

use super::Kind;
use bakeoff_model::undo::is_run_id;

/// Whose a part of a path is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    System,
    Private(Kind),
}

const TOP: [&str; 23] = [
    "bin", "boot", "dev", "efi", "etc", "home", "lib", "lib32", "lib64", "media", "mnt", "opt",
    "proc", "root", "run", "sbin", "snap", "srv", "sys", "tmp", "usr", "var", "nix",
];
const SOFTWARE: [&str; 8] = ["bin", "lib", "lib32", "lib64", "proc", "sbin", "sys", "usr"];
/// Folders of /dev, /run and /var that every Linux has.
const FOLDERS: [&str; 23] = [
    "by-id",
    "by-label",
    "by-partlabel",
    "by-partuuid",
    "by-path",
    "by-uuid",
    "cache",
    "disk",
    "fd",
    "firmware",
    "fuse",
    "lib",
    "lock",
    "log",
    "loop-control",
    "mapper",
    "media",
    "mount",
    "null",
    "pts",
    "shm",
    "tmp",
    "zero",
];
/// Names of drives, partitions and volumes that the kernel counts itself.
const DEVICES: [&str; 12] =
    ["sd", "hd", "vd", "xvd", "nvme", "mmcblk", "loop", "dm-", "md", "ram", "zram", "sr"];
const ENDS: &str = "\"'`,;()[]{}<>|\u{201c}\u{201d}";

pub fn parts(path: &str) -> Vec<(&str, Place)> {
    let mut above: Vec<&str> = Vec::new();
    let mut out = Vec::new();
    for (index, part) in path.split('/').enumerate() {
        let place = match part {
            "" | "." | ".." | "~" => Place::System,
            _ => place(&above, part, index == 0),
        };
        out.push((part, place));
        if !matches!(part, "" | ".") {
            above.push(part);
        }
    }
    out
}

fn place(above: &[&str], part: &str, is_relative: bool) -> Place {
    let is_system = match above {
        [] => !is_relative && TOP.contains(&part),
        ["dev" | "run" | "var", ..] => FOLDERS.contains(&part) || is_device(part),
        [first, ..] if SOFTWARE.contains(first) => true,
        _ => false,
    };
    if is_system || is_ours(part) {
        return Place::System;
    }
    Place::Private(match above {
        ["home"] | ["media"] | ["run", "media"] => Kind::User,
        [.., "by-id"] => Kind::Serial,
        [.., "by-label" | "by-partlabel"] => Kind::Label,
        [.., "by-uuid" | "by-partuuid"] => Kind::Id,
        _ => Kind::Name,
    })
}

/// `sda1`, `nvme0n1p2`, `dm-0`.
fn is_device(part: &str) -> bool {
    DEVICES.iter().any(|prefix| {
        part.strip_prefix(prefix).is_some_and(|rest| {
            rest.len() <= 8
                && rest.chars().all(|c| c.is_ascii_digit() || c.is_ascii_lowercase())
                && (rest.ends_with(|c: char| c.is_ascii_digit()) || rest.len() <= 2)
        })
    })
}

/// What bakeoff itself makes: `.bakeoff-RUN`, `bakeoff-RUN-0.img`, `bakeoff.db`, and a run's id.
fn is_ours(part: &str) -> bool {
    let rest = part.trim_start_matches('.');
    let rest = rest.strip_prefix("bakeoff").unwrap_or(rest);
    let is_of_run = |c: char| c.is_ascii_hexdigit() || c == '-';
    let stem = rest.trim_start_matches('-').split('.').next().unwrap_or_default();
    let has_id = stem.len() >= 8 && stem.chars().all(is_of_run) && stem.len() <= 24;
    let is_named = part.trim_start_matches('.').starts_with("bakeoff");
    (is_named && (has_id || matches!(rest, "" | ".db" | "-RUN"))) || (!is_named && is_run_id(part))
}

/// The parts that are somebody's choice.
pub fn private_parts(path: &str) -> Vec<(Kind, &str)> {
    let private = parts(path).into_iter().filter_map(|(part, place)| match place {
        Place::Private(kind) => Some((kind, part)),
        Place::System => None,
    });
    private.collect()
}

/// Where a text has an absolute path, or one below the home directory.
pub fn find(text: &str) -> Option<(usize, usize)> {
    let mut before = None;
    for (at, c) in text.char_indices() {
        let starts = match c {
            '/' => !before.is_some_and(|b: char| b.is_alphanumeric() || "/.~-_%*".contains(b)),
            '~' => text[at + 1..].starts_with('/') && !before.is_some_and(char::is_alphanumeric),
            '.' => is_relative(&text[at..]) && before.is_none_or(|b| b.is_whitespace() || b == '"'),
            _ => false,
        };
        // "5 / 7" and "s/n" are no paths.
        let names = |c: char| !c.is_whitespace() && c != '/' && !ENDS.contains(c);
        if starts && text[at + c.len_utf8()..].trim_start_matches(['/', '.']).starts_with(names) {
            return Some((at, end(text, at)));
        }
        before = Some(c);
    }
    None
}

fn is_relative(text: &str) -> bool {
    text.starts_with("./") || text.starts_with("../")
}

fn end(text: &str, from: usize) -> usize {
    let rest = &text[from..];
    let stop = rest.find(|c: char| c.is_whitespace() || ENDS.contains(c)).unwrap_or(rest.len());
    // The dot or colon behind a path belongs to the sentence.
    from + rest[..stop].trim_end_matches(['.', ':', '!', '?']).len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn private(path: &str) -> Vec<&str> {
        private_parts(path).into_iter().map(|(_, part)| part).collect()
    }

    #[test]
    fn the_systems_own_parts_are_kept() {
        for path in [
            "/dev/sda1",
            "/dev/nvme0n1p2",
            "/dev/mmcblk0p1",
            "/dev/disk/by-id",
            "/proc/4711/fd/3",
            "/sys/block/sda/queue/scheduler",
            "/usr/sbin/mkfs.ext4",
            "/run/bakeoff/0123456789abcdef",
            "/var/tmp/.bakeoff-0123456789abcdef",
            "/tmp",
            "/",
            "/boot/..",
            "/dev/mapper",
        ] {
            assert!(private(path).is_empty(), "{path}: {:?}", private(path));
        }
    }

    #[test]
    fn what_somebody_chose_is_not() {
        assert_eq!(private("/home/ada/My Files"), ["ada", "My Files"]);
        assert_eq!(private("/dev/mapper/vg-secret"), ["vg-secret"]);
        assert_eq!(private("/dev/disk/by-id/usb-Stick_55AE-0:0"), ["usb-Stick_55AE-0:0"]);
        assert_eq!(private("photos/x"), ["photos", "x"]);
        assert_eq!(private("/tmp/bakeoff-of-ada"), ["bakeoff-of-ada"]);
        assert_eq!(private("/dev/sdsecret"), ["sdsecret"]);
    }

    #[test]
    fn paths_in_sentences() {
        let found = |text: &'static str| find(text).map(|(from, to)| &text[from..to]);
        assert_eq!(found("cannot write /home/ada/x.db: full"), Some("/home/ada/x.db"));
        assert_eq!(found("(\"/mnt/a\", 3)"), Some("/mnt/a"));
        assert_eq!(found("file=/srv/b."), Some("/srv/b"));
        assert_eq!(found("in ~/notes now"), Some("~/notes"));
        assert_eq!(found("see ../b/c"), Some("../b/c"));
        assert_eq!(found("300 MB/s, 5 / 7, read/write"), None);
        assert_eq!(found("//nas/share is full"), Some("//nas/share"));
    }
}
