//! Every output in fixtures/tools, cut, flipped, mixed with another and buried in noise: never a
//! panic, and never a figure that the text does not say.

use proptest::prelude::*;

use super::samples::SAMPLES;
use crate::import::{self, FoundMetric, Imported, ToolResult};

/// How far a figure read from less of the output may be off: what rounding takes.
const ROUNDING: f64 = 0.006;

pub(super) fn lines(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|byte| *byte == b'\n').collect()
}

fn is_same(a: &FoundMetric, b: &FoundMetric) -> bool {
    let (x, y) = (a.value.as_f64(), b.value.as_f64());
    a.name == b.name && a.unit == b.unit && (x - y).abs() <= ROUNDING * x.abs().max(y.abs())
}

/// Whether all figures of a result are figures of one result of the originals.
pub(super) fn comes_from(result: &ToolResult, originals: &[Imported]) -> bool {
    originals.iter().flat_map(|original| &original.results).any(|known| {
        let has = |metric: &FoundMetric| known.metrics.iter().any(|other| is_same(metric, other));
        known.tool == result.tool && result.metrics.iter().all(has)
    })
}

fn assert_honest(text: &[u8], originals: &[Imported]) {
    for result in import::all(text).results {
        let shown = String::from_utf8_lossy(text).into_owned();
        let found = super::samples::listing(&Imported {
            results: vec![result.clone()],
            ..Imported::default()
        });
        assert!(comes_from(&result, originals), "not in any original:\n{found}\n{shown}");
    }
}

/// A line's figure stands on that line, so that a person can check it.
fn assert_traceable(text: &[u8]) {
    let shown = String::from_utf8_lossy(text).into_owned();
    let lines: Vec<String> = shown.split('\n').map(bakeoff_tools::scan::lines::plain).collect();
    for result in import::all(text).results {
        assert!(result.first_line <= result.last_line);
        for metric in &result.metrics {
            let at = usize::try_from(metric.line).unwrap() - 1;
            let raw: String = metric.raw.chars().filter(|c| c.is_ascii_alphanumeric()).collect();
            let near: String = lines[at..lines.len().min(at + 2)].concat();
            let near: String = near.chars().filter(|c| c.is_ascii_alphanumeric()).collect();
            assert!(near.contains(&raw), "{metric:?} is not on its line: {near}\n{shown}");
        }
    }
}

#[test]
fn carriage_returns_change_nothing() {
    for (path, text) in SAMPLES.iter().filter(|(path, _)| !path.contains("progress")) {
        let mut dos = Vec::new();
        for line in lines(text) {
            dos.extend_from_slice(line.strip_suffix(b"\n").unwrap_or(line));
            dos.extend_from_slice(if line.ends_with(b"\n") { b"\r\n" } else { b"" });
        }
        assert_eq!(import::all(&dos), import::all(text), "{path}");
    }
}

#[test]
fn quotation_marks_change_nothing() {
    for (path, text) in SAMPLES {
        // A byte that is no UTF-8, a carriage return or a blank line is another matter.
        let Ok(utf8) = std::str::from_utf8(text) else { continue };
        if utf8.contains(['\r', '>']) || utf8.contains('<') {
            continue;
        }
        let dressed = each(utf8, |line| format!("> {line}"));
        let dressed = if utf8.ends_with('\n') { &dressed } else { dressed.trim_end() };
        assert_eq!(import::all(dressed.as_bytes()), import::all(text), "{path}");
    }
}

/// A page without `<pre>` shows every run of blanks as one.
#[test]
fn blanks_that_a_web_page_ate_take_nothing_but_what_only_columns_told() {
    let mut alike = Vec::new();
    for (path, text) in SAMPLES {
        let original = import::all(text);
        let eaten: Vec<Vec<u8>> = lines(text).into_iter().map(eat_blanks).collect();
        let eaten = eaten.concat();
        assert_honest(&eaten, std::slice::from_ref(&original));
        let names = |imported: &Imported| -> Vec<String> {
            let metrics = imported.results.iter().flat_map(|result| &result.metrics);
            metrics.map(|metric| metric.name.clone()).collect()
        };
        if names(&import::all(&eaten)) == names(&original) {
            alike.push(*path);
        }
    }
    let columns: Vec<&str> =
        SAMPLES.iter().map(|(path, _)| *path).filter(|path| !alike.contains(path)).collect();
    insta::assert_debug_snapshot!(columns);
}

