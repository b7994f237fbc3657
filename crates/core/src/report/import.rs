//! What an import found, for programs and for people.

use std::fmt::Write;

use serde_json::json;

use super::layout::wrap;
use super::view;
use crate::import::observe;
use crate::import::study::facts::Facts;
use crate::import::{Imported, Metric, ToolResult};
use crate::model::finding::Finding;
use crate::model::path::{printable, sanitize};
use crate::units;

/// Percentiles shown to people; programs get all.
const SHOWN_RANKS: [&str; 4] = ["latency_p50", "latency_p95", "latency_p99", "latency_p99.9"];
/// Unread parts shown to people; programs get all.
const SHOWN_UNREAD: usize = 20;

/// One JSON document of one line. `source` is a path with its escapes.
pub fn import_json(source: &str, imported: &Imported) -> String {
    json!({
        "schema": "bakeoff/import/1",
        "source": source,
        "observations": observe::observations(imported),
        "results": imported.results,
        "unread": imported.unread,
        "findings": imported.findings,
    })
    .to_string()
}

/// Text for people, of `width` columns. `source` is a path with its escapes.
pub fn import_text(source: &str, imported: &Imported, width: usize) -> String {
    let mut out = String::new();
    let results = count(imported.results.len(), "result");
    let unread = count(imported.unread.len(), "unread part");
    // Writing to a String cannot fail, here and below.
    let head = format!("{}: {results}, {unread}", sanitize(source));
    match head.chars().count() <= width {
        true => out.push_str(&(head + "\n")),
        // A long path is whole on its line, so that it can be copied.
        false => {
            let _ = writeln!(out, "{}:\n  {results}, {unread}", sanitize(source));
        }
    }
    if !imported.findings.is_empty() {
        out.push_str("\nAs a comparison:\n");
        write_findings(&mut out, &imported.findings, width);
    }
    let observed = observe::observations(imported);
    if !observed.is_empty() {
        out.push_str("\nObservations:\n");
        for line in observed.iter().map(String::as_str).chain([observe::ASSUMPTION]) {
            out.push_str(&wrap(line, width, "  ", "    "));
        }
    }
    for result in &imported.results {
        out.push('\n');
        write_result(&mut out, result, width);
    }
    if !imported.unread.is_empty() {
        out.push_str("\nNot read:\n");
    }
    for unread in imported.unread.iter().take(SHOWN_UNREAD) {
        let text =
            format!("{}: {}", lines(unread.first_line, unread.last_line), clean(&unread.why));
        out.push_str(&wrap(&text, width, "  ", "    "));
    }
    let more = imported.unread.len().saturating_sub(SHOWN_UNREAD);
    if more > 0 {
        let _ = writeln!(out, "  and {more} more; `--format json` lists them all");
    }
    out
}

pub(super) fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

pub(super) fn lines(first: u64, last: u64) -> String {
    if first == last { format!("line {first}") } else { format!("lines {first}-{last}") }
}

/// Text of the input on one line, harmless on a terminal.
fn clean(text: &str) -> String {
    printable(text.as_bytes())
}

fn write_result(out: &mut String, result: &ToolResult, width: usize) {
    let mut head = clean(&result.tool);
    for part in [&result.version, &result.test].into_iter().flatten() {
        let _ = write!(head, " {}", clean(part));
    }
    let _ = write!(head, ", {}", lines(result.first_line, result.last_line));
    if let Some(context) = &result.context {
        let _ = write!(head, ", under \"{}\"", clean(context));
    }
    out.push_str(&wrap(&head, width, "", "  "));
    if !result.setup.is_empty() {
        let facts: Vec<String> =
            result.setup.iter().map(|(key, what)| format!("{key} {what}")).collect();
        out.push_str(&wrap(&clean(&facts.join(", ")), width, "  ", "    "));
    }
    if let Some(command) = &result.command {
        out.push_str(&wrap(&format!("$ {}", clean(command)), width, "  ", "    "));
    }
    let shown: Vec<&Metric> = result.metrics.iter().filter(|metric| is_shown(metric)).collect();
    let widest = shown.iter().map(|metric| metric.name.len()).max().unwrap_or(0);
    for metric in shown {
        let (name, value) = (format!("  {:widest$}  ", metric.name), value(metric));
        match name.chars().count() + value.chars().count() <= width {
            true => out.push_str(&(name + &value + "\n")),
            false => out.push_str(&wrap(&value, width, &name, &" ".repeat(widest + 6))),
        }
    }
    write_findings(out, &result.findings, width);
}

fn write_findings(out: &mut String, findings: &[Finding], width: usize) {
    for finding in view::findings(findings) {
        out.push_str(&wrap(&clean(&finding.line()), width, "  ", "    "));
    }
}

/// What a page states beside its numbers, for people.
pub fn facts_text(facts: &Facts, width: usize) -> String {
    if facts.fact.is_empty() {
        return String::new();
    }
    let mut out = String::from("\nStated with the figures:\n");
    for fact in &facts.fact {
        let of = [&fact.device, &fact.candidate, &fact.test].into_iter().find(|of| !of.is_empty());
        let of = of.map(|of| format!(" of {of}")).unwrap_or_default();
        let text = format!("{}{of} = {}: {}", fact.key, fact.value, fact.says);
        out.push_str(&wrap(&clean(&text), width, "  ", "    "));
    }
    out
}

pub(super) fn is_shown(metric: &Metric) -> bool {
    let name = metric.name.rsplit_once('.').map_or(metric.name.as_str(), |(_, name)| name);
    let is_rank = metric.name.contains("latency_p");
    !is_rank || SHOWN_RANKS.iter().any(|rank| metric.name.ends_with(rank) || name == *rank)
}

/// A value with its unit; the tool's own text beside it where that says more.
pub(super) fn value(metric: &Metric) -> String {
    let number = metric.value.as_f64();
    let text = match metric.unit.as_ref() {
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
    use crate::import::Finder;

    const PAGE: &str = "# Reading\n\n$ dd if=x of=/dev/null bs=1M\n\
        1024+0 Datens\u{e4}tze ein\n1024+0 Datens\u{e4}tze aus\n\
        1073741824 Bytes (1,1 GB) kopiert, 54,05 s, 19,9 MB/s\n\
        \nThen busybox:\n64+0 records in\n64+0 records out\n";

    #[test]
    fn people_read_units_and_programs_raw_numbers() {
        let imported = Finder::all(PAGE.as_bytes());
        insta::assert_snapshot!(import_text("page.md", &imported, 80));
        let json: serde_json::Value =
            serde_json::from_str(&import_json("page.md", &imported)).unwrap();
        insta::assert_json_snapshot!(json);
    }

    #[test]
    fn text_of_others_cannot_drive_a_terminal() {
        let page = "# \u{1b}[31mred\u{202e}\n21 bytes copied, 2.3427e-05 s, 896 kB/s\n";
        let text = import_text("a\\x1b", &Finder::all(page.as_bytes()), 80);
        assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text}");
        assert!(text.contains("a\\x1b"));
    }
}
