//! What results of other tools say, in the names and options of each.

use super::{Access, Extent, Latencies, Observation, Source, Unflushed, Zeros};
use crate::model::thresholds::Thresholds;
use crate::scan::ToolResult;

impl<'a> Observation<'a> {
    pub fn of_result(limits: &'a Thresholds, result: &'a ToolResult) -> Observation<'a> {
        let outside = outside(result);
        Observation {
            extent: extent(result),
            outside,
            flushing: outside.filter(|_| flushes_by_default(result)),
            latencies: latencies(result),
            access: access(result),
            unflushed: unflushed(result),
            zeros: zeros(result),
            result: Some(result),
            ..Observation::unknown(limits, Source::Others, &result.tool)
        }
    }
}

fn extent(result: &ToolResult) -> Option<Extent> {
    let ns = result.figure(&["elapsed", "total_time", "read.elapsed", "write.elapsed"])? as u64;
    let (whole_ns, ios) = (Some(ns), None);
    let is_unflushed = unflushed(result).is_some();
    Some(Extent { whole_ns, elapsed_ns: ns, ios, is_unflushed, is_one_pass: false })
}

/// sysbench 0.4 alone gives latencies without its flushes.
fn outside(result: &ToolResult) -> Option<f64> {
    if !result.is("sysbench") || result.figure(&["fsync_each_write"]).is_some() {
        return None;
    }
    let total = result.figure(&["total_time"]).filter(|ns| *ns > 0.0)?;
    let inside = result.figure(&["event_execution_time"])?;
    let flushes = result.figure(&["fsyncs", "other"])?;
    let threads = result.figure(&["threads"]).unwrap_or(1.0).max(1.0);
    (flushes > 0.0).then(|| (1.0 - inside / (total * threads)).max(0.0))
}

/// Whether sysbench flushed after every 100 requests, as it does unless told otherwise.
fn flushes_by_default(result: &ToolResult) -> bool {
    let is_default = result.figure(&["fsync_every"]) == Some(100.0);
    // 0.4 says so in sequential modes too, and flushes each file once at the end.
    let flushes = result.figure(&["fsyncs", "other"]);
    let is_once = result.figure(&["file_count"]).is_some_and(|files| flushes <= Some(files));
    is_default && !is_once
}

fn latencies(result: &ToolResult) -> Vec<Latencies> {
    let kinds = [("", "latency"), ("read.", "read"), ("write.", "write"), ("sync.", "sync")];
    let of = |(prefix, name): (&str, &'static str)| {
        let mean_ns = result.figure(&[&format!("{prefix}latency_avg")])?;
        // sysbench prints a zero where no percentile was asked for.
        let p95 = result.figure(&[&format!("{prefix}latency_p95")]).filter(|ns| *ns > 0.0);
        Some(Latencies { name, mean_ns, p95_ns: p95.map(|ns| ns as u64) })
    };
    kinds.into_iter().filter_map(of).collect()
}

fn access(result: &ToolResult) -> Option<Access> {
    if result.is("dd") {
        let from_table = || result.setup.get("block_size_bytes")?.parse::<f64>().ok();
        let block = result.figure(&["block_size"]).or_else(from_table).filter(|b| *b > 0.0)?;
        let (is_random, is_buffered) = (false, true);
        return Some(Access {
            is_random,
            is_buffered,
            block_bytes: block as u64,
            file_bytes: None,
        });
    }
    let random = ["random_read", "random_write"];
    let is_it = |metric: &str| random.iter().any(|r| metric.starts_with(r));
    let file_bytes = Some(result.figure(&["file_size"])? as u64);
    let block_bytes = result.figure(&["record_size"]).filter(|_| result.is("iozone"))? as u64;
    let is_random = result.metrics.iter().any(|m| is_it(&m.name));
    Some(Access { is_random, is_buffered: false, block_bytes, file_bytes })
}

/// Writes whose command has nothing that waits for the device.
fn unflushed(result: &ToolResult) -> Option<Unflushed> {
    let words = result.words()?;
    let is_open = match () {
        () if result.is("dd") => {
            let to = words.iter().find_map(|word| word.strip_prefix("of="))?;
            let is_synced = has(&words, &["fsync", "fdatasync", "oflag=sync", "oflag=dsync"]);
            !["/dev/null", "/dev/zero"].contains(&to) && !is_synced
        }
        () if result.is("iozone") => {
            let flags = ["-e", "-o", "-+D", "-+r", "-I"];
            let is_synced = words.iter().any(|word| flags.contains(word));
            !is_synced && result.figure(&["write.throughput"]).is_some()
        }
        () if result.is("fio") => {
            let is_synced = has(&words, &["fsync=", "fdatasync=", "sync=1", "direct=1"]);
            !is_synced && result.figure(&["write.bytes"]).is_some()
        }
        () => false,
    };
    is_open.then_some(Unflushed { bytes: None })
}

fn has(words: &[&str], parts: &[&str]) -> bool {
    words.iter().any(|word| parts.iter().any(|part| word.contains(part)))
}

/// What the tool writes, unless its command says otherwise.
fn zeros(result: &ToolResult) -> Option<Zeros> {
    if result.is("dd") {
        return result.words()?.contains(&"if=/dev/zero").then_some(Zeros::All);
    }
    let has_written = match () {
        // A row of somebody's table does not say what was written; a tool's output does.
        () if !result.setup.is_empty() => false,
        () if result.is("sysbench") => {
            result.figure(&["writes", "writes_per_second", "written_bytes"])? > 0.0
        }
        () if result.is("bonnie++") => {
            result.figure(&["sequential_output_block.throughput"]).is_some()
        }
        () if result.is("iozone") => {
            let flags = ["-+w", "-+y", "-+C", "-+a"];
            result.figure(&["write.throughput"]).is_some()
                && result.words().is_none_or(|w| !w.iter().any(|word| flags.contains(word)))
        }
        () => false,
    };
    has_written.then_some(Zeros::Nearly)
}
