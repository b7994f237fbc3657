//! diskspd: the rows of all threads. Its MB/s, since 2.0.21 called MiB/s, are of 2^20 bytes.

use crate::scan::ScannedTool;
use crate::scan::grammar::{Grammar, LineForm, OF_HEAD, alone, head, kind, no_zeros, own};

pub static TOOL: ScannedTool = ScannedTool::new("diskspd", &[], || vec![GRAMMAR.reader()]);

const FORMS: &[LineForm] = &[
    own("thread | bytes | {}"),
    own("{_thread:n} | {_bytes:b} | {_ios:n} | {}"),
    head("Total IO").named("total."),
    head("Read IO").named("read."),
    head("Write IO").named("write."),
    alone("total: {bytes:b} | {ios:n} | {throughput:rate} | {iops:iops} | {latency_avg:ms} | {}")
        .named(OF_HEAD),
    alone("total: {bytes:b} | {ios:n} | {throughput:rate} | {iops:iops} | {latency_avg:ms}")
        .named(OF_HEAD),
    alone("total: {bytes:b} | {ios:n} | {throughput:rate} | {iops:iops}").named(OF_HEAD),
];
static GRAMMAR: Grammar = Grammar {
    tool: "diskspd",
    kinds: &[
        kind("b", "bytes", &[("", 1)]),
        kind("n", "count", &[("", 1)]),
        kind("rate", "bytes/s", &[("", 1 << 20)]),
        kind("iops", "1/s", &[("", 1)]),
        kind("ms", "ns", &[("", 1_000_000)]),
    ],
    forms: FORMS,
    laws: &[],
    gap_lines: 200,
    note: no_zeros,
};

#[cfg(test)]
mod tests {
    use crate::scan::Finder;

    #[test]
    fn the_row_of_all_threads_is_read_in_powers_of_two() {
        let text = "Total IO\nthread |       bytes     |     I/Os     |     MB/s   |  I/O per s\n\
                    total:        2097152000 |        32000 |     200.00 |    3200.00 |    2.500\n";
        let found = Finder::for_tool("diskspd").all_of(text.as_bytes());
        let [result] = found.results.as_slice() else { panic!("{found:#?}") };
        assert_eq!(result.figure(&["total.throughput"]), Some(209_715_200.0));
        assert_eq!(result.figure(&["total.latency_avg"]), Some(2.5e6));
    }
}
