//! elbencho: a block for each phase, with what was done when the first thread ended and when the
//! last one did. The figures of the last are those of all the work.

use crate::scan::ScannedTool;
use crate::scan::grammar::{Grammar, LineForm, figures, kind, law, no_note, own};

pub static TOOL: ScannedTool = ScannedTool::new("elbencho", &[], || vec![GRAMMAR.reader()]);

const FORMS: &[LineForm] = &[
    own("OPERATION RESULT TYPE FIRST DONE LAST DONE"),
    own("=========== ================ ========== ========="),
    figures("{$test} Elapsed time : {first_done.elapsed:s} {elapsed:s}"),
    figures("{$test} Elapsed time : {first_done.elapsed:ms} {elapsed:ms}"),
    figures("IOPS : {first_done.iops:iops} {iops:iops}").inside(),
    figures("Throughput MiB/s : {first_done.throughput:rate} {throughput:rate}").inside(),
    figures("Total MiB : {first_done.bytes:mib} {bytes:mib}").inside(),
    figures("Files/s : {first_done.files_per_second:iops} {files_per_second:iops}").inside(),
    figures("Files total : {first_done.files:n} {files:n}").inside(),
];
static GRAMMAR: Grammar = Grammar {
    tool: "elbencho",
    kinds: &[
        kind("s", "ns", &[("s", 1_000_000_000)]),
        kind("ms", "ns", &[("ms", 1_000_000)]),
        kind("iops", "1/s", &[("", 1)]),
        kind("n", "count", &[("", 1)]),
        kind("rate", "bytes/s", &[("", 1 << 20)]),
        kind("mib", "bytes", &[("", 1 << 20)]),
    ],
    forms: FORMS,
    laws: &[law(&["throughput", "elapsed"], &["bytes", "1e9"], "the MiB, the time and the rate")],
    gap_lines: 2,
    note: no_note,
};

#[cfg(test)]
mod tests {
    use crate::scan::Finder;

    #[test]
    fn a_phase_is_a_result_with_both_columns() {
        let text = "WRITE       Elapsed time     :      8.120s      8.240s\n            \
                    IOPS             :         504         497\n            \
                    Throughput MiB/s :         504         497\n            \
                    Total MiB        :        4095        4096\n";
        let found = Finder::for_tool("elbencho").all_of(text.as_bytes());
        let [result] = found.results.as_slice() else { panic!("{found:#?}") };
        assert_eq!(result.test.as_deref(), Some("WRITE"));
        assert_eq!(result.figure(&["throughput"]), Some(521_142_272.0));
        assert_eq!(result.figure(&["first_done.throughput"]), Some(528_482_304.0));
        assert_eq!(found.unread, []);
    }
}
