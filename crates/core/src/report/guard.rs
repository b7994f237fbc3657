//! Why a device or an image must not be written, in words.

use serde::Serialize;

use crate::guard::{Holder, Reason, Subject, Why, is_ours};
use crate::model::path::RawPath;
use crate::prepare::commands::shell_word;
use crate::prepare::contents::{Group, Membership};
use crate::prepare::device::{Process, Unfit};

/// A reason as programs and people are shown it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Worded {
    /// Kind.
    pub why: Why,
    /// In words, harmless to print.
    pub text: String,
    /// The command that takes the reason away, for whoever wanted to write the device.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frees: Option<String>,
}

impl From<&Reason> for Worded {
    fn from(reason: &Reason) -> Worded {
        Worded { why: reason.why(), text: text(reason), frees: reason.frees() }
    }
}

/// The reason with what to type next.
pub fn with_advice(reason: &Reason) -> String {
    match reason.frees() {
        Some(command) => format!("{}. Run this first: {command}", text(reason)),
        None => text(reason),
    }
}

/// The reason in words, harmless to print.
pub fn text(reason: &Reason) -> String {
    match reason {
        Reason::Root { device } => format!("the system runs from it ({device} is mounted on /)"),
        Reason::Boot { device, at } => {
            format!("the system boots from it ({device} is mounted on {at})")
        }
        Reason::MountedByRun { what, at } => format!(
            "a bakeoff run has {} mounted on {at}. Wait until it ends (`bakeoff runs`); after a \
             crash: `bakeoff clean`",
            subject(what)
        ),
        Reason::Mounted { what, at, seen_by } => mounted(what, at, seen_by.as_ref()),
        Reason::MountedThrough { at, device } => {
            format!("it is mounted on {at} through {device}. Unmount it: umount {}", shell_word(at))
        }
        Reason::Swap { what, path } => swap(what, path),
        Reason::SwapFile { path, device } => format!("swap is in the file {path} on {device}"),
        Reason::InUse { by, device } => in_use(by, device),
        Reason::SameFile { by } => {
            format!("{by} is attached to the same file. Detach it: losetup --detach /dev/{by}")
        }
        Reason::Backs { device } => {
            format!("it backs {device}. Detach it: losetup --detach /dev/{device}")
        }
        Reason::HardLinks { count } => format!(
            "it has {count} hard links, and another user may use one of them. Make a separate copy \
             with `cp`"
        ),
        Reason::Member { device, kernel_name, of } => format!(
            "{device} is part of {}. If you no longer need its data, erase the signatures: wipefs \
             --all /dev/{kernel_name}",
            membership(of)
        ),
        Reason::MemberWithin { part, device, of } => {
            format!("{part} of {device} is part of {}", membership(of))
        }
        Reason::Open { process, what } => open(process, what),
        Reason::SharesDrive { drive } => format!(
            "the system runs from the same drive, {drive}. To use an unmounted partition of it \
             anyway, add --shares-disk-with-root"
        ),
        Reason::ReadOnly { what } => read_only(what),
        Reason::NoMedium => "it contains no medium".to_string(),
        Reason::EmptyLoop => "it is a loop device without a backing file (size 0)".to_string(),
        Reason::Memory => "it is memory, not a drive".to_string(),
        Reason::Unfit(unfit) => no_drive(*unfit).to_string(),
        Reason::NoToken(error) => error.to_string(),
        Reason::Gone => "there is no such device".to_string(),
    }
}

fn subject(what: &Subject) -> String {
    match what {
        Subject::Image(_) => "it".to_string(),
        Subject::Device(name) => name.clone(),
        Subject::FileBehind(name) => format!("the backing file of {name}"),
    }
}

fn mounted(what: &Subject, at: &RawPath, seen_by: Option<&Process>) -> String {
    let text = format!("{} is mounted on {at}", subject(what));
    match (what, seen_by) {
        (_, Some(Process { name, pid })) => {
            format!("{text} in the mount namespace of {name} (process {pid})")
        }
        (Subject::Image(_), None) => format!("{text}. Unmount it: umount {}", shell_word(at)),
        (Subject::Device(_) | Subject::FileBehind(_), None) => text,
    }
}

fn swap(what: &Subject, path: &RawPath) -> String {
    match what {
        Subject::Image(file) => format!("{path} is swap. Disable it: swapoff {}", shell_word(file)),
        Subject::Device(_) | Subject::FileBehind(_) => {
            format!("{} is used as swap", subject(what))
        }
    }
}

fn in_use(by: &Holder, device: &str) -> String {
    match by {
        Holder::LoopOver(name) => {
            format!("{name} is attached to {device}. Detach it: losetup --detach /dev/{name}")
        }
        Holder::LoopFile { name, file } => format!("{name} is the file {file} on {device}"),
        Holder::VolumeGroup(name) => format!("LVM volume group {name} uses {device}"),
        Holder::Raid { name, level: Some(level) } => {
            format!("RAID array {name} ({level}) uses {device}")
        }
        Holder::Raid { name, level: None } => format!("RAID array {name} uses {device}"),
        Holder::Encrypted(name) => format!("the encrypted volume {name} uses {device}"),
        Holder::Mapped(name) => format!("the device mapper volume {name} uses {device}"),
        Holder::Other(name) => format!("{name} uses {device}"),
    }
}

