//! The fingerprint in words: candidates, machine, places and the drives below them.

use crate::prepared::{encryption, speeds};
use bakeoff_model::candidate::{Candidate, Kind, Stack};
use bakeoff_model::event::FlashState;
use bakeoff_model::health::{self, DriveTold};
use bakeoff_model::host::{Host, Layer, LayerKind, Place, PlaceClass};
use bakeoff_model::link::Link;
use bakeoff_model::path::sanitize;
use bakeoff_model::run::Run;
use bakeoff_stats::phrases;
use bakeoff_stats::units;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    pub name: String,
    /// What it is: "ext4, mkfs -O ^has_journal" or "/mnt/usb: ext4 on sda1".
    pub what: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// "machine", "region", "place /mnt/usb".
    pub name: String,
    pub facts: Vec<(String, String)>,
}

pub fn columns(run: &Run) -> Vec<Column> {
    let twin =
        |c: &Candidate| c.twin_of.as_ref().map(|of| format!("{} again, a control", sanitize(of)));
    let column = |c: &Candidate| Column {
        name: sanitize(&c.name),
        what: twin(c).unwrap_or_else(|| what(&c.name, &c.kind)),
    };
    run.header.candidates.iter().map(column).collect()
}

fn what(name: &str, kind: &Kind) -> String {
    match kind {
        Kind::Directory { path, place } => {
            let disks: Vec<String> = place.disks().map(disk_name).collect();
            let on = if disks.is_empty() { sanitize(&place.source) } else { disks.join(" + ") };
            let on = if on.is_empty() { String::new() } else { format!(" on {on}") };
            let what = format!("{}{on}", sanitize(&place.fs));
            if path.to_string() == name { what } else { format!("{path}: {what}") }
        }
        Kind::Stack(stack) => stack_words(stack),
    }
}

/// "ext4, mkfs -O ^has_journal, mount noatime".
fn stack_words(stack: &Stack) -> String {
    let mut words = sanitize(&stack.fs);
    if !stack.mkfs.is_empty() {
        words.push_str(&format!(", mkfs {}", super::words(&stack.mkfs)));
    }
    if !stack.mount.is_empty() {
        words.push_str(&format!(", mount {}", sanitize(&stack.mount.join(","))));
    }
    if stack.fuse {
        words.push_str(" (driver in user space)");
    }
    if stack.lvm {
        words.push_str(", on LVM");
    }
    if let Some(crypt) = &stack.crypt {
        words.push_str(&format!(", on {}", sanitize(&encryption(crypt))));
    }
    let knobs = &stack.knobs;
    let number = |n: Option<u32>| n.map(|n| n.to_string());
    let settings = [
        ("scheduler", knobs.scheduler.clone()),
        ("read_ahead_kb", number(knobs.read_ahead_kb)),
        ("nr_requests", number(knobs.nr_requests)),
        ("governor", knobs.governor.clone()),
    ];
    for (name, value) in settings {
        if let Some(value) = value {
            words.push_str(&format!(", {name} {}", sanitize(&value)));
        }
    }
    if !stack.state.is_empty() {
        words.push_str(&format!(", {}", stack.state.phrase()));
    }
    words
}

fn disk_name(disk: &Layer) -> String {
    let product = sanitize(&phrases::product(disk.vendor.as_deref(), disk.model.as_deref()));
    let name = sanitize(&disk.name);
    if product.is_empty() { name } else { format!("{product} ({name})") }
}

pub fn groups(run: &Run) -> Vec<Group> {
    let mut groups = vec![Group { name: "machine".into(), facts: machine(&run.header.host) }];
    for (index, region) in run.header.regions().enumerate() {
        let mut facts = LabelledFacts::default();
        facts.add(if region.is_image { "image" } else { "device" }, region.target.to_string());
        facts.add("start", units::size(region.start_bytes));
        facts.add("size", units::size(region.size_bytes));
        let before = match region.flash_state {
            FlashState::WrittenOnce => "as the previous candidate left it",
            FlashState::Overwritten => "written in full",
            FlashState::Trimmed => "discarded",
        };
        facts.add("before each visit", before.to_string());
        if let Some((_, verified, of)) = run.verified.iter().find(|v| usize::from(v.0) == index) {
            let text =
                format!("{} of {} read back correctly", units::size(*verified), units::size(*of));
            facts.add("verified", text);
        }
        if let Some((_, positions)) = run.surveys.iter().find(|s| usize::from(s.0) == index) {
            facts.add("reads from start to end", speeds(positions));
        }
        facts.place(&region.place);
        let name = if index == 0 { "region".into() } else { format!("region {}", index + 1) };
        groups.push(Group { name, facts: facts.0 });
    }
    for candidate in &run.header.candidates {
        if let Kind::Directory { path, place } = &candidate.kind {
            let mut facts = LabelledFacts::default();
            facts.add("directory", path.to_string());
            facts.place(place);
            groups.push(Group { name: sanitize(&candidate.name), facts: facts.0 });
        }
    }
    if !run.told_before.is_empty() || !run.told_after.is_empty() {
        groups.push(Group { name: "as reported by the drives".into(), facts: told(run) });
    }
    groups
}

