//! Made fleets: the same answer, an answer that depends on the board, and what may not be joined.

use std::collections::BTreeSet;

use super::Fleet;
use super::over::Over;
use crate::{fleet_document, fleet_json};
use bakeoff_judge::analyse::analyse;
use bakeoff_judge::testing::{RunBuilder, keys, too_fast};
use bakeoff_model::event::Header;
use bakeoff_model::index::{BlockIx, CandidateIx, WorkloadIx};
use bakeoff_model::run::Run;
use bakeoff_model::verdict::{Analysis, Verdict};

const NOW: i64 = 1_795_000_000_000_000_000;

/// Board `at` on which ext4 is `ratio` times as fast as xfs.
fn on(at: u32, ratio: f64, change: impl FnOnce(&mut Header)) -> (Run, Analysis) {
    let mut run = RunBuilder::stacks(&["ext4", "xfs"])
        .header(|h| {
            h.run = format!("{at:08x}00000000");
            h.host.hostname = format!("pi-{at}");
            h.host.board_id = Some(format!("{at:016x}"));
            change(h);
        })
        .play(12, |block, candidate, _| {
            let noise = 1.0 + 0.01 * f64::from((block * 7 + at * 5 + u32::from(candidate) * 3) % 5);
            2000.0 * noise * if candidate == 0 { ratio } else { 1.0 }
        })
        .build();
    run.started_unix_ns = NOW + i64::from(at);
    let analysis = analyse(&run);
    (run, analysis)
}

fn fleet(runs: &[(Run, Analysis)]) -> Fleet {
    super::fleet(runs, &[], Over::Board)
}

fn six(ratios: [f64; 6]) -> Fleet {
    let kernel = |at: usize| if at < 2 { "6.6.1" } else { "6.12.1" };
    let board = |(at, ratio): (usize, &f64)| {
        on(at as u32, *ratio, |h| h.host.kernel = kernel(at).to_string())
    };
    fleet(&ratios.iter().enumerate().map(board).collect::<Vec<_>>())
}

#[test]
fn a_lead_that_holds_on_every_board_is_predicted_for_the_next_one() {
    let found = six([1.30, 1.28, 1.33, 1.31, 1.29, 1.30]);
    let answer = &found.answers[0];
    assert_eq!((answer.verdict, answer.leader.as_deref()), (Verdict::Fastest, Some("ext4")));
    assert!(found.is_answered() && answer.lead_ln.unwrap() > 0.15, "{answer:?}");
    let effect = &answer.effects[0];
    let (next, mean) = (effect.prediction.unwrap(), effect.mean.unwrap());
    assert!(next.low_ln < mean.low_ln && mean.high_ln < next.high_ln);
    assert_eq!(effect.boards.len(), 6);
    let text = fleet_document(&found).text(80, false);
    insta::assert_snapshot!(text);
    for width in [40, 80] {
        let text = fleet_document(&found).text(width, false);
        assert!(text.lines().all(|line| line.chars().count() <= width), "{text}");
    }
}

#[test]
fn boards_with_another_kernel_that_differ_are_named_with_it() {
    let found = six([0.80, 0.82, 1.30, 1.31, 1.29, 1.30]);
    let answer = &found.answers[0];
    assert_eq!(answer.verdict, Verdict::Leads);
    let effect = &answer.effects[0];
    let sides: Vec<i8> = effect.boards.iter().map(|b| b.side).collect();
    assert_eq!(sides, [-1, -1, 1, 1, 1, 1]);
    assert!(effect.pooled.unwrap().i_squared > 0.9, "{effect:?}");
    let what: Vec<&str> = effect.apart.iter().map(|apart| apart.what.as_str()).collect();
    assert_eq!(what, ["kernel"], "{:?}", effect.apart);
    assert_eq!(
        (effect.apart[0].here[0].as_str(), effect.apart[0].others[0].as_str()),
        ("6.6.1", "6.12.1")
    );
    insta::assert_snapshot!(fleet_document(&found).text(80, false));
}

#[test]
fn equal_candidates_are_as_fast_as_any_on_the_next_board() {
    let found = six([1.002, 0.999, 1.001, 1.0, 0.998, 1.001]);
    assert_eq!(found.answers[0].verdict, Verdict::AsFast, "{:?}", found.answers[0]);
}

#[test]
fn one_board_twice_is_one_and_two_are_too_few_for_a_prediction() {
    let runs = [on(1, 1.3, |_| {}), on(1, 1.3, |h| h.seed = 2), on(2, 1.3, |_| {})];
    let found = fleet(&runs);
    assert_eq!(found.boards.len(), 2);
    assert!(found.notes.len() == 1 && found.notes[0].contains("has 2 runs."), "{:?}", found.notes);
    assert_eq!(found.answers[0].verdict, Verdict::Refused);
    assert_eq!(found.answers[0].effects[0].boards.len(), 2);
    assert!(!found.is_answered() && fleet_document(&found).text(80, false).contains("needs 3"));
}

