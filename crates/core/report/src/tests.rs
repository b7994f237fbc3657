//! Golden tests: what a reader sees for each kind of answer, byte for byte.

mod same_bytes;
pub mod sample;

use super::*;
use bakeoff_judge::analyse::analyse;
use bakeoff_judge::testing::{RunBuilder, disk_place, measurement};
use bakeoff_model::event::StopReason;
use bakeoff_model::finding::{Finding, Severity};
use bakeoff_model::host::PlaceClass;
use bakeoff_model::verdict::Verdict;
use sample::*;

const PLAIN: TextOptions = TextOptions { width: 80, color: false, plain: true };

fn two(blocks: u32, ios: [u64; 2]) -> Run {
    let candidates = vec![stack("ext4 without journal", "ext4", &["-O", "^has_journal"]), {
        stack("xfs", "xfs", &[])
    }];
    run(header(candidates), blocks, &ios)
}

/// Two candidates whose blocks differ by more than the candidates do.
fn noisy() -> Run {
    let header = two(0, [0; 2]).header;
    let rate = |block: u32, candidate: u16, _: u16| {
        let wave = if (block + u32::from(candidate)).is_multiple_of(2) { 1.3 } else { 0.7 };
        (1000.0 + 10.0 * f64::from(candidate)) * wave
    };
    let run = RunBuilder::from_header(header).finding(warning()).play(5, rate);
    Run { started_unix_ns: STARTED_UNIX_NS, ..run.stopped(StopReason::TimeUp, "").build() }
}

fn beats() -> (Run, Analysis) {
    let run = two(5, [1200, 900]);
    let analysis = analyse(&run);
    (run, analysis)
}

#[test]
fn a_winner_in_every_format() {
    let (run, analysis) = beats();
    insta::assert_snapshot!("beats_text", text(&run, &analysis, &TextOptions::default()));
    insta::assert_snapshot!("beats_plain", text(&run, &analysis, &PLAIN));
    insta::assert_snapshot!("beats_markdown", markdown(&run, &analysis));
    insta::assert_snapshot!("beats_csv", csv(&run));
    insta::assert_snapshot!("beats_json", json_text(&run, &analysis));
}

#[test]
fn ties_early_not_resolved_and_refused() {
    let mut refused = two(5, [1200, 900]);
    let evidence = "the drive reported 3 errors during the run";
    let forbids = bakeoff_judge::testing::warning("L53", evidence, "Replace the drive.");
    refused.findings.push(Finding { severity: Severity::Refuse, ..forbids });
    for (name, verdict, run) in [
        ("ties", Verdict::AsFast, two(5, [1200, 1200])),
        ("early", Verdict::Refused, two(2, [1200, 900])),
        ("not_resolved", Verdict::Leads, noisy()),
        ("refused", Verdict::Refused, refused),
    ] {
        let analysis = analyse(&run);
        assert_eq!(analysis.verdicts[0].verdict, verdict, "{name}");
        insta::assert_snapshot!(name, text(&run, &analysis, &TextOptions::default()));
    }
}

#[test]
fn one_candidate_and_no_block_at_all() {
    let one = run(header(vec![stack("ext4", "ext4", &[])]), 5, &[1200]);
    let lone = analyse(&one);
    insta::assert_snapshot!("one", text(&one, &lone, &TextOptions::default()));
    insta::assert_snapshot!("one_plain", text(&one, &lone, &PLAIN));
    insta::assert_snapshot!("one_markdown", markdown(&one, &lone));
    assert_eq!(json(&one, &lone)["compares"], false);
    for empty in ["against", "not ranked", "| - |"] {
        assert!(!markdown(&one, &lone).contains(empty), "{empty}");
    }
    let mut none = run(header(vec![stack("ext4", "ext4", &[])]), 0, &[]);
    none.stopped = Some((StopReason::Interrupted, "Ctrl-C".to_string()));
    insta::assert_snapshot!("none", text(&none, &analyse(&none), &TextOptions::default()));
}

