//! dbench, the script that runs fio on volumes of Kubernetes: its summary, whose figures are fio's.

use crate::scan::ScannedTool;
use crate::scan::grammar::{Grammar, LineForm, alone, kind, no_zeros, own};

pub static TOOL: ScannedTool =
    ScannedTool::new("dbench", &["= Dbench Summary ="], || vec![GRAMMAR.reader()]);

const FORMS: &[LineForm] = &[
    own("= Dbench Summary ="),
    alone(
        "Random Read/Write IOPS: {read.iops:n}/{write.iops:n}. BW: {read.throughput:rate}/s / \
         {write.throughput:rate}/s",
    )
    .of_test("random"),
    alone("Average Latency (usec) Read/Write: {read.latency_avg:us}/{write.latency_avg:us}")
        .of_test("latency"),
    alone("Sequential Read/Write: {read.throughput:rate}/s / {write.throughput:rate}/s")
        .of_test("sequential"),
    alone("Mixed Random Read/Write IOPS: {read.iops:n}/{write.iops:n}").of_test("mixed"),
];
static GRAMMAR: Grammar = Grammar {
    tool: "dbench",
    kinds: &[
        kind("n", "1/s", &[("k", 1000), ("", 1)]),
        kind("us", "ns", &[("", 1000)]),
        kind("rate", "bytes/s", &[("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30)]),
    ],
    forms: FORMS,
    laws: &[],
    gap_lines: 1,
    note: no_zeros,
};

#[cfg(test)]
mod tests {
    use crate as tools;

    #[test]
    fn both_directions_of_each_line_are_read() {
        let text = "Random Read/Write IOPS: 20.5k/10.2k. BW: 400MiB/s / 200MiB/s\n\
                    Average Latency (usec) Read/Write: 150.00/75.50\n\
                    Sequential Read/Write: 500MiB/s / 250MiB/s\n\
                    Mixed Random Read/Write IOPS: 15.0k/5000\n";
        let found = tools::read(text.as_bytes());
        assert_eq!((found.results.len(), found.unread.len()), (4, 0), "{found:#?}");
        assert_eq!(found.results[0].figure(&["write.iops"]), Some(10_200.0));
        assert_eq!(found.results[1].figure(&["write.latency_avg"]), Some(75_500.0));
    }
}
