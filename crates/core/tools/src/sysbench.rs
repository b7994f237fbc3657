//! `sysbench fileio`: the reports of 0.4, 0.5, 1.0 and the development version 1.1.
//!
//! 0.4 and 0.5 print how many requests were made, so bytes are requests times block size; 1.0 and
//! 1.1 print rates only, and the finer of two is used. "Kb", "Mb" and "Gb" of the old versions are
//! powers of 1024 bytes. Source: sysbench `tests/fileio/sb_fileio.c` and `sysbench.c` at 0.4.12,
//! 1.0.20 and master.

pub(crate) mod measured;
mod report;

use crate::scan::ScannedTool;
use crate::scan::grammar::{
    Grammar, Kind, Law, LineForm, fault, figures, head, kind, last, law, own, unread,
};

pub static TOOL: ScannedTool = ScannedTool::new(
    "sysbench",
    &["Requests/sec executed", "Total transferred ", "total number of events:"],
    || vec![GRAMMAR.reader()],
);

const SECONDS: u64 = 1_000_000_000;
/// Sizes and rates, all powers of 1024.
const SIZES: &[(&str, u64)] = &[
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("TiB", 1 << 40),
    ("Kb", 1 << 10),
    ("Mb", 1 << 20),
    ("Gb", 1 << 30),
    ("Tb", 1 << 40),
    ("B", 1),
    ("b", 1),
];
const KINDS: &[Kind] = &[
    kind("n", "count", &[("", 1)]),
    kind("bytes", "bytes", &[("", 1)]),
    kind("size", "bytes", SIZES),
    kind("speed", "bytes/s", SIZES),
    kind("rate", "1/s", &[("", 1)]),
    Kind { decimals: 2, ..kind("rate2", "1/s", &[("", 1)]) },
    Kind { decimals: 2, ..kind("mib", "bytes/s", &[("", 1 << 20)]) },
    kind("s", "ns", &[("s", SECONDS)]),
    kind("seconds", "ns", &[("", SECONDS)]),
    Kind { decimals: 4, ..kind("s4", "ns", &[("s", SECONDS), ("", SECONDS)]) },
    Kind { decimals: 2, ..kind("ms", "ns", &[("ms", 1_000_000), ("", 1_000_000)]) },
];
/// What it prints for a percentile of too few events: the end of its histogram.
const TOO_FEW: &str = "latency_p95 is 10000000.00ms: sysbench had too few events for it";
const FORMS: &[LineForm] = &[
    head("sysbench {$version}: multi-threaded {}"),
    head("sysbench {$version} (using {}"),
    fault("FATAL: {}"),
    figures("Number of threads: {threads:n}"),
    figures("{file_count:n} files, {} each{}"),
    figures("{total_file_size:size} total file size"),
    figures("Block size {block_size:size}").inside(),
    figures("Merging requests up to {_merged:size} {}").inside(),
    figures("Periodic FSYNC enabled, calling fsync() each {fsync_every:n} requests.").inside(),
    figures("Calling fsync() after each write operation.").inside().marks("fsync_each_write"),
    figures("Time limit exceeded{}").inside().marks("ended_by_time_limit"),
    figures("Doing {$test} test").inside(),
    last(
        "{prepared_bytes:bytes} bytes written in {_seconds:seconds} seconds \
         ({prepare_throughput:mib} MiB/sec).",
    ),
    last(
        "{prepared_bytes:bytes} bytes written in {_seconds:seconds} seconds \
         ({prepare_throughput:mib} MB/sec).",
    ),
    figures(
        "Operations performed: {reads:n} Read, {writes:n} Write, {fsyncs:n} Other = \
         {_total:n} Total",
    ),
    figures(
        "Operations performed: {reads:n} reads, {writes:n} writes, {fsyncs:n} Other = \
         {_total:n} Total",
    ),
    figures(
        "Read {_read_volume:size} Written {_written_volume:size} Total transferred \
         {_total_volume:size} ({throughput:speed}/sec)",
    ),
    figures("{requests_per_second:rate} Requests/sec executed").inside(),
    figures("reads/s: {reads_per_second:rate2}"),
    figures("writes/s: {writes_per_second:rate2}"),
    figures("fsyncs/s: {fsyncs_per_second:rate2}"),
    figures("read, MiB/s: {read_throughput:mib}"),
    figures("written, MiB/s: {written_throughput:mib}"),
    figures("read: IOPS={reads_per_second:rate2} {read_throughput:mib} MiB/s {}").inside(),
    figures("write: IOPS={writes_per_second:rate2} {written_throughput:mib} MiB/s {}").inside(),
    figures("fsync: IOPS={fsyncs_per_second:rate2}").inside(),
    figures("total time: {total_time:s}").inside(),
    figures("total number of events: {events:n}").inside(),
    figures("total time taken by event execution: {event_execution_time:s4}").inside(),
    figures("min: {latency_min:ms}").inside(),
    figures("avg: {latency_avg:ms}").inside(),
    figures("max: {latency_max:ms}").inside(),
    figures("sum: {latency_sum:ms}").inside(),
    unread("approx. 95 percentile: 10000000.00ms", TOO_FEW).inside(),
    figures("approx. {#} percentile: {latency_p#:ms}").inside(),
    figures("approx. {#}th percentile: {latency_p#:ms}").inside(),
    figures("{#}th percentile: {latency_p#:ms}").inside(),
    last("execution time (avg/stddev): {_fairness:rate}/{}").inside(),
    own("Running the test with following options:"),
    own("Initializing {}"),
    own("Threads started!"),
    own("Done."),
    own("File operations:"),
    own("Throughput:"),
    own("General statistics:"),
    own("Test execution summary:"),
    own("per-request statistics:"),
    own("response time:"),
    own("Latency (ms):"),
    own("Threads fairness:"),
    own("events (avg/stddev): {}"),
    own("Latency histogram {}"),
    own("[ {} ] reads: {}"),
    own("{}|*{}").inside(),
    own("{}- distribution -{}").inside(),
];
const LAWS: &[Law] = &[
    law(
        &["throughput", "total_time"],
        &["_total_volume", "1e9"],
        "the throughput, the total time and the volume of sysbench",
    ),
    law(
        &["requests_per_second", "total_time"],
        &["events", "1e9"],
        "the requests per second, the total time and the events of sysbench",
    ),
    law(
        &["prepare_throughput", "_seconds"],
        &["prepared_bytes", "1e9"],
        "the rate, the time and the bytes of a prepare of sysbench",
    ),
];
static GRAMMAR: Grammar = Grammar {
    tool: "sysbench",
    kinds: KINDS,
    forms: FORMS,
    laws: LAWS,
    gap_lines: 60,
    note: report::finish,
};

#[cfg(test)]
mod tests {
    use crate::scan::Finder;

    const RUN: &str =
        include_str!("../../../../fixtures/tools/sysbench/v1_rndrw_default_fsync.stdout");

    /// Two pastes without their first lines were called mixed up.
    #[test]
    fn pastes_that_were_trimmed_alike_are_two_reports() {
        let from = RUN.find("File operations:").unwrap();
        let to = RUN.find("General statistics:").unwrap();
        let paste = &RUN[from..to];
        let both = format!("ext4:\n{paste}\nAnd with xfs:\n{paste}");
        let found = Finder::for_tool("sysbench").all_of(both.as_bytes());
        assert_eq!((found.results.len(), found.unread.len()), (2, 0), "{found:#?}");
        let contexts: Vec<_> = found.results.iter().map(|r| r.context.as_deref()).collect();
        assert_eq!(contexts, [Some("ext4"), Some("And with xfs")]);
    }
}
