//! Golden tests: what a reader sees for each kind of answer, byte for byte.

mod sample;
mod texts;

use crate::answer::Answer;
use crate::said;
use crate::{TextOptions, live, screen};
use bakeoff_judge::analyse::analyse;
use bakeoff_judge::testing::RunBuilder;
use bakeoff_model::event::StopReason;
use bakeoff_model::finding::Severity;
use bakeoff_model::lead::TrimmedStalls;
use bakeoff_model::run::Run;
use bakeoff_model::verdict::Analysis;
use sample::{FIVE, SEVEN, SIX, card, demo, rich};

const PLAIN: TextOptions = TextOptions { width: 80, color: false, plain: true };
const REPORT: Option<&str> = Some("bakeoff-0123456789abcdef.html");

fn shown(run: &Run, analysis: &Analysis) -> String {
    screen(run, analysis, &TextOptions::default(), REPORT)
}

fn both(run: &Run) -> String {
    let analysis = analyse(run);
    let plain = screen(run, &analysis, &PLAIN, None);
    format!("{}\n----- plain -----\n{plain}", shown(run, &analysis))
}

fn widest(text: &str) -> usize {
    text.lines().map(|l| l.chars().count()).max().unwrap_or(0)
}

#[test]
fn fits_seven_candidates_and_five_workloads_on_one_screen() {
    let (run, analysis) = rich();
    let text = shown(&run, &analysis);
    insta::assert_snapshot!("rich", text);
    insta::assert_snapshot!("rich_plain", screen(&run, &analysis, &PLAIN, REPORT));
    for report in [REPORT, None, Some("/home/somebody/with/a/long/path/of/a/report/bakeoff.html")] {
        let text = screen(&run, &analysis, &TextOptions::default(), report);
        assert!(text.lines().count() <= 24, "{}: {text}", text.lines().count());
        assert!(widest(&text) <= 80, "{text}");
    }
}

#[test]
fn one_screen_holds_whatever_the_noise_and_the_number_of_blocks() {
    for noise in [0.001, 0.02, 0.1, 0.5, 2.0] {
        for blocks in [0, 1, 3, 5, 12] {
            let run = demo(&SEVEN, &FIVE, blocks, noise, card).stopped(StopReason::TimeUp, "");
            let run = run.build();
            let text = shown(&run, &analyse(&run));
            assert!(text.lines().count() <= 24, "{}: {text}", text.lines().count());
            assert!(widest(&text) <= 80, "{text}");
        }
    }
}

#[test]
fn names_a_clear_winner() {
    let rate = |c: usize, _: usize| [1000.0, 1300.0, 400.0][c];
    let run = demo(&["ext4", "xfs", "btrfs"], &["randwrite"], 12, 0.01, rate).build();
    insta::assert_snapshot!("winner", both(&run));
}

#[test]
fn names_equals_together() {
    let rate = |c: usize, _: usize| [1000.0, 1004.0, 998.0, 380.0][c];
    let names = ["ext4", "xfs", "ext2", "btrfs"];
    let run = demo(&names, &["randwrite", "seqread"], 20, 0.01, rate).build();
    insta::assert_snapshot!("equal", both(&run));
}

#[test]
fn says_who_leads_so_far_and_what_more_time_would_do() {
    let rate = |c: usize, _: usize| [1000.0, 1030.0, 990.0][c];
    let names = ["ext4", "xfs", "ext2"];
    let run = demo(&names, &["randwrite", "seqread"], 5, 0.12, rate);
    insta::assert_snapshot!("leads", both(&run.stopped(StopReason::TimeUp, "").build()));
}

/// A run that its write limit ended before the first look said neither so nor how to go on, and the
/// page left the size to the reader.
#[test]
fn a_run_out_of_writes_says_so_and_how_to_go_on() {
    let early = demo(&["ext4", "xfs"], &["randwrite"], 2, 0.01, |_, _| 1000.0)
        .header(|h| h.protocol.max_write_bytes = Some(4 << 30))
        .stopped(StopReason::WriteBudget, "write limit reached");
    let (run, minutes) = (early.build(), Some(180_000_000_000));
    let text = both(&run);
    assert!(text.contains("The write limit ended the run."), "{text}");
    assert!(text.contains("--max-write 8192m"), "{text}");
    assert!(!text.contains("--time"), "{text}");
    let mut timed = run.clone();
    timed.header.protocol.time_ns = minutes;
    assert!(both(&timed).contains("--max-write 8192m --time 10m"), "{}", both(&timed));
}

/// "No single choice is certain yet" stood above five certain answers.
#[test]
fn noise_is_no_reason_to_say_that_no_candidate_suits() {
    let rate = |c: usize, _: usize| [1000.0, 1030.0, 990.0][c];
    let run = demo(&["ext4", "xfs", "ext2"], &["randwrite", "seqread"], 5, 0.12, rate).build();
    let analysis = analyse(&run);
    let choice = super::choice::from_run(&run, &analysis);
    assert_eq!(choice.said, "No choice yet: xfs and ext4 cannot be told apart here.");
    assert_eq!(choice.commands, Vec::<String>::new(), "nothing to paste");
}

