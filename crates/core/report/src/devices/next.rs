//! What to type next: the command that fits this machine best, and the others that work here.
//!
//! A spare drive is worth a plan: it is what bakeoff exists for, and `plan` changes nothing.
//! Without one the demo compares filesystems on an image, where root can be had. Elsewhere `quick`
//! measures.

use super::{Drive, Next};
use bakeoff_machine::prepare::device::{Mounted, System};
use bakeoff_machine::prepare::steps;
use bakeoff_model::host::{LayerKind, PlaceClass};
use bakeoff_model::path::RawPath;

/// Smallest drive that a built-in plan is worth typing for.
const SPARE_BYTES: u64 = 1 << 30;
const PLACES: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asker {
    pub is_root: bool,
    pub can_become_root: bool,
    pub has_loop_devices: bool,
    pub writes_here: bool,
}

impl Asker {
    pub fn ordinary(is_root: bool) -> Asker {
        Asker { is_root, can_become_root: true, has_loop_devices: true, writes_here: true }
    }

    fn may_be_root(&self) -> bool {
        self.is_root || self.can_become_root
    }

    fn sudo(&self) -> &'static str {
        if self.is_root { "" } else { "sudo " }
    }
}

/// The commands, the best one first.
pub fn next(system: &System, drives: &[Drive], asker: &Asker) -> Vec<Next> {
    let spare = drives.iter().find_map(|drive| plan(drive, asker));
    let can_demo = asker.may_be_root() && asker.has_loop_devices;
    let demo = can_demo.then(|| Next {
        command: format!("{}bakeoff demo", asker.sudo()),
        why: "compare filesystems on an image on this drive; needs no spare drive".to_string(),
    });
    spare.into_iter().chain(demo).chain([quick(system, asker)]).collect()
}

/// The built-in plan for a drive that nobody uses: an empty one, or a medium that can be taken out.
fn plan(drive: &Drive, asker: &Asker) -> Option<Next> {
    let is_free = drive.safe_to_erase && !drive.read_only && drive.size_bytes >= SPARE_BYTES;
    let is_empty = drive.contents_known && drive.contents.is_empty();
    let is_card = drive.bus.as_deref() == Some("mmc");
    let is_medium = is_card || drive.removable == Some(true);
    if !(is_free && (is_empty || is_medium) && asker.may_be_root()) {
        return None;
    }
    let plan = match drive.bus.as_deref() {
        Some("mmc") => "sd-card",
        Some("usb") => "usb-stick",
        _ => "nas",
    };
    let path = drive.by_id.as_deref().unwrap_or(&drive.path);
    let word = shell_word(&RawPath::new(path))?;
    let why = format!(
        "show how filesystems would be compared on {}, which is not in use; changes nothing",
        drive.name
    );
    Some(Next { command: format!("{}bakeoff plan {plan} --target {word}", asker.sudo()), why })
}

/// `quick` for one directory on each drive that has a filesystem in use.
fn quick(system: &System, asker: &Asker) -> Next {
    let mut taken = Vec::new();
    let mut places: Vec<String> = Vec::new();
    let here = system.mounts.iter().filter(|m| is_place(m));
    let mut mounts: Vec<_> = here.map(|m| (m, system.chain(&m.on))).collect();
    // An image on a drive says less about the drive than a filesystem right on it.
    mounts.sort_by_key(|(m, chain)| {
        let is_image = chain.iter().any(|d| d.layer.kind == LayerKind::Loop);
        (is_image, m.mount.mount_point.clone())
    });
    let own = if asker.writes_here { "." } else { "~" };
    for (mounted, chain) in mounts {
        let disks: Vec<_> = chain.iter().filter(|d| d.layer.kind == LayerKind::Disk).collect();
        let is_new = disks.iter().any(|disk| !taken.contains(&disk.dev));
        let Some(word) = shell_word(&mounted.mount.mount_point).filter(|_| is_new) else {
            continue;
        };
        taken.extend(disks.iter().map(|disk| disk.dev));
        // Nobody wants a test file in /; a directory of the user's will do.
        places.push(if word == "/" { own.to_string() } else { word });
    }
    if places.is_empty() {
        places.push(own.to_string());
    }
    places.truncate(PLACES);
    let why = match (places.len(), places[0].as_str()) {
        (1, "~") => "measure your home directory; needs no root, destroys nothing",
        (1, _) => "measure this directory; needs no root, destroys nothing",
        _ => "compare these directories; needs no root, destroys nothing",
    };
    Next { command: format!("bakeoff quick {}", places.join(" ")), why: why.into() }
}

