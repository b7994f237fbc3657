//! The machine and the place a number was measured on: the fingerprint stored with every run.

use serde::{Deserialize, Serialize};

use super::path::RawPath;
use super::wear::WornDevices;
use crate::link::Link;

/// The machine. A field that could not be read is `None` or empty, never guessed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Host {
    pub hostname: String,
    /// `/proc/device-tree/model` or DMI vendor and product.
    pub model: Option<String>,
    pub cpu: Option<String>,
    pub cpus: u32,
    pub arch: String,
    pub mem_total_bytes: u64,
    pub kernel: String,
    pub os: Option<String>,
    /// cpufreq governor of each policy, as found; empty where there is no cpufreq.
    pub governors: Vec<String>,
    pub aes: Option<bool>,
    pub clocksource: Option<String>,
    /// `/proc/sys/kernel/random/boot_id`.
    pub boot_id: Option<String>,
    /// 16 hexadecimal digits that tell this board from others: a digest of its serial number or of
    /// the id of its system.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub board_id: Option<String>,
    /// `vm.dirty_*` and other settings that change results, name to value.
    pub settings: Vec<(String, String)>,
}

/// A directory or block device with everything below it down to the drive.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Place {
    pub mount_point: RawPath,
    /// Filesystem type as the kernel names it (`fuseblk` for ntfs-3g).
    pub fs: String,
    pub class: PlaceClass,
    pub options: Vec<String>,
    pub source: String,
    /// `major:minor` of the mount.
    pub dev: String,
    pub size_bytes: u64,
    pub free_bytes: u64,
    /// From the mounted block device down to the drive or drives, top first.
    pub chain: Vec<Layer>,
}

/// Devices whose counters (Documentation/admin-guide/iostats.rst) tell what was moved at a place,
/// as `major:minor`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    /// For reads: the uppermost one, which nobody else reads, where nothing below it can answer
    /// from memory; else the drives.
    pub reads: Vec<String>,
    pub writes: Vec<String>,
    /// Whether a layer between keeps data in memory, so that what others read from the drives
    /// could be taken for ours: a loop device without direct I/O.
    pub shares_reads: bool,
}

impl Place {
    /// Whether all drives below say that they spin, sticks and card readers aside. A virtual disk
    /// often says so: what was written to it before does not count for more there.
    pub fn spins(&self) -> bool {
        let spins =
            |disk: &Layer| disk.rotational == Some(true) && disk.bus.as_deref() != Some("usb");
        self.disks().next().is_some() && self.disks().all(spins)
    }

    pub fn disks(&self) -> impl Iterator<Item = &Layer> {
        self.chain.iter().filter(|l| l.kind == LayerKind::Disk)
    }

    /// `major:minor` of these drives.
    pub fn disk_numbers(&self) -> Vec<String> {
        self.disks().map(|disk| disk.dev.clone()).collect()
    }

    pub fn counted(&self) -> Counted {
        let writes = self.disk_numbers();
        let shares_reads = self.chain.iter().any(Layer::caches_its_file);
        let reads = match self.chain.first() {
            Some(top) if !shares_reads && self.disks().count() == 1 => vec![top.dev.clone()],
            _ => writes.clone(),
        };
        Counted { reads, writes, shares_reads }
    }

    /// Devices whose writes tell what work in a directory here costs the flash: what is mounted, or
    /// the drives below where those are several.
    pub fn worn(&self) -> WornDevices {
        let drives = self.disk_numbers();
        let (bytes, flushes) = match self.chain.first() {
            Some(top) if drives.len() <= 1 && top.kind == LayerKind::Loop => {
                (vec![top.dev.clone()], vec![top.dev.clone()])
            }
            Some(top) if drives.len() <= 1 => (vec![top.dev.clone()], drives),
            Some(_) | None => (drives.clone(), drives),
        };
        WornDevices { bytes, flushes, is_shared: true }
    }

    /// Whether a turn of another candidate may cost its drives something: those with heads and the
    /// cheap flash of cards and sticks, and what is not known. Not SSDs, virtual disks and memory.
    pub fn charges_turns(&self) -> bool {
        let mut disks = self.disks().peekable();
        let is_known = disks.peek().is_some();
        self.class != PlaceClass::Memory && (!is_known || disks.any(Layer::charges_turns))
    }

    pub fn partition(&self) -> Option<&Layer> {
        self.chain.iter().find(|layer| layer.kind == LayerKind::Partition)
    }

    pub fn cipher(&self) -> Option<&Layer> {
        self.chain.iter().find(|layer| layer.dm_target.as_deref() == Some("crypt"))
    }

