//! One row a cell, with raw numbers: bytes, nanoseconds, counts. RFC 4180.
//!
//! Every cell of the run is there; `counts` says which ones the analysis used. Text that a
//! spreadsheet would run as a formula gets an apostrophe in front (OWASP, "CSV Injection").

use serde_json::Value;

use bakeoff_model::event::{CacheState, Cell};
use bakeoff_model::measurement::{Measurement, OpStats};
use bakeoff_model::path::sanitize;
use bakeoff_model::run::{Block, BlockState, Run};

pub const COLUMNS: &[&str] = &[
    "run",
    "block",
    "counts",
    "candidate",
    "workload",
    "metric",
    "value_per_s",
    "engine",
    "began_ns",
    "elapsed_ns",
    "data_ns",
    "flush_ns",
    "close_ns",
    "usr_cpu_ns",
    "sys_cpu_ns",
    "tool_ns",
    "read_ios",
    "read_bytes",
    "read_p50_ns",
    "read_p99_ns",
    "write_ios",
    "write_bytes",
    "write_p50_ns",
    "write_p99_ns",
    "flush_ios",
    "flush_p50_ns",
    "flush_p99_ns",
    "create_ios",
    "create_p50_ns",
    "create_p99_ns",
    "stat_ios",
    "unlink_ios",
    "cache",
    "resident_before_bytes",
    "device_read_bytes",
    "device_written_bytes",
    "foreign_bytes",
    "suspended_ns",
    "round",
];

/// The cells of a run; a field that is not known is empty.
pub fn csv(run: &Run) -> String {
    let of = |block| move |cell| row(run, block, cell);
    table(COLUMNS, run.blocks.iter().flat_map(|block| block.cells.iter().map(of(block))))
}

pub fn field(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(string) => text(string),
        other => other.to_string(),
    }
}

pub fn table<R: AsRef<[String]>>(columns: &[&str], rows: impl IntoIterator<Item = R>) -> String {
    let mut out = columns.join(",") + "\r\n";
    for row in rows {
        out.push_str(&(row.as_ref().join(",") + "\r\n"));
    }
    out
}

fn row(run: &Run, block: &Block, cell: &Cell) -> Vec<String> {
    let m = &cell.measurement;
    let truth = &cell.truth;
    let candidate = cell.candidate.get(&run.header.candidates);
    let workload = cell.workload.get(&run.header.workloads);
    let mut row = vec![
        text(&run.header.run),
        cell.block.to_string(),
        u8::from(block.state == BlockState::Complete).to_string(),
        text(candidate.map_or("", |c| &c.name)),
        text(workload.map_or("", |w| &w.name)),
        workload.map_or("", |w| w.metric.name()).to_string(),
        workload.map_or(String::new(), |w| w.metric.value(m).unwrap_or(0.0).to_string()),
        m.engine.name().to_string(),
        cell.began_ns.to_string(),
    ];
    row.extend(clocks(m));
    let data = |s: &Option<OpStats>| {
        let mut fields = counts(s);
        fields.extend(tails(s));
        fields
    };
    row.extend(data(&m.read));
    row.extend(data(&m.write));
    row.push(ios(&m.flush));
    row.extend(tails(&m.flush));
    row.push(ios(&m.create));
    row.extend(tails(&m.create));
    row.extend([ios(&m.stat), ios(&m.unlink), cache(truth.cache).to_string()]);
    row.extend(
        [
            truth.resident_before_bytes,
            truth.device_read_bytes,
            truth.device_written_bytes,
            truth.foreign_bytes,
            Some(truth.suspended_ns),
        ]
        .map(known),
    );
    row.push(known(block.round.map(|round| round.round.into())));
    row
}

fn clocks(m: &Measurement) -> [String; 7] {
    [m.elapsed_ns, m.data_ns, m.flush_ns, m.close_ns, m.usr_cpu_ns, m.sys_cpu_ns, m.tool_ns]
        .map(|ns| ns.to_string())
}

fn ios(stats: &Option<OpStats>) -> String {
    known(stats.as_ref().map(|s| s.total_ios))
}

fn counts(stats: &Option<OpStats>) -> Vec<String> {
    vec![ios(stats), known(stats.as_ref().map(|s| s.io_bytes))]
}

fn tails(stats: &Option<OpStats>) -> [String; 2] {
    let latency = stats.as_ref().map(|s| &s.lat_ns);
    [known(latency.and_then(|l| l.p50)), known(latency.and_then(|l| l.p99))]
}

fn known(value: Option<u64>) -> String {
    value.map_or(String::new(), |v| v.to_string())
}

fn cache(state: CacheState) -> &'static str {
    match state {
        CacheState::Cold => "cold",
        CacheState::Warm => "warm",
        CacheState::Unknown => "unknown",
        CacheState::NotRead => "not_read",
    }
}

/// A text field, quoted where RFC 4180 asks for it.
pub(super) fn text(value: &str) -> String {
    let value = sanitize(value);
    let is_formula = value.starts_with(['=', '+', '-', '@']);
    let value = if is_formula { format!("'{value}") } else { value };
    if value.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", value.replace('"', "\"\""))
    } else {
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_and_formulas_disarmed() {
        assert_eq!(text("ext4, no journal"), "\"ext4, no journal\"");
        assert_eq!(text("a\"b"), "\"a\"\"b\"".replace('\\', ""));
        assert_eq!(text("=1+1"), "'=1+1");
        assert_eq!(text("a\nb"), "a\\x0ab");
    }
}