#[test]
fn tells_no_bound_that_is_wider_than_a_factor_of_three() {
    let rate = |c: usize, _: usize| [1000.0, 1030.0, 990.0][c];
    let run = demo(&["ext4", "xfs", "ext2"], &["randwrite"], 5, 1.5, rate);
    let run = run.stopped(StopReason::TimeUp, "").build();
    let text = both(&run);
    assert!(text.contains("% ?"), "{text}");
    insta::assert_snapshot!("unknown", text);
}

#[test]
fn says_why_an_answer_is_refused() {
    let rate = |c: usize, _: usize| [1000.0, 1300.0][c];
    let early = demo(&["ext4", "xfs"], &["randwrite"], 2, 0.01, rate);
    insta::assert_snapshot!("early", both(&early.stopped(StopReason::Interrupted, "").build()));
    let mut finding = sample::warning("L53", "the drive reported 3 errors during the run");
    finding.severity = Severity::Refuse;
    let run = demo(&["ext4", "xfs"], &["randwrite"], 12, 0.01, rate).finding(finding).build();
    insta::assert_snapshot!("refused", both(&run));
}

#[test]
fn shows_a_candidate_that_memory_answered_in_grey() {
    let (run, analysis) = rich();
    let options = TextOptions { color: true, ..TextOptions::default() };
    let text = screen(&run, &analysis, &options, REPORT);
    assert!(text.contains("\u{1b}[90mmemory\u{1b}[0m"), "{text}");
    let named = |v: &bakeoff_model::verdict::WorkloadVerdict| {
        said::sentence(&run, v)
            .contains("ntfs-3g is not ranked: reads came from memory, not from the drive.")
    };
    assert!(named(&analysis.verdicts[2]) && !named(&analysis.verdicts[0]));
}

#[test]
fn names_stalls_of_the_leader_in_its_sentence() {
    let rate = |c: usize, _: usize| [1000.0, 1300.0][c];
    let run = demo(&["ext4", "xfs"], &FIVE, 12, 0.01, rate).build();
    let mut analysis = analyse(&run);
    for v in &mut analysis.verdicts {
        let lead = v.lead.as_mut().unwrap();
        let number = 12;
        let stalls = |candidate: &str, share| {
            let candidate = candidate.to_string();
            TrimmedStalls { candidate, number, longest_ns: 340_000_000, share }
        };
        lead.stalls = vec![stalls("xfs", 0.081), stalls("ext4", 0.02)];
    }
    assert!(said::sentence(&run, &analysis.verdicts[0]).contains("xfs stalled 12 times, 8 %"));
    insta::assert_snapshot!("stalls", shown(&run, &analysis));
}

#[test]
fn shows_one_candidate_without_a_comparison() {
    let rate = |_: usize, w: usize| [1000.0, 1300.0][w];
    let run = demo(&["ext4"], &["randwrite", "seqread"], 5, 0.02, rate).build();
    insta::assert_snapshot!("one", both(&run));
}

#[test]
fn compares_two_directories() {
    let run = RunBuilder::directories(&["/home", "/mnt/usb"])
        .header(|h| h.protocol.time_ns = None)
        .workloads(&bakeoff_model::workloads::QUICK)
        .play(12, |_, c, w| card(c.into(), w.into()))
        .build();
    let text = both(&run);
    assert!(!text.contains("mkfs"), "{text}");
    insta::assert_snapshot!("directories", text);
}

#[test]
fn stays_within_eighty_columns_with_twelve_candidates_and_six_workloads() {
    let mut names: Vec<String> = SEVEN.iter().map(|n| n.to_string()).collect();
    names.extend((0..5).map(|i| format!("ext4 on luks, variant {i}")));
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let run = demo(&names, &SIX, 5, 0.03, card).stopped(StopReason::TimeUp, "").build();
    let analysis = analyse(&run);
    let text = shown(&run, &analysis);
    insta::assert_snapshot!("twelve", text);
    assert!(widest(&text) <= 80, "{text}");
    let lines = live(&run, &analysis, 80, false);
    assert!(lines.len() <= 12 && widest(&lines.join("\n")) <= 80, "{lines:#?}");
}

#[test]
fn keeps_long_names_apart() {
    let long = |c: char| format!("ext4 with a name of forty characters {c}{c}{c}");
    let names: Vec<String> = "abcdefg".chars().map(long).collect();
    assert_eq!(names[0].len(), 40);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let run = demo(&names, &FIVE, 5, 0.03, card).stopped(StopReason::TimeUp, "").build();
    let text = shown(&run, &analyse(&run));
    insta::assert_snapshot!("long_names", text);
    assert!(widest(&text) <= 80 && text.lines().count() <= 24, "{text}");
}

