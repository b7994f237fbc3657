//! kbench, the benchmark of Longhorn: its summary of fio, in three blocks with a unit each.

use crate::scan::ScannedTool;
use crate::scan::grammar::{Grammar, LineForm, alone, head, kind, no_zeros, own};

pub static TOOL: ScannedTool =
    ScannedTool::new("kbench", &["FIO Benchmark Summary"], || vec![GRAMMAR.reader()]);

const FORMS: &[LineForm] = &[
    own("FIO Benchmark Summary"),
    own("CPU Idleness: {}"),
    head("IOPS (Read/Write)").named("iops"),
    head("Bandwidth in KiB/sec (Read/Write)").named("bw"),
    head("Latency in ns (Read/Write)").named("lat"),
    alone("{$test}: {read.iops:n} / {write.iops:n}").named("^iops"),
    alone("{$test}: {read.throughput:kib} / {write.throughput:kib}").named("^bw"),
    alone("{$test}: {read.latency_avg:ns} / {write.latency_avg:ns}").named("^lat"),
];
static GRAMMAR: Grammar = Grammar {
    tool: "kbench",
    kinds: &[
        kind("n", "1/s", &[("", 1)]),
        kind("kib", "bytes/s", &[("", 1 << 10)]),
        kind("ns", "ns", &[("", 1)]),
    ],
    forms: FORMS,
    laws: &[],
    gap_lines: 4,
    note: no_zeros,
};

#[cfg(test)]
mod tests {
    use crate as tools;

    #[test]
    fn each_block_has_its_own_unit() {
        let text = "FIO Benchmark Summary\nIOPS (Read/Write)\n   Random:   90000 / 80000\n\
                    Bandwidth in KiB/sec (Read/Write)\n   Random:   500000 / 450000\n\
                    Latency in ns (Read/Write)\n   Sequential:   40000 / 41000\n";
        let found = tools::read(text.as_bytes());
        assert_eq!((found.results.len(), found.unread.len()), (3, 0), "{found:#?}");
        let figure = |at: usize, name: &str| found.results[at].figure(&[name]);
        assert_eq!(figure(0, "read.iops"), Some(90e3));
        assert_eq!(figure(1, "write.throughput"), Some(450_000.0 * 1024.0));
        assert_eq!(figure(2, "read.latency_avg"), Some(40e3));
    }
}
