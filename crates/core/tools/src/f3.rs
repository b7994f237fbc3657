//! f3: f3write, f3read and f3probe, which test whether a card has the capacity that it announces.
//!
//! Its MB are 2^20 bytes (libutils.c, `adjust_unit`) and a sector has 512. Sizes are printed
//! rounded and as a number of sectors or blocks, which is the figure; the two must agree. Lines
//! about single files are part of the output and give no figure.

use crate::scan::grammar::{
    Grammar, Law, LineForm, before, fault, figures, head, kind, last, law, own, unread,
};
use crate::scan::result::finding;
use crate::scan::{ScannedTool, ToolResult};
use bakeoff_model::finding::Severity;

pub static TOOL: ScannedTool = ScannedTool {
    programs: &["f3write", "f3read", "f3probe"],
    ..ScannedTool::new(
        "f3",
        &["Average reading speed:", "Average writing speed:", "*Usable* size:", "Data LOST:"],
        || vec![GRAMMAR.reader()],
    )
};

const NO_TOTALS: &str = "f3's lines about single files lack the totals: add the last lines";
const TOO_LITTLE: &str = "f3 had too little data for a speed";
const UNITS: &[(&str, u64)] = &[
    ("KB", 1 << 10),
    ("MB", 1 << 20),
    ("GB", 1 << 30),
    ("TB", 1 << 40),
    ("PB", 1 << 50),
    ("Bytes", 1),
    ("Byte", 1),
];
const FORMS: &[LineForm] = &[
    head("F3 read {$version}"),
    head("F3 write {$version}"),
    head("F3 probe {$version}"),
    head("Good news: The device `{$context}' is {}"),
    head("Bad news: The device `{$context}' is {}"),
    before("Creating file {}.h2w ... {}", NO_TOTALS),
    before("Validating file {}.h2w ... {}", NO_TOTALS),
    own("Free space: {}"),
    own("Min: {}, Max: {} samples"),
    own("WARNING: Probing {}"),
    own("Probe finished{}"),
    own("Device geometry:"),
    fault("WARNING: Not all {}"),
    fault("Write failure: {}"),
    unread("Writing speed not available", TOO_LITTLE),
    unread("Reading speed not available", TOO_LITTLE),
    read("Data OK: {_ok:size} ({data_ok:sectors})"),
    read("Data LOST: {_lost:size} ({data_lost:sectors})"),
    read("Corrupted: {_corrupted:size} ({corrupted:sectors})"),
    read("Slightly changed: {_changed:size} ({slightly_changed:sectors})"),
    read("Overwritten: {_overwritten:size} ({overwritten:sectors})"),
    speed("Average reading speed: {throughput:speed}/s", "read."),
    speed("Average Reading speed: {throughput:speed}/s", "read."),
    speed(
        "Average sequential read speed: {throughput:speed}/s ({bytes:sectors} / {elapsed:time})",
        "read.",
    ),
    speed("Average writing speed: {throughput:speed}/s", "write."),
    speed("Average Writing speed: {throughput:speed}/s", "write."),
    speed(
        "Average sequential write speed: {throughput:speed}/s ({bytes:sectors} / {elapsed:time})",
        "write.",
    ),
    probe("*Usable* size: {_usable:size} ({usable_size:sectors})"),
    probe("*Usable* size: {usable_size:size} ({} blocks)"),
    probe("Announced size: {_announced:size} ({announced_size:sectors})"),
    probe("Announced size: {announced_size:size} ({} blocks)"),
    probe("Module: {module:size} (2^{} Bytes)"),
    probe("Approximate cache size: {cache_size:size} ({} block{}"),
    probe("Physical block size: {block_size:size} (2^{} Bytes)"),
    probe("Sequential write: {sequential_write.throughput:speed}/s ({} blocks / {}"),
    probe("Random write: {random_write.throughput:speed}/s ({} blocks / {}"),
    probe("Random read: {random_read.throughput:speed}/s ({} blocks / {}"),
    last("Probe time: {}").of_test("f3probe"),
];
const LAWS: &[Law] = &[
    law(&["_ok"], &["data_ok"], SIZE),
    law(&["_lost"], &["data_lost"], SIZE),
    law(&["_corrupted"], &["corrupted"], SIZE),
    law(&["_changed"], &["slightly_changed"], SIZE),
    law(&["_overwritten"], &["overwritten"], SIZE),
    law(&["_usable"], &["usable_size"], SIZE),
    law(&["_announced"], &["announced_size"], SIZE),
    law(
        &["*throughput", "*elapsed"],
        &["*bytes", "1e9"],
        "the sectors, the time and the speed of f3",
    ),
];
const SIZE: &str = "a size of f3 and its sectors or blocks";
static GRAMMAR: Grammar = Grammar {
    tool: "f3",
    kinds: &[
        kind("size", "bytes", UNITS),
        kind("speed", "bytes/s", UNITS),
        kind("sectors", "bytes", &[("sectors", 512), ("sector", 512), ("blocks", 512)]),
        kind("time", "ns", &[("ms", 1_000_000), ("us", 1000), ("ns", 1), ("s", 1_000_000_000)]),
    ],
    forms: FORMS,
    laws: LAWS,
    gap_lines: 12,
    note,
};

const fn read(pattern: &'static str) -> LineForm {
    figures(pattern).of_test("f3read")
}

const fn probe(pattern: &'static str) -> LineForm {
    figures(pattern).of_test("f3probe")
}

