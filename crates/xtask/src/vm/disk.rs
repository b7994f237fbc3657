//! A disk of a guest, and the arguments that make QEMU emulate it.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

/// A mebibyte.
pub const MIB: u64 = 1 << 20;

/// How a disk is attached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bus {
    /// Paravirtual, on PCI: vda, vdb, … in the order of the machine's list.
    Virtio,
    /// The first disk of the SATA controller: sda.
    Sata,
    /// A controller with one namespace: nvme0n1, ….
    Nvme,
    /// A USB stick: sda, …; can be pulled out.
    Usb,
    /// A card in a Raspberry Pi's slot; its size is a power of two.
    Card,
}

/// What the host does with writes of a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostCache {
    /// They stay in the host's memory, and flushes are ignored: as fast as can be.
    Unsafe,
    /// They go to the host's memory, and a flush writes them to its disk.
    WriteBack,
    /// They go to the host's disk past its memory.
    None,
}

/// A disk. What it holds is in a file that stays while its machine is there.
#[derive(Clone, Debug)]
pub struct Disk {
    /// Names the file and the device within QEMU.
    pub name: &'static str,
    /// How it is attached.
    pub bus: Bus,
    /// Its size.
    pub size_bytes: u64,
    serial: Option<String>,
    is_read_only: bool,
    block_bytes: u32,
    cache: HostCache,
    limits: Map<String, Value>,
}

impl Disk {
    /// A virtio disk, without a serial number.
    pub fn virtio(name: &'static str, size_bytes: u64) -> Disk {
        Disk::new(name, Bus::Virtio, size_bytes)
    }

    /// A USB stick.
    pub fn usb(name: &'static str, size_bytes: u64) -> Disk {
        Disk::new(name, Bus::Usb, size_bytes)
    }

    /// A SATA disk; a machine has one at most.
    pub fn sata(name: &'static str, size_bytes: u64) -> Disk {
        Disk::new(name, Bus::Sata, size_bytes)
    }

    /// An NVMe drive. It has a serial number, which QEMU asks for.
    pub fn nvme(name: &'static str, size_bytes: u64) -> Disk {
        Disk::new(name, Bus::Nvme, size_bytes).serial(name)
    }

    /// An SD card.
    pub fn card(name: &'static str, size_bytes: u64) -> Disk {
        Disk::new(name, Bus::Card, size_bytes)
    }

    fn new(name: &'static str, bus: Bus, size_bytes: u64) -> Disk {
        let (serial, limits) = (None, Map::new());
        let (is_read_only, cache) = (false, HostCache::Unsafe);
        Disk { name, bus, size_bytes, serial, is_read_only, block_bytes: 512, cache, limits }
    }

    /// Gives it a serial number; virtio shows the first 20 bytes.
    pub fn serial(mut self, serial: &str) -> Disk {
        self.serial = Some(serial.to_owned());
        self
    }

    /// The switch on the card's edge.
    pub fn read_only(mut self) -> Disk {
        self.is_read_only = true;
        self
    }

    /// Sectors of this size, logical and physical.
    pub fn block_bytes(mut self, block_bytes: u32) -> Disk {
        self.block_bytes = block_bytes;
        self
    }

    /// What the host does with its writes.
    pub fn host_cache(mut self, cache: HostCache) -> Disk {
        self.cache = cache;
        self
    }

    /// At most so many operations a second.
    pub fn at_most_iops(mut self, iops: u64) -> Disk {
        self.limits.insert("iops-total".to_owned(), iops.into());
        self
    }

    /// At most so many bytes a second.
    pub fn at_most_bytes_per_s(mut self, bytes_per_s: u64) -> Disk {
        self.limits.insert("bps-total".to_owned(), bytes_per_s.into());
        self
    }

    /// A write-back cache of `cache_bytes` that accepts every write at once until it is full, and
    /// empties at `bytes_per_s`, flushed or not.
    pub fn write_cache(mut self, bytes_per_s: u64, cache_bytes: u64) -> Disk {
        // QEMU's bucket: it leaks at the first rate and holds a second of the other one
        // (util/throttle.c).
        self.limits.insert("bps-write".to_owned(), bytes_per_s.into());
        self.limits.insert("bps-write-max".to_owned(), cache_bytes.into());
        self
    }

