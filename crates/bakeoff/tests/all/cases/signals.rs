//! Signals at every stage: the exit code, the answer so far, nothing left, and a way on. And what
//! others may do to a run while it lives.

use std::process::Command;
use std::time::Duration;
use std::{fs, thread};

use rustix::process::Signal;

use crate::bench::{Bench, Ended};
use crate::running::{self, Running};
use crate::skip;

const SIGNALS: [(&str, Signal); 3] =
    [("INT", Signal::INT), ("TERM", Signal::TERM), ("HUP", Signal::HUP)];

/// A run of one directory, which with one workload takes some ten seconds.
fn quick(bench: &Bench, dir: &str) -> Command {
    let mut command = bench.bakeoff();
    command.args(["quick", dir, "--workload", "randwrite", "--size", "16m", "--time", "20m"]);
    command
}

#[test]
fn a_signal_during_preparation() {
    for (name, signal) in SIGNALS {
        let bench = Bench::new();
        let dir = bench.dir("d");
        let mut run = Running::start(&mut quick(&bench, dir.to_str().unwrap()));
        // It prepares for seconds, and stays where it is met.
        let is_made = || fs::read_dir(&dir).unwrap().next().is_some();
        run.until("a scratch directory", |_| is_made().then_some(()));
        running::freeze(run.pid());
        assert!(!run.err().contains("Ctrl-C stops"), "it is prepared: {}", run.err());
        run.signal(signal);
        run.signal(Signal::CONT);
        let ended = run.end();
        assert_eq!(ended.code, 130, "{name}: {ended:?}");
        assert!(ended.err.contains("interrupted"), "{name}: {ended:?}");
        assert!(ended.err.contains("bakeoff resume"), "{name}: {ended:?}");
        assert_eq!(fs::read_dir(&dir).unwrap().count(), 0, "{name}");
        // What was asked for is known to whoever resumes it.
        assert_eq!(bench.events("last")[0]["what"]["started"]["file_bytes"], 16 << 20);
    }
}

#[test]
fn a_signal_during_a_cell_says_the_answer_so_far_and_the_run_goes_on_later() {
    let bench = Bench::new();
    let dir = bench.dir("d");
    for (name, signal) in SIGNALS {
        let mut run = Running::start(&mut quick(&bench, dir.to_str().unwrap()));
        let engine = run.until_measuring();
        run.signal(signal);
        let ended = run.end();
        assert_eq!(ended.code, 130, "{name}: {ended:?}");
        assert!(ended.out.contains("Nothing measured yet"), "{name}: {ended:?}");
        assert!(ended.out.contains("bakeoff resume"), "{name}: {ended:?}");
        assert!(!fs::exists(format!("/proc/{engine}")).unwrap(), "{name}: the engine lives on");
        assert_eq!(fs::read_dir(&dir).unwrap().count(), 0, "{name}");
    }
    // Ctrl-C was after no block; the run goes on to its end.
    let resumed = bench.run(&["resume", "last", "--max-write", "9g"]);
    assert_eq!(resumed.code, 0, "{resumed:?}");
    assert!(resumed.out.contains("Report: "), "{resumed:?}");
    let shown = bench.run(&["show", "last", "--format", "json"]).json();
    assert_eq!(shown["protocol"]["max_write_bytes"], 9u64 << 30);
    assert_eq!(fs::read_dir(&dir).unwrap().count(), 0);
    let again = bench.run(&["resume", "last"]);
    assert_eq!((again.code, again.out.as_str()), (2, ""), "{again:?}");
    assert!(again.err.contains("nothing to resume"), "{again:?}");
    assert!(again.err.contains("bakeoff show"), "{again:?}");
}

#[test]
fn signals_during_cleaning_do_not_stop_it() {
    if skip::lacks_command("strace") {
        return;
    }
    // Removing takes long enough to be met: each unlinkat(2) waits so long. A machine that is busy
    // may need more of it; a signal that stops the cleaning does so however long it takes.
    let is_met = [500_000, 5_000_000, 20_000_000].into_iter().any(is_met_in_cleaning);
    assert!(is_met, "cleaning was over before it could be disturbed");
}

