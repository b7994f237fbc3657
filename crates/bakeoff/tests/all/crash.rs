//! kill -9 at ten seeded points, then `resume`: a complete run each time, no cell counted twice,
//! nothing left mounted, attached or on disk.
//!
//! The points are spread over preparation, blocks and cleaning up; a point after the end leaves a
//! finished run, which `resume` then says. Timings differ from run to run, so the seed repeats the
//! plan, not the instant; whatever the instant, the promise is the same.

use std::collections::HashMap;
use std::fs;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::bench::Bench;
use crate::on_image;
use crate::on_image::{MIB, RESUME, RUN, SMALL, alone, left, made, record, runs, with_twin};
use crate::running::Running;
use crate::skip;
use bakeoff_model::event::{Cell, Event, StopReason};
use bakeoff_model::index::{BlockIx, CandidateIx, WorkloadIx};
use bakeoff_model::run::{Block, BlockState, Run};
use bakeoff_stats::prng::SplitMix64;
use rustix::process::Signal;

/// Longest wait before the kill: into preparation, into blocks, past the first look.
const QUICK_MS: u64 = 30_000;
const DEMO_MS: u64 = 60_000;

/// Starts a run, kills it after a seeded while, resumes it and checks what stands.
fn killed_and_resumed(command: &mut Command, bench: &Bench, seed: u64, within_ms: u64) {
    let seed_text = seed.to_string();
    let mut child = command
        .args(["--time", "15m", "--seed", &seed_text])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let wait_ms = 50 + SplitMix64::derive(seed, &[within_ms]).below(within_ms);
    thread::sleep(Duration::from_millis(wait_ms));
    child.kill().unwrap();
    child.wait().unwrap();

    let context = format!("seed {seed}, killed after {wait_ms} ms");
    if bench.lines("last").is_empty() {
        // The kill came before the first event; there is nothing to go on with.
        assert_eq!(bench.leftovers(), Vec::<String>::new(), "{context}");
        return;
    }
    resume_to_the_end(bench, &context);
    assert_eq!(bench.attached(), Vec::<String>::new(), "{context}");
    assert_eq!(bench.leftovers(), Vec::<String>::new(), "{context}");
    check_record(bench, &context);
}

/// Resumes until enough blocks are complete, however long each takes on this machine, and once more
/// for so short a time that the run ends by itself: while nothing is settled it would go on.
fn resume_to_the_end(bench: &Bench, context: &str) {
    let mut running = Running::start(bench.bakeoff().args(["resume", "last", "--time", "15m"]));
    while running.is_running() && complete_blocks(bench) < 3 {
        thread::sleep(Duration::from_millis(500));
    }
    // It is asked once it handles the signal: a run whose blocks are complete is asked at once. What
    // has ended by itself may have lost its process id to another.
    while running.is_running() && !handles_interrupts(running.pid()) {
        thread::sleep(Duration::from_millis(20));
    }
    if running.is_running() {
        running.signal(Signal::INT);
    }
    let ended = running.end();
    let is_over = ended.code == 2 && ended.err.contains("nothing to resume");
    assert!(is_over || [0, 1, 130].contains(&ended.code), "{context}: {ended:?}");
    if ended.code == 130 {
        let resumed = bench.run(&["resume", "last", "--time", "1s"]);
        assert!([0, 1].contains(&resumed.code), "{context}: {resumed:?}");
    }
}

/// Whether a process has a handler for SIGINT, signal 2 of the mask in proc_pid_status(5).
fn handles_interrupts(pid: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    caught.is_some_and(|mask| u64::from_str_radix(mask.trim(), 16).unwrap() & 0b10 != 0)
}

/// Complete blocks of the run so far.
fn complete_blocks(bench: &Bench) -> usize {
    let lines = bench.lines("last");
    let events = lines.iter().filter_map(|line| serde_json::from_str(line).ok());
    Run::fold(&events.collect::<Vec<Event>>()).map_or(0, |run| run.complete_blocks().count())
}

/// Every cell a block has to have.
fn cells_of(block: &Block, run: &Run) -> Vec<(CandidateIx, WorkloadIx)> {
    let workloads = WorkloadIx::all(run.header.workloads.len());
    block.order.iter().flat_map(|c| workloads.clone().map(move |w| (*c, w))).collect()
}

/// Whether a cell was measured and found to be invalid.
fn is_thrown_away(run: &Run, block: BlockIx, candidate: CandidateIx, workload: WorkloadIx) -> bool {
    run.invalid.iter().any(|(b, c, w, ..)| (*b, *c, *w) == (block, candidate, workload))
}

