//! The text that CrystalDiskMark 3 to 8 and KDiskMark 1 to 3 save or copy.
//!
//! CrystalDiskMark's MB are 10^6 bytes. KDiskMark says so too, and divides the KiB of fio by 1000
//! (benchmark.cpp): its MB are 1,024,000 bytes. Requests per second times their size tell which of
//! the two a line has, and a line with neither is listed. From 7 on, and in KDiskMark, the
//! direction stands in a line of its own above the tests (`[Read]`).

use crate::scan::grammar::{
    Grammar, Kind, LineForm, OF_HEAD, alone, head, kind, law, no_zeros, own, unread,
};
use crate::scan::{ScannedTool, ToolResult};

pub static TOOL: ScannedTool = ScannedTool {
    title: "CrystalDiskMark",
    ..ScannedTool::new(
        "crystaldiskmark",
        &["iB (Q=", "Sequential Read (", "Sequential Write ("],
        || vec![GRAMMAR.reader()],
    )
};

const NOT_RUN: &str = "a test of CrystalDiskMark or KDiskMark was not run: its rate is zero";
const FORMS: &[LineForm] = &[
    head("KDiskMark ({$version}): {}"),
    head("CrystalDiskMark {$version} {} (C) {}"),
    own("Flexible I/O Tester ({}"),
    own("{}Crystal Dew World {}"),
    own("* MB/s = {}"),
    own("* KB = {}"),
    head("[Read]").named("read."),
    head("[Write]").named("write."),
    head("[Mix] {}").named("mixed."),
    unread("{}:{} 0.000 MB/s{}", NOT_RUN),
    old("Sequential Read {$test}: {throughput:mb}", "sequential", "read."),
    old("Sequential Write {$test}: {throughput:mb}", "sequential", "write."),
    old("Sequential Mix {$test}: {throughput:mb}", "sequential", "mixed."),
    old("Sequential Read : {throughput:mb}", "sequential", "read."),
    old("Sequential Write : {throughput:mb}", "sequential", "write."),
    old("Random Read {_size:size$}({$test}: {throughput:mb} [{iops:n}]", "random", "read."),
    old("Random Write {_size:size$}({$test}: {throughput:mb} [{iops:n}]", "random", "write."),
    old("Random Mix {_size:size$}({$test}: {throughput:mb} [{iops:n}]", "random", "mixed."),
    old("Random Read {$test}: {throughput:mb}", "random", "read."),
    old("Random Write {$test}: {throughput:mb}", "random", "write."),
    old("Random Mix {$test}: {throughput:mb}", "random", "mixed."),
    new("SEQ {_size:size$}(Q={$test}: {throughput:mb} [{iops:n}] <{latency_avg:us}>", "sequential"),
    new("RND {_size:size$}(Q={$test}: {throughput:mb} [{iops:n}] <{latency_avg:us}>", "random"),
    new(
        "SEQ {_size:size$}(Q={$test}: {throughput:kmb} [{iops:n}] <{latency_avg:us}>",
        "sequential",
    ),
    new("RND {_size:size$}(Q={$test}: {throughput:kmb} [{iops:n}] <{latency_avg:us}>", "random"),
    new(
        "Sequential {_size:size$}(Q={$test}: {throughput:kmb} [{iops:n}] <{latency_avg:us}>",
        "sequential",
    ),
    new("Random {_size:size$}(Q={$test}: {throughput:kmb} [{iops:n}] <{latency_avg:us}>", "random"),
    new(
        "Sequential {_size:size$}(Q={$test}: {throughput:mb} [{iops:n}] <{latency_avg:us}>",
        "sequential",
    ),
    new("Random {_size:size$}(Q={$test}: {throughput:mb} [{iops:n}] <{latency_avg:us}>", "random"),
];
static GRAMMAR: Grammar = Grammar {
    tool: "CrystalDiskMark",
    kinds: &[
        kind("mb", "bytes/s", &[("MB/s", 1_000_000)]),
        // Each of fio's jobs is cut to whole KiB.
        Kind { slack: 16 << 10, ..kind("kmb", "bytes/s", &[("MB/s", 1_024_000)]) },
        kind("n", "1/s", &[("IOPS", 1)]),
        kind("us", "ns", &[("us", 1000)]),
        kind("size", "bytes", &[("KiB", 1 << 10), ("MiB", 1 << 20), ("KB", 1 << 10)]),
    ],
    forms: FORMS,
    laws: &[law(
        &["*iops", "_size"],
        &["*throughput"],
        "the rate and the requests per second of a test of CrystalDiskMark or KDiskMark",
    )],
    gap_lines: 12,
    note,
};

const fn old(pattern: &'static str, test: &'static str, direction: &'static str) -> LineForm {
    alone(pattern).of_test(test).named(direction)
}

const fn new(pattern: &'static str, test: &'static str) -> LineForm {
    alone(pattern).of_test(test).named(OF_HEAD)
}

