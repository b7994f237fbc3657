//! Preconditioning on a real image: rounds until the region is steady, limits that end it, and
//! kill -9 between rounds.

use crate::bench::Bench;
use crate::on_image;
use crate::on_image::{MIB, RESUME, RUN, SMALL, alone, left, made, record};
use crate::running::Running;
use bakeoff_machine::prepare::precondition;
use bakeoff_model::event::{Event, What};
use bakeoff_model::precondition::PreconditionEnd;
use bakeoff_report::prepared;
use bakeoff_stats::steady_state::MOST_ROUNDS;

/// One candidate, preconditioned for up to an eighth of the time.
fn plan() -> String {
    format!("{}precondition = true\n", alone(SMALL)).replace("\"2h\"", "\"16m\"")
}

#[test]
fn a_region_is_written_until_it_is_steady_and_every_round_is_recorded() {
    if on_image::lacks() {
        return;
    }
    let bench = Bench::new();
    made(&bench, &plan(), 96 * MIB);
    let ran = bench.run(&[&RUN[..], &["-o", "r.html"]].concat());
    assert!(ran.code == 0 || ran.code == 1, "{ran:?}");
    let (events, run) = record(&bench);
    let [series] = run.preconditioned.as_slice() else { panic!("{:?}", run.preconditioned) };
    assert!((5..=MOST_ROUNDS).contains(&series.rounds.len()), "{series:?}");
    for round in &series.rounds {
        assert!(round.job.direct && round.job.bs == 4096, "{round:?}");
        assert!(round.write_bytes > 0 && round.write_bytes <= 64 * MIB, "{round:?}");
    }
    // A disk that is busy may stay unsteady; what is said follows from the rounds either way.
    let steady = precondition::steadiness(series).unwrap().is_steady();
    assert_eq!(series.end == Some(PreconditionEnd::Steady), steady, "{series:?}");
    let labelled = run_findings(&bench).contains(&"L37".to_string());
    assert!(steady || labelled, "{ran:?}");
    let first_block = events.iter().position(|e| matches!(e.what, What::BlockStarted { .. }));
    let last_round = events.iter().rposition(|e| matches!(e.what, What::PreconditionRound(_)));
    assert!(last_round < first_block);
    let words = prepared::preconditioned(series);
    let report = std::fs::read_to_string(bench.path().join("r.html")).unwrap();
    assert!(report.contains(&words), "{words}");
}

#[test]
fn bytes_that_are_not_left_end_it_and_the_run_is_labelled() {
    if on_image::lacks() {
        return;
    }
    let bench = Bench::new();
    made(&bench, &plan(), 96 * MIB);
    // Four visits of a candidate on 64 MiB and the region itself: 320 MiB. An eighth of the rest
    // has no room for the five smallest rounds, of ten writes each.
    let limit = (320 * MIB + 8 * 64 * 1024).to_string();
    let ran = bench.run(&[&RUN[..], &["--max-write", &limit]].concat());
    let (_, run) = record(&bench);
    let [series] = run.preconditioned.as_slice() else { panic!("{ran:?}") };
    assert_eq!(series.end, Some(PreconditionEnd::Bytes), "{ran:?}");
    let written: u64 = series.rounds.iter().map(|round| round.write_bytes).sum();
    assert!(written <= 64 * 1024, "{series:?}");
    let resumed = bench.run(&[&RESUME[..], &["--max-write", "8g"]].concat());
    assert!(resumed.code <= 1, "{resumed:?}");
    assert_eq!(record(&bench).1.preconditioned.len(), 2, "{resumed:?}");
    assert_eq!(left(&bench), Vec::<String>::new());
    let found = bench.run(&["show", "last", "--details"]);
    assert!(found.out.contains("write limit reached"), "{found:?}");
}

type IsIt = fn(&What) -> bool;

/// After which events of preconditioning a run is killed, time after time.
const KILLS: [(&str, IsIt); 5] = [
    ("the region was verified", |what| matches!(what, What::Verified { .. })),
    ("the first round began", |what| matches!(what, What::PreconditionStarted { .. })),
    ("the first round", |what| matches!(what, What::PreconditionRound(round) if round.round == 0)),
    ("the third round", |what| matches!(what, What::PreconditionRound(round) if round.round == 2)),
    ("the last round", |what| matches!(what, What::Preconditioned { .. })),
];

#[test]
fn killed_between_rounds_it_begins_again_counts_what_was_written_and_leaves_nothing() {
    if on_image::lacks() {
        return;
    }
    let bench = Bench::new();
    made(&bench, &plan().replace("\"16m\"", "\"2h\""), 96 * MIB);
    let mut seen = 0;
    for (row, (name, is_it)) in KILLS.iter().enumerate() {
        let words: &[&str] = if row == 0 { &RUN } else { &RESUME };
        let mut running = Running::start(bench.bakeoff().args(words));
        seen = running.until_recorded(name, &bench.store(), |record| {
            let events = record.from(seen);
            let event = |line: &String| serde_json::from_str::<Event>(line).unwrap();
            let is_there = events.iter().any(|line| is_it(&event(line).what));
            is_there.then_some(seen + events.len() as u64)
        });
        // Forgotten, it is killed.
        drop(running);
    }
    let resumed = bench.run(&RESUME);
    assert!(resumed.code <= 1, "{resumed:?}");
    assert_eq!(left(&bench), Vec::<String>::new());
    let (_, run) = record(&bench);
    assert_eq!(run.steps_to_undo().count(), 0);
    assert!(run.complete_blocks().count() >= 3, "{resumed:?}");
    // One for each of the kills that met a round, and the last one, which ended.
    assert!(run.preconditioned.len() >= 3, "{:?}", run.preconditioned);
    assert!(run.preconditioned.last().unwrap().end.is_some());
    // What a kill cut off counts too: of a first round all that it might have written.
    for series in &run.preconditioned {
        let is_cut_off_at_once = series.end.is_none() && series.rounds.is_empty();
        assert!(!is_cut_off_at_once || series.write_bytes() == 64 * MIB, "{series:?}");
        assert!(series.write_bytes() > 0, "{series:?}");
    }
    for series in &run.preconditioned {
        let numbers: Vec<u32> = series.rounds.iter().map(|round| round.round).collect();
        assert_eq!(numbers, (0..numbers.len() as u32).collect::<Vec<_>>());
    }
}

fn run_findings(bench: &Bench) -> Vec<String> {
    let shown = bench.run(&["show", "last", "--format", "json"]).json();
    let list = shown["findings"].as_array().unwrap().clone();
    list.iter().map(|finding| finding["id"].as_str().unwrap().to_string()).collect()
}