#[test]
fn unlike_plans_are_refused_and_named() {
    let other = on(2, 1.3, |h| h.workloads[0].job.bs = 65_536);
    let found = fleet(&[on(0, 1.3, |_| {}), on(1, 1.3, |_| {}), other]);
    assert!(found.answers.is_empty() && !found.is_answered());
    assert!(found.unlike[0].to_string().contains("bs"), "{:?}", found.unlike);
    let text = fleet_document(&found).text(80, false);
    assert!(text.starts_with("No answer for these 3 boards: their plans differ in"), "{text}");
}

#[test]
fn a_board_whose_run_may_not_speak_is_left_out_by_name() {
    let mut runs: Vec<_> = (0..4).map(|at| on(at, 1.3, |_| {})).collect();
    runs[3].1.verdicts[0].findings.push(too_fast());
    let found = fleet(&runs);
    let answer = &found.answers[0];
    assert_eq!((answer.excluded[0].board.as_str(), answer.effects[0].boards.len()), ("pi-3", 3));
    assert!(fleet_document(&found).text(80, false).contains("pi-3 (findings L15)"));
}

#[test]
fn a_board_whose_cells_were_discarded_is_named_with_the_reason() {
    let mut runs: Vec<_> = (0..4).map(|at| on(at, 1.3, |_| {})).collect();
    let hot = &mut runs[3];
    hot.0.blocks.iter_mut().for_each(|block| block.cells.clear());
    let reasons = ["under-voltage\u{1b}[2J", "an error", "under-voltage\u{1b}[2J"];
    let cell = (BlockIx::FIRST, CandidateIx::FIRST, WorkloadIx::FIRST);
    hot.0.invalid = reasons.map(|reason| (cell.0, cell.1, cell.2, reason.to_string())).to_vec();
    hot.1 = analyse(&hot.0);
    let found = fleet(&runs);
    let excluded = &found.answers[0].excluded[0];
    let discarded = excluded.discarded.as_ref().unwrap();
    assert_eq!((excluded.board.as_str(), discarded.cells), ("pi-3", 3));
    assert!(discarded.reason.starts_with("under-voltage") && !discarded.reason.contains('\u{1b}'));
    let text = fleet_document(&found).text(400, false);
    assert!(text.contains("pi-3 (too few blocks; 3 cells discarded: under-voltage"), "{text}");
}

#[test]
fn every_key_is_documented_and_no_name_controls_anything() {
    let hostile = |h: &mut Header| {
        h.host.hostname = "x\u{1b}[2J|y".to_string();
        h.host.model = Some("<b>\u{7}".to_string());
        h.candidates[1].name = "x\u{1b}fs".to_string();
    };
    let runs: Vec<_> = (0..5).map(|at| on(at, 1.3, hostile)).collect();
    let clock = {
        let mut run = on(9, 1.3, hostile);
        run.0.started_unix_ns = 0;
        run
    };
    let found = fleet(&[runs, vec![clock]].concat());
    assert!(found.answers[0].effects[0].prediction.is_some());
    let mut all = BTreeSet::new();
    keys(&serde_json::from_str(&fleet_json(&found)).unwrap(), &mut all);
    let doc = include_str!("../../../../../docs/format.md");
    let missing: Vec<_> = all.iter().filter(|key| !doc.contains(&format!("`{key}`"))).collect();
    assert!(missing.is_empty(), "{missing:?}");
    let (text, markdown) =
        (fleet_document(&found).text(80, false), fleet_document(&found).markdown());
    assert!(!text.contains('\u{1b}') && !markdown.contains('\u{1b}'), "{text}");
    assert!(!markdown.contains("<b>") && markdown.contains("\\|y"), "{markdown}");
}

#[test]
fn an_answer_over_kernels_is_worded_for_kernels() {
    let board = |(at, kernel): (u32, &str)| {
        on(at, 1.3, |h| {
            h.host.board_id = Some("one".to_string());
            h.host.kernel = kernel.to_string();
        })
    };
    let runs: Vec<_> = [(0, "6.1"), (1, "6.6"), (2, "6.12"), (3, "6.18")].map(board).into();
    let found = super::fleet(&runs, &[], Over::Kernel);
    assert_eq!((found.boards.len(), found.answers[0].verdict), (4, Verdict::Fastest));
    let text = fleet_document(&found).text(80, false);
    assert!(!text.contains("boards like these") && !text.contains("next board"), "{text}");
    insta::assert_snapshot!(text);
}