#[test]
fn the_measurement_of_bench() {
    let mut m = measurement(&bakeoff_model::workloads::find("randwrite").unwrap(), 1200.0);
    // Writing and flushing take half of the time each.
    for stats in [&mut m.write, &mut m.flush].into_iter().flatten() {
        let of = &mut stats.lat_ns;
        (of.min, of.mean, of.max) = (of.min / 2, of.mean / 2.0, of.max / 2);
        for quantile in [&mut of.p50, &mut of.p90, &mut of.p95, &mut of.p99] {
            *quantile = quantile.map(|ns| ns / 2);
        }
    }
    m.findings.push(warning());
    m.verified_bytes = Some(1 << 20);
    m.backlog = Some(3);
    let mut job = Benched { name: None, measurement: m, from_memory: None };
    insta::assert_snapshot!("bench", bench_document(std::slice::from_ref(&job)).text(80, false));
    let json = bench_json(std::slice::from_ref(&job));
    for key in ["min", "mean", "max", "p50", "p90", "p95", "p99", "p99.9", "p99.99"] {
        assert!(json["write"]["lat_ns"].get(key).is_some(), "{key}");
    }
    let words = bakeoff_judge::cold_reads::memory_words(0.996, PlaceClass::Block, false, false);
    job.from_memory = Some((0.996, words));
    job.name = Some("a\u{1b}b".to_string());
    let text = bench_document(&[job.clone(), job.clone()]).text(80, false);
    assert!(text.starts_with("Served from memory: 99 % of the bytes read"), "{text}");
    assert!(text.contains("--direct\na") && !text.contains('\u{1b}'), "{text}");
    let json = bench_json(&[job.clone(), job]);
    assert_eq!((json["jobs"][1]["memory_share"].as_f64()), Some(0.996));
}

#[test]
fn hostile_names_cannot_reach_the_terminal_or_break_a_line() {
    let name = "\u{1b}[2J\nxfs\u{202e}|\"<script>alert(1)</script>";
    let run = run(header(vec![stack(name, name, &[name]), stack("b", "ext4", &[])]), 5, &[9, 8]);
    let mut analysis = analyse(&run);
    analysis.findings[0].evidence = name.to_string();
    for options in [TextOptions::default(), PLAIN] {
        let out = text(&run, &analysis, &options);
        assert!(!out.chars().any(|c| c.is_control() && c != '\n' || c == '\u{202e}'), "{out}");
    }
    let markdown = markdown(&run, &analysis);
    // Between fences Markdown shows everything as it is.
    let outside: String = markdown.split("\n```").step_by(2).collect();
    assert!(outside.contains("### Commands"), "{markdown}");
    assert!(!outside.contains("<script>") && !markdown.contains('\u{1b}'), "{markdown}");
    let rows = csv(&run).matches("\r\n").count();
    assert_eq!(rows, 11);
}

#[test]
fn no_line_of_the_report_is_wider_than_the_terminal() {
    let (run, mut analysis) = beats();
    analysis.findings[0].evidence = "long ".repeat(60);
    for width in [40u16, 60, 80, 120] {
        let out = text(&run, &analysis, &TextOptions { width, ..TextOptions::default() });
        for line in out.lines().filter(|l| !l.starts_with("  ")) {
            assert!(line.chars().count() <= usize::from(width), "{width}: {line}");
        }
    }
}

#[test]
fn colour_only_when_asked_for() {
    let (run, analysis) = beats();
    let coloured = TextOptions { color: true, ..TextOptions::default() };
    assert!(text(&run, &analysis, &coloured).contains("\u{1b}[1;32mFASTEST\u{1b}[0m"));
    assert!(!text(&run, &analysis, &TextOptions::default()).contains('\u{1b}'));
}

#[test]
fn what_places_have_in_common_is_told_once() {
    let same = disk_place("ext4", "/", "sda");
    let places = RunBuilder::directories(&["/a", "/b"]).place(0, |p| *p = same.clone());
    let places = places.place(1, |p| *p = same.clone());
    let run = places.play(5, |_, c, _| 1000.0 + f64::from(c));
    let run = run.build();
    let told = markdown(&run, &analyse(&run));
    assert_eq!(told.matches("on the same filesystem").count(), 1, "{told}");
}
