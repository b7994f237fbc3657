//! The block devices of a machine and what lies on what: the tree a guard decides over.
//!
//! Gathered by the shell from /sys, the udev database and the mount tables; here only the values
//! and the walks over them. A walk keeps a list of what it has seen, so that a loop over a file on
//! itself, or a tree that changed while it was read, ends it.

use super::contents::{Contents, Sign, member_of};
use crate::sysinfo::dev::Dev;
use crate::sysinfo::mountinfo::Mount;
use crate::sysinfo::swaps::Swap;
use bakeoff_model::host::{Layer, LayerKind};
use bakeoff_model::path::RawPath;
use bakeoff_model::step::Inode;

/// One block device: a disk, a partition, or something made of others.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BlockDevice {
    pub dev: Dev,
    pub layer: Layer,
    /// What it lies on: the disk of a partition, the parts of dm and md, the device under the
    /// filesystem that holds a loop's file, or the device a loop is attached to itself.
    pub below: Vec<Dev>,
    /// Of a loop device: attached to the device `below`, not to a file on it.
    pub is_over_device: bool,
    /// Kernel names of what holds it (`holders/` in /sys): dm, md, bcache.
    pub holders: Vec<String>,
    /// Name beside the kernel's: of a device mapper volume (`vg0-root`), of an array's level.
    pub title: Option<String>,
    pub read_only: bool,
    /// Why it is no drive to put a filesystem on, whatever uses it: `it is an optical or floppy
    /// drive`.
    pub unfit: Option<&'static str>,
    /// What is on it; `None` where nobody could say (no udev record).
    pub content: Option<DeviceContent>,
    /// Signatures read from the device itself; `None` where it was not read.
    pub contents: Option<Contents>,
    /// The file under a loop device, by number: it may have several paths.
    pub backing: Option<Inode>,
}

impl BlockDevice {
    pub fn member_of(&self) -> Option<String> {
        let read = self.own_signs().filter_map(Sign::member_of).next();
        let found = || self.content.as_ref();
        read.or_else(|| member_of(found()?.fs.as_deref()?, found()?.label.as_ref(), None))
    }

    pub fn own_signs(&self) -> impl Iterator<Item = &Sign> {
        self.contents.iter().flat_map(|c| &c.signs).filter(|sign| sign.part.is_none())
    }
}

/// What blkid found at the start of a device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceContent {
    /// Filesystem or container: `ext4`, `crypto_LUKS`, `LVM2_member`.
    pub fs: Option<String>,
    pub label: Option<RawPath>,
    /// Kind of partition table: `gpt`, `dos`.
    pub table: Option<String>,
    pub table_id: Option<String>,
}

/// A process. In order of names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Process {
    pub name: RawPath,
    pub pid: u32,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mounted {
    pub mount: Mount,
    /// Its devices; several for btrfs over many, none for tmpfs or a network.
    pub on: Vec<Dev>,
    pub seen_by: Option<Process>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SwapOn {
    pub swap: Swap,
    pub on: Vec<Dev>,
    pub file: Option<Inode>,
}

/// A process that has the file under a loop device open or mapped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileUser {
    pub file: Inode,
    pub process: Process,
    pub writes: bool,
}

/// A process that has a block device open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    pub dev: Dev,
    pub process: Process,
}

/// Everything a guard needs to know, read at one time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct System {
    pub devices: Vec<BlockDevice>,
    pub mounts: Vec<Mounted>,
    pub swaps: Vec<SwapOn>,
    pub users: Vec<User>,
    pub file_users: Vec<FileUser>,
    /// Whether every process and mount namespace could be looked into (root).
    pub saw_all: bool,
}

impl System {
    pub fn device(&self, dev: Dev) -> Option<&BlockDevice> {
        self.devices.iter().find(|d| d.dev == dev)
    }

    pub fn named(&self, name: &str) -> Option<&BlockDevice> {
        self.devices.iter().find(|d| d.layer.name == name)
    }