const fn speed(pattern: &'static str, direction: &'static str) -> LineForm {
    let test = if direction.len() == "read.".len() { "f3read" } else { "f3write" };
    last(pattern).named(direction).of_test(test)
}

fn note(result: &mut ToolResult) -> Option<String> {
    let evidence = if let Some(lost) = result.figure(&["data_lost"]).filter(|lost| *lost > 0.0) {
        format!("f3read could not read back {lost} of the bytes that f3write had written")
    } else if let Some(usable) = result.figure(&["usable_size"])
        && let Some(announced) = result.figure(&["announced_size"]).filter(|size| *size > usable)
    {
        format!("the device announces {announced} bytes, but only {usable} are usable")
    } else {
        return None;
    };
    let advice = "do not use the card, or only its usable part";
    result.findings.push(finding("L11", Severity::Refuse, evidence, advice));
    None
}

#[cfg(test)]
mod tests {
    use crate::scan::{Finder, Imported};

    macro_rules! fixture {
        ($name:literal) => {
            include_str!(concat!("../../../../fixtures/tools/f3/", $name, ".stdout"))
        };
    }

    fn read(text: &str) -> Imported {
        Finder::for_tool("f3").all_of(text.as_bytes())
    }

    fn figure(found: &Imported, name: &str) -> Option<f64> {
        found.results[0].figure(&[name])
    }

    #[test]
    fn the_first_versions_write_speed_otherwise() {
        let found = read("Average Writing speed: 4.90 MB/s\nAverage Reading speed: 9.54 MB/s\n");
        assert_eq!((found.results.len(), found.unread.len()), (2, 0), "{found:?}");
    }

    #[test]
    fn sectors_are_taken_and_lost_ones_are_a_finding() {
        for text in [fixture!("v60_read_lost"), fixture!("v100_read_lost")] {
            let found = read(text);
            assert_eq!((found.results.len(), found.unread.len()), (1, 0), "{found:#?}");
            assert_eq!(figure(&found, "data_lost"), Some(21.0 * 512.0));
            assert_eq!(figure(&found, "overwritten"), Some(8192.0));
            assert!(figure(&found, "read.throughput").is_some_and(|rate| rate > 1e9));
            assert_eq!(found.results[0].findings[0].id, "L11");
        }
        let found = read(fixture!("v80_read"));
        assert_eq!(found.results[0].version.as_deref(), Some("8.0"));
        assert_eq!(figure(&found, "data_ok"), Some(79_872.0 * 512.0));
        assert_eq!(figure(&found, "read.throughput"), Some(999.98 * 1_048_576.0));
        assert_eq!(found.results[0].findings, []);
    }

    #[test]
    fn a_written_card_gives_its_speed() {
        assert_eq!(
            figure(&read(fixture!("v80_write")), "write.throughput"),
            Some(492.3 * 1048576.0)
        );
        let found = read(fixture!("v100_write"));
        assert_eq!(figure(&found, "write.bytes"), Some(77_824.0 * 512.0));
        assert_eq!(figure(&found, "write.elapsed"), Some(90_400_000.0));
        let found = read(fixture!("v60_write"));
        assert_eq!((found.results.len(), found.unread.len()), (0, 1));
    }

    #[test]
    fn times_of_a_minute_and_more_are_whole_seconds() {
        let speed = "Average sequential read speed: 1.00 MB/s (256000 sectors / 2'05\")\n";
        let found = read(speed);
        assert_eq!(figure(&found, "read.elapsed"), Some(125e9), "{found:#?}");
        let found = read(&speed.replace("2'05\"", "2'61\""));
        assert_eq!((found.results.len(), found.unread.len()), (0, 1));
    }

    #[test]
    fn a_counterfeit_is_a_finding() {
        let found = read(fixture!("v80_probe_limbo"));
        let result = &found.results[0];
        assert_eq!(result.context.as_deref(), Some("/dev/sdb"));
        assert_eq!(figure(&found, "usable_size"), Some(16_777_216.0));
        assert_eq!(figure(&found, "announced_size"), Some(67_108_864.0));
        assert_eq!(result.findings[0].id, "L11");
        let found = read(fixture!("v100_probe_real"));
        assert_eq!(found.results[0].findings, []);
        assert!(figure(&found, "random_read.throughput").is_some());
    }

    #[test]
    fn a_trimmed_and_quoted_paste_is_read() {
        let found =
            read("> Data OK: 1.00 GB (2097152 sectors)\n> Average reading speed: 9.85 MB/s\n");
        assert_eq!(figure(&found, "data_ok"), Some(1_073_741_824.0));
        assert_eq!(found.unread, []);
    }

    #[test]
    fn a_trimmed_run_does_not_hide_the_next_one() {
        let head = "*Usable* size: 119.38 GB (250347520 blocks)\n\
                    Announced size: 119.38 GB (250347520 blocks)\n";
        let found = read(&[head, fixture!("v80_probe_limbo")].concat());
        assert_eq!((found.results.len(), found.unread.len()), (2, 0), "{found:#?}");
    }

    #[test]
    fn a_contradictory_size_is_listed_and_the_others_stay() {
        let found = read(&fixture!("v80_read").replace("39.00 MB (79872", "39.00 MB (89872"));
        assert_eq!((found.results.len(), found.unread.len()), (1, 1));
        assert_eq!(figure(&found, "data_ok"), None);
        assert_eq!(figure(&found, "data_lost"), Some(0.0));
        let found = read(&fixture!("v100_write").replace("420.34", "220.34"));
        assert_eq!((found.results.len(), found.unread.len()), (0, 1));
    }
}