fn told(run: &Run) -> Vec<(String, String)> {
    let words = |drive: &DriveTold| match (&drive.health, &drive.why) {
        (Some(told), _) => {
            let complaints = told.complaints().into_iter().map(|complaint| complaint.text);
            [told.label()].into_iter().chain(complaints).collect::<Vec<_>>().join("; ")
        }
        (None, Some(why)) => why.clone(),
        (None, None) => "nothing".to_string(),
    };
    let mut facts = LabelledFacts::default();
    for (when, drives) in [("before", &run.told_before), ("after", &run.told_after)] {
        for drive in drives {
            facts.add(&format!("{} {when}", sanitize(&drive.disk)), sanitize(&words(drive)));
        }
    }
    for (disk, grown) in health::grown(&run.told_before, &run.told_after) {
        facts.add(&format!("{} during the run", sanitize(&disk)), grown.join("; "));
    }
    facts.0
}

fn machine(host: &Host) -> Vec<(String, String)> {
    let mut facts = LabelledFacts::default();
    facts.add("host", host.hostname.clone());
    facts.maybe("model", &host.model);
    match (&host.cpu, host.cpus) {
        (Some(cpu), n) => facts.add("CPU", format!("{n} x {cpu}")),
        (None, n) => facts.add("CPUs", n.to_string()),
    }
    facts.add("architecture", host.arch.clone());
    facts.add("memory", units::size(host.mem_total_bytes));
    facts.add("kernel", host.kernel.clone());
    facts.maybe("system", &host.os);
    facts.add("governor", host.governors.join(", "));
    if let Some(aes) = host.aes {
        facts.add("AES instructions", if aes { "yes" } else { "no" }.to_string());
    }
    facts.maybe("clock source", &host.clocksource);
    for (name, value) in &host.settings {
        facts.add(name, value.clone());
    }
    facts.0
}

#[derive(Default)]
struct LabelledFacts(Vec<(String, String)>);

impl LabelledFacts {
    fn add(&mut self, label: &str, value: String) {
        if !value.is_empty() {
            self.0.push((sanitize(label), sanitize(&value)));
        }
    }

    fn maybe(&mut self, label: &str, value: &Option<String>) {
        if let Some(value) = value {
            self.add(label, value.clone());
        }
    }

    fn place(&mut self, place: &Place) {
        self.add("mount point", place.mount_point.to_string());
        let class = match place.class {
            PlaceClass::Block => "",
            PlaceClass::Memory => " (in memory)",
            PlaceClass::Fuse => " (driver in user space)",
            PlaceClass::Network => " (over the network)",
            PlaceClass::Stacked => " (on top of other filesystems)",
        };
        if !place.fs.is_empty() {
            self.add("filesystem", format!("{}{class}", place.fs));
        }
        self.add("options", place.options.join(","));
        self.add("source", place.source.clone());
        if place.size_bytes > 0 {
            let (size, free) = (units::size(place.size_bytes), units::size(place.free_bytes));
            self.add("room", format!("{size}, {free} free"));
        }
        for layer in &place.chain {
            self.add(&layer_label(layer), layer_words(layer));
        }
    }
}

fn layer_label(layer: &Layer) -> String {
    let kind = match layer.kind {
        LayerKind::Disk => "drive",
        LayerKind::Partition => "partition",
        LayerKind::Dm => "device mapper",
        LayerKind::Md => "RAID",
        LayerKind::Loop => "loop",
        LayerKind::Ram => "RAM disk",
    };
    format!("{kind} {}", layer.name)
}

fn layer_words(layer: &Layer) -> String {
    let mut words = Vec::new();
    let named = [
        ("", &layer.dm_target),
        ("", &layer.vendor),
        ("", &layer.model),
        ("serial ", &layer.serial),
        ("bus ", &layer.bus),
        ("link ", &layer.link.as_ref().map(Link::to_string)),
        ("scheduler ", &layer.scheduler),
        ("cache ", &layer.write_cache),
        ("", &layer.by_id),
    ];
    if layer.size_bytes > 0 {
        words.push(units::size_decimal(layer.size_bytes));
    }
    if let Some(start) = layer.start_bytes {
        words.push(format!("at {}", units::size(start)));
    }
    words.extend(named.iter().filter_map(|(label, value)| {
        value.as_ref().map(|v| v.trim()).filter(|v| !v.is_empty()).map(|v| format!("{label}{v}"))
    }));
    if let Some(seeks) = layer.seeks() {
        words.push(if seeks { "rotating" } else { "not rotating" }.to_string());
    }
    if let Some(bytes) = layer.logical_block_bytes {
        words.push(format!("{bytes} B sectors"));
    }
    if let Some(bytes) = layer.read_ahead_bytes {
        words.push(format!("read-ahead {}", units::size(bytes)));
    }
    if let Some(file) = &layer.backing_file {
        words.push(format!("backed by {file}"));
    }
    if let Some(direct) = layer.direct_io {
        words.push(if direct { "direct I/O" } else { "through the page cache" }.to_string());
    }
    words.join(", ")
}
