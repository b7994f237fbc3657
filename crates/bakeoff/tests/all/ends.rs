//! Ends that a reader who went away, or a store that was taken away, must not change.

use std::fs;
use std::process::{Command, Stdio};

use crate::bench::Bench;
use crate::running::Running;
use rusqlite::Connection;

/// The exit code with stdout closed at the other end.
fn unread(mut command: Command) -> Option<i32> {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    drop(child.stdout.take());
    child.wait().unwrap().code()
}

/// `bakeoff show last | head -1 && mkfs` went on: a closed stdout was exit 0 whatever the verdict.
#[test]
fn show_exits_by_its_verdict_when_nobody_reads_on() {
    let bench = Bench::new();
    let bundle = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/bundle/v0.1.0.jsonl");
    let imported = bench.run(&["runs", "add", bundle]);
    assert_eq!(imported.code, 0, "{imported:?}");
    let read = bench.run(&["show", "last"]).code;
    let run_is_cut = |bench: &Bench| {
        let mut command = bench.bakeoff();
        command.args(["show", "last"]);
        unread(command)
    };
    assert_eq!(run_is_cut(&bench), Some(read));
    // The same run without its end: its verdict is open.
    let store = Connection::open(bench.path().join("data/bakeoff/bakeoff.db")).unwrap();
    let cut = "DELETE FROM events WHERE seq = (SELECT max(seq) FROM events)";
    assert_eq!(store.execute(cut, []).unwrap(), 1);
    drop(store);
    assert_eq!(bench.run(&["show", "last"]).code, 1);
    assert_eq!(run_is_cut(&bench), Some(1));
}

/// SQLite went on with the file that had no name any more, and the run was gone without a word.
#[test]
fn a_store_that_is_removed_in_the_middle_is_an_error() {
    let bench = Bench::new();
    let dir = bench.dir("d");
    let mut command = bench.bakeoff();
    command.args(["quick", dir.to_str().unwrap(), "--workload", "randread"]);
    let mut run = Running::start(command.args(["--size", "16m", "--time", "20m"]));
    run.until_measuring();
    for name in ["bakeoff.db", "bakeoff.db-wal", "bakeoff.db-shm"] {
        let _ = fs::remove_file(bench.path().join("data/bakeoff").join(name));
    }
    let ended = run.end();
    assert_eq!(ended.code, 4, "{ended:?}");
    assert!(ended.err.contains("was removed or replaced"), "{ended:?}");
    assert_eq!(fs::read_dir(&dir).unwrap().count(), 0, "our files stayed");
}