    /// The file with what it holds, in the folder of its machine.
    pub fn content(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{}.img", self.name))
    }

    /// QEMU's arguments for what the disk holds, the file at `path`, and for the disk itself.
    pub fn arguments(&self, path: &str) -> Vec<String> {
        let Some(device) = self.device() else {
            let path = path.replace(',', ",,");
            return vec!["-drive".to_owned(), format!("if=sd,format=raw,cache=unsafe,file={path}")];
        };
        let mut node = json!({
            "driver": "raw",
            "node-name": self.name,
            "read-only": self.is_read_only,
            "discard": "unmap",
            "cache": {
                "direct": self.cache == HostCache::None,
                "no-flush": self.cache == HostCache::Unsafe,
            },
            "file": {"driver": "file", "filename": path},
        });
        let mut arguments = Vec::new();
        if !self.limits.is_empty() {
            let group = format!("{}-limits", self.name);
            let limits = json!({"qom-type": "throttle-group", "id": group, "limits": self.limits});
            arguments.extend(["-object".to_owned(), limits.to_string()]);
            node["node-name"] = format!("{}-file", self.name).into();
            node = json!({
                "driver": "throttle",
                "node-name": self.name,
                "throttle-group": group,
                "read-only": self.is_read_only,
                "file": node,
            });
        }
        arguments.extend(["-blockdev".to_owned(), node.to_string()]);
        arguments.extend(["-device".to_owned(), device.to_string()]);
        arguments
    }

    /// What the device is and has, in the form QMP's device_add takes; none for a card, which is
    /// part of its board.
    pub fn device(&self) -> Option<Value> {
        let driver = match self.bus {
            Bus::Virtio => "virtio-blk-pci",
            Bus::Sata => "ide-hd",
            Bus::Nvme => "nvme",
            Bus::Usb => "usb-storage",
            Bus::Card => return None,
        };
        let mut device = json!({
            "driver": driver,
            "id": format!("{}-device", self.name),
            "drive": self.name,
            "logical_block_size": self.block_bytes,
            "physical_block_size": self.block_bytes,
        });
        if self.bus == Bus::Sata {
            device["bus"] = "ide.0".into();
        }
        if self.bus == Bus::Usb {
            device["bus"] = "usb.0".into();
            device["removable"] = true.into();
        }
        if let Some(serial) = &self.serial {
            device["serial"] = serial.as_str().into();
        }
        Some(device)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stick_has_everything_it_was_given() {
        let disk = Disk::usb("stick", MIB).serial("a,b\"<x>").read_only().at_most_iops(100);
        let arguments = disk.arguments("a,b.img");
        assert_eq!(
            [&*arguments[0], &*arguments[2], &*arguments[4]],
            ["-object", "-blockdev", "-device"]
        );
        let [limits, node] =
            [1, 3].map(|at| serde_json::from_str::<Value>(&arguments[at]).unwrap());
        assert_eq!(limits["limits"]["iops-total"], 100);
        assert_eq!(node["throttle-group"], limits["id"]);
        assert_eq!(node["file"]["file"]["filename"], "a,b.img");
        let device = disk.device().unwrap();
        assert_eq!(device["driver"], "usb-storage");
        assert_eq!(device["serial"], "a,b\"<x>");
        assert_eq!(Disk::card("card", MIB).device(), None);
    }

    #[test]
    fn a_write_cache_limits_writes_only() {
        let disk = Disk::sata("a", MIB).write_cache(10, 20).host_cache(HostCache::None);
        let arguments = disk.arguments("a.img");
        let [limits, node] =
            [1, 3].map(|at| serde_json::from_str::<Value>(&arguments[at]).unwrap());
        assert_eq!(limits["limits"], json!({"bps-write": 10, "bps-write-max": 20}));
        assert_eq!(node["file"]["cache"], json!({"direct": true, "no-flush": false}));
        assert_eq!(disk.device().unwrap()["bus"], "ide.0");
    }
}
