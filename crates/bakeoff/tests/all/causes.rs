//! Causes made on purpose on this machine: each is attributed to itself. Those that need a disk of
//! their own are in tests/machines/test_causes.py.
//!
//! At the highest priority, so that what else runs here is not what holds back.

use std::process::Command;

use crate::bench;
use crate::bench::{Bench, Ended};
use crate::on_image::{MIB, RUN, lacks, made};

/// Runs bakeoff before everybody else.
fn first(bench: &Bench, args: &[&str]) -> Ended {
    let mut command = Command::new("nice");
    command.args(["-n", "-20", env!("CARGO_BIN_EXE_bakeoff")]).args(args);
    command.env("XDG_DATA_HOME", bench.path().join("data")).current_dir(bench.path());
    bench::ended_of(&mut command)
}

/// A run of one workload on ext4 in an image.
fn run(bench: &Bench, workload: &str) -> Ended {
    let plan = format!(
        "title = 'made'\n[region]\nsize = '64m'\n[[stack]]\nfs = 'ext4'\n[[workload]]\n{workload}\n\
         [protocol]\nmode = 'quick'\ncell_min = '500ms'\ncell_min_ios = 10\n"
    );
    made(bench, &plan, 96 * MIB);
    first(bench, &[&RUN[..], &["--format", "json", "--quiet"]].concat())
}

/// The cause that was named and whose it is.
fn named(ended: &Ended) -> (String, Option<String>) {
    assert!(ended.code == 0 || ended.code == 1, "{ended:?}");
    let result = ended.json();
    let reason = &result["verdicts"][0]["held_back"][0]["reason"];
    let text = |key: &str| reason[key].as_str().map(str::to_string);
    (text("cause").unwrap_or_else(|| panic!("no cause in {result:#}")), text("subject"))
}

#[test]
fn eight_bytes_a_call_are_held_back_by_system_calls() {
    if lacks() {
        return;
    }
    let bench = Bench::new();
    let ended = run(&bench, "rw = 'write'\nbs = 8\nsize = '4m'\nend_fsync = true");
    // Where others take the CPUs all the same, that is the cause, and the program says so.
    let (cause, subject) = named(&ended);
    let is_crowded = cause == "cpu" && subject.as_deref() == Some("other processes");
    let is_seen = ended.out.contains("\"L52\"");
    assert!(cause == "system_calls" || is_crowded || is_seen, "{}", ended.out);
}