/// Whether a test could run there: a whole, writable filesystem of our namespace, not for booting.
fn is_place(mounted: &Mounted) -> bool {
    let Mounted { mount, on, seen_by } = mounted;
    let at = mount.mount_point.as_path();
    let is_whole = mount.root.as_path() == std::path::Path::new("/") || mount.fs == "btrfs";
    let is_boot = at.starts_with("/boot") || at.starts_with("/efi");
    let is_known = PlaceClass::of_fs(&mount.fs) == PlaceClass::Block || mount.fs == "fuseblk";
    seen_by.is_none() && !on.is_empty() && is_whole && !is_boot && is_known && !mount.is_read_only()
}

/// A path as typed in a shell; `None` for one that cannot be typed without escapes.
fn shell_word(path: &RawPath) -> Option<String> {
    let has_escapes = path.to_string().contains('\\');
    (!has_escapes).then(|| steps::shell_word(path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::devices::Devices;
    use bakeoff_machine::prepare::contents::{Contents, Sign};
    use bakeoff_machine::prepare::device::BlockDevice;
    use bakeoff_model::host::Layer;

    #[test]
    fn only_what_can_be_typed_is_suggested() {
        let word = |text: &str| shell_word(&RawPath::new(text));
        assert_eq!(word("/media/My Disk").as_deref(), Some("'/media/My Disk'"));
        assert_eq!(word("/a\nb"), None);
        assert_eq!(word("/a\u{202e}b"), None);
    }

    fn best(layer: Layer, signs: Option<Vec<Sign>>, asker: Asker) -> String {
        let contents = signs.map(|signs| Contents { signs });
        let layer = Layer { name: "sdb".into(), size_bytes: 32 << 30, ..layer };
        let device = BlockDevice { layer, contents, ..BlockDevice::default() };
        let system = System { devices: vec![device], saw_all: true, ..System::default() };
        Devices::new(&system, &asker).next[0].command.clone()
    }

    fn layer(bus: &str, removable: bool) -> Layer {
        Layer { bus: Some(bus.into()), removable: Some(removable), ..Layer::default() }
    }

    fn ext4() -> Option<Vec<Sign>> {
        Some(vec![Sign { kind: "ext4".into(), ..Sign::default() }])
    }

    #[test]
    fn a_spare_drive_gets_the_plan_for_its_kind() {
        let root = Asker::ordinary(true);
        let by_id = Some("/dev/disk/by-id/usb-Stick_1".to_string());
        let stick = Layer { by_id, ..layer("usb", true) };
        let stick = best(stick, ext4(), Asker::ordinary(false));
        assert_eq!(stick, "sudo bakeoff plan usb-stick --target /dev/disk/by-id/usb-Stick_1");
        assert_eq!(
            best(layer("mmc", false), ext4(), root),
            "bakeoff plan sd-card --target /dev/sdb"
        );
        assert_eq!(
            best(layer("ata", false), Some(vec![]), root),
            "bakeoff plan nas --target /dev/sdb"
        );
    }

    #[test]
    fn a_disk_with_a_filesystem_on_it_is_nobodys_spare_drive() {
        let root = Asker::ordinary(true);
        assert_eq!(best(layer("ata", false), ext4(), root), "bakeoff demo");
        assert_eq!(best(layer("usb", false), ext4(), root), "bakeoff demo");
        assert_eq!(best(layer("ata", false), None, root), "bakeoff demo", "not looked into");
    }

    #[test]
    fn without_root_or_loop_devices_quick_is_left() {
        let user = Asker { can_become_root: false, ..Asker::ordinary(false) };
        assert_eq!(best(layer("mmc", true), ext4(), user), "bakeoff quick .");
        let in_container = Asker { has_loop_devices: false, ..Asker::ordinary(true) };
        assert_eq!(best(layer("ata", false), ext4(), in_container), "bakeoff quick .");
        let elsewhere = Asker { writes_here: false, ..user };
        assert_eq!(best(layer("ata", false), ext4(), elsewhere), "bakeoff quick ~");
    }
}
