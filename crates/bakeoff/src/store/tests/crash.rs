//! A writer killed at any moment leaves a store that opens, with everything it was told is safe.
//!
//! The writer is this test program started again with [`CHILD`] as its only test; it is killed
//! with SIGKILL at moments drawn from a fixed seed.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use bakeoff_model::event::{Event, What};
use bakeoff_model::index::{BlockIx, CandidateIx};
use bakeoff_model::run::Run;
use bakeoff_stats::prng::SplitMix64;

use super::suite::record;
use crate::store::sqlite::Sqlite;
use crate::store::{Records, RunId};

const CHILD: &str = "store::tests::crash::writer_that_is_killed";
const STORE: &str = "BAKEOFF_TEST_STORE";
const KILLS: u32 = 12;
/// Events of one append; after a kill there are all of them or none.
const BATCH: u64 = 3;
const SEED: u64 = 20_261_120;

/// Starts the writer on `store`, under `wrapper` if there is one.
pub fn start(child: &str, store: &Path, wrapper: &[&str]) -> Child {
    let us = std::env::current_exe().expect("this program has a path");
    let words: Vec<PathBuf> = wrapper.iter().map(PathBuf::from).chain([us]).collect();
    Command::new(&words[0])
        .args(&words[1..])
        .args([child, "--exact", "--ignored", "--nocapture", "--test-threads=1"])
        .env(STORE, store)
        .stdout(Stdio::piped())
        .spawn()
        .expect("this program starts again")
}

/// The store the parent named.
pub fn store_of_child() -> PathBuf {
    std::env::var_os(STORE).expect("started by its parent test").into()
}

/// One block more, as the runner appends them.
pub fn batch(seq: u64) -> Vec<Event> {
    let block = BlockIx::new(usize::try_from(seq / BATCH).expect("a short test"));
    [
        What::BlockStarted { block, order: CandidateIx::all(2).collect(), round: None },
        What::Sentinel { block, bytes_per_s: 1e8 },
        What::BlockDone { block },
    ]
    .into_iter()
    .zip(seq..)
    .map(|(what, seq)| Event { seq, unix_ns: 1, elapsed_ns: seq, what })
    .collect()
}

/// The run the writers write, begun when it is not there.
pub fn begin(store: &mut Sqlite) -> (RunId, u64) {
    let first = record(1).swap_remove(0);
    match store.find("last") {
        Ok(run) => {
            let next = store.lines(&run).expect("readable").len() as u64;
            (run, next)
        }
        Err(_) => (store.create(&first).expect("a new run"), 1),
    }
}

#[test]
#[ignore = "not a test: the child of a_killed_writer_loses_nothing_it_was_told_is_safe"]
fn writer_that_is_killed() {
    let mut store = Sqlite::open(&store_of_child()).expect("opens after every kill");
    let (run, mut seq) = begin(&mut store);
    let mut out = std::io::stdout();
    loop {
        writeln!(out, "safe {seq}").and_then(|()| out.flush()).expect("the parent listens");
        store
            .append(&run, &batch(seq - 1).into_iter().map(shifted).collect::<Vec<_>>())
            .expect("appends");
        seq += BATCH;
    }
}

/// The header is event 0, so block n begins at event 1 + 3 n.
fn shifted(event: Event) -> Event {
    Event { seq: event.seq + 1, ..event }
}

#[test]
fn a_killed_writer_loses_nothing_it_was_told_is_safe() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let path = dir.path().join("s.db");
    let mut random = SplitMix64::new(SEED);
    let mut before = 0;
    for kill in 0..KILLS {
        let mut child = start(CHILD, &path, &[]);
        let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        let mut safe = 0;
        let mut note = |line: std::io::Result<String>| {
            let line = line.expect("text");
            if let Some(seq) = line.strip_prefix("safe ") {
                safe = seq.parse::<u64>().expect("a number");
            }
            !line.starts_with("safe ")
        };
        // The test harness prints a line or two of its own first. At the second number one append
        // is complete, however slow the disk is.
        for _ in 0..2 {
            while lines.next().is_some_and(&mut note) {}
        }
        std::thread::sleep(Duration::from_micros(random.below(40_000)));
        child.kill().expect("it runs");
        child.wait().expect("it ends");
        lines.for_each(|line| {
            note(line);
        });
        let store = Sqlite::open(&path).expect("opens after every kill");
        let run = store.find("last").expect("there");
        let events = store.load(&run).expect("no gap, every event whole");
        let stored = events.len() as u64;
        assert!(stored >= safe && stored >= before, "kill {kill}: {stored} < {safe} or {before}");
        assert_eq!(stored % BATCH, 1, "kill {kill}: an append came in half");
        let folded = Run::fold(&events).expect("folds");
        assert_eq!(folded.complete_blocks().count() as u64, stored / BATCH);
        before = stored;
    }
    assert!(before > BATCH * u64::from(KILLS), "the writers wrote");
}
