//! `check` for people and for programs.

#[cfg(test)]
mod tests;

use serde_json::{Value, json};

use super::document::{Document, Row};
use bakeoff_machine::fitness::facts::{Disk, Target};
use bakeoff_machine::fitness::{Check, Facts, Status, busy, card, verdict};
use bakeoff_model::host::{Layer, LayerKind};
use bakeoff_model::link::Link;
use bakeoff_model::path::sanitize;
use bakeoff_stats::phrases;
use bakeoff_stats::units;

/// For people: who it is, what is wrong, what is right, what is not known. `typed` gives commands
/// as the asker has to type them.
pub fn document(facts: &Facts, checks: &[Check], typed: impl Fn(&str) -> String) -> Document {
    let mut out = Document::default();
    out.headline(sentence(facts, checks));
    out.gap();
    let (name, on) = target(facts);
    let disk = |disk: &Disk| Row::from((disk.layer.name.as_str(), disk_words(disk)));
    out.rows(
        [Row::from(("machine", machine(facts))), Row::from((name, on))]
            .into_iter()
            .chain(facts.disks.iter().map(disk)),
    );
    let row = |check: &Check| Row {
        name: title(check),
        text: check.found.clone(),
        advice: check.advice.as_deref().map(&typed),
    };
    for status in [Status::Stop, Status::Warn, Status::Pass, Status::Unknown] {
        let rows: Vec<Row> =
            checks.iter().filter(|check| check.status == status).map(row).collect();
        if !rows.is_empty() {
            out.heading(heading(status));
            out.rows(rows);
        }
    }
    out
}

fn heading(status: Status) -> &'static str {
    match status {
        Status::Stop => "Stop: results would be wrong",
        Status::Warn => "Warning: results may be inaccurate",
        Status::Pass => "OK",
        Status::Unknown => "Unknown",
    }
}

fn title(check: &Check) -> String {
    match &check.subject {
        Some(subject) => format!("{subject} {}", check.id),
        None => check.id.to_string(),
    }
}

fn sentence(facts: &Facts, checks: &[Check]) -> String {
    let count = |status| checks.iter().filter(|check| check.status == status).count();
    let name = sanitize(facts.target.name());
    let (stops, warnings) = (count(Status::Stop), count(Status::Warn));
    let unknown = match count(Status::Unknown) {
        0 => String::new(),
        n => format!(" {} gave no result.", phrases::count(n, "check")),
    };
    let verdict = match verdict(checks) {
        Status::Stop => format!(
            "{name} is not ready for measuring: fix {} first{}.",
            phrases::count(stops, "problem"),
            if warnings > 0 {
                format!(", {}", phrases::count(warnings, "warning"))
            } else {
                String::new()
            }
        ),
        Status::Warn => {
            format!("{name} can be measured, with {}.", phrases::count(warnings, "warning"))
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
    let users = facts.watched.as_ref().map(busy::named).unwrap_or_default();
    let are = if disks.len() == 1 { "is" } else { "are" };
    match (disks.is_empty(), users.is_empty()) {
        (true, _) => String::new(),
        (false, true) => format!(" {} {are} in use.", phrases::list(&disks)),
        (false, false) => {
            format!(" {} {are} in use by {}.", phrases::list(&disks), phrases::list(&users))
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

fn target(facts: &Facts) -> (String, String) {
    let (name, at, chain) = match &facts.target {
        Target::Place { name, place } => {
            (name, format!("{} at {}", place.fs, place.mount_point), &place.chain)
        }
        Target::Device { name, chain, .. } => (name, "device".to_string(), chain),
    };
    let layers: Vec<String> = chain.iter().map(layer_words).collect();
    let on = match layers.is_empty() {
        true => at,
        false => format!("{at} on {}", layers.join(" > ")),
    };
    (name.clone(), on)
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
    let mut words = vec![match phrases::product(vendor.as_deref(), model.as_deref()).as_str() {
        "" => "unnamed drive".to_string(),
        known => known.to_string(),
    }];
    words.push(units::size_decimal(*size_bytes));
    words.extend(serial.as_ref().map(|serial| format!("serial {serial}")));
    words.extend(disk.firmware.as_ref().map(|firmware| format!("firmware {firmware}")));
    words.extend(link.as_ref().map(Link::to_string));
    words.extend(disk.card.as_ref().map(card::describe));
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
            "link": link.as_ref().map(|link| sanitize(link.as_str())),
            "firmware": clean(&disk.firmware),
            "card": disk.card.as_ref().map(|card| sanitize(&card::describe(card))),
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
