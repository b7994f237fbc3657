//! Mode characterise on a real image: rounds on one preparation until they are steady, what is said
//! of them, limits, Ctrl-C, and what is refused.

use crate::bench::Bench;
use crate::on_image;
use crate::on_image::{MIB, RESUME, RUN, SMALL, alone, left, made, record};
use crate::running::Running;
use bakeoff_machine::prepare::commands::describe;
use bakeoff_model::event::{StopReason, What};
use bakeoff_model::index::WorkloadIx;
use bakeoff_model::round::Round;
use bakeoff_model::run::{BlockState, Run};
use bakeoff_stats::steady_state::{MOST_ROUNDS, ROUNDS, steadiness};
use rustix::process::Signal;

/// One candidate, two workloads, in short rounds.
fn plan() -> String {
    let reads = "[[workload]]\nrw = \"randread\"\nbs = \"4k\"\ndirect = true\n[protocol]";
    alone(SMALL).replace("mode = \"quick\"", "mode = \"characterise\"").replace("[protocol]", reads)
}

/// Rounds that count, by workload and number.
fn rounds(run: &Run) -> Vec<(WorkloadIx, u32)> {
    let complete = run.blocks.iter().filter(|b| b.state == BlockState::Complete);
    complete.map(|b| b.round.unwrap()).map(|Round { workload, round }| (workload, round)).collect()
}

#[test]
fn each_workload_has_its_rounds_on_one_preparation_and_nothing_is_compared() {
    if on_image::lacks() {
        return;
    }
    let bench = Bench::new();
    made(&bench, &plan(), 96 * MIB);
    let ran = bench.run(&[&RUN[..], &["-o", "r.html"]].concat());
    assert_eq!(ran.code, 0, "{ran:?}");
    let (events, run) = record(&bench);
    for workload in WorkloadIx::all(2) {
        let own: Vec<u32> = rounds(&run).iter().filter(|r| r.0 == workload).map(|r| r.1).collect();
        assert_eq!(own, (0..own.len() as u32).collect::<Vec<_>>(), "one series");
        assert!((ROUNDS..=MOST_ROUNDS).contains(&own.len()), "{own:?}");
    }
    // Prepared before the first round of each series, and not touched between rounds.
    for (at, event) in events.iter().enumerate() {
        let What::BlockStarted { round: Some(round), .. } = &event.what else { continue };
        let of_block =
            events[at..].iter().take_while(|e| !matches!(e.what, What::BlockDone { .. }));
        let steps: Vec<String> = of_block
            .filter_map(|e| match &e.what {
                What::StepPlanned(step) => Some(describe(&step.action)),
                _ => None,
            })
            .collect();
        let made = steps.iter().filter(|step| step.contains("mkfs.ext4")).count();
        assert_eq!((made, steps.is_empty()), if round.round == 0 { (1, false) } else { (0, true) });
    }
    let shown = bench.run(&["show", "last", "--format", "json"]).json();
    assert_eq!(shown["mode"], "characterise");
    for verdict in shown["verdicts"].as_array().unwrap() {
        assert!(verdict["winner"].is_null() && verdict["effects"].as_array().unwrap().is_empty());
        let figures = verdict["rounds"]["figures"].as_array().unwrap();
        let figures: Vec<f64> = figures.iter().map(|f| f.as_f64().unwrap()).collect();
        // A disk that is busy may stay unsteady; what is said follows from the rounds either way.
        let steady = steadiness(&figures).unwrap().is_steady();
        assert_eq!(verdict["rounds"]["is_steady"], steady, "{verdict}");
        assert!(steady || figures.len() == MOST_ROUNDS, "{verdict}");
        let mean = figures[figures.len() - ROUNDS..].iter().sum::<f64>() / ROUNDS as f64;
        let told = verdict["standings"][0]["mean"].as_f64().unwrap();
        assert!((told / mean - 1.0).abs() < 1e-9, "{told} {mean}");
    }
    let report = std::fs::read_to_string(bench.path().join("r.html")).unwrap();
    assert!(report.contains(", round by round, in "), "{report}");
    let csv = bench.run(&["show", "last", "--format", "csv"]).out;
    assert!(csv.lines().next().unwrap().ends_with(",round"), "{csv}");
    assert_eq!(left(&bench), Vec::<String>::new());
    assert_eq!(run.steps_to_undo().count(), 0);
}

#[test]
fn interrupted_it_says_the_state_so_far_and_resume_begins_the_series_anew() {
    if on_image::lacks() {
        return;
    }
    let bench = Bench::new();
    made(&bench, &plan(), 96 * MIB);
    let mut running = Running::start(bench.bakeoff().args(RUN));
    let second = serde_json::json!({ "workload": 1, "round": 1 });
    running.held_when("the second round of the second workload", &bench.store(), |record| {
        record.all_of("block_started").iter().any(|block| block["round"] == second)
    });
    running.signal(Signal::INT);
    running.signal(Signal::CONT);
    let ended = running.end();
    assert_eq!(ended.code, 130, "{ended:?}");
    assert!(ended.out.contains("bakeoff resume"), "{ended:?}");
    assert_eq!(left(&bench), Vec::<String>::new());
    let (_, before) = record(&bench);
    let first: Vec<_> = rounds(&before).into_iter().filter(|r| r.0.number() == 0).collect();
    let resumed = bench.run(&RESUME);
    assert_eq!(resumed.code, 0, "{resumed:?}");
    let (_, run) = record(&bench);
    let own: Vec<u32> = rounds(&run).iter().filter(|r| r.0.number() == 1).map(|r| r.1).collect();
    assert!(own.iter().filter(|round| **round == 0).count() >= 1, "{own:?}");
    assert_eq!(
        run.blocks.iter().rfind(|b| b.round.unwrap().round == 0).unwrap().round.unwrap().workload,
        WorkloadIx::new(1)
    );
    let kept: Vec<_> = rounds(&run).into_iter().filter(|r| r.0.number() == 0).collect();
    assert_eq!(kept, first, "what was through is not measured again");
    assert!(matches!(run.stopped, Some((StopReason::Decided | StopReason::LastBlock, _))));
    assert_eq!(left(&bench), Vec::<String>::new());
}

#[test]
fn a_plan_that_compares_is_refused_with_what_to_type() {
    let bench = Bench::new();
    std::fs::write(bench.path().join("plan.toml"), SMALL).unwrap();
    let refused = bench.run(&["plan", "plan.toml", "--mode", "characterise"]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.err.contains("Keep one [[stack]]"), "{refused:?}");
    std::fs::write(bench.path().join("plan.toml"), plan()).unwrap();
    let shown = bench.run(&["plan", "--commands", "plan.toml"]);
    assert_eq!(shown.code, 0, "{shown:?}");
    assert!(shown.out.contains("10 rounds are 2 visits and 10 cells; 50 rounds"), "{shown:?}");
}

#[test]
fn too_little_time_leaves_workloads_out_or_is_refused_beforehand() {
    if on_image::lacks() {
        return;
    }
    let bench = Bench::new();
    made(&bench, &plan().replace("100ms", "4s"), 96 * MIB);
    let ran = bench.run(&[&RUN[..], &["--time", "10s"]].concat());
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.err.contains("5 rounds of"), "{ran:?}");
    assert_eq!(left(&bench), Vec::<String>::new());
}
