//! The table of agreement for people, programs and docs/agreement.md.

use serde_json::json;

use super::figure::Unit;
use super::{Agreement, Row, Table};
use crate::model::host::Host;
use crate::model::path::printable;
use crate::report::document::{self, Document, number, words};
use crate::units;

/// Where and when it was measured.
pub struct Setting<'a> {
    /// The machine.
    pub host: &'a Host,
    /// The CPU that everything ran on; `None` where the scheduler chose.
    pub cpu: Option<usize>,
    /// The filesystem.
    pub fs: &'a str,
    /// The disk's model, where it has one.
    pub disk: &'a str,
    /// Day, as 2026-11-20.
    pub date: &'a str,
    /// bakeoff's version.
    pub version: &'a str,
    /// Size of the files worked on.
    pub file_bytes: u64,
    /// How long it took.
    pub took_ns: u64,
}

/// `bakeoff/agree/1`.
pub fn json(table: &Table, setting: &Setting) -> String {
    let value = json!({
        "schema": "bakeoff/agree/1",
        "date": setting.date,
        "version": setting.version,
        "host": setting.host,
        "cpu": setting.cpu,
        "fs": setting.fs,
        "disk": setting.disk,
        "file_bytes": setting.file_bytes,
        "took_ns": setting.took_ns,
        "versions": table.versions.iter().cloned().collect::<std::collections::BTreeMap<_, _>>(),
        "rows": table.rows,
        "skipped": table.skipped,
    });
    format!("{value:#}\n")
}

/// A page in Markdown with what it takes to judge the table.
pub fn markdown(table: &Table, setting: &Setting) -> String {
    format!(
        "# Agreement with the classic tools\n\nEach tool and bakeoff do the same work alternately, \
         on files of {} in one directory, and change their order every time. A ratio is bakeoff's \
         figure divided by the tool's, with its 95 % interval (Hodges-Lehmann, which a single \
         stall does not move). A phase agrees if the interval overlaps 0.97 to 1.03 and is at most \
         10 % wide to each side. For fio, bakeoff uses the same options. For the other tools it \
         uses the profile named after the tool, and the figure that the tool itself would print. \
         Written on {} by `bakeoff agree DIR --format markdown`, which took {}.\n\n{}",
        units::size(setting.file_bytes),
        setting.date,
        units::duration(setting.took_ns),
        described(table, setting).markdown(),
    )
}

/// For a terminal.
pub fn document(table: &Table, setting: &Setting) -> Document {
    let mut out = described(table, setting);
    out.gap();
    let took = units::duration(setting.took_ns);
    out.paragraph(format!("A ratio is bakeoff's figure divided by the tool's. It took {took}."));
    out
}

/// Where it was measured, the table, and why phases do not agree or are not judged.
fn described(table: &Table, setting: &Setting) -> Document {
    let mut out = Document::default();
    out.rows(facts(table, setting));
    out.gap();
    out.table(rows(table));
    out.gap();
    for (title, which) in [("Differs", Agreement::Differs), ("Not judged", Agreement::NotJudged)] {
        let mut rows = table.rows.iter().filter(|row| row.agreement == which).peekable();
        if rows.peek().is_some() {
            out.paragraph(format!("{title}:"));
        }
        rows.for_each(|row| out.bullet(format!("{}, {}: {}.", row.tool, row.phase, row.why)));
    }
    if !table.skipped.is_empty() {
        out.paragraph("Skipped:");
    }
    for skipped in &table.skipped {
        out.bullet(format!("{}: {}.", skipped.name, skipped.reason));
    }
    out
}

fn rows(table: &Table) -> document::Table {
    let columns = [
        words("tool"),
        words("phase"),
        number("its rate"),
        number("ratio"),
        words("interval"),
        number("pairs"),
        number("lasts"),
        words(""),
    ];
    let cells = |row: &Row| {
        vec![
            row.tool.to_string(),
            row.phase.to_string(),
            rate(row),
            ratio(row.ratio),
            interval(row),
            row.pairs.to_string(),
            units::duration(row.elapsed_ns),
            word(row).to_string(),
        ]
    };
    document::Table::new(columns, table.rows.iter().map(cells))
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
    let cpu = setting.cpu.map(|cpu| format!("everything on CPU {cpu}"));
    vec![
        ("machine", machine.join(", ")),
        ("runs", cpu.unwrap_or_else(|| "on the CPU that the scheduler chooses".to_string())),
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

fn rate(row: &Row) -> String {
    match (row.rate, row.unit) {
        (Some(rate), Unit::Bytes) => format!("{:.1} MB/s", rate / 1e6),
        (Some(rate), Unit::Each) => format!("{rate:.0}/s"),
        (None, _) => "-".to_string(),
    }
}

fn word(row: &Row) -> &'static str {
    match row.agreement {
        Agreement::Agrees => "agrees",
        Agreement::Differs => "differs",
        Agreement::NotJudged => "not judged",
    }
}