fn eat_blanks(line: &[u8]) -> Vec<u8> {
    let mut eaten: Vec<u8> = Vec::new();
    for byte in line {
        let is_blank = |byte: &u8| b" \t".contains(byte);
        let follows = eaten.last().is_none_or(is_blank);
        if !is_blank(byte) {
            eaten.push(*byte);
        } else if !follows {
            eaten.push(b' ');
        }
    }
    eaten
}

/// Found by the mixtures below: the records of one run above the statistics of another.
#[test]
fn records_of_dd_that_lost_their_statistics_give_no_block_size() {
    let stats = "4194304 bytes (4.2 MB, 4.0 MiB) copied, 0.00349442 s, 1.2 GB/s\n";
    let records = |count: u32| format!("{count}+0 records in\n{count}+0 records out\n");
    let text = format!("{}\nnoise\n\n\n{}{stats}", records(64), records(2));
    let imported = import::all(text.as_bytes());
    let names: Vec<_> = imported.results[0].metrics.iter().map(|m| m.name.as_str()).collect();
    assert_eq!(names, ["bytes", "elapsed", "throughput"]);
}

/// Found by the mixtures below: a table of one run, then the second block of another.
#[test]
fn two_blocks_of_bonnie_with_two_names_are_no_run() {
    let of = |name: &str| SAMPLES.iter().find(|(path, _)| path.ends_with(name)).unwrap().1;
    let output: Vec<u8> = lines(of("v200_sync_full.stdout"))[..5].concat();
    let create = of("v200_dirs_only_n2.stderr");
    let imported = import::all(&[&output, create].concat());
    assert_eq!(imported.results, []);
    let names = "the names in the two parts of a bonnie++ table contradict each other";
    assert!(imported.unread.iter().any(|unread| unread.why == names));
}

/// It was taken for a progress line of the run below it, and lost without a word.
#[test]
fn statistics_of_dd_above_another_run_are_listed() {
    let stats = |t: &str| format!("1073741824 bytes (1.1 GB, 1.0 GiB) copied, {t}, 85.9 MB/s\n");
    let records = "1024+0 records in\n1024+0 records out\n";
    let text = format!("{}{records}{}", stats("12.5 s"), stats("12.5011 s"));
    let found = import::all(text.as_bytes());
    assert_eq!((found.results.len(), found.unread.len()), (1, 1));
    assert_eq!((found.results[0].first_line, found.unread[0].first_line), (2, 1));
    // What was printed over itself is a display.
    let text = format!("{}\r{text}", stats("12.4977 s").trim());
    assert_eq!(import::all(text.as_bytes()).unread, []);
}

#[test]
fn what_only_looks_like_statistics_of_dd_is_listed() {
    for text in [
        "1073741824 octets (1,1 Go) copies, 12,5 s, 85,9 Mo/s\n",
        "1073741824 bytes (1.1 GB) copied, 1,234.5 s, 870 kB/s\n",
    ] {
        let found = import::all(text.as_bytes());
        assert_eq!((found.results.len(), found.unread.len()), (0, 1), "{text}");
    }
}

/// Its times and events were taken for a result of fileio.
#[test]
fn sysbench_that_measured_a_cpu_is_no_result() {
    let text = "sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)\n\nNumber of threads: 4\n\n\
        CPU speed:\n    events per second:  1234.56\n\nGeneral statistics:\n    \
        total time:                          10.0012s\n    \
        total number of events:              12349\n";
    let found = import::all(text.as_bytes());
    assert_eq!((found.results.len(), found.unread.len()), (0, 1));
    assert_eq!(
        found.unread[0].why,
        "the sysbench output has no result of fileio: it was another test, no run, or it ended \
         early"
    );
}