/// `random 4KiB Q=32,T=1` of `random 4 KiB Q= 32, T= 1)`; KDiskMark alone writes the blank.
fn note(result: &mut ToolResult) -> Option<String> {
    let test = result.test.as_mut()?;
    if test.contains(" KiB") || test.contains(" MiB") {
        result.tool = "KDiskMark".to_string();
    }
    let mut name = test.replace(" KiB", "KiB").replace(" MiB", "MiB").replace(['(', ')'], "");
    if !name.contains('Q') {
        name = name.replace("iB ", "iB Q=");
    }
    *test = name.replace("= ", "=").replace(", ", ",");
    no_zeros(result)
}

#[cfg(test)]
mod tests {
    use crate::scan::{Finder, Imported};

    macro_rules! fixture {
        ($name:literal) => {
            include_str!(concat!("../../../../fixtures/tools/crystaldiskmark/", $name, ".stdout"))
        };
    }

    fn read(text: &str) -> Imported {
        Finder::for_tool("crystaldiskmark").all_of(text.as_bytes())
    }

    #[test]
    fn every_test_of_crystaldiskmark_is_a_result() {
        let found = read(fixture!("cdm8_mix"));
        assert_eq!((found.results.len(), found.unread.len()), (12, 0), "{found:#?}");
        let names: Vec<_> = found.results.iter().filter_map(|r| r.test.as_deref()).collect();
        assert_eq!(names[0], "sequential 1MiB Q=8,T=1");
        assert_eq!(found.results[0].version.as_deref(), Some("8.0.4"));
        assert!(found.results[4].figure(&["write.throughput"]).is_some());
        assert!(found.results[8].figure(&["mixed.latency_avg"]).is_some());
        for text in [fixture!("cdm3"), fixture!("cdm5")] {
            let found = read(text);
            assert_eq!((found.results.len(), found.unread.len()), (8, 0), "{found:#?}");
        }
    }

    #[test]
    fn a_megabyte_of_kdiskmark_is_a_thousand_kib() {
        let line = "Sequential 1 MiB (Q=  8, T= 1):  3124.300 MB/s [   3051.1 IOPS] <  2597.10 us>";
        let found = read(&format!("[Read]\n{line}\n"));
        let result = &found.results[0];
        assert_eq!(result.figure(&["read.throughput"]), Some(3124.3 * 1_024_000.0));
        assert_eq!(result.figure(&["read.latency_avg"]), Some(2_597_100.0));
        let found = read(fixture!("kdm330_mix"));
        assert_eq!((found.results.len(), found.unread.len()), (12, 0), "{found:#?}");
    }

    #[test]
    fn sixteen_jobs_of_kdiskmark_are_cut_to_whole_kib_each() {
        let found = read(fixture!("kdm160"));
        assert_eq!((found.results.len(), found.unread.len()), (8, 0), "{found:#?}");
        let wrong = fixture!("kdm160").replace("271.553", "271.453");
        assert_eq!(read(&wrong).unread.len(), 1, "100 KiB are not lost by 16 jobs");
    }

    #[test]
    fn posts_of_both_programs_are_read_whole() {
        let posts = [
            fixture!("cdm301_posted"),
            fixture!("cdm303_posted"),
            fixture!("cdm600_posted"),
            fixture!("cdm804_posted"),
            fixture!("kdm300_posted"),
            fixture!("kdm320_posted"),
        ];
        for post in posts {
            let found = read(post);
            assert_eq!((found.results.len(), found.unread.len()), (8, 0), "{found:#?}");
        }
    }

    #[test]
    fn a_line_that_contradicts_itself_is_listed_and_the_others_stay() {
        let line = "  RND    4KiB (Q=  1, T= 1):    50.000 MB/s [  10000.0 IOPS] <    99.00 us>\n";
        let found = read(&format!(
            "[Read]\n{}{line}",
            line.replace("50.000", "40.960").replace("Q=  1", "Q= 32")
        ));
        assert_eq!((found.results.len(), found.unread.len()), (1, 1), "{found:#?}");
    }

    #[test]
    fn tests_without_their_direction_are_listed() {
        let text = fixture!("cdm8_mix");
        for gone in ["[Read]", "[Write]", "[Mix] Read 70%/Write 30%"] {
            let found = read(&text.replace(gone, ""));
            assert_eq!((found.results.len(), found.unread.len()), (8, 4), "{gone}");
        }
    }

    #[test]
    fn a_trimmed_and_quoted_paste_is_read() {
        let line = "Sequential Read (Q= 32,T= 1) :   561.201 MB/s";
        let found = read(&format!("> {line}\n"));
        assert_eq!(found.results[0].figure(&["read.throughput"]), Some(561.201e6));
        assert_eq!(found.results[0].test.as_deref(), Some("sequential Q=32,T=1"));
    }
}
