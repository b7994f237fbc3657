//! The table of agreement for people, programs and docs/agreement.md.

use std::fmt::Write;

use serde_json::json;

use super::{Agreement, Row, Table};
use crate::model::host::Host;
use crate::model::path::printable;
use crate::units;

/// Where and when it was measured.
pub struct Setting<'a> {
    /// The machine.
    pub host: &'a Host,
    /// The filesystem.
    pub fs: &'a str,
    /// The disk's model, where it has one.
    pub disk: &'a str,
    /// Day, as 2026-11-20.
    pub date: &'a str,
    /// bakeoff's version.
    pub version: &'a str,
    /// Size of the file worked on.
    pub file_bytes: u64,
}

/// `bakeoff/agree/1`.
pub fn json(table: &Table, setting: &Setting) -> String {
    let value = json!({
        "schema": "bakeoff/agree/1",
        "date": setting.date,
        "version": setting.version,
        "host": setting.host,
        "fs": setting.fs,
        "disk": setting.disk,
        "file_bytes": setting.file_bytes,
        "versions": table.versions.iter().cloned().collect::<std::collections::BTreeMap<_, _>>(),
        "rows": table.rows,
        "skipped": table.skipped,
    });
    format!("{value:#}\n")
}

/// A table in Markdown with what it takes to judge it.
pub fn markdown(table: &Table, setting: &Setting) -> String {
    let mut out = String::from("# Agreement with the classic tools\n\n");
    // Writing to a String cannot fail, here and below.
    let _ = writeln!(
        out,
        "Written by `bakeoff agree --format markdown` on {}. A ratio is bakeoff's rate over the \
         tool's, with its 95 % interval over pairs measured one after the other on the same file \
         of {}; a phase agrees when the interval overlaps 0.97 to 1.03.\n",
        setting.date,
        units::size(setting.file_bytes)
    );
    for (name, what) in facts(table, setting) {
        let _ = writeln!(out, "- {name}: {what}");
    }
    out.push_str("\n| tool | phase | ratio | interval | pairs | lasts | |\n");
    out.push_str("|---|---|---|---|---|---|---|\n");
    for row in &table.rows {
        let (ratio, interval) = (ratio(row.ratio), interval(row));
        let _ = writeln!(
            out,
            "| {} | {} | {ratio} | {interval} | {} | {} | {} |",
            row.tool,
            row.phase,
            row.pairs,
            units::duration(row.elapsed_ns),
            word(row)
        );
    }
    for skipped in &table.skipped {
        let _ = writeln!(out, "\nLeft out: {}: {}.", clean(&skipped.name), clean(&skipped.reason));
    }
    out
}

/// For a terminal.
pub fn text(table: &Table, setting: &Setting) -> String {
    let mut out = String::new();
    for (name, what) in facts(table, setting) {
        let _ = writeln!(out, "{name}: {what}");
    }
    out.push('\n');
    let widest = table.rows.iter().map(|row| row.phase.len()).max().unwrap_or(0);
    for row in &table.rows {
        let (ratio, interval) = (ratio(row.ratio), interval(row));
        let _ = writeln!(
            out,
            "{:<8} {:<widest$}  {ratio:>6}  {interval:<15} {:>2} pairs of {}",
            row.tool,
            row.phase,
            row.pairs,
            units::duration(row.elapsed_ns)
        );
        if !row.why.is_empty() {
            let _ = writeln!(out, "         {}", word(row));
        }
    }
    for skipped in &table.skipped {
        let _ = writeln!(out, "Left out: {}: {}", clean(&skipped.name), clean(&skipped.reason));
    }
    out
}

fn facts<'a>(table: &'a Table, setting: &'a Setting) -> Vec<(&'a str, String)> {
    let host = setting.host;
    let machine = [&host.model, &host.cpu].into_iter().flatten().map(|text| clean(text));
    let machine: Vec<String> = machine
        .chain([format!("{} CPUs", host.cpus), format!("Linux {}", clean(&host.kernel))])
        .collect();
    let versions = table.versions.iter().map(|(name, what)| format!("{name} {}", clean(what)));
    let versions: Vec<String> =
        [format!("bakeoff {}", setting.version)].into_iter().chain(versions).collect();
    let disk = if setting.disk.is_empty() { "an unnamed disk" } else { setting.disk };
    vec![
        ("machine", machine.join(", ")),
        ("place", format!("{} on {}", clean(setting.fs), clean(disk))),
        ("versions", versions.join(", ")),
    ]
}

fn clean(text: &str) -> String {
    printable(text.as_bytes())
}

fn ratio(ratio: Option<f64>) -> String {
    ratio.map_or("-".to_string(), |ratio| format!("{ratio:.3}"))
}

fn interval(row: &Row) -> String {
    match (row.low, row.high) {
        (Some(low), Some(high)) => format!("{low:.3} to {high:.3}"),
        _ => "-".to_string(),
    }
}

fn word(row: &Row) -> String {
    match row.agreement {
        Agreement::Agrees => "agrees".to_string(),
        Agreement::Differs => format!("differs: {}", row.why),
        Agreement::NotJudged => format!("not judged: {}", row.why),
    }
}
