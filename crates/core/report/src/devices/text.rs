//! Drives for people: a line that says what it is, below it what is on it and whether it may go.

use super::{Devices, Drive, Next, Part};
use crate::document::{Document, Row};
use bakeoff_machine::fitness::{Check, Status};
use bakeoff_model::host::LayerKind;
use bakeoff_stats::distinct;
use bakeoff_stats::phrases;
use bakeoff_stats::units;

/// Reasons and contents spelled out for one drive; the rest is counted.
const REASONS: usize = 3;
const PARTS: usize = 12;
const OTHERS: usize = 4;

pub fn document(devices: &Devices) -> Document {
    let mut out = Document::default();
    for drive in &devices.drives {
        write_drive(drive, devices.is_root, &mut out);
    }
    write_checks(&devices.checks, &mut out);
    if devices.drives.is_empty() {
        out.paragraph("No drives are visible here, as in most containers.");
    }
    out.gap();
    if !devices.empty.is_empty() {
        out.paragraph(format!("No medium in {}.", devices.empty.join(", ")));
    }
    if !devices.others.is_empty() {
        let names = devices.others.iter().map(|o| format!("{} ({})", o.name, o.what));
        out.paragraph(format!("Not drives: {}.", some(names.collect(), OTHERS, ", ")));
    }
    if !devices.saw_all && !devices.drives.is_empty() {
        out.paragraph(if devices.is_root {
            "Even root cannot inspect some processes here: a container or sandbox hides them, \
                 often PID 1. Drives that only they use look unused. Run bakeoff on the host to \
                 see all of them."
        } else {
            "bakeoff cannot inspect some processes and containers without root, so drives that \
                 only they use look unused."
        });
    }
    out.gap();
    write_next(&devices.next, &mut out);
    out
}

fn write_checks(checks: &[Check], out: &mut Document) {
    if checks.is_empty() {
        return;
    }
    let row = |check: &Check| Row {
        name: check.id.to_string(),
        text: check.found.clone(),
        advice: check.advice.clone(),
    };
    let limits = checks.iter().filter(|check| check.status >= Status::Warn);
    let limits = distinct::in_order(limits.map(|check| check.id.to_string()));
    let limits =
        if limits.is_empty() { "nothing found".to_string() } else { phrases::list(&limits) };
    out.rows(checks.iter().map(row).chain([Row::from(("limited by", limits))]));
}

/// The best command last, where the eye ends; the others in a line above it.
fn write_next(next: &[Next], out: &mut Document) {
    let Some((best, others)) = next.split_first() else { return };
    if !others.is_empty() {
        let commands: Vec<&str> = others.iter().map(|next| next.command.as_str()).collect();
        out.named("Also", commands.join(", "));
    }
    out.paragraph("Next:");
    out.command(best.command.as_str());
    out.line(2, best.why.as_str());
}

fn write_drive(drive: &Drive, is_root: bool, out: &mut Document) {
    out.heading(format!("{}: {}", drive.name, headline(drive)));
    if let Some(by_id) = &drive.by_id {
        out.line(1, by_id.strip_prefix("/dev/disk/").unwrap_or(by_id));
    }
    let parts = drive.contents.iter().take(PARTS);
    out.rows(parts.map(|part| (tree_name(part), part_words(part))));
    if drive.contents.len() > PARTS {
        out.line(1, format!("and {} more", drive.contents.len() - PARTS));
    }
    out.line(1, format!("safe to erase? {}", answer(drive)));
    let token = match &drive.erase_token {
        Some(token) => token.as_str(),
        None if !drive.safe_to_erase => return,
        None if is_root => "none, because the contents could not be read",
        None => "reading the contents needs root: sudo bakeoff devices",
    };
    out.line(1, format!("erase token: {token}"));
}

/// "SanDisk Extreme 55AE, 500 GB, USB 5000 Mb/s, UAS".
fn headline(drive: &Drive) -> String {
    let mut facts = vec![title(drive), units::size_decimal(drive.size_bytes)];
    // Others than these say "rotational" of anything.
    let is_told = matches!(drive.bus.as_deref(), Some("ata" | "nvme"));
    match drive.rotational {
        Some(true) if is_told => facts.push("hard disk".to_string()),
        Some(false) if is_told => facts.push("SSD".to_string()),
        _ => {}
    }
    facts.extend(drive.link.clone().or_else(|| drive.bus.clone()));
    if drive.read_only {
        facts.push("write-protected".to_string());
    }
    facts.join(", ")
}

pub fn title(drive: &Drive) -> String {
    match phrases::product(drive.vendor.as_deref(), drive.model.as_deref()).as_str() {
        "" if drive.bus.as_deref() == Some("virtio") => "virtual disk".to_string(),
        "" => "unnamed drive".to_string(),
        known => known.to_string(),
    }
}

fn tree_name(part: &Part) -> String {
    let name = match (part.kind, &part.title) {
        (LayerKind::Dm, Some(title)) => title,
        _ => &part.name,
    };
    format!("{}{name}", "  ".repeat(part.depth as usize))
}

/// "ext4 "data", 500 GB, mounted at /srv".
pub fn part_words(part: &Part) -> String {
    let mut words = Vec::new();
    match (&part.fs, &part.label) {
        (Some(fs), Some(label)) => words.push(format!("{fs} \"{label}\"")),
        (Some(fs), None) => words.push(fs.clone()),
        (None, _) => {}
    }
    words.push(units::size_decimal(part.size_bytes));
    if let (LayerKind::Md, Some(level)) = (part.kind, &part.title) {
        words.push(level.clone());
    }
    if part.is_swap {
        words.push("swap in use".to_string());
    }
    let points: Vec<String> = part.mount_points.iter().map(|p| p.to_string()).collect();
    if !points.is_empty() {
        words.push(format!("mounted at {}", some(points, 3, ", ")));
    }
    words.join(", ")
}

pub fn answer(drive: &Drive) -> String {
    if !drive.safe_to_erase {
        let reasons = drive.reasons.iter().map(|r| r.text.clone()).collect();
        return format!("no: {}", some(reasons, REASONS, "; "));
    }
    let lost: Vec<String> = drive.contents.iter().filter_map(loss).collect();
    match (lost.is_empty(), drive.contents_known) {
        (false, _) => {
            format!("yes, nothing uses it; erasing it would destroy {}", some(lost, REASONS, ", "))
        }
        (true, true) => "yes, nothing uses it and no filesystem was found on it".to_string(),
        (true, false) => {
            "nothing uses it, but its contents are unknown (no udev here); to list them: `sudo \
             lsblk -f`"
                .to_string()
        }
    }
}

fn loss(part: &Part) -> Option<String> {
    let label = part.label.as_ref().map(|label| format!(" \"{label}\"")).unwrap_or_default();
    Some(format!("{}{label} on {}", part.fs.as_ref()?, part.name))
}

fn some(mut words: Vec<String>, most: usize, joiner: &str) -> String {
    let more = words.len().saturating_sub(most);
    words.truncate(most);
    let said = words.join(joiner);
    if more > 0 { format!("{said}{joiner}and {more} more") } else { said }
}