    /// From `tops` down to the disks, top first, each device once.
    pub fn chain(&self, tops: &[Dev]) -> Vec<&BlockDevice> {
        let mut seen = Vec::new();
        for top in tops {
            self.walk(*top, &mut seen, &|device| device.below.clone());
        }
        seen.iter().filter_map(|dev| self.device(*dev)).collect()
    }

    /// The device of that number and everything made of it, itself first, parents before children.
    pub fn tree(&self, dev: Dev) -> Vec<&BlockDevice> {
        let mut seen = Vec::new();
        self.walk(dev, &mut seen, &|device| {
            self.above(device).map(|(above, _)| above.dev).collect()
        });
        seen.iter().filter_map(|dev| self.device(*dev)).collect()
    }

    /// What is made of `device`, in the order of names; whether it is a partition of it.
    pub fn above(&self, device: &BlockDevice) -> impl Iterator<Item = (&BlockDevice, bool)> {
        let (dev, holders) = (device.dev, device.holders.clone());
        self.devices
            .iter()
            .filter(move |d| d.below.contains(&dev) || holders.contains(&d.layer.name))
            .map(|d| (d, d.layer.kind == LayerKind::Partition))
    }

    pub fn mounts_of(&self, dev: Dev) -> impl Iterator<Item = &Mounted> {
        self.mounts.iter().filter(move |m| m.on.contains(&dev))
    }

    fn walk(&self, from: Dev, seen: &mut Vec<Dev>, next: &dyn Fn(&BlockDevice) -> Vec<Dev>) {
        let mut waiting = vec![from];
        while let Some(dev) = waiting.pop() {
            let Some(device) = self.device(dev) else { continue };
            if !seen.contains(&dev) {
                seen.push(dev);
                waiting.extend(next(device).into_iter().rev());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(name: &str, minor: u32, below: &[u32]) -> BlockDevice {
        BlockDevice {
            dev: Dev::new(8, minor),
            layer: Layer { name: name.to_string(), ..Layer::default() },
            below: below.iter().map(|m| Dev::new(8, *m)).collect(),
            ..BlockDevice::default()
        }
    }

    fn names(devices: &[&BlockDevice]) -> Vec<String> {
        devices.iter().map(|d| d.layer.name.clone()).collect()
    }

    #[test]
    fn walks_go_down_to_disks_and_up_to_volumes() {
        let devices = vec![
            device("sda", 0, &[]),
            device("sda1", 1, &[0]),
            device("sdb", 2, &[]),
            device("md0", 3, &[1, 2]),
            device("dm-0", 4, &[3]),
        ];
        let system = System { devices, ..System::default() };
        assert_eq!(names(&system.chain(&[Dev::new(8, 4)])), ["dm-0", "md0", "sda1", "sda", "sdb"]);
        assert_eq!(names(&system.tree(Dev::new(8, 0))), ["sda", "sda1", "md0", "dm-0"]);
        assert!(system.chain(&[Dev::new(9, 9)]).is_empty());
    }

    #[test]
    fn a_loop_over_a_file_on_itself_ends_the_walk() {
        let devices = vec![device("loop0", 0, &[1]), device("loop1", 1, &[0])];
        let system = System { devices, ..System::default() };
        assert_eq!(names(&system.chain(&[Dev::new(8, 0)])), ["loop0", "loop1"]);
        assert_eq!(names(&system.tree(Dev::new(8, 0))), ["loop0", "loop1"]);
    }

    #[test]
    fn a_holder_counts_though_it_names_nothing_below() {
        let mut disk = device("sda", 0, &[]);
        disk.holders = vec!["bcache0".to_string()];
        let system = System { devices: vec![disk, device("bcache0", 1, &[])], ..System::default() };
        assert_eq!(names(&system.tree(Dev::new(8, 0))), ["sda", "bcache0"]);
    }
}