type Mangle = fn(&str) -> String;

/// What people do to an output between the terminal and the forum.
const MANGLED: [(&str, Mangle); 11] = [
    ("colours", |text| each(text, |line| format!("\u{1b}[32m{line}\u{1b}[0m"))),
    ("code marks on each line", |text| each(text, |line| format!("`{line}`"))),
    ("line numbers", |text| numbered(text)),
    ("a log's prefix", |text| each(text, |line| format!("node7, fio 1: {line}"))),
    ("marks of diff", |text| each(text, |line| format!("+{line}"))),
    ("decimal commas", |text| text.replace('.', ",")),
    ("cut at 60 columns", |text| each(text, |line| line.chars().take(60).collect())),
    ("cut on the left", |text| each(text, |line| line.chars().skip(4).collect())),
    ("wrapped at 72 columns", |text| each(text, |line| wrapped(line, 72))),
    ("twice without an end between", |text| text.trim_end().to_string() + text),
    ("letters for figures", |text| text.replace('1', "l").replace('0', "O")),
];

fn each(text: &str, change: impl Fn(&str) -> String) -> String {
    text.lines().map(|line| change(line) + "\n").collect()
}

fn numbered(text: &str) -> String {
    (1..).zip(text.lines()).map(|(at, line)| format!("{at} {line}\n")).collect()
}

fn wrapped(line: &str, columns: usize) -> String {
    let letters: Vec<char> = line.chars().collect();
    let parts: Vec<String> = letters.chunks(columns).map(|part| part.iter().collect()).collect();
    parts.join("\n")
}

#[test]
fn what_people_do_to_an_output_gives_none_but_its_own_figures() {
    for (path, text) in SAMPLES {
        let Ok(text) = std::str::from_utf8(text) else { continue };
        let original = [import::all(text.as_bytes())];
        for (what, mangle) in MANGLED {
            let mangled = mangle(text);
            for result in import::all(mangled.as_bytes()).results {
                let is_known = comes_from(&result, &original);
                assert!(is_known, "{path}, {what}: {result:#?}\n{mangled}");
            }
        }
    }
}

/// Each was lost without a word.
#[test]
fn what_a_prefix_on_each_line_hides_is_listed() {
    for name in [
        "c_read.stderr",
        "v04_rndrw_time_limited.stdout",
        "v200_sync_full.stdout",
        "throughput_t2.stdout",
        "text_rndrw_fsync_timed.stdout",
        "json_seqread_direct.stdout",
    ] {
        let (_, text) = SAMPLES.iter().find(|(path, _)| path.ends_with(name)).unwrap();
        let text = std::str::from_utf8(text).unwrap();
        let prefixed = each(text, |line| format!("node7, job 1: {line}"));
        let found = import::all(prefixed.as_bytes());
        assert!(!found.results.is_empty() || !found.unread.is_empty(), "{name}\n{prefixed}");
    }
}

/// 982 % was cut to 9 where a large rate had pushed the row out of the terminal.
#[test]
fn the_last_share_of_a_row_of_bonnie_that_a_terminal_cut_is_none() {
    let of = |name: &str| SAMPLES.iter().find(|(path, _)| path.ends_with(name)).unwrap().1;
    let text = std::str::from_utf8(of("v200_seeks_cpu_over_100.stdout")).unwrap();
    for columns in 76..81 {
        let cut = each(text, |line| line.chars().take(columns).collect());
        let found = import::all(cut.as_bytes());
        let metrics = found.results.iter().flat_map(|result| &result.metrics);
        let of_seeks: Vec<_> = metrics
            .filter(|m| ["random_seeks.rate", "random_seeks.cpu"].contains(&&*m.name))
            .collect();
        assert!(of_seeks.iter().all(|metric| metric.raw == "1343176"), "{columns}: {of_seeks:?}");
    }
}

