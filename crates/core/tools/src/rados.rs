//! `rados bench` of Ceph: its summary. MB are 2^20 bytes (obj_bencher.cc).

use crate::scan::ScannedTool;
use crate::scan::grammar::{Grammar, LineForm, figures, kind, law, no_note};

pub static TOOL: ScannedTool = ScannedTool::new("rados", &[], || vec![GRAMMAR.reader()]);

const FORMS: &[LineForm] = &[
    figures("Total writes made: {ios:n}").of_test("write"),
    figures("Total reads made: {ios:n}").of_test("read"),
    figures("Write size: {_block:bytes}").inside(),
    figures("Read size: {_block:bytes}").inside(),
    figures("Bandwidth (MB/sec): {throughput:rate}").inside(),
    figures("Average IOPS: {iops:iops}").inside(),
    figures("Average Latency{}: {latency_avg:s}").inside(),
    figures("Max latency{}: {latency_max:s}").inside(),
    figures("Min latency{}: {latency_min:s}").inside(),
];
static GRAMMAR: Grammar = Grammar {
    tool: "rados",
    kinds: &[
        kind("n", "count", &[("", 1)]),
        kind("bytes", "bytes", &[("", 1)]),
        kind("iops", "1/s", &[("", 1)]),
        kind("rate", "bytes/s", &[("", 1 << 20)]),
        kind("s", "ns", &[("", 1_000_000_000)]),
    ],
    forms: FORMS,
    laws: &[law(&["iops", "_block"], &["throughput"], "the operations and the bandwidth of rados")],
    gap_lines: 4,
    note: no_note,
};

#[cfg(test)]
mod tests {
    use crate::scan::Finder;

    #[test]
    fn the_summary_is_one_result() {
        let text = "Total time run:         12.000000\nTotal writes made:      90\n\
                    Write size:             4194304\nBandwidth (MB/sec):     30\n\
                    Stddev Bandwidth:       23.4\nAverage IOPS:           7\n\
                    Average Latency:        2.12\nMax latency:            6.05\n";
        let found = Finder::for_tool("rados").all_of(text.as_bytes());
        let [result] = found.results.as_slice() else { panic!("{found:#?}") };
        let figures = ["throughput", "iops", "latency_avg"].map(|name| result.figure(&[name]));
        assert_eq!(figures, [Some(31_457_280.0), Some(7.0), Some(2.12e9)]);
        assert_eq!(found.unread, []);
    }
}