/// Interrupts a run, and disturbs its cleaning with three signals more. Whether each of them came
/// while there still was something to remove.
fn is_met_in_cleaning(delay_us: u32) -> bool {
    let bench = Bench::new();
    let dir = bench.dir("d");
    let mut command = Command::new("strace");
    command.args(["-qq", "-o", "/dev/null", "-e", "trace=unlinkat"]);
    command.args(["-e", &format!("inject=unlinkat:delay_enter={delay_us}")]);
    let inner = quick(&bench, dir.to_str().unwrap());
    command.arg(inner.get_program()).args(inner.get_args()).current_dir(bench.path());
    for (name, value) in inner.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let mut run = Running::start(&mut command);
    let bakeoff = run.until("bakeoff under strace", |run| running::bakeoff_under(run.pid()));
    run.until_announced();
    running::send(bakeoff, Signal::INT);
    let mut is_met = true;
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        thread::sleep(Duration::from_millis(300));
        running::send(bakeoff, signal);
        is_met &= fs::read_dir(&dir).unwrap().next().is_some();
    }
    let ended = run.end();
    assert_eq!(ended.code, 130, "{ended:?}");
    assert_eq!(fs::read_dir(&dir).unwrap().count(), 0, "{ended:?}");
    assert!(bench.run(&["clean"]).err.contains("Nothing to clean up"));
    is_met
}

#[test]
fn a_killed_engine_costs_its_cell_and_not_the_run() {
    let bench = Bench::new();
    let dir = bench.dir("d");
    let mut run = Running::start(&mut quick(&bench, dir.to_str().unwrap()));
    let cell = run.until_in_a_cell(&bench.store());
    running::send(cell, Signal::KILL);
    let ended = run.end();
    assert_eq!(ended.code, 0, "{ended:?}");
    let events = bench.events("last");
    let invalid: Vec<_> = events.iter().filter_map(|e| e["what"].get("cell_invalid")).collect();
    assert_eq!(invalid.len(), 1, "{invalid:?}");
    assert!(invalid[0]["reason"].as_str().unwrap().contains("signal 9"), "{invalid:?}");
    let block = &invalid[0]["block"];
    let again = events.iter().filter_map(|e| e["what"].get("cell_done"));
    assert_eq!(again.filter(|cell| cell["block"] == *block).count(), 1, "it was not repeated");
    assert_eq!(fs::read_dir(&dir).unwrap().count(), 0);
}

#[test]
fn two_at_once_and_hands_off_a_living_run() {
    let bench = Bench::new();
    let dir = bench.dir("d");
    // Both in one directory and one store.
    let mut first = Running::start(&mut quick(&bench, dir.to_str().unwrap()));
    first.until_measuring();
    let id = bench.last_run();
    // Five commands may take longer than the run would.
    running::freeze_between_records(first.pid(), &bench.store());
    let refused = |args: &[&str], words: &str| {
        let ended = bench.run(args);
        assert_eq!((ended.code, ended.out.as_str()), (3, ""), "{args:?}: {ended:?}");
        assert!(ended.err.contains(&id) && ended.err.contains(words), "{args:?}: {ended:?}");
    };
    refused(&["resume", &id], "Wait until that process ends");
    refused(&["runs", "rm", &id], "is still in progress");
    assert!(bench.run(&["clean"]).err.contains("Nothing to clean up"));
    let shown = bench.run(&["show", &id]);
    assert!(shown.err.contains("is in progress"), "{shown:?}");
    first.signal(Signal::CONT);

    let second = Ended::from_output(quick(&bench, dir.to_str().unwrap()).output().unwrap());
    assert_eq!(second.code, 0, "{second:?}");
    let first = first.end();
    assert_eq!(first.code, 0, "{first:?}");
    assert_eq!(fs::read_dir(&dir).unwrap().count(), 0);

    // Both are kept, whole; a run that was imported is not gone on with.
    let runs = bench.run(&["runs", "--format", "json"]).json();
    assert_eq!(runs["runs"].as_array().unwrap().len(), 2, "{runs}");
    let bundle = bench.path().join("run.bundle");
    let bundle = bundle.to_str().unwrap();
    assert_eq!(bench.run(&["show", &id, "-o", bundle]).code, 0);
    assert_eq!(bench.run(&["runs", "rm", &id]).code, 0);
    assert_eq!(bench.run(&["runs", "add", bundle]).code, 0);
    let resumed = bench.run(&["resume", &id]);
    assert_eq!(resumed.code, 2, "{resumed:?}");
    assert!(resumed.err.contains("measured on another machine"), "{resumed:?}");
}
