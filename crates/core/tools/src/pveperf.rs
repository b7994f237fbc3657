//! `pveperf`, which Proxmox VE comes with: a title and a figure a line, below the device.
//!
//! Each test takes three seconds: sequential reads of 2 MiB and random reads of 512 bytes of the
//! device, through the page cache, and files of 4001 bytes that are synced one after the other. Its
//! MB are 2^20 bytes (bin/pveperf of pve-manager, 2011 to 2026). The tests of the processor and of
//! names say nothing about a drive and are passed over.

use crate::scan::grammar::{Grammar, Kind, LineForm, alone, head, kind, own};
use crate::scan::result::finding;
use crate::scan::{ScannedTool, ToolResult};
use bakeoff_model::finding::Severity;

pub static TOOL: ScannedTool = ScannedTool::new(
    "pveperf",
    &["BUFFERED READS:", "AVERAGE SEEK TIME:", "FSYNCS/SECOND:"],
    || vec![GRAMMAR.reader()],
);

const FORMS: &[LineForm] = &[
    // An output begins with it, so that what stood above was another one.
    head("CPU BOGOMIPS: {}"),
    head("HD SIZE: {} GB ({$context})"),
    alone("BUFFERED READS: {throughput:rate}").of_test("buffered reads"),
    alone("AVERAGE SEEK TIME: {latency_avg:time}").of_test("seeks"),
    alone("FSYNCS/SECOND: {fsyncs_per_second:count}").of_test("fsyncs"),
    own("REGEX/SECOND: {}"),
    own("DNS EXT: {}"),
    own("DNS INT: {}"),
];
static GRAMMAR: Grammar = Grammar {
    tool: "pveperf",
    kinds: &[
        kind("rate", "bytes/s", &[("MB/sec", 1 << 20)]),
        kind("time", "ns", &[("ms", 1_000_000)]),
        Kind { decimals: 2, ..kind("count", "1/s", &[("", 1)]) },
    ],
    forms: FORMS,
    laws: &[],
    gap_lines: 8,
    note,
};

fn note(result: &mut ToolResult) -> Option<String> {
    if result.test.as_deref() == Some("fsyncs") {
        let evidence = "pveperf syncs each file while its 4001 bytes are still in a buffer of \
                        Perl: the files are empty when they are synced";
        let advice = "Compare by synced writes: fio --rw=randwrite --bs=4k --fsync=1";
        let empty = finding("empty-sync", Severity::Refuse, evidence.to_string(), advice);
        result.findings.push(empty);
    }
    None
}

#[cfg(test)]
mod tests {
    use crate::scan::{Finder, Imported};

    fn read(text: &str) -> Imported {
        Finder::for_tool("pveperf").all_of(text.as_bytes())
    }

    #[test]
    fn three_figures_are_read_with_the_device_above_them() {
        let found = read(include_str!("../../../../fixtures/tools/pveperf/v2017.stdout"));
        let tests: Vec<_> = found.results.iter().filter_map(|r| r.test.as_deref()).collect();
        assert_eq!(tests, ["buffered reads", "seeks", "fsyncs"]);
        assert!(found.results.iter().all(|r| r.context.as_deref() == Some("/dev/sda1")));
        assert_eq!(found.results[2].findings[0].id, "empty-sync");
        assert_eq!(found.unread, []);
    }

    #[test]
    fn its_megabytes_are_powers_of_two_and_a_seek_is_milliseconds() {
        let found = read("BUFFERED READS:    2.00 MB/sec\nAVERAGE SEEK TIME: 8.06 ms\n");
        let values = found.results.iter().map(|r| r.metrics[0].value.as_f64());
        assert_eq!(values.collect::<Vec<_>>(), [2_097_152.0, 8_060_000.0]);
    }

    #[test]
    fn a_figure_that_was_cut_is_listed() {
        for cut in ["FSYNCS/SECOND:     324.2", "BUFFERED READS:    580.72 MB/s", "FSYNCS/SECOND:"]
        {
            let found = read(cut);
            assert_eq!((found.results.len(), found.unread.len()), (0, 1), "{cut}");
        }
    }

    #[test]
    fn the_device_of_another_output_is_not_taken_over() {
        let found = read(
            "HD SIZE:           1.90 GB (/dev/sda1)\nFSYNCS/SECOND:     324.28\n\
             CPU BOGOMIPS:      9200.00\nFSYNCS/SECOND:     96.60\n",
        );
        let contexts: Vec<_> = found.results.iter().map(|r| r.context.as_deref()).collect();
        assert_eq!(contexts, [Some("/dev/sda1"), None]);
    }
}