/// The stored run is complete and counts every cell once.
fn check_record(bench: &Bench, context: &str) {
    let lines = bench.lines("last");
    let events: Vec<Event> = lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    let run = Run::fold(&events).unwrap();
    let (reason, note) = run.stopped.clone().unwrap();
    let is_complete =
        matches!(reason, StopReason::Decided | StopReason::LastBlock | StopReason::TimeUp);
    assert!(is_complete, "{context}: {reason:?}: {note}");
    assert_eq!(run.steps_to_undo().count(), 0, "{context}");
    assert!(run.complete_blocks().count() >= 3, "{context}");
    assert!(run.blocks.iter().all(|b| b.state != BlockState::Open), "{context}");
    for block in run.complete_blocks() {
        let mut seen: HashMap<(CandidateIx, WorkloadIx), u32> = HashMap::new();
        block.cells.iter().for_each(|c| *seen.entry((c.candidate, c.workload)).or_default() += 1);
        assert!(seen.values().all(|n| *n == 1), "{context}: {seen:?}");
        // What is missing was measured and thrown away.
        for (candidate, workload) in cells_of(block, &run) {
            let is_invalid = is_thrown_away(&run, block.block, candidate, workload);
            let is_there = seen.contains_key(&(candidate, workload));
            assert!(is_there || is_invalid, "{context}: {candidate} {workload}: {seen:?}");
        }
    }
}

#[test]
fn quick_killed_at_seven_points_resumes_to_a_complete_run() {
    let seeds = 1..=7;
    let threads: Vec<_> = seeds
        .map(|seed| {
            thread::spawn(move || {
                let bench = Bench::new();
                let (a, b) = (bench.dir("a"), bench.dir("b"));
                let dirs = [a.to_str().unwrap(), b.to_str().unwrap()];
                let args = ["quick", dirs[0], dirs[1], "--workload", "randwrite"];
                killed_and_resumed(bench.bakeoff().args(args), &bench, seed, QUICK_MS);
            })
        })
        .collect();
    threads.into_iter().for_each(|t| t.join().unwrap());
}

#[test]
fn demo_killed_at_three_points_leaves_nothing_and_resumes_to_a_complete_run() {
    if skip::lacks_root() || skip::lacks_command("mkfs.ext4") || skip::lacks_command("losetup") {
        return;
    }
    let threads: Vec<_> = (11..=13)
        .map(|seed| {
            thread::spawn(move || {
                let mut bench = Bench::new();
                let mut command = bench.bakeoff();
                command.current_dir(bench.small_disk());
                command.args(["demo", "--workload", "randwrite", "--max-write", "400g"]);
                killed_and_resumed(&mut command, &bench, seed, DEMO_MS);
            })
        })
        .collect();
    threads.into_iter().for_each(|t| t.join().unwrap());
}

#[test]
fn clean_undoes_what_a_killed_run_left_and_other_commands_only_say_so() {
    if skip::lacks_root() || skip::lacks_command("mkfs.ext4") || skip::lacks_command("losetup") {
        return;
    }
    let mut bench = Bench::new();
    let dir = bench.small_disk();
    let mut command = bench.bakeoff();
    let demo = ["demo", "--workload", "randwrite"];
    let mut running = Running::start(command.current_dir(&dir).args(demo));
    // Until something is attached there is little to undo.
    running.until("a mounted filesystem", |_| (bench.attached().len() >= 2).then_some(()));
    // Forgotten, it is killed.
    drop(running);
    assert_ne!(bench.leftovers(), Vec::<String>::new());
    let listed = bench.run(&["runs"]);
    assert!(listed.err.contains("bakeoff clean"), "{listed:?}");
    assert_ne!(bench.attached(), Vec::<String>::new(), "only clean and its like may undo");
    let cleaned = bench.run(&["clean"]);
    assert_eq!(cleaned.code, 0, "{cleaned:?}");
    assert!(cleaned.err.contains("Undid the changes"), "{cleaned:?}");
    assert_eq!(bench.attached(), Vec::<String>::new());
    assert_eq!(bench.leftovers(), Vec::<String>::new());
    let again = bench.run(&["clean"]);
    assert!(again.err.contains("Nothing to clean up"), "{again:?}");
}

