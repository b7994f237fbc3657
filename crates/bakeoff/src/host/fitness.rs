//! The facts of `check`, read from /proc and /sys and asked of smartctl and systemd.
//!
//! What cannot be had becomes a reason. Nothing is changed and no drive is written.

mod disk;
mod watched;

use std::path::Path;
use std::time::Duration;

use bakeoff_machine::fitness::facts::{Clock, Facts, SwapFacts, Target};
use bakeoff_machine::fitness::{Fact, facts};
use bakeoff_machine::prepare::device::System;
use bakeoff_machine::sysinfo::timers::{self, Timer};
use bakeoff_machine::sysinfo::{mdstat, meminfo};
use bakeoff_model::host::{Layer, LayerKind};

use super::io_users::IoUsers;
use super::root::{Root, pids};
use super::{drive_health, fingerprint, firmware, gauges, kernel_log};
use crate::exec::{ExecError, Spec};
use crate::signals::Cancel;

const WATCH: Duration = Duration::from_secs(3);
const GAUGES: usize = 32;
const TASKS: usize = 1 << 16;
const SYSTEMCTL_LIMIT: Duration = Duration::from_secs(10);

pub fn gather(target: Target, system: &System, cancel: &Cancel) -> Facts {
    let root = Root::system();
    let mut facts = from_tree(&root, target, system);
    facts.watched = watched::watch(&root, &facts.disks, WATCH, cancel);
    facts.timers = ask_timers(cancel);
    facts.log = kernel_log::since_boot();
    for disk in &mut facts.disks {
        disk.health = drive_health::drive_health(&disk.layer, cancel);
    }
    facts
}

/// What is known of a place in `time`, without what smartctl and systemd would be asked, and who
/// kept the CPUs busy meanwhile.
pub fn glance(
    target: Target,
    system: &System,
    time: Duration,
    cancel: &Cancel,
) -> (Facts, Vec<String>) {
    let root = Root::system();
    let mut facts = from_tree(&root, target, system);
    let before = IoUsers::take(&root, &[]);
    facts.watched = watched::watch(&root, &facts.disks, time, cancel);
    let (_, busy) = IoUsers::take(&root, &[]).ran_since(&before, &root);
    (facts, busy)
}

pub fn from_tree(root: &Root, target: Target, system: &System) -> Facts {
    let chain: &[Layer] = match &target {
        Target::Place { place, .. } => &place.chain,
        Target::Device { chain, .. } => chain,
    };
    let disks = chain.iter().filter(|layer| layer.kind == LayerKind::Disk);
    let disks: Vec<facts::Disk> =
        disks.map(|layer| disk::read(root, layer, chain, system)).collect();
    Facts {
        host: fingerprint::gather(root),
        clocks: some(
            clocks(root),
            "this machine has no cpufreq, so the CPU clock cannot be read or set",
        ),
        throttled: firmware::Throttling::open(root)
            .and_then(|mut source| Some((source.bits()?, source.tells_history())))
            .ok_or_else(|| "no Raspberry Pi firmware responds".to_string()),
        temperatures: some(temperatures(root), "no thermal zone can be read"),
        swaps: swaps(system, chain),
        memory: meminfo::parse(&root.text("proc/meminfo").unwrap_or_default()),
        watched: not_running(),
        timers: not_running(),
        now_unix_ns: super::unix_ns(),
        tasks: some(tasks(root), "/proc shows no processes"),
        arrays: mdstat::busy(&root.text("proc/mdstat").unwrap_or_default()),
        log: not_running(),
        has_fast_usb: has_fast_usb(root),
        disks,
        target,
    }
}

fn some<T>(found: Vec<T>, why: &str) -> Fact<Vec<T>> {
    if found.is_empty() { Err(why.to_string()) } else { Ok(found) }
}

fn not_running<T>() -> Fact<T> {
    Err("only checked on the running machine".to_string())
}

fn clocks(root: &Root) -> Vec<Clock> {
    const POLICIES: &str = "sys/devices/system/cpu/cpufreq";
    let names = root.names(POLICIES);
    let clock = |name: &String| {
        let dir = Path::new(POLICIES).join(name);
        Clock {
            governor: root.attr(dir.join("scaling_governor")),
            driver: root.attr(dir.join("scaling_driver")),
            limit_khz: root.number(dir.join("scaling_max_freq")),
            most_khz: root.number(dir.join("cpuinfo_max_freq")),
            name: name.clone(),
        }
    };
    names.iter().filter(|name| name.starts_with("policy")).map(clock).collect()
}

fn temperatures(root: &Root) -> Vec<(String, u64, Option<u64>)> {
    let zones = gauges::temperatures(root, GAUGES).into_iter();
    zones.filter_map(|(named, mut feed)| Some((named.name, feed.number()?, named.most))).collect()
}

fn swaps(system: &System, chain: &[Layer]) -> Vec<SwapFacts> {
    let swap = |on: &bakeoff_machine::prepare::device::SwapOn| {
        let below = system.chain(&on.on);
        let is_disk = |layer: &&Layer| layer.kind == LayerKind::Disk;
        let on_target = below
            .iter()
            .map(|d| &d.layer)
            .filter(is_disk)
            .any(|disk| chain.iter().any(|layer| layer.dev == disk.dev));
        let in_memory = !below.is_empty() && below.iter().all(|d| d.layer.kind == LayerKind::Ram);
        SwapFacts { name: on.swap.path.to_string(), on_target, in_memory }
    };
    system.swaps.iter().map(swap).collect()
}

fn tasks(root: &Root) -> Vec<String> {
    let names = pids(root).into_iter().take(TASKS);
    names.filter_map(|pid| root.attr(format!("proc/{pid}/comm"))).collect()
}

/// Whether a root hub is faster than USB 2.
fn has_fast_usb(root: &Root) -> bool {
    const DEVICES: &str = "sys/bus/usb/devices";
    let names = root.names(DEVICES);
    let hubs = names.iter().filter(|name| name.starts_with("usb"));
    hubs.filter_map(|hub| root.number::<f64>(format!("{DEVICES}/{hub}/speed"))).any(|s| s > 480.0)
}

fn ask_timers(cancel: &Cancel) -> Fact<Vec<Timer>> {
    if !super::systemd_runs() {
        return Err(
            "this machine does not use systemd, and bakeoff does not read cron jobs".to_string()
        );
    }
    let argv = ["systemctl", "list-timers", "--all", "--no-pager", "--output=json"];
    let finished = match Spec::tool(&argv, SYSTEMCTL_LIMIT).and_then(|spec| spec.run(cancel)) {
        Ok(finished) => finished,
        Err(ExecError::Missing { .. }) => return Err("systemctl is not installed".to_string()),
        Err(error) => return Err(error.to_string()),
    };
    let text = String::from_utf8_lossy(&finished.stdout);
    timers::parse(&text).ok_or_else(|| {
        let errors = String::from_utf8_lossy(&finished.stderr);
        format!(
            "systemctl gives no list of timers (older than 249, or in a container): {}",
            errors.lines().next().unwrap_or("systemctl printed no list of timers")
        )
    })
}
