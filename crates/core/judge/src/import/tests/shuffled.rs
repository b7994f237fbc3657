//! Every output in fixtures/tools with lines gone, swapped or turned round: a figure stays with its
//! test, its direction and its sizes, or is none.

use super::hostile::{comes_from, lines};
use super::samples::SAMPLES;
use crate::import::{self, Imported, ToolResult};

fn sample(name: &str) -> Vec<&'static [u8]> {
    lines(SAMPLES.iter().find(|(path, _)| path.ends_with(name)).unwrap().1)
}

/// Whether the result is called what it was called, as far as its name is there.
fn is_named(result: &ToolResult, original: &Imported) -> bool {
    let known = original.results.iter().filter_map(|known| known.test.as_deref());
    let is = |name: &str| known.clone().any(|k| k.starts_with(name));
    result.test.as_deref().is_none_or(is)
}

fn assert_own(parts: &[&[u8]], original: &Imported, what: &str) {
    let ended = |line: &&[u8]| [line.strip_suffix(b"\n").unwrap_or(line), &b"\n"[..]].concat();
    let text: Vec<u8> = parts.iter().flat_map(ended).collect();
    for result in import::all(&text).results {
        let is_own = comes_from(&result, std::slice::from_ref(original));
        let shown = String::from_utf8_lossy(&text);
        assert!(is_own && is_named(&result, original), "{what}: {result:#?}\n{shown}");
    }
}

/// Lines of an output that are tried, some five: those of one tool differ in their lengths, so that
/// in some of them each line of its form is one.
fn places(line_count: usize) -> impl Iterator<Item = usize> {
    let step = 1 + line_count / 20;
    (line_count % step..line_count).step_by(4 * step)
}

#[test]
fn a_line_that_is_gone_or_changed_places_moves_no_figure() {
    for (path, text) in SAMPLES {
        let (all, original) = (lines(text), import::all(text));
        for at in places(all.len()) {
            let left = [&all[..at], &all[at + 1..]].concat();
            assert_own(&left, &original, &format!("{path} without {}", at + 1));
            let mut left = all.clone();
            left.swap(at.saturating_sub(1), at);
            assert_own(&left, &original, &format!("{path} with {at} and the next swapped"));
        }
    }
}

/// fio's latencies stood below the other direction then, and its figures under another job.
#[test]
fn an_output_turned_round_moves_no_figure() {
    // CrystalDiskMark's directions are headings: turned round they are those of other tests.
    for (path, text) in SAMPLES.iter().filter(|(path, _)| !path.starts_with("crystal")) {
        let mut all = lines(text);
        all.reverse();
        assert_own(&all, &import::all(text), path);
    }
}

/// Each gave a figure to another test, direction or unit: lines from the first number on are gone,
/// up to and with the second.
#[test]
fn figures_below_a_part_that_is_gone_are_not_those_above_it() {
    for (name, from, to) in [
        // Latencies of writes below the line of reads; their percentiles in microseconds.
        ("text_rndrw_fsync_timed.stdout", 7, 17),
        ("text_rndrw_fsync_timed.stdout", 10, 24),
        ("text_rndrw_fsync_timed.stdout", 22, 37),
        // Buckets and shares as percentiles, and percentiles above the largest latency.
        ("json_plus_randwrite_endfsync.stdout", 213, 221),
        ("json_plus_randwrite_endfsync.stdout", 94, 217),
        // The sizes of another direction.
        ("json_seqread_direct.stdout", 27, 89),
        // The CPU of another test.
        ("throughput_cpu.stdout", 34, 54),
        ("throughput_cpu.stdout", 45, 63),
        // What another test moved least.
        ("throughput_t2.stdout", 57, 69),
        ("throughput_t2.stdout", 40, 51),
    ] {
        let all = sample(name);
        let original = import::all(&all.concat());
        let left = [&all[..from - 1], &all[to..]].concat();
        assert_own(&left, &original, &format!("{name} without {from} to {to}"));
    }
}

#[test]
fn two_lines_that_are_gone_or_swapped_move_no_figure() {
    // Merged requests are no blocks each: both lines that tell were gone.
    let all = sample("v1_seqwr_merged_nopct.stdout");
    let left: Vec<&[u8]> =
        (1..).zip(&all).filter(|(at, _)| ![12, 29].contains(at)).map(|(_, line)| *line).collect();
    assert_own(&left, &import::all(&all.concat()), "merged");
    for (name, a, b) in [
        ("v197_sync_full.stdout", 1, 6),
        ("throughput_t2.stdout", 77, 86),
        ("throughput_t2.stdout", 40, 67),
        ("text_rndrw_fsync_timed.stdout", 7, 18),
        ("text_rndrw_fsync_timed.stdout", 13, 20),
        ("json_plus_randwrite_endfsync.stdout", 218, 223),
    ] {
        let all = sample(name);
        let mut left = all.clone();
        left.swap(a - 1, b - 1);
        assert_own(&left, &import::all(&all.concat()), &format!("{name}, {a} and {b} swapped"));
    }
}
