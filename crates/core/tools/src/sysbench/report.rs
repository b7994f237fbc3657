//! What a report of sysbench says beyond its lines: bytes out of counts, and what limits it.

use crate::scan::result::finding;
use crate::scan::{FoundMetric, ToolResult, Value};
use bakeoff_model::finding::Severity;

/// Words that say the access pattern, and the tool's own name of it.
const MODES: [(&str, &str); 6] = [
    ("sequential write (creation)", "seqwr"),
    ("sequential rewrite", "seqrewr"),
    ("sequential read", "seqrd"),
    ("random read", "rndrd"),
    ("random write", "rndwr"),
    ("random r/w", "rndrw"),
];

/// Completes a report; why it is none.
pub fn finish(result: &mut ToolResult) -> Option<String> {
    let fatal = result.findings.iter().find(|found| found.id == "tool-error");
    if let Some(fatal) = fatal {
        return Some(format!("sysbench failed: {}", fatal.evidence));
    }
    let has = |name: &str| result.figure(&[name]).is_some();
    let is_prepare = has("prepared_bytes");
    let rates = ["reads", "reads_per_second", "read_throughput", "throughput"];
    if !is_prepare && !rates.iter().any(|name| has(name)) {
        let why = "the sysbench output has no result of fileio: it was another test, no run, or it \
                   ended early";
        return Some(why.to_string());
    }
    let is_nothing = |name: &str| result.figure(&[name]) == Some(0.0);
    if is_nothing("events") || is_nothing("_total") || is_nothing("reads") && is_nothing("writes") {
        let why = "sysbench counted no operations: its files were missing, or it failed";
        return Some(why.to_string());
    }
    // A short time confirms no bytes, and the line may have been cut.
    if is_prepare && is_nothing("_seconds") && !has("file_count") {
        return Some("a prepare lacks the number of its files".to_string());
    }
    if let Some(why) = volumes(result) {
        return Some(why);
    }
    if !is_prepare && result.figure(&["_fairness"]).is_none() {
        let advice = "Use these figures with caution, or use the complete output.";
        let last = result.last_line;
        let evidence = format!("the report ends on line {last}, before its last line");
        result.findings.push(finding("truncated", Severity::Warn, evidence, advice));
    }
    let mode = MODES.iter().find(|(words, _)| result.test.as_deref() == Some(*words));
    result.test = mode.map(|(_, name)| (*name).to_string());
    None
}

/// Bytes by counts times the block size, which is finer than what is printed; by rates likewise.
/// Requests that were merged are no blocks each, and where files are no whole blocks the last one
/// is shorter since 1.0.
fn volumes(result: &mut ToolResult) -> Option<String> {
    let value = |name: &str| result.figure(&[name]);
    let files = value("total_file_size").zip(value("file_count"));
    let block = value("block_size").filter(|_| value("_merged").is_none());
    let is_whole = |block: f64| files.is_none_or(|(total, files)| (total / files) % block == 0.0);
    for (count, volume, name, unit) in [
        ("reads", "_read_volume", "read_bytes", "bytes"),
        ("writes", "_written_volume", "written_bytes", "bytes"),
        ("reads_per_second", "read_throughput", "read_throughput", "bytes/s"),
        ("writes_per_second", "written_throughput", "written_throughput", "bytes/s"),
    ] {
        let find = |name: &str| result.metrics.iter().find(|metric| metric.name == name).cloned();
        let Some(printed) = find(volume) else { continue };
        let exact = block.zip(find(count)).map(|(block, count)| {
            let bytes = count.value.as_f64() * block;
            let value =
                if unit == "bytes" { Value::Whole(bytes as u64) } else { Value::Real(bytes) };
            FoundMetric { value, ..count }
        });
        let is_far = |exact: &FoundMetric| {
            let (exact, printed) = (exact.value.as_f64(), printed.value.as_f64());
            let slack = 0.005 * exact.max(printed) + 0.01 * f64::from(1 << 20);
            printed > exact + slack || block.is_some_and(is_whole) && printed < exact - slack
        };
        if exact.as_ref().is_some_and(is_far) {
            return Some(format!(
                "requests times block size does not equal the {name} of sysbench"
            ));
        }
        let given = exact.filter(|_| block.is_some_and(is_whole)).unwrap_or(printed);
        result.metrics.retain(|metric| metric.name != name);
        result.metrics.push(FoundMetric { name: name.to_string(), unit, ..given });
    }
    throughput(result);
    None
}

/// The throughput of 0.4, from the bytes and the time where that is finer than what is printed.
fn throughput(result: &mut ToolResult) {
    let bytes = [["read_bytes"], ["written_bytes"]].map(|name| result.figure(&name));
    let ns = result.figure(&["total_time"]).filter(|ns| *ns > 1e10);
    if let ([Some(read), Some(written)], Some(ns)) = (bytes, ns)
        && let Some(rate) = result.metrics.iter_mut().find(|metric| metric.name == "throughput")
    {
        rate.value = Value::Real((read + written) / (ns / 1e9));
    }
}
