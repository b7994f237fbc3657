//! The table of agreement for people, programs and docs/agreement.md.

use serde_json::json;

use super::document::{self, Document, number, words};
use super::foreign;
use crate::agree::figure::Unit;
use crate::agree::{Agreement, Known, NoFigure, Row, Table, Why};
use crate::model::host::Host;
use crate::model::path::printable;
use crate::units;

pub struct Setting<'a> {
    pub host: &'a Host,
    /// The CPU that everything ran on; `None` where the scheduler chose.
    pub cpu: Option<usize>,
    pub fs: &'a str,
    /// The drive's model, where it has one.
    pub disk: &'a str,
    /// Day, as 2026-11-20.
    pub date: &'a str,
    pub version: &'a str,
    pub file_bytes: u64,
    pub took_ns: u64,
}

/// `bakeoff/agree/1`.
pub fn json(table: &Table, setting: &Setting) -> String {
    let row = |row: &Row| {
        let mut said = json!(row);
        said["why"] = json!(row.why.as_ref().map(why).unwrap_or_default());
        said
    };
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
        "rows": table.rows.iter().map(row).collect::<Vec<_>>(),
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
        for row in rows {
            let why = row.why.as_ref().map(why).unwrap_or_default();
            out.bullet(format!("{}, {}: {why}.", row.tool, row.phase));
        }
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
        number("tool's rate"),
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
    let disk = if setting.disk.is_empty() { "an unnamed drive" } else { setting.disk };
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

fn why(why: &Why) -> String {
    match why {
        Why::Missing(NoFigure::Ours) => "bakeoff reported no result".to_string(),
        Why::Missing(NoFigure::Theirs) => "it reported no result".to_string(),
        Why::Missing(NoFigure::Unread(error)) => foreign::parse_error(error),
        Why::Short => "it takes less than 10 ms here".to_string(),
        Why::NoPair => "no pair was measured; increase --time".to_string(),
        Why::OnePair => "one pair gives no interval; increase --time".to_string(),
        Why::Wide { factor, wanted } => {
            let what_next = match wanted {
                Some(wanted) => format!("about {wanted:.0} pairs would narrow it"),
                None => "more pairs would narrow it: use a longer --time".to_string(),
            };
            format!(
                "its interval is wider than 10 % to each side: the tool's own rate changed between \
                 pairs by a factor of up to {factor:.2}; {what_next}"
            )
        }
        Why::Differs(None) => "no explanation is known".to_string(),
        Why::Differs(Some(known)) => differs(*known).to_string(),
    }
}

fn differs(known: Known) -> &'static str {
    match known {
        Known::Cpu => {
            "fio uses more CPU time per operation; if the device is as fast as the CPU, the \
             rate of fio is lower"
        }
        Known::Pages => {
            "the kernel splits a direct transfer into one request for each contiguous \
             piece of its buffer in physical memory, and the number of pieces is random in \
             each process; this matters if the drive is as fast as memory"
        }
        Known::Layout => {
            "overwriting changes the layout of a file: each write may move its blocks, and \
             earlier writes affect the speed of later ones"
        }
        Known::Mix => {
            "fio uses another random generator for its mix of reads and writes, so the two \
             do not perform exactly the same operations"
        }
        Known::Records => {
            "this measures the cost of two calls per record, and bakeoff also times each \
             record, which dd does not"
        }
        Known::Calls => {
            "this measures the cost of a call, and the tool does more work of its own \
             around each call"
        }
        Known::Seeks => {
            "each thread of bonnie++ removes the file when it has finished, so the time of \
             the last thread to close it includes freeing the whole file in the kernel; \
             bakeoff removes the file afterwards"
        }
        Known::Sync => {
            "bonnie++ ends it with sync(2), which flushes every filesystem of the machine; \
             bakeoff flushes only the filesystem under test"
        }
        Known::Makes => {
            "bonnie++ ends it with sync(2), while bakeoff flushes only the filesystem \
             under test; also, ext4 without a journal checks every inode that was freed in \
             the last minute, so the tool that runs second pays for the files that the \
             first one removed"
        }
    }
}

fn word(row: &Row) -> &'static str {
    match row.agreement {
        Agreement::Agrees => "agrees",
        Agreement::Differs => "differs",
        Agreement::NotJudged => "not judged",
    }
}