fn noise() -> impl Strategy<Value = Vec<u8>> {
    const LINES: [&str; 16] = [
        "",
        "The results:",
        "12 34 56",
        "# A heading",
        "```",
        "4194304",
        "64+0",
        "{",
        "}",
        "| a | b |",
        "<p>min: 3</p>",
        "read: 5",
        "total",
        "\u{feff}x",
        "\t\t",
        "99 bottles (of B)",
    ];
    let line = prop_oneof![
        4 => prop::sample::select(&LINES[..]).prop_map(|line| line.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>().prop_filter("one line", |b| *b != b'\n'), 0..60),
    ];
    prop::collection::vec(line, 0..20).prop_map(|lines| {
        lines.into_iter().flat_map(|line| [line, b"\n".to_vec()].concat()).collect()
    })
}

/// A sample's place in the list.
fn sample() -> impl Strategy<Value = usize> {
    0..SAMPLES.len()
}

fn has_tables(at: usize) -> bool {
    let tools = ["dd/", "bonnie/", "iozone/", "fio/", "iostat/", "yabs/"];
    tools.iter().any(|tool| SAMPLES[at].0.starts_with(tool))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 160, ..ProptestConfig::default() })]

    #[test]
    fn flipped_bytes_give_only_what_stands_there(
        at in sample(), flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6)
    ) {
        let mut text = SAMPLES[at].1.to_vec();
        prop_assume!(!text.is_empty());
        for (place, byte) in flips {
            let place = place.index(text.len());
            text[place] = byte;
        }
        assert_traceable(&text);
    }

    #[test]
    fn a_cut_anywhere_gives_only_figures_of_the_original(
        at in sample(), cut in any::<prop::sample::Index>()
    ) {
        let text = SAMPLES[at].1;
        let cut = cut.index(text.len() + 1);
        let original = [import::all(text)];
        assert_honest(&text[..cut], &original);
        assert_traceable(&text[..cut]);
    }

    /// Of tools whose figures stand in tables; lines that say what they are, each of one form, have
    /// nothing that would tell two programs apart that print at the same time.
    #[test]
    fn two_outputs_mixed_up_give_figures_of_one_or_none(
        a in sample(), b in sample(), turns in prop::collection::vec(1usize..30, 0..40)
    ) {
        prop_assume!(has_tables(a) && has_tables(b));
        let originals = [import::all(SAMPLES[a].1), import::all(SAMPLES[b].1)];
        let mut sources = [lines(SAMPLES[a].1), lines(SAMPLES[b].1)];
        sources.iter_mut().for_each(|source| source.reverse());
        let mut text = Vec::new();
        let mut turns = turns.into_iter();
        let mut side = 0;
        while sources.iter().any(|source| !source.is_empty()) {
            for _ in 0..turns.next().unwrap_or(1) {
                let Some(line) = sources[side].pop() else { break };
                text.extend_from_slice(line);
                if !line.ends_with(b"\n") {
                    text.push(b'\n');
                }
            }
            side = 1 - side;
        }
        assert_honest(&text, &originals);
    }

    #[test]
    fn noise_around_an_output_does_not_hide_it(
        at in sample(), before in noise(), after in noise()
    ) {
        let (path, text) = SAMPLES[at];
        prop_assume!(text.ends_with(b"\n") || text.is_empty());
        let original = import::all(text);
        let shift = lines(&before).len() as u64;
        let found = import::all(&[before, text.to_vec(), after].concat());
        prop_assert_eq!(found.results.len(), original.results.len(), "{}", path);
        for (found, known) in found.results.iter().zip(&original.results) {
            let mut known = known.clone();
            known.metrics.iter_mut().for_each(|metric| metric.line += shift);
            prop_assert_eq!(&found.metrics, &known.metrics);
            prop_assert_eq!(found.first_line, known.first_line + shift);
        }
    }
}
