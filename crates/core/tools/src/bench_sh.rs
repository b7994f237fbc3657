//! bench.sh, by teddysun: three runs of dd, which it gives in dd's own units, where MB are 10^6
//! bytes. Its mean multiplies GB by 1024, and is passed over.

use crate::scan::ScannedTool;
use crate::scan::grammar::{Grammar, LineForm, alone, kind, no_note, own};

pub static TOOL: ScannedTool = ScannedTool::new("bench.sh", &[], || vec![GRAMMAR.reader()]);

const FORMS: &[LineForm] = &[
    alone("I/O Speed({$test} run) : {throughput:rate}").named("write."),
    alone("I/O speed({$test} run) : {throughput:rate}").named("write."),
    own("Average I/O speed : {}"),
    own("I/O Speed(average) : {}"),
];
static GRAMMAR: Grammar = Grammar {
    tool: "bench.sh",
    kinds: &[kind(
        "rate",
        "bytes/s",
        &[("kB/s", 1000), ("KB/s", 1000), ("MB/s", 1_000_000), ("GB/s", 1_000_000_000)],
    )],
    forms: FORMS,
    laws: &[],
    gap_lines: 1,
    note: no_note,
};

#[cfg(test)]
mod tests {
    use crate::scan::Finder;

    #[test]
    fn three_runs_are_read_and_their_mean_is_not() {
        let text = "I/O speed(1st run)   : 850 MB/s\n I/O Speed(2nd run)    : 1.1 GB/s\n\
                    Average I/O speed    : 1000.4 MB/s\n";
        let found = Finder::for_tool("bench.sh").all_of(text.as_bytes());
        let rates: Vec<_> =
            found.results.iter().filter_map(|r| r.figure(&["write.throughput"])).collect();
        assert_eq!((rates, found.unread), (vec![850e6, 1.1e9], Vec::new()));
    }
}
