//! `check` for people and for programs.

use serde_json::{Value, json};

use super::facts::{Disk, Target};
use super::{Check, Facts, Status, busy, card, verdict};
use crate::model::host::{Layer, LayerKind};
use crate::model::link::Link;
use crate::model::path::sanitize;
use crate::report::layout::{TABLE, wrap};
use crate::units;
use crate::words;

/// For a terminal of `columns`: who it is, what is wrong, what is right, what is not known.
pub fn text(facts: &Facts, checks: &[Check], columns: usize) -> String {
    let mut out = String::new();
    let mut line = |text: &str| out.push_str(&wrap(&sanitize(text), columns, "", "    "));
    line(&sentence(facts, checks));
    line("");
    line(&machine(facts));
    line(&target(facts));
    for disk in &facts.disks {
        line(&format!("{}: {}", disk.layer.name, disk_words(disk)));
    }
    for status in [Status::Stop, Status::Warn, Status::Pass, Status::Unknown] {
        let of = || checks.iter().filter(|check| check.status == status);
        if of().next().is_some() {
            out.push_str(heading(status));
        }
        let most = if columns < TABLE { 0 } else { 24 };
        let width = of().map(|check| title(check).chars().count()).max().unwrap_or(0).min(most);
        for check in of() {
            let first = format!("  {:<width$}  ", title(check));
            let rest = " ".repeat(width + 4);
            out.push_str(&wrap(&check.found, columns, &first, &rest));
            if let Some(advice) = &check.advice {
                out.push_str(&wrap(advice, columns, &format!("{rest}-> "), &format!("{rest}   ")));
            }
        }
    }
    out
}

fn heading(status: Status) -> &'static str {
    match status {
        Status::Stop => "\nStop: results would be wrong\n",
        Status::Warn => "\nWarning: results may be inaccurate\n",
        Status::Pass => "\nOK\n",
        Status::Unknown => "\nUnknown\n",
    }
}

fn title(check: &Check) -> String {
    match &check.subject {
        Some(subject) => format!("{subject} {}", check.id),
        None => check.id.to_string(),
    }
}

/// The answer.
pub(super) fn sentence(facts: &Facts, checks: &[Check]) -> String {
    let count = |status| checks.iter().filter(|check| check.status == status).count();
    let number = |n: usize, noun: &str| format!("{n} {noun}{}", if n == 1 { "" } else { "s" });
    let name = sanitize(facts.target.name());
    let (stops, warnings) = (count(Status::Stop), count(Status::Warn));
    let unknown = match count(Status::Unknown) {
        0 => String::new(),
        n => format!(" {} could not be determined.", number(n, "thing")),
    };
    let verdict = match verdict(checks) {
        Status::Stop => format!(
            "{name} is not ready for measuring: {} to fix first{}.",
            number(stops, "thing"),
            if warnings > 0 { format!(", {}", number(warnings, "warning")) } else { String::new() }
        ),
        Status::Warn => {
            format!("{name} can be measured, with {}.", number(warnings, "warning"))
        }
        Status::Pass | Status::Unknown => format!("{name} is ready for measuring."),
    };
    verdict + &disturbed(facts, checks) + &unknown
}

/// " sda is in use by rsync (4711)." Who it is where that can be seen.
fn disturbed(facts: &Facts, checks: &[Check]) -> String {
    let is_in_use = |check: &&Check| check.id == busy::IN_USE && check.status >= Status::Warn;
    let disks: Vec<String> =
        checks.iter().filter(is_in_use).filter_map(|check| check.subject.clone()).collect();
    let users = facts.watched.as_ref().map(busy::users).unwrap_or_default();
    let are = if disks.len() == 1 { "is" } else { "are" };
    match (disks.is_empty(), users.is_empty()) {
        (true, _) => String::new(),
        (false, true) => format!(" {} {are} in use.", words::list(&disks)),
        (false, false) => {
            format!(" {} {are} in use by {}.", words::list(&disks), words::list(&users))
        }
    }
}

fn machine(facts: &Facts) -> String {
    let host = &facts.host;
    let mut words = vec![host.model.clone().unwrap_or_else(|| "unnamed machine".into())];
    words.extend(host.cpu.clone().map(|cpu| format!("{} x {cpu}", host.cpus)));
    words.push(format!("{} RAM", units::size(host.mem_total_bytes)));
    words.push(format!("Linux {} {}", host.kernel, host.arch));
    words.extend(host.os.clone());
    words.join(", ")
}

fn target(facts: &Facts) -> String {
    let (name, chain) = match &facts.target {
        Target::Place { name, place } => {
            let at = format!("{name}: {} at {}", place.fs, place.mount_point);
            (at, &place.chain)
        }
        Target::Device { name, chain, .. } => (name.clone(), chain),
    };
    let layers: Vec<String> = chain.iter().map(layer_words).collect();
    match layers.is_empty() {
        true => name,
        false => format!("{name} on {}", layers.join(" > ")),
    }
}

/// A layer's name; a loop device's with the image below it, which is what its user knows.
fn layer_words(layer: &Layer) -> String {
    match (&layer.backing_file, layer.kind) {
        (Some(file), LayerKind::Loop) => format!("{} (the file {file})", layer.name),
        _ => layer.name.clone(),
    }
}

fn disk_words(disk: &Disk) -> String {
    let Layer { vendor, model, serial, size_bytes, link, .. } = &disk.layer;
    let mut words = Vec::new();
    match (vendor, model) {
        (Some(vendor), Some(model)) if !model.starts_with(vendor.as_str()) => {
            words.push(format!("{vendor} {model}"));
        }
        (_, Some(model)) => words.push(model.clone()),
        (Some(vendor), None) => words.push(vendor.clone()),
        (None, None) => words.push("unnamed drive".to_string()),
    }
    words.push(units::size_decimal(*size_bytes));
    words.extend(serial.as_ref().map(|serial| format!("serial {serial}")));
    words.extend(disk.firmware.as_ref().map(|firmware| format!("firmware {firmware}")));
    words.extend(link.as_ref().map(Link::to_string));
    words.extend(disk.card.as_ref().map(card::words));
    words.join(", ")
}

/// `bakeoff/check/1`.
pub fn json(facts: &Facts, checks: &[Check]) -> Value {
    let drive = |disk: &Disk| {
        let Layer { name, vendor, model, serial, size_bytes, bus, link, .. } = &disk.layer;
        let clean = |text: &Option<String>| text.as_deref().map(sanitize);
        json!({
            "name": sanitize(name), "vendor": clean(vendor), "model": clean(model),
            "serial": clean(serial), "size_bytes": size_bytes, "bus": clean(bus),
            "link": link.as_ref().map(|link| sanitize(link.words())),
            "firmware": clean(&disk.firmware),
            "card": disk.card.as_ref().map(|card| sanitize(&card::words(card))),
            "health": disk.health.as_ref().and_then(|health| health.as_ref().ok()),
        })
    };
    json!({
        "schema": "bakeoff/check/1",
        "target": sanitize(facts.target.name()),
        "machine": sanitize(&machine(facts)),
        "drives": facts.disks.iter().map(drive).collect::<Vec<_>>(),
        "verdict": verdict(checks),
        "sentence": sentence(facts, checks),
        "checks": checks,
    })
}
