//! Which machine a number was measured on, with the settings that change numbers.

use std::path::Path;

use bakeoff_machine::sysinfo::{board_id, cpu_list, cpuinfo, meminfo, os_release, scheduler};
use bakeoff_model::host::Host;

use super::root::Root;

/// The running machine. What cannot be read stays empty.
pub fn fingerprint() -> Host {
    gather(&Root::system())
}

pub fn gather(root: &Root) -> Host {
    let cpu = cpuinfo::parse(&root.text("proc/cpuinfo").unwrap_or_default());
    let memory = meminfo::parse(&root.text("proc/meminfo").unwrap_or_default());
    let online = root.text("sys/devices/system/cpu/online");
    let name = |file: &str| root.attr(Path::new("proc/sys/kernel").join(file));
    Host {
        hostname: name("hostname").unwrap_or_default(),
        model: model(root).or(cpu.board),
        cpu: cpu.name,
        cpus: online.and_then(|text| cpu_list::count(&text)).unwrap_or(cpu.cpus),
        // The file is there since Linux 6.1; the call says the same.
        arch: name("arch").unwrap_or_else(machine),
        mem_total_bytes: memory.total_bytes.unwrap_or(0),
        kernel: name("osrelease").unwrap_or_default(),
        os: root
            .text("etc/os-release")
            .or_else(|| root.text("usr/lib/os-release"))
            .and_then(|text| os_release::pretty_name(&text)),
        governors: governors(root),
        aes: cpu.aes,
        clocksource: root.attr("sys/devices/system/clocksource/clocksource0/current_clocksource"),
        boot_id: root.attr("proc/sys/kernel/random/boot_id"),
        board_id: board_id::digest(
            root.attr("proc/device-tree/serial-number").as_deref(),
            root.attr("etc/machine-id").as_deref(),
        ),
        settings: settings(root),
    }
}

fn machine() -> String {
    rustix::system::uname().machine().to_string_lossy().into_owned()
}

/// What the firmware calls the machine: device tree on boards, DMI on PCs.
fn model(root: &Root) -> Option<String> {
    let board = root.attr("proc/device-tree/model");
    board.or_else(|| dmi(root, "sys_vendor", "product_name")).or_else(|| {
        // Self-built PCs leave the system's fields at the mainboard maker's placeholders.
        dmi(root, "board_vendor", "board_name")
    })
}

fn dmi(root: &Root, vendor: &str, product: &str) -> Option<String> {
    const PLACEHOLDERS: [&str; 5] =
        ["to be filled", "system product", "system manufacturer", "default string", "o.e.m"];
    let field = |name: &str| root.attr(Path::new("sys/class/dmi/id").join(name));
    let product = field(product)?;
    let lower = product.to_lowercase();
    if PLACEHOLDERS.iter().any(|p| lower.contains(p)) {
        return None;
    }
    Some(field(vendor).map_or(product.clone(), |vendor| format!("{vendor} {product}")))
}

fn governors(root: &Root) -> Vec<String> {
    const POLICIES: &str = "sys/devices/system/cpu/cpufreq";
    let policies = root.names(POLICIES);
    let governor = |name: &String| root.attr(format!("{POLICIES}/{name}/scaling_governor"));
    policies.iter().filter(|name| name.starts_with("policy")).filter_map(governor).collect()
}

fn settings(root: &Root) -> Vec<(String, String)> {
    const SYSCTLS: [&str; 9] = [
        "kernel/io_uring_disabled",
        "vm/dirty_background_bytes",
        "vm/dirty_background_ratio",
        "vm/dirty_bytes",
        "vm/dirty_expire_centisecs",
        "vm/dirty_ratio",
        "vm/dirty_writeback_centisecs",
        "vm/overcommit_memory",
        "vm/swappiness",
    ];
    let sysctl = |name: &&str| {
        let value = root.attr(Path::new("proc/sys").join(name))?;
        Some((name.replace('/', "."), value))
    };
    let mut found: Vec<(String, String)> = SYSCTLS.iter().filter_map(sysctl).collect();
    // The one in force is in brackets, as with schedulers.
    let huge = root.text("sys/kernel/mm/transparent_hugepage/enabled");
    let huge = huge.and_then(|text| scheduler::parse(&text).current);
    found.extend(huge.map(|value| ("transparent_hugepage".to_string(), value)));
    found
}