/// What is done after each of ten kills, and the most events that a run gets on with before it:
/// preparing takes about a dozen, a visit as many.
const KILLS: [(Then, u64); 10] = [
    (Then::Resume, 2),
    (Then::Resume, 6),
    (Then::Clean, 9),
    (Then::Resume, 12),
    (Then::Resume, 16),
    (Then::Clean, 24),
    (Then::Resume, 24),
    (Then::Resume, 36),
    (Then::Clean, 36),
    (Then::Resume, 48),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Then {
    /// The next command resumes, and has to undo what is left first.
    Resume,
    /// `clean` undoes everything before.
    Clean,
}

#[test]
fn run_killed_at_ten_points_resumes_to_a_complete_run_and_leaves_nothing() {
    if on_image::lacks() {
        return;
    }
    let bench = Bench::new();
    made(&bench, &with_twin(SMALL), 96 * MIB);
    let mut recorded = 0;
    for (row, (then, most)) in (0_u64..).zip(KILLS) {
        let words: &[&str] = if recorded == 0 { &RUN } else { &RESUME };
        let point = recorded + 1 + SplitMix64::derive(21, &[row]).below(most);
        let mut running = Running::start(bench.bakeoff().args(words));
        recorded = running.until_recorded("the point", &bench.store(), |record| {
            let now = record.count();
            (now >= point).then_some(now)
        });
        // Forgotten, it is killed.
        drop(running);
        if then == Then::Clean {
            let cleaned = bench.run(&["clean"]);
            assert_eq!(cleaned.code, 0, "after kill {row}: {cleaned:?}");
            assert_eq!(left(&bench), Vec::<String>::new(), "after kill {row}: {cleaned:?}");
        }
    }
    let resumed = bench.run(&RESUME);
    assert!(resumed.code == 0 || resumed.code == 1, "{resumed:?}");
    assert_eq!(left(&bench), Vec::<String>::new());
    let (_, run) = record(&bench);
    let (reason, note) = run.stopped.clone().unwrap();
    assert!(!reason.is_resumable(), "{reason:?} {note}");
    assert_eq!(run.steps_to_undo().count(), 0);
    assert!(run.complete_blocks().count() >= 3, "{resumed:?}");
    for block in run.complete_blocks() {
        for (candidate, workload) in cells_of(block, &run) {
            let own = |c: &&Cell| (c.candidate, c.workload) == (candidate, workload);
            let times = block.cells.iter().filter(own).count();
            let is_invalid = is_thrown_away(&run, block.block, candidate, workload);
            assert!(times == 1 || times == 0 && is_invalid, "{}: {times}", block.block);
        }
    }
}

/// A job that would go on for long, in a session of its own.
const LONG_JOB: &str = "driver = \"fio\"\nrw = \"randwrite\"\nbs = \"4k\"\nsize = \"8m\"\n\
    fsync = 1\nruntime = \"300s\"";

/// fio's jobs went on writing for as long as they had to, and kept the filesystem mounted.
#[test]
fn what_a_tool_started_ends_with_a_run_that_is_killed_or_interrupted() {
    if on_image::lacks() || skip::lacks_command("fio") || skip::lacks_command("unshare") {
        return;
    }
    for signal in [Signal::KILL, Signal::INT] {
        let bench = Bench::new();
        let plan = alone(SMALL);
        let plan = plan.replace("rw = \"randwrite\"\nbs = \"4k\"\nfsync = 1", LONG_JOB);
        made(&bench, &plan, 96 * MIB);
        let mut running = Running::start(bench.bakeoff().args(RUN).args(["--time", "20h"]));
        running.until("fio's job", |_| (jobs_of_fio(&bench) == 1).then_some(()));
        running.signal(signal);
        running.end();
        let cleaned = bench.run(&["clean"]);
        assert_eq!(cleaned.code, 0, "{cleaned:?}");
        assert_eq!((jobs_of_fio(&bench), left(&bench)), (0, Vec::new()), "after {signal:?}");
    }
}

/// Processes of fio that lead a session and work on the stack of the test's run.
fn jobs_of_fio(bench: &Bench) -> usize {
    let names: Vec<String> = runs(bench).iter().map(|run| format!("/run/bakeoff/{run}/")).collect();
    let processes = std::fs::read_dir("/proc").unwrap().flatten().filter(|process| {
        let at = std::fs::read_link(process.path().join("cwd")).unwrap_or_default();
        let stat = std::fs::read_to_string(process.path().join("stat")).unwrap_or_default();
        let fields: Vec<&str> = stat.split_whitespace().collect();
        let leads = fields.len() > 5 && fields[0] == fields[5] && fields[1] == "(fio)";
        leads && names.iter().any(|name| at.to_string_lossy().contains(name))
    });
    processes.count()
}