/// `an LVM volume group "vg0" (UUID …)`.
fn membership(of: &Membership) -> String {
    let mut words = match of.group {
        Group::Raid => "a RAID array",
        Group::Lvm => "an LVM volume group",
        Group::Zfs => "a ZFS pool",
        Group::Bcache => "a bcache set",
        Group::Drbd => "a DRBD resource",
    }
    .to_string();
    if let Some(label) = &of.label {
        words += &format!(" \"{label}\"");
    }
    if let Some(uuid) = &of.uuid {
        words += &format!(" (UUID {uuid})");
    }
    words
}

fn open(process: &Process, what: &Subject) -> String {
    let (Process { name, pid }, what) = (process, subject(what));
    match is_ours(process) {
        true => format!(
            "{name} (process {pid}) is using {what}. Check for active runs with `bakeoff runs`, \
             and wait until they end"
        ),
        false => format!("{name} (process {pid}) has {what} open"),
    }
}

fn read_only(what: &Subject) -> String {
    let text = format!("{} is write-protected", subject(what));
    match what {
        Subject::Image(file) => {
            format!("{text}. Make it writable: chmod u+w {}", shell_word(file))
        }
        Subject::Device(_) | Subject::FileBehind(_) => text,
    }
}

fn no_drive(unfit: Unfit) -> &'static str {
    match unfit {
        Unfit::Optical => "it is an optical or floppy drive",
        Unfit::Firmware => "it contains firmware, not files",
        Unfit::Hidden => "it is another path to a drive",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prepare::token::TokenError;

    /// Every reason, gravest first.
    fn every_reason() -> Vec<Reason> {
        let at = || RawPath::new("/srv/a b");
        let it = || Subject::Image(RawPath::new("/srv/disk.img"));
        let sda = || Subject::Device("sda".into());
        let file = || Subject::FileBehind("loop0".into());
        let process = |name: &str| Process { name: RawPath::new(name), pid: 71 };
        let name = || "vg0".to_string();
        let holders = [
            Holder::VolumeGroup(name()),
            Holder::Raid { name: "md0".into(), level: None },
            Holder::Raid { name: "md0".into(), level: Some("raid1".into()) },
            Holder::LoopOver("loop7".into()),
            Holder::LoopFile { name: "loop0".into(), file: at() },
            Holder::Other("bcache0".into()),
            Holder::Mapped(name()),
            Holder::Encrypted(name()),
        ];
        let groups = [Group::Drbd, Group::Raid, Group::Zfs, Group::Bcache, Group::Lvm];
        let member = |group| Membership { group, label: None, uuid: None };
        let known =
            Membership { label: Some(at()), uuid: Some("a-b".into()), ..member(Group::Lvm) };
        let mounted = |what, seen_by| Reason::Mounted { what, at: at(), seen_by };
        let mut all = vec![
            Reason::Root { device: "sda2".into() },
            Reason::Boot { device: "sda1".into(), at: RawPath::new("/boot") },
            Reason::MountedByRun { what: it(), at: RawPath::new("/run/bakeoff/1") },
            Reason::MountedByRun { what: sda(), at: RawPath::new("/run/bakeoff/1") },
            mounted(it(), None),
            mounted(sda(), None),
            mounted(sda(), Some(process("sleep"))),
            Reason::MountedThrough { at: at(), device: "loop3".into() },
            Reason::Swap { what: it(), path: at() },
            Reason::Swap { what: sda(), path: RawPath::new("/dev/sda") },
            Reason::Swap { what: file(), path: at() },
            Reason::SwapFile { path: at(), device: "sda".into() },
        ];
        all.extend(holders.map(|by| Reason::InUse { by, device: "sda".into() }));
        all.extend([
            Reason::SameFile { by: "loop1".into() },
            Reason::Backs { device: "loop4".into() },
            Reason::HardLinks { count: 2 },
        ]);
        all.extend(groups.map(|group| Reason::Member {
            device: name(),
            kernel_name: "dm-0".into(),
            of: member(group),
        }));
        all.extend([
            Reason::MemberWithin { part: "1".into(), device: "loop0".into(), of: known },
            Reason::Open { process: process("bakeoff"), what: file() },
            Reason::Open { process: process("dd"), what: sda() },
            Reason::SharesDrive { drive: "sda".into() },
            Reason::ReadOnly { what: it() },
            Reason::ReadOnly { what: sda() },
            Reason::NoMedium,
            Reason::EmptyLoop,
            Reason::Memory,
        ]);
        all.extend([Unfit::Optical, Unfit::Firmware, Unfit::Hidden].map(Reason::Unfit));
        all.extend([Reason::NoToken(TokenError::Unread), Reason::Gone]);
        all
    }

    #[test]
    fn every_reason_in_words() {
        let all = every_reason();
        assert!(all.is_sorted_by_key(Reason::why) && all.is_sorted(), "gravest first");
        let lines: Vec<String> = all.iter().map(with_advice).collect();
        insta::assert_snapshot!(lines.join("\n"));
    }
}
