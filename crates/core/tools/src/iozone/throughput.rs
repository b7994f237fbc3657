//! Throughput mode (`-t N`): a block of lines a test, from the view of parent and children. What
//! says no test of its own may be another's where a line is missing above.

use crate::scan::ToolResult;
use crate::scan::grammar::{Grammar, LineForm, fault, figures, first, head, kind, own};

const FORMS: &[LineForm] = &[
    head("Version $Revision: {$version} $"),
    first("Children see throughput for {processes:n} {$test} = {children_throughput:kib}"),
    figures("Parent sees throughput for {_processes:n} {$test} = {parent_throughput:kib}").next(),
    figures("Min throughput per process = {min_throughput_per_process:kib}").next(),
    figures("Max throughput per process = {max_throughput_per_process:kib}").next(),
    figures("Avg throughput per process = {avg_throughput_per_process:kib}").next(),
    figures("Min xfer = {min_transferred:kb}").next(),
    // The first of a run has the capital.
    figures("CPU {}tilization: Wall time {} CPU utilization {cpu:percent}").next(),
    first("Children see throughput for {processes:n} {$test} = {children_throughput:ops}"),
    figures("Parent sees throughput for {_processes:n} {$test} = {parent_throughput:ops}").next(),
    figures("Min throughput per process = {min_throughput_per_process:ops}").next(),
    figures("Max throughput per process = {max_throughput_per_process:ops}").next(),
    figures("Avg throughput per process = {avg_throughput_per_process:ops}").next(),
    figures("Min xfer = {min_transferred:count}").next(),
    figures("CPU {}tilization: Wall time {} CPU utilization {cpu:percent}").next(),
    own("Child[{}] xfer count = {}").inside(),
    fault("iozone: interrupted{}"),
];
pub static GRAMMAR: Grammar = Grammar {
    tool: "iozone",
    kinds: &[
        kind("n", "count", &[("", 1)]),
        kind("kib", "bytes/s", &[("kB/sec", 1 << 10), ("KB/sec", 1 << 10)]),
        kind("kb", "bytes", &[("kB", 1 << 10), ("KB", 1 << 10)]),
        kind("ops", "1/s", &[("ops/sec", 1)]),
        kind("count", "count", &[("ops", 1)]),
        kind("percent", "percent", &[("%", 1)]),
    ],
    forms: FORMS,
    laws: &[],
    gap_lines: 1000,
    note,
};

/// Why the lines cannot be of one test. A CPU utilisation of zero says nothing.
fn note(result: &mut ToolResult) -> Option<String> {
    let value = |name: &str| result.figure(&[name]);
    let each = |name: &str| value(&format!("{name}_throughput_per_process"));
    let (all, count) = (value("children_throughput")?, value("processes")?);
    // Each is rounded to a hundredth of a KiB, and the sum is a single-precision one.
    let slack = all * 1e-5 + 1024.0 * count;
    if each("avg").is_some_and(|average| (average * count - all).abs() > slack) {
        let why = "the sum of the processes divided by their number does not equal their average";
        return Some(why.to_string());
    }
    // The slowest may be the slowest of those that did something. Where it is another than the
    // fastest, both are parts of the sum.
    let (low, high) = (each("min").unwrap_or(f64::INFINITY), each("max"));
    let is_wrong = |high: f64| {
        let least = if low + slack < high { low + high } else { high };
        least > all + slack || low + (count - 1.0) * high + slack < all
    };
    if high.is_some_and(is_wrong) {
        let why = "the slowest, the fastest and the sum of all processes contradict each other";
        return Some(why.to_string());
    }
    result.metrics.retain(|metric| metric.name != "cpu" || metric.value.as_f64() > 0.0);
    None
}
