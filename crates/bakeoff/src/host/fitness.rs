//! What drives and their machine are, read from /proc and /sys and asked of smartctl.
//!
//! What cannot be had becomes a reason. Nothing is changed and no drive is written.

mod disk;
mod watched;

use std::time::Duration;

use bakeoff_machine::fitness::{Fact, Facts};
use bakeoff_model::host::{Layer, LayerKind};

use super::io_users::IoUsers;
use super::root::Root;
use super::{drive_health, feed, fingerprint, firmware, kernel_log};
use crate::signals::Cancel;

const GAUGES: usize = 32;

/// What is known of the drives among these layers, with their health and the kernel's log.
pub fn gather(chain: &[Layer], cancel: &Cancel) -> Facts {
    let mut facts = from_tree(&Root::system(), chain);
    facts.log = kernel_log::since_boot();
    for disk in &mut facts.disks {
        disk.health = drive_health::drive_health(&disk.layer, cancel);
    }
    facts
}

/// What the drives among these layers and the machine do in `time`, and who kept the CPUs busy
/// meanwhile.
pub fn glance(chain: &[Layer], time: Duration, cancel: &Cancel) -> (Facts, Vec<String>) {
    let root = Root::system();
    let mut facts = from_tree(&root, chain);
    let before = IoUsers::take(&root, &[]);
    facts.watched = watched::watch(&root, &facts.disks, time, cancel);
    let (_, busy) = IoUsers::take(&root, &[]).ran_since(&before, &root);
    (facts, busy)
}

pub fn from_tree(root: &Root, chain: &[Layer]) -> Facts {
    let disks = chain.iter().filter(|layer| layer.kind == LayerKind::Disk);
    Facts {
        host: fingerprint::gather(root),
        throttled: firmware::Throttling::open(root)
            .and_then(|mut source| Some((source.bits()?, source.tells_history())))
            .ok_or_else(|| "no Raspberry Pi firmware responds".to_string()),
        temperatures: some(temperatures(root), "no thermal zone can be read"),
        watched: not_running(),
        log: not_running(),
        has_fast_usb: has_fast_usb(root),
        disks: disks.map(|layer| disk::read(root, layer)).collect(),
    }
}

fn some<T>(found: Vec<T>, why: &str) -> Fact<Vec<T>> {
    if found.is_empty() { Err(why.to_string()) } else { Ok(found) }
}

fn not_running<T>() -> Fact<T> {
    Err("only checked on the running machine".to_string())
}

fn temperatures(root: &Root) -> Vec<(String, u64, Option<u64>)> {
    let zones = feed::temperatures(root, GAUGES).into_iter();
    zones.filter_map(|(named, mut feed)| Some((named.name, feed.number()?, named.most))).collect()
}

/// Whether a root hub is faster than USB 2.
fn has_fast_usb(root: &Root) -> bool {
    const DEVICES: &str = "sys/bus/usb/devices";
    let names = root.names(DEVICES);
    let hubs = names.iter().filter(|name| name.starts_with("usb"));
    hubs.filter_map(|hub| root.number::<f64>(format!("{DEVICES}/{hub}/speed"))).any(|s| s > 480.0)
}
