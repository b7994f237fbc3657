//! The drives of a machine as `bakeoff devices` shows them, in every format.
//!
//! Schema `bakeoff/devices/1`, documented in docs/format.md. What is not known is null. All text is
//! harmless to print: control characters, direction marks and bytes that are not UTF-8 are written
//! `\xNN`, and so is a backslash.

mod next;
mod tables;
mod text;

use serde::Serialize;

pub use next::Asker;

use crate::document::Document;
use bakeoff_machine::fitness::Check;
use bakeoff_machine::guard::{self, GuardVerdict, RefusalReason, Why};
use bakeoff_machine::prepare::device::{BlockDevice, Mounted, System};
use bakeoff_machine::prepare::token;
use bakeoff_machine::prepare::token::TokenError;
use bakeoff_model::host::{Layer, LayerKind};
use bakeoff_model::path::{RawPath, printable};

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Devices {
    /// `bakeoff/devices/1`.
    pub schema: &'static str,
    pub saw_all: bool,
    /// Whether it was root who looked: then something hides the rest, as a container does.
    #[serde(skip)]
    pub is_root: bool,
    pub drives: Vec<Drive>,
    /// Of the one drive that was asked about: link, marks, scheduler, health and throttling.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<Check>,
    pub others: Vec<Other>,
    pub empty: Vec<String>,
    /// What to type next, the best command first.
    pub next: Vec<Next>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Drive {
    pub name: String,
    pub path: String,
    pub model: Option<String>,
    pub vendor: Option<String>,
    pub serial: Option<String>,
    pub size_bytes: u64,
    /// As the kernel thinks; USB bridges and virtual machines often say true of flash.
    pub rotational: Option<bool>,
    pub removable: Option<bool>,
    pub read_only: bool,
    pub bus: Option<String>,
    pub link: Option<String>,
    pub scheduler: Option<String>,
    pub write_cache: Option<String>,
    pub by_id: Option<String>,
    pub contents_known: bool,
    pub contents: Vec<Part>,
    pub safe_to_erase: bool,
    pub reasons: Vec<RefusalReason>,
    pub erase_token: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Part {
    pub name: String,
    pub kind: LayerKind,
    /// 0 for the drive itself and its partitions, 1 for what is made of those, and so on.
    pub depth: u32,
    pub size_bytes: u64,
    pub fs: Option<String>,
    pub label: Option<String>,
    pub mount_points: Vec<RawPath>,
    pub is_swap: bool,
    pub title: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Other {
    pub name: String,
    pub what: String,
    pub size_bytes: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Next {
    pub command: String,
    pub why: String,
}

impl Devices {
    pub fn new(system: &System, asker: &Asker) -> Devices {
        let fit = || system.devices.iter().filter(|d| d.unfit.is_none());
        let disks = || fit().filter(|d| d.layer.kind == LayerKind::Disk);
        let drives = disks().filter(|d| d.layer.size_bytes > 0);
        let drives: Vec<Drive> = drives.map(|d| drive(d, system)).collect();
        Devices {
            schema: "bakeoff/devices/1",
            saw_all: system.saw_all,
            is_root: asker.is_root,
            next: next::next(system, &drives, asker),
            drives,
            checks: Vec::new(),
            others: fit().filter_map(other).collect(),
            empty: disks().filter(|d| d.layer.size_bytes == 0).map(name).collect(),
        }
    }

    /// Leaves one drive, and says of it what was found.
    pub fn keep(&mut self, layer: &Layer, checks: Vec<Check>) {
        let name = clean(&layer.name);
        self.drives.retain(|drive| drive.name == name);
        self.checks = checks;
        (self.others, self.empty, self.next) = (Vec::new(), Vec::new(), Vec::new());
    }

    pub fn document(&self) -> Document {
        text::document(self)
    }

    pub fn json(&self) -> String {
        // The view holds only what JSON can say, so this cannot fail.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    pub fn csv(&self) -> String {
        tables::csv(self)
    }

    pub fn markdown(&self) -> String {
        tables::markdown(self)
    }
}

fn clean(text: &str) -> String {
    printable(text.as_bytes())
}

fn name(device: &BlockDevice) -> String {
    clean(&device.layer.name)
}

fn drive(device: &BlockDevice, system: &System) -> Drive {
    let Layer { model, vendor, serial, bus, link, scheduler, write_cache, by_id, .. } =
        device.layer.clone();
    let sanitize = |text: Option<String>| text.as_deref().map(clean);
    let tree = system.tree(device.dev);
    let (reasons, erase_token) = match guard::verdict(device.dev, system, false) {
        GuardVerdict::No(reasons) => (reasons, None),
        GuardVerdict::Safe => match token::of_device(device.dev, system) {
            Ok(token) => (Vec::new(), Some(token)),
            // Nobody looked: it has a token, which whoever may read the drive is told.
            Err(TokenError::Unread) => (Vec::new(), None),
            Err(error) => (vec![RefusalReason::new(Why::NoToken, error.to_string())], None),
        },
    };
    Drive {
        name: name(device),
        path: format!("/dev/{}", name(device).replace('!', "/")),
        model: sanitize(model),
        vendor: sanitize(vendor),
        serial: sanitize(serial),
        size_bytes: device.layer.size_bytes,
        rotational: device.layer.rotational,
        removable: device.layer.removable,
        read_only: device.read_only,
        bus: sanitize(bus),
        link: link.as_ref().map(|link| clean(link.as_str())),
        scheduler: sanitize(scheduler),
        write_cache: sanitize(write_cache),
        by_id: sanitize(by_id),
        contents_known: tree.iter().all(|part| part.content.is_some() || part.contents.is_some()),
        contents: contents(device, &tree, system),
        safe_to_erase: reasons.is_empty(),
        reasons,
        erase_token,
    }
}

/// What is on a drive: all that is made of it but loop devices over files, and the drive itself
/// where a filesystem lies on it without partitions.
fn contents(disk: &BlockDevice, tree: &[&BlockDevice], system: &System) -> Vec<Part> {
    let parts = tree.iter().filter(|part| part.layer.kind != LayerKind::Loop);
    let parts = parts.map(|device| part(device, disk, system));
    parts
        .filter(|part| {
            let says_something = part.fs.is_some() || !part.mount_points.is_empty() || part.is_swap;
            part.name != name(disk) || says_something
        })
        .collect()
}

fn part(device: &BlockDevice, disk: &BlockDevice, system: &System) -> Part {
    let content = device.content.clone().unwrap_or_default();
    let mut mounts: Vec<&Mounted> = system.mounts_of(device.dev).collect();
    mounts.sort_by_key(|m| m.mount.mount_point.clone());
    mounts.dedup_by_key(|m| m.mount.mount_point.clone());
    // Without udev there is only what was read from the device itself.
    let read = device.own_signs().find(|sign| !sign.is_table());
    let label = content.label.or_else(|| read?.label.clone());
    let fs = content.fs.or_else(|| Some(read?.kind.clone()));
    let fs = fs.or_else(|| mounts.first().map(|m| m.mount.fs.clone()));
    Part {
        name: name(device),
        kind: device.layer.kind,
        depth: depth(device, disk, system),
        size_bytes: device.layer.size_bytes,
        fs: fs.as_deref().map(clean),
        label: label.map(|label| label.to_string()),
        mount_points: mounts.iter().map(|m| m.mount.mount_point.clone()).collect(),
        is_swap: system.swaps.iter().any(|s| !s.swap.is_file && s.on.contains(&device.dev)),
        title: device.title.as_deref().map(clean),
    }
}

fn depth(device: &BlockDevice, disk: &BlockDevice, system: &System) -> u32 {
    let (mut level, mut depth) = (vec![device], 0);
    // A chain longer than this is a cycle.
    for _ in 0..16 {
        if level.iter().any(|d| d.dev == disk.dev) {
            return depth;
        }
        depth += u32::from(level.iter().any(|d| d.layer.kind != LayerKind::Partition));
        let below = level.iter().flat_map(|d| d.below.iter());
        level = below.filter_map(|dev| system.device(*dev)).collect();
    }
    0
}

fn other(device: &BlockDevice) -> Option<Other> {
    let what = match (device.layer.kind, &device.layer.backing_file) {
        (LayerKind::Loop, Some(file)) => format!("the file {file}"),
        (LayerKind::Loop, None) => "a file".to_string(),
        (LayerKind::Ram, _) => "memory".to_string(),
        (LayerKind::Disk | LayerKind::Partition | LayerKind::Dm | LayerKind::Md, _) => return None,
    };
    Some(Other { name: name(device), what, size_bytes: device.layer.size_bytes })
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_machine::prepare::contents::{Contents, Sign};

    /// A spare drive, as its signatures were read and not from udev's database.
    fn spare(contents: Option<Contents>) -> System {
        let layer = Layer { name: "sdb".into(), size_bytes: 32 << 30, ..Layer::default() };
        let device = BlockDevice { layer, contents, ..BlockDevice::default() };
        System { devices: vec![device], saw_all: true, ..System::default() }
    }

    /// Without udev `devices` named neither filesystem nor label.
    #[test]
    fn names_filesystem_and_label_without_udev() {
        let sign =
            Sign { kind: "ext4".into(), label: Some(RawPath::new("MYPHOTOS")), ..Sign::default() };
        let text = |contents| {
            let shown = Devices::new(&spare(Some(contents)), &Asker::ordinary(true));
            shown.document().text(100, false)
        };
        let named = text(Contents { signs: vec![sign] });
        assert!(named.contains("erasing it would destroy ext4 \"MYPHOTOS\" on sdb"), "{named}");
        let text = text(Contents::default());
        assert!(text.contains("no filesystem was found on it"), "{text}");
    }

    /// A user without root saw a drive that was safe to erase and no token, and not why.
    #[test]
    fn a_token_that_is_missing_has_a_reason() {
        let shown = |is_root| {
            Devices::new(&spare(None), &Asker::ordinary(is_root)).document().text(80, false)
        };
        let words = "erase token: reading the contents needs root: sudo bakeoff devices";
        assert!(shown(false).contains(words), "{}", shown(false));
        assert!(shown(true).contains("the contents could not be read"), "{}", shown(true));
    }

    #[test]
    fn one_drive_has_what_limits_it() {
        use bakeoff_machine::fitness::{of_drive, testing};
        let mut facts = testing::fit();
        let mut shown = Devices::new(&spare(None), &Asker::ordinary(true));
        shown.keep(&Layer { name: "sdb".into(), ..Layer::default() }, {
            facts.disks[0].usb.as_mut().unwrap().mbit = 12;
            of_drive(&facts.disks[0], &facts)
        });
        insta::assert_snapshot!(shown.document().text(80, false));
        let json: serde_json::Value = serde_json::from_str(&shown.json()).unwrap();
        assert_eq!(json["checks"][0]["status"], "stop", "{json}");
    }

    #[test]
    fn a_machine_without_drives_is_told_what_works() {
        let shown = Devices::new(&System::default(), &Asker::ordinary(false));
        insta::assert_snapshot!(shown.document().text(80, false));
        let commands: Vec<&str> = shown.next.iter().map(|n| n.command.as_str()).collect();
        assert_eq!(commands, ["sudo bakeoff demo", "bakeoff quick ."]);
        let json: serde_json::Value = serde_json::from_str(&shown.json()).unwrap();
        assert_eq!(json["schema"], "bakeoff/devices/1");
    }
}
