//! ioping: the lines below `ioping statistics`, and its raw statistics (`-B`, `-p`).
//!
//! Versions differ in what they mean. 0.x prints the time of the whole run, waits included; 1.0 and
//! later print the time that the requests took, without the first, and the whole run in a line that
//! begins with "generated". Its rates are those of the requests alone: requests over the time they
//! took. KiB and MiB are powers of two, and the "mb" of 0.6 too; `k` of a count is 1000
//! (ioping.c, `print_suffix`, `finish_statistics`).

use crate::scan::ScannedTool;
use crate::scan::grammar::{
    Grammar, Kind, Law, LineForm, at_most, before, figures, guess, head, kind, last, law, no_zeros,
    own, unread,
};
use crate::scan::quantity::IEC;

pub static TOOL: ScannedTool =
    ScannedTool::new("ioping", &[" ioping statistics ---", " requests completed in "], || {
        vec![GRAMMAR.reader()]
    });

const COUNTS: &[(&str, u64)] =
    &[("k", 1000), ("M", 1_000_000), ("G", 1_000_000_000), ("T", 1_000_000_000_000), ("", 1)];
const TIMES: &[(&str, u64)] = &[
    ("ns", 1),
    ("us", 1000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("min", 60_000_000_000),
    ("hour", 3_600_000_000_000),
];
const KINDS: &[Kind] = &[
    kind("n", "count", COUNTS),
    kind("rate", "1/s", COUNTS),
    kind("time", "ns", TIMES),
    kind("ns", "ns", &[("", 1)]),
    kind("ms", "ns", &[("", 1_000_000)]),
    kind("size", "bytes", &IEC),
    kind("speed", "bytes/s", &IEC),
    kind("old", "bytes/s", &[("mb", 1 << 20)]),
    kind("bytes", "bytes/s", &[("", 1)]),
];
const FORMS: &[LineForm] = &[
    before("{} from {}: request={}", NO_STATISTICS),
    before("{} <<< {}: request={}", NO_STATISTICS),
    before("{} >>> {}: request={}", NO_STATISTICS),
    head("--- {$context} ioping statistics ---"),
    unread(
        "0 requests completed in {}",
        "ioping completed no request that it counts: it does not count the first one",
    ),
    figures(
        "{requests:n} requests completed in {request_time:time}, {bytes:size} read, {iops:rate} \
         iops, {throughput:speed}/s",
    )
    .named("read."),
    figures(
        "{requests:n} requests completed in {request_time:time}, {bytes:size} written, \
         {iops:rate} iops, {throughput:speed}/s",
    )
    .named("write."),
    figures(
        "{requests:n} requests completed in {request_time:time}, {bytes:size}, {iops:rate} iops, \
         {throughput:speed}/s",
    ),
    figures(
        "{requests:n} requests completed in {elapsed:time}, {iops:rate} iops, {throughput:speed}/s",
    ),
    figures(
        "{requests:n} requests completed in {elapsed:time}, {iops:rate} iops, {throughput:old}/s",
    ),
    own("{} too slow, generated {}"),
    own("generated 1 requests in {}"),
    figures(
        "generated {requests:n} requests in {elapsed:time}, {bytes:size}, {iops:rate} iops, \
         {throughput:speed}/s",
    )
    .named("generated."),
    last(
        "min/avg/max/mdev = {latency_min:time} / {latency_avg:time} / {latency_max:time} / \
         {latency_mdev:time}",
    ),
    last(
        "min/avg/max/mdev = {latency_min:ms}/{latency_avg:ms}/{latency_max:ms}/\
         {latency_mdev:ms} ms",
    ),
    guess(
        "{requests:n} {request_time:ns} {iops:rate} {throughput:bytes} {latency_min:ns} \
         {latency_avg:ns} {latency_max:ns} {latency_mdev:ns} {generated.requests:n} \
         {generated.elapsed:ns}",
    ),
];
const NO_STATISTICS: &str = "requests of ioping lack its statistics: add the last lines";
const LAWS: &[Law] = &[
    at_most(&["*request_time"], &["generated.elapsed"], "the times of the requests and of the run"),
    law(
        &["*iops", "*request_time"],
        &["*requests", "1e9"],
        "the requests, the time and the rates of ioping",
    ),
    law(
        &["*throughput", "*request_time"],
        &["*bytes", "1e9"],
        "the bytes, the time and the rates of ioping",
    ),
    law(
        &["generated.iops", "generated.elapsed"],
        &["generated.requests", "1e9"],
        "the generated requests, their time and their rate of ioping",
    ),
    law(
        &["requests", "latency_avg"],
        &["request_time"],
        "the requests, their time and their mean latency",
    ),
    law(&["read.iops", "latency_avg"], &["1e9"], "the rate and the mean latency of ioping"),
    law(&["write.iops", "latency_avg"], &["1e9"], "the rate and the mean latency of ioping"),
    law(&["iops", "latency_avg"], &["1e9"], "the rate and the mean latency of ioping"),
];
static GRAMMAR: Grammar = Grammar {
    tool: "ioping",
    kinds: KINDS,
    forms: FORMS,
    laws: LAWS,
    gap_lines: 3,
    note: no_zeros,
};

#[cfg(test)]
mod tests {
    use crate::scan::{Finder, Imported};

    macro_rules! fixture {
        ($name:literal) => {
            include_str!(concat!("../../../../fixtures/tools/ioping/", $name, ".stdout"))
        };
    }

    fn read(text: &str) -> Imported {
        Finder::for_tool("ioping").all_of(text.as_bytes())
    }

    fn figure(found: &Imported, at: usize, name: &str) -> Option<f64> {
        found.results[at].figure(&[name])
    }

    #[test]
    fn a_run_is_read_with_its_directory_and_all_three_lines() {
        let found = read(fixture!("v13_read"));
        assert_eq!((found.results.len(), found.unread.len()), (1, 0), "{found:#?}");
        let result = &found.results[0];
        assert_eq!((result.first_line, result.last_line), (1, 15));
        assert_eq!(result.context.as_deref(), Some(". (ext4 /dev/sda1 573.7 MiB)"));
        assert_eq!(figure(&found, 0, "read.requests"), Some(9.0));
        assert_eq!(figure(&found, 0, "read.request_time"), Some(1_010_000.0));
        assert_eq!(figure(&found, 0, "read.bytes"), Some(36_864.0));
        assert_eq!(figure(&found, 0, "read.iops"), Some(8880.0));
        assert_eq!(figure(&found, 0, "generated.elapsed"), Some(900_400_000.0));
        assert_eq!(figure(&found, 0, "latency_avg"), Some(112_700.0));
    }

    #[test]
    fn older_versions_give_the_time_of_the_whole_run() {
        for text in [fixture!("v06_read"), fixture!("v08_read"), fixture!("v09_read")] {
            let found = read(text);
            assert_eq!((found.results.len(), found.unread.len()), (1, 0), "{found:#?}");
            assert!(figure(&found, 0, "elapsed").is_some_and(|ns| ns > 4e8));
            assert!(figure(&found, 0, "latency_max").is_some());
        }
    }

    #[test]
    fn the_form_between_0_6_and_0_8_is_read() {
        let found = read(
            "--- /dev/sda (device 465.8 GiB) ioping statistics ---\n\
             186 requests completed in 3004.6 ms, 62 iops, 0.2 MiB/s\n\
             min/avg/max/mdev = 6.4/16.0/26.8/4.7 ms\n",
        );
        assert_eq!((found.results.len(), found.unread.len()), (1, 0), "{found:#?}");
        assert_eq!(figure(&found, 0, "latency_avg"), Some(16_000_000.0));
    }

    #[test]
    fn raw_statistics_are_known_by_what_they_say_twice() {
        let found = read(fixture!("v13_raw_period"));
        assert_eq!((found.results.len(), found.unread.len()), (3, 0));
        assert_eq!(figure(&found, 0, "iops"), Some(21_887.0));
        let found = read("1 2 3 4 5 6 7 8 9 10\n5 228442 21888 89650765 39451 4 4 4 6 50145055\n");
        assert_eq!((found.results.len(), found.unread.len()), (0, 0));
    }

    #[test]
    fn the_last_line_alone_is_read_and_that_of_ping_is_not() {
        let found = read("min/avg/max/mdev = 188.8 us / 256.5 us / 318.6 us / 41.3 us\n");
        assert_eq!(figure(&found, 0, "latency_avg"), Some(256_500.0));
        let found = read("rtt min/avg/max/mdev = 0.030/0.041/0.052/0.011 ms\n");
        assert_eq!((found.results.len(), found.unread.len()), (0, 0));
    }

    #[test]
    fn a_contradictory_line_is_listed_and_the_others_stay() {
        let text = fixture!("v13_read");
        let found = read(&text.replace("8.88 k iops", "8.08 k iops"));
        assert_eq!((found.results.len(), found.unread.len()), (1, 1), "{found:#?}");
        assert_eq!(figure(&found, 0, "read.iops"), None);
        assert_eq!(figure(&found, 0, "latency_avg"), Some(112_700.0));
        let found = read(&text.replace("/ 112.7 us", "/ 122.7 us"));
        assert_eq!((found.results.len(), found.unread.len()), (1, 1));
        assert_eq!(figure(&found, 0, "latency_avg"), None);
        assert_eq!(figure(&found, 0, "read.iops"), Some(8880.0));
    }

    #[test]
    fn requests_without_statistics_and_runs_without_requests_are_listed() {
        let requests: String = fixture!("v13_read")
            .lines()
            .take(10)
            .fold(String::new(), |text, line| text + "> " + line + "\n");
        let found = read(&requests);
        assert_eq!((found.results.len(), found.unread.len()), (0, 1));
        assert_eq!((found.unread[0].first_line, found.unread[0].last_line), (1, 10));
        let found = read(fixture!("v13_too_slow"));
        assert_eq!((found.results.len(), found.unread.len()), (0, 1), "{found:#?}");
    }
}
