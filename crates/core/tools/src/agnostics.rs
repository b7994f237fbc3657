//! agnostics, the test of SD cards of Raspberry Pi OS: fields of fio's terse lines and verdicts.
//!
//! Its script (sdtest.sh) cuts five fields out of each terse line of fio: job, KiB/s and requests
//! per second of reads, and of writes. Below a run it repeats three of them with their targets; its
//! "KB/sec" are fio's KiB. A verdict is a result of its own only where its job is not above it. The
//! block of sequential writes grew from 512 KiB to 4 MiB in 2024.

use crate::scan::ScannedTool;
use crate::scan::grammar::{Grammar, LineForm, again, alone, head, kind, law, no_note};

pub static TOOL: ScannedTool = ScannedTool::new(
    "agnostics",
    &["seq-write;0;0;", "rand-4k-write;0;0;", "write speed - "],
    || vec![GRAMMAR.reader()],
);

const FORMS: &[LineForm] = &[
    head("{$context:Run }"),
    write("prepare-file;0;0;{throughput:kib};{iops:n}", "prepare-file", 512 << 10),
    write("seq-write;0;0;{throughput:kib};{iops:n}", "seq-write", 512 << 10),
    write("seq-write;0;0;{throughput:kib};{iops:n}", "seq-write", 4 << 20),
    read("seq-read;{throughput:kib};{iops:n};0;0", "seq-read", 4 << 20),
    write("rand-4k-write;0;0;{throughput:kib};{iops:n}", "rand-4k-write", 4 << 10),
    read("rand-4k-read;{throughput:kib};{iops:n};0;0", "rand-4k-read", 4 << 10),
    verdict("Sequential write speed {throughput:kib} (target {}) - {}", "seq-write", "write."),
    verdict("Random write speed {iops:n} (target {}) - {}", "rand-4k-write", "write."),
    verdict("Random read speed {iops:n} (target {}) - {}", "rand-4k-read", "read."),
];
static GRAMMAR: Grammar = Grammar {
    tool: "agnostics",
    kinds: &[
        kind("kib", "bytes/s", &[("KB/sec", 1 << 10), ("", 1 << 10)]),
        kind("n", "1/s", &[("IOPS", 1), ("", 1)]),
    ],
    forms: FORMS,
    laws: &[law(
        &["*iops", "_block"],
        &["*throughput"],
        "the rate and the requests per second of a job of agnostics",
    )],
    gap_lines: 12,
    note: no_note,
};

const fn write(pattern: &'static str, test: &'static str, block: u64) -> LineForm {
    alone(pattern).of_test(test).named("write.").of_bytes(block)
}

const fn read(pattern: &'static str, test: &'static str, block: u64) -> LineForm {
    alone(pattern).of_test(test).named("read.").of_bytes(block)
}

const fn verdict(pattern: &'static str, test: &'static str, direction: &'static str) -> LineForm {
    again(pattern).of_test(test).named(direction)
}

#[cfg(test)]
mod tests {
    use crate::scan::{Finder, Imported};

    macro_rules! fixture {
        ($name:literal) => {
            include_str!(concat!("../../../../fixtures/tools/agnostics/", $name, ".stdout"))
        };
    }

    fn read(text: &str) -> Imported {
        Finder::for_tool("agnostics").all_of(text.as_bytes())
    }

    #[test]
    fn verdicts_that_somebody_made_a_list_of_are_read() {
        let found = read(
            "- Sequential write speed 14294 KB/sec (target 10000) - PASS\n\
             * Random write speed 675 IOPS (target 500) - PASS\n",
        );
        assert_eq!((found.results.len(), found.unread.len()), (2, 0), "{found:?}");
    }

    #[test]
    fn every_job_is_a_result_and_its_verdict_none() {
        let found = read(fixture!("v2024_pass"));
        let tests: Vec<_> = found.results.iter().filter_map(|r| r.test.as_deref()).collect();
        let jobs = ["prepare-file", "seq-write", "seq-read", "rand-4k-write", "rand-4k-read"];
        assert_eq!(tests, jobs);
        assert_eq!(found.results[1].figure(&["write.throughput"]), Some(3_855_058.0 * 1024.0));
        assert_eq!(found.results[4].figure(&["read.iops"]), Some(132_129.0));
        assert_eq!(found.unread, []);
        let found = read(fixture!("v2020_fail"));
        assert_eq!((found.results.len(), found.unread.len()), (12, 0));
        assert_eq!(found.results[11].context.as_deref(), Some("Run 3"));
    }

    #[test]
    fn verdicts_alone_and_quoted_are_read() {
        let found = read(
            "> Sequential write speed 21990 KB/sec (target 10000) - PASS\n\
             > Random read speed 1976 IOPS (target 1500) - PASS\n",
        );
        assert_eq!((found.results.len(), found.unread.len()), (2, 0));
        assert_eq!(found.results[0].figure(&["write.throughput"]), Some(21_990.0 * 1024.0));
        assert_eq!(found.results[1].test.as_deref(), Some("rand-4k-read"));
    }

    #[test]
    fn contradictions_are_listed_and_the_others_stay() {
        let text = fixture!("v2020_pass");
        let found = read(&text.replace("write;0;0;182551;", "write;0;0;282551;"));
        assert_eq!((found.results.len(), found.unread.len()), (4, 1), "{found:#?}");
        let found = read(&text.replace("speed 45637 IOPS", "speed 45638 IOPS"));
        assert_eq!((found.results.len(), found.unread.len()), (4, 1));
        let found = read("seq-write;0;0;21990");
        assert_eq!((found.results.len(), found.unread.len()), (0, 1));
    }
}
