//! `hdparm -t` and `-T`: one line for each timing, below a line with the device.
//!
//! It prints `N MB in T seconds = R MB/sec`. Its MB are 2^20 bytes: it reads in buffers of 2 MiB
//! and counts them (hdparm.c, `TIMING_BUF_MB`). R was divided before rounding, so it is the rate; N
//! and T only show that the line is whole. -t reads for three seconds from the start of the device
//! or from `--offset`, -T reads the same 2 MiB again and again.

use crate::scan::grammar::{Grammar, LineForm, alone, head, kind, law};
use crate::scan::result::finding;
use crate::scan::{ScannedTool, ToolResult};
use bakeoff_model::finding::Severity;

pub static TOOL: ScannedTool = ScannedTool::new("hdparm", &[], || vec![GRAMMAR.reader()]);

const FORMS: &[LineForm] = &[
    head("{$context:/dev/}:"),
    alone("Timing {$test}: {bytes:size} in {elapsed:time} = {throughput:rate}"),
    alone("Timing {$test}: {bytes:size} in {elapsed:time}={throughput:rate}"),
];
static GRAMMAR: Grammar = Grammar {
    tool: "hdparm",
    kinds: &[
        kind("size", "bytes", &[("MB", 1 << 20)]),
        kind("time", "ns", &[("seconds", 1_000_000_000)]),
        kind("rate", "bytes/s", &[("MB/sec", 1 << 20), ("kB/sec", 1 << 10)]),
    ],
    forms: FORMS,
    laws: &[law(
        &["throughput", "elapsed"],
        &["bytes", "1e9"],
        "the size, the time and the rate of this hdparm timing",
    )],
    gap_lines: 100,
    note,
};

fn note(result: &mut ToolResult) -> Option<String> {
    // Versions before 4 name the cache of the kernel that -T reads from.
    let is_cached = |test: &str| test.ends_with("cached reads") || test == "buffer-cache reads";
    if result.test.as_deref().is_some_and(is_cached) {
        let evidence = "the same 2 MiB are read repeatedly: this is the speed of memory and CPU, \
                        not of the drive";
        let advice = "compare drives by the disk reads: hdparm -t --direct";
        let cached = finding("L16", Severity::Refuse, evidence.to_string(), advice);
        result.findings.push(cached);
    }
    None
}

#[cfg(test)]
mod tests {
    use crate::scan::{Finder, Imported};

    fn read(text: &str) -> Imported {
        Finder::for_tool("hdparm").all_of(text.as_bytes())
    }

    #[test]
    fn both_timings_are_read_with_the_device_above_them() {
        let found = read(include_str!("../../../../fixtures/tools/hdparm/both.stdout"));
        let tests: Vec<_> = found.results.iter().filter_map(|r| r.test.as_deref()).collect();
        assert_eq!(tests, ["cached reads", "buffered disk reads"]);
        let [cached, disk] = found.results.as_slice() else { panic!("{found:?}") };
        assert_eq!(disk.context.as_deref(), Some("/dev/loop0"));
        assert_eq!(cached.findings[0].id, "L16");
        assert!(disk.findings.iter().all(|f| f.id != "L16"));
        assert_eq!(found.unread, []);
    }

    #[test]
    fn units_are_powers_of_two() {
        let found = read(" Timing buffered disk reads:  64 MB in  3.05 seconds =  20.98 MB/sec\n");
        let metric = |name: &str| {
            found.results[0].metrics.iter().find(|m| m.name == name).unwrap().value.as_f64()
        };
        assert_eq!(metric("bytes"), 67_108_864.0);
        assert_eq!(metric("throughput"), 20.98 * 1_048_576.0);
    }

    /// Half of an old page's timings were lost without a word.
    #[test]
    fn the_first_versions_name_the_cache_otherwise_and_lack_a_blank() {
        let found = read(" Timing buffer-cache reads:   32 MB in  3.02 seconds =10.60 MB/sec\n");
        assert_eq!(found.results[0].findings[0].id, "L16");
        assert_eq!(found.results[0].metrics[2].value.as_f64(), 10.6 * 1_048_576.0);
    }

    #[test]
    fn figures_that_contradict_each_other_are_listed() {
        let found = read(" Timing buffered disk reads:  64 MB in  3.05 seconds =  209.8 MB/sec\n");
        assert!(found.results.is_empty());
        assert_eq!(found.unread.len(), 1);
    }
}
