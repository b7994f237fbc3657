//! The figures that were found in a text, for programs and for people.

use serde_json::json;

use super::document::Document;
use super::run_document;
use bakeoff_judge::import::{FoundMetric, Imported, ToolResult};
use bakeoff_model::finding::Finding;
use bakeoff_model::path::printable;
use bakeoff_stats::phrases;
use bakeoff_stats::units;
use bakeoff_tools::scan::Unread;

/// Percentiles shown to people; programs get all.
const SHOWN_RANKS: [&str; 4] = ["latency_p50", "latency_p95", "latency_p99", "latency_p99.9"];
/// Unread parts shown to people; programs get all.
const SHOWN_UNREAD: usize = 20;

/// One JSON document of one line. `source` is a path with its escapes.
pub fn figures_json(source: &str, imported: &Imported) -> String {
    json!({
        "schema": "bakeoff/figures/1",
        "source": source,
        "results": imported.results,
        "unread": imported.unread.iter().map(unread_json).collect::<Vec<_>>(),
    })
    .to_string()
}

fn unread_json(part: &Unread) -> serde_json::Value {
    let Unread { first_line, last_line, why } = part;
    json!({ "first_line": first_line, "last_line": last_line, "why": why })
}

/// For people. `source` is a path with its escapes.
pub fn figures_document(source: &str, imported: &Imported) -> Document {
    let mut out = Document::default();
    let results = phrases::count(imported.results.len(), "result");
    let parts = phrases::count(imported.unread.len(), "unread part");
    out.named(source, format!("{results}, {parts}"));
    imported.results.iter().for_each(|result| write_result(&mut out, result));
    if !imported.unread.is_empty() {
        out.heading("Not read");
    }
    for part in imported.unread.iter().take(SHOWN_UNREAD) {
        let place = lines(part.first_line, part.last_line);
        out.line(1, format!("{place}: {}", clean(&part.why)));
    }
    let more = imported.unread.len().saturating_sub(SHOWN_UNREAD);
    if more > 0 {
        out.line(1, format!("and {more} more; `--format json` lists them all"));
    }
    out
}

fn lines(first: u64, last: u64) -> String {
    if first == last { format!("line {first}") } else { format!("lines {first}-{last}") }
}

/// Text of the input on one line, harmless on a terminal.
fn clean(text: &str) -> String {
    printable(text.as_bytes())
}

fn write_result(out: &mut Document, result: &ToolResult) {
    let mut head = clean(&result.tool);
    for part in [&result.version, &result.test].into_iter().flatten() {
        head = format!("{head} {}", clean(part));
    }
    head = format!("{head}, {}", lines(result.first_line, result.last_line));
    if let Some(context) = &result.context {
        head = format!("{head}, under \"{}\"", clean(context));
    }
    out.heading(head);
    if let Some(command) = &result.command {
        out.line(1, format!("$ {}", clean(command)));
    }
    let shown = result.metrics.iter().filter(|metric| is_shown(metric));
    out.rows(shown.map(|metric| (metric.name.as_str(), value(metric))));
    write_findings(out, &result.findings);
}

fn write_findings(out: &mut Document, findings: &[Finding]) {
    for finding in run_document::findings(findings) {
        out.line(1, clean(&finding.line()));
    }
}

fn is_shown(metric: &FoundMetric) -> bool {
    let name = metric.name.rsplit_once('.').map_or(metric.name.as_str(), |(_, name)| name);
    let is_rank = metric.name.contains("latency_p");
    !is_rank || SHOWN_RANKS.iter().any(|rank| metric.name.ends_with(rank) || name == *rank)
}

/// A value with its unit; the tool's own text beside it where that says more.
fn value(metric: &FoundMetric) -> String {
    let number = metric.value.as_f64();
    let text = match metric.unit {
        "bytes" => units::size(number as u64),
        "bytes/s" => units::rate(number),
        "ns" if metric.name.contains("latency") => units::latency(number as u64),
        "ns" => units::duration(number as u64),
        "1/s" => format!("{}/s", units::three_digits(number)),
        "percent" => format!("{} %", units::three_digits(number)),
        "count" => number.to_string(),
        unit => format!("{number} {}", clean(unit)),
    };
    let (text, raw) = (text.trim_end(), clean(&metric.raw));
    if text == raw { raw } else { format!("{text}  ({raw})") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_judge::import;

    const PAGE: &str = "# Reading\n\n$ dd if=x of=/dev/null bs=1M\n\
        1024+0 Datens\u{e4}tze ein\n1024+0 Datens\u{e4}tze aus\n\
        1073741824 Bytes (1,1 GB) kopiert, 54,05 s, 19,9 MB/s\n\
        \nThen busybox:\n64+0 records in\n64+0 records out\n";

    #[test]
    fn people_read_units_and_programs_raw_numbers() {
        let imported = import::all(PAGE.as_bytes());
        insta::assert_snapshot!(figures_document("page.md", &imported).text(80, false));
        let json: serde_json::Value =
            serde_json::from_str(&figures_json("page.md", &imported)).unwrap();
        insta::assert_json_snapshot!(json);
    }

    #[test]
    fn text_of_others_cannot_drive_a_terminal() {
        let page = "# \u{1b}[31mred\u{202e}\n21 bytes copied, 2.3427e-05 s, 896 kB/s\n";
        let text = figures_document("a\\x1b", &import::all(page.as_bytes())).text(80, false);
        assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text}");
        assert!(text.contains("a\\x1b"));
    }
}