    /// Files that loop devices of the chain keep in the page cache: those without direct I/O, or
    /// on kernels that do not say.
    pub fn cached_files(&self) -> impl Iterator<Item = &RawPath> {
        let cached = self.chain.iter().filter(|layer| layer.caches_its_file());
        cached.filter_map(|layer| layer.backing_file.as_ref())
    }
}

/// What a filesystem is, as far as claims about it go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlaceClass {
    #[default]
    Block,
    Memory,
    /// A user-space driver; the cache state below it is unknown.
    Fuse,
    /// On another machine; the cache state there is unknown.
    Network,
    Stacked,
}

impl PlaceClass {
    /// By the kernel's name of the filesystem; one not known here is taken to be on a device.
    pub fn of_fs(fs: &str) -> PlaceClass {
        match fs {
            "tmpfs" | "ramfs" | "devtmpfs" | "hugetlbfs" | "rootfs" => PlaceClass::Memory,
            "nfs" | "nfs4" | "cifs" | "smb3" | "9p" | "ceph" | "afs" | "coda" | "gfs2"
            | "ocfs2" | "lustre" | "orangefs" => PlaceClass::Network,
            "overlay" | "aufs" | "ecryptfs" | "shiftfs" | "unionfs" => PlaceClass::Stacked,
            "fuse" | "fuseblk" | "virtiofs" => PlaceClass::Fuse,
            // The usual network filesystems in user space: the far side is what matters.
            "fuse.sshfs" | "fuse.glusterfs" | "fuse.rclone" | "fuse.s3fs" | "fuse.davfs" => {
                PlaceClass::Network
            }
            _ if fs.starts_with("fuse.") => PlaceClass::Fuse,
            _ => PlaceClass::Block,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Layer {
    /// Kernel name: `sda1`, `dm-0`, `loop0`.
    pub name: String,
    pub kind: LayerKind,
    /// `major:minor`.
    pub dev: String,
    pub size_bytes: u64,
    pub start_bytes: Option<u64>,
    pub model: Option<String>,
    pub serial: Option<String>,
    pub vendor: Option<String>,
    /// `queue/rotational`.
    pub rotational: Option<bool>,
    pub scheduler: Option<String>,
    /// `queue/zoned`: whether writes have to follow zones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zoned: Option<ZoneModel>,
    /// `queue/write_cache`: `write back` or `write through`.
    pub write_cache: Option<String>,
    /// `queue/logical_block_size`.
    pub logical_block_bytes: Option<u32>,
    /// `queue/read_ahead_kb` in bytes.
    pub read_ahead_bytes: Option<u64>,
    pub removable: Option<bool>,
    /// Bus: `usb`, `mmc`, `nvme`, `ata`, `virtio`, `scsi`.
    pub bus: Option<String>,
    /// Negotiated link: "USB 480 Mb/s", "PCIe 5.0 GT/s x1".
    pub link: Option<Link>,
    /// What drive and slot could agree on at most, where the kernel tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub best_link: Option<Link>,
    /// Of an SD card, the classes it claims: "class 10, U3, V30, A2".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card_class: Option<String>,
    pub backing_file: Option<RawPath>,
    /// For a loop device: whether it reads and writes past the page cache (`loop/dio`).
    pub direct_io: Option<bool>,
    /// For device mapper: the target, `crypt`, `linear`, ….
    pub dm_target: Option<String>,
    /// A `/dev/disk/by-id` name of it.
    pub by_id: Option<String>,
}

const VIRTUAL: [&str; 9] = [
    "QEMU",
    "VBOX",
    "VMware",
    "Virtual disk",
    "Virtual Disk",
    "Msft",
    "Google",
    "Amazon Elastic Block Store",
    "Xen",
];

impl Layer {
    /// Whether this is a loop device whose file the page cache keeps, as far as the kernel says.
    fn caches_its_file(&self) -> bool {
        self.kind == LayerKind::Loop && self.direct_io != Some(true)
    }

    pub fn is_virtual(&self) -> bool {
        let names = [&self.vendor, &self.model].into_iter().flatten();
        matches!(self.bus.as_deref(), Some("virtio" | "xen" | "vmbus"))
            || names.into_iter().any(|name| VIRTUAL.iter().any(|word| name.contains(word)))
    }

    /// Whether the drive has a head that seeks; `None` = unknown. `queue/rotational` is 1 where a
    /// driver does not know better, as of virtual disks, sticks and card readers.
    pub fn seeks(&self) -> Option<bool> {
        match (self.rotational?, self.bus.as_deref()?) {
            (false, _) | (_, "nvme" | "mmc") => Some(false),
            (true, _) if self.is_virtual() => None,
            (true, "usb") if self.removable == Some(true) => None,
            (true, "ata" | "scsi" | "sas" | "usb") => Some(true),
            (true, _) => None,
        }
    }
}

/// Zones of a drive, as the kernel names them (Documentation/ABI/stable/sysfs-block,
/// `queue/zoned`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ZoneModel {
    /// A drive without zones, or one that hides them: shingled drives that manage themselves.
    None,
    /// Writes inside a zone may be in any order, at the price of rewriting it.
    HostAware,
    HostManaged,
}

impl Layer {
    fn charges_turns(&self) -> bool {
        match self.bus.as_deref() {
            _ if self.is_virtual() => false,
            Some("nvme") => false,
            Some("ata" | "scsi" | "sas") => self.rotational != Some(false),
            Some(_) | None => true,
        }
    }
}

impl ZoneModel {
    /// Reads the kernel's word.
    pub fn parse(text: &str) -> Option<ZoneModel> {
        match text.trim() {
            "none" => Some(ZoneModel::None),
            "host-aware" => Some(ZoneModel::HostAware),
            "host-managed" => Some(ZoneModel::HostManaged),
            _ => None,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LayerKind {
    #[default]
    Disk,
    Partition,
    Dm,
    Md,
    Loop,
    /// A block device in memory: brd, zram.
    Ram,
}

/// A drive the running system uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SystemDisk {
    /// What for: `/`, `/var`, `swap`, `the store`.
    pub purpose: String,
    /// `major:minor` of the whole drive.
    pub dev: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_kernels_words_for_zones_and_no_other() {
        let words = ["none\n", "host-aware\n", "host-managed\n", "drive-managed\n"];
        let models = words.map(ZoneModel::parse);
        let known = [ZoneModel::None, ZoneModel::HostAware, ZoneModel::HostManaged].map(Some);
        assert_eq!((&models[..3], models[3]), (&known[..], None));
    }

    #[test]
    fn only_a_drive_that_is_known_to_have_a_head_seeks() {
        let drive = |bus: &str, rotational| Layer {
            bus: Some(bus.to_string()),
            rotational: Some(rotational),
            ..Layer::default()
        };
        assert_eq!(drive("ata", true).seeks(), Some(true));
        assert_eq!(drive("ata", false).seeks(), Some(false));
        assert_eq!(drive("nvme", true).seeks(), Some(false));
        assert_eq!(drive("virtio", true).seeks(), None);
        let model = Some("QEMU HARDDISK".to_string());
        assert_eq!(Layer { model, ..drive("ata", true) }.seeks(), None);
        assert_eq!(Layer { removable: Some(true), ..drive("usb", true) }.seeks(), None);
        assert_eq!(Layer { bus: None, ..drive("", true) }.seeks(), None);
    }

    #[test]
    fn turns_cost_nothing_on_ssds_virtual_disks_and_in_memory() {
        let on = |bus: &str, rotational: bool| {
            let (bus, rotational) = (Some(bus.to_string()), Some(rotational));
            let disk = Layer { bus, rotational, ..Layer::default() };
            Place { chain: vec![disk], ..Place::default() }
        };
        for (bus, rotational) in [("nvme", false), ("virtio", true), ("ata", false)] {
            assert!(!on(bus, rotational).charges_turns(), "{bus}");
        }
        for (bus, rotational) in [("mmc", false), ("usb", false), ("ata", true)] {
            assert!(on(bus, rotational).charges_turns(), "{bus}");
        }
        assert!(Place::default().charges_turns(), "nothing is known of the drive");
        let memory = Place { class: PlaceClass::Memory, ..Place::default() };
        assert!(!memory.charges_turns());
    }

    /// Reads of other processes were counted as those of a filesystem that answered from memory.
    #[test]
    fn reads_are_counted_where_nobody_else_reads() {
        let layer = |kind, dev: &str, direct_io| Layer {
            kind,
            dev: dev.to_string(),
            direct_io,
            ..Layer::default()
        };
        let on = |direct_io| {
            let image = layer(LayerKind::Loop, "7:0", direct_io);
            let chain = vec![image, layer(LayerKind::Disk, "8:0", None)];
            Place { chain, ..Place::default() }.counted()
        };
        let drives = vec!["8:0".to_string()];
        let direct = Counted { reads: vec!["7:0".into()], writes: drives.clone(), ..on(None) };
        assert_eq!(on(Some(true)), Counted { shares_reads: false, ..direct });
        let cached = Counted { reads: drives.clone(), writes: drives, shares_reads: true };
        assert_eq!([on(None), on(Some(false))], [cached.clone(), cached]);
    }
}