#[test]
fn fills_the_live_table_while_the_first_block_is_measured() {
    let names = ["ext4", "xfs", "ntfs-3g"];
    let started = demo(&names, &FIVE, 0, 0.02, card).build();
    let mut out = live(&started, &analyse(&started), 80, false);
    let (run, analysis) = rich();
    out.push(String::new());
    out.extend(live(&run, &analysis, 80, false));
    insta::assert_snapshot!("live", out.join("\n"));
    let one = demo(&["ext4"], &FIVE, 3, 0.02, card).build();
    assert!(live(&one, &analyse(&one), 80, false).is_empty());
}

#[test]
fn hostile_names_cannot_reach_the_terminal() {
    let name = "\u{1b}[2Jx\u{202e}";
    let rate = |c: usize, _: usize| [1000.0, 1300.0][c];
    let run = demo(&[name, "xfs"], &["randwrite"], 12, 0.01, rate).build();
    let analysis = analyse(&run);
    for options in [TextOptions::default(), PLAIN] {
        let out = screen(&run, &analysis, &options, Some("a\u{1b}b"));
        assert!(!out.chars().any(|c| c.is_control() && c != '\n' || c == '\u{202e}'), "{out}");
    }
    let lines = live(&run, &analysis, 80, false);
    assert!(!lines.concat().chars().any(char::is_control), "{lines:?}");
}

#[test]
fn numbers_have_three_significant_digits_at_most() {
    let (run, analysis) = rich();
    let text = shown(&run, &analysis);
    let table = text.lines().filter(|l| l.contains('%') || l.contains("/s"));
    for word in table.flat_map(str::split_whitespace).filter(|w| !w.contains("bakeoff")) {
        let digits: String = word.chars().filter(char::is_ascii_digit).collect();
        let significant = digits.trim_start_matches('0').trim_end_matches('0');
        assert!(significant.len() <= 3, "{word}");
    }
}

#[test]
fn markdown_has_the_table_of_the_screen() {
    let (run, analysis) = rich();
    let markdown = crate::markdown(&run, &analysis);
    assert!(markdown.starts_with("**Use ext4 for Linux data: of the 4 fit for it"), "{markdown}");
    for part in ["|  | random writes | small files |", "| 1250/s\\* |", "| memory |", "39 %\\!"] {
        assert!(markdown.contains(part), "{part}: {markdown}");
    }
}

#[test]
fn the_page_has_the_picture_without_a_script() {
    let (run, analysis) = rich();
    let assets = crate::Assets { js: "", css: "" };
    let page = crate::html(&run, &analysis, &assets);
    let matrix = page.split("<table class=\"matrix").nth(1).unwrap();
    let matrix = matrix.split("</table>").next().unwrap();
    assert_eq!(matrix.matches("<svg class=\"mini\"").count(), 35);
    assert_eq!(matrix.matches("certainly slower").count(), 22);
    assert_eq!(matrix.matches("not ranked, memory was measured").count(), 2);
    assert!(matrix.contains("<b class=\"stalls\">!&nbsp;12\u{a0}%</b>"), "{matrix}");
    assert!(!page.contains("</table></table>") && page.contains("recommended"));
}

#[test]
fn stalls_stand_in_the_answers_of_the_page_and_not_again_below() {
    let (run, analysis) = rich();
    let on_screen = screen(&run, &analysis, &TextOptions::default(), None);
    assert!(on_screen.contains("Stalls (!)"), "{on_screen}");
    let page = crate::html(&run, &analysis, &crate::Assets { js: "", css: "" });
    assert!(page.contains("btrfs stalled") && !page.contains("Stalls (!)"));
}

#[test]
fn a_candidate_that_is_certainly_behind_by_an_unknown_amount_has_its_bound() {
    let cell =
        |place| super::MatrixCell::follower(place, "9/s".to_string(), Some((0.3, 0.1, 0.77)));
    let behind = cell(super::Place::Behind);
    assert_eq!((behind.label.as_str(), behind.mark()), ("<77 %", '*'));
    assert_eq!(behind.spoken, "less than 77 % of the leader, certainly slower");
    assert_eq!(cell(super::Place::Open).label, "~30 % ?");
}

/// The advice of the finding about few blocks and the answer both said it, below each other.
#[test]
fn how_a_run_continues_is_said_once() {
    let run = RunBuilder::stacks(&["ext4", "xfs"]).play(2, |block, _, _| 1e3 + f64::from(block));
    let run = run.stopped(StopReason::TimeUp, "").build();
    let said = Answer::new(&run, &analyse(&run)).everything_to_know();
    let resumes = said.iter().filter(|text| text.contains("bakeoff resume"));
    assert_eq!(resumes.count(), 1, "{said:?}");
}
