//! A bakeoff that runs while the test watches it, signals it, or takes something away from it.

// Each test file uses its part of this.
#![allow(dead_code)]
// A helper of tests may panic: that is how a test fails.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::bench::Ended;
use crate::recorded::{OpenStore, Record};

/// Longest that anything is waited for. Generous: a busy machine may be slow, a hang is a failure.
const PATIENCE: Duration = Duration::from_secs(600);
/// Shortest pause between two looks.
const PAUSE: Duration = Duration::from_millis(5);

/// A started bakeoff; killed when the test forgets it.
pub struct Running {
    child: Child,
    out: tempfile::NamedTempFile,
    err: tempfile::NamedTempFile,
}

impl Running {
    /// Starts it with both streams kept.
    pub fn start(command: &mut Command) -> Running {
        let [out, err] = [(); 2].map(|()| tempfile::NamedTempFile::new().unwrap());
        let file = |kept: &tempfile::NamedTempFile| Stdio::from(kept.reopen().unwrap());
        let child = command.stdout(file(&out)).stderr(file(&err)).spawn().unwrap();
        Running { child, out, err }
    }

    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// What it has said on stderr so far.
    pub fn err(&self) -> String {
        String::from_utf8_lossy(&fs::read(self.err.path()).unwrap()).into_owned()
    }

    /// What it has said on stdout so far.
    pub fn out(&self) -> String {
        String::from_utf8_lossy(&fs::read(self.out.path()).unwrap()).into_owned()
    }

    /// Whether it has not ended yet.
    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// Waits until `found` gives something; a run that ends before is a failure.
    pub fn until<T>(&mut self, what: &str, mut found: impl FnMut(&Running) -> Option<T>) -> T {
        let since = Instant::now();
        loop {
            let looked = Instant::now();
            if let Some(found) = found(self) {
                return found;
            }
            let took = looked.elapsed();
            let ended = self.child.try_wait().unwrap();
            assert!(ended.is_none(), "ended ({ended:?}) before {what}: {}", self.err());
            assert!(since.elapsed() < PATIENCE, "no {what}: {}", self.err());
            // A look that starts a program leaves most of a processor to what is waited for.
            thread::sleep(PAUSE.max(2 * took));
        }
    }

    /// Waits until the plan has been said, after which the first block begins.
    pub fn until_announced(&mut self) {
        self.until("the plan", |run| run.err().contains("Ctrl-C stops").then_some(()));
    }

    /// Waits until a process measures; gives its id.
    pub fn until_measuring(&mut self) -> u32 {
        self.until_announced();
        self.until("a measuring process", |run| engine_of(run.pid()))
    }

    /// Waits until a process measures a cell of the last run in `store`, not a ceiling or the
    /// sentinel, and holds that process; gives its id. The run waits for it, so that it still is in
    /// that cell whenever the test does something to it.
    pub fn until_in_a_cell(&mut self, store: &Path) -> u32 {
        self.until_announced();
        let mut open = None;
        self.until("a cell", |run| {
            let open: &OpenStore = opened(&mut open, store)?;
            let is_visited = || open.look(|record| record.last_kind() == "visit_started");
            let engine = engine_of(run.pid()).filter(|_| is_visited())?;
            let is_held = stops(engine);
            // Before it was held it may have come to its end, and another one have begun.
            let is_of_a_cell = is_held && is_visited() && engine_of(run.pid()) == Some(engine);
            if !is_of_a_cell {
                send(engine, Signal::CONT);
            }
            is_of_a_cell.then_some(engine)
        })
    }

    /// Waits until the record in `store` has something.
    pub fn until_recorded<T>(
        &mut self,
        what: &str,
        store: &Path,
        mut found: impl FnMut(&Record) -> Option<T>,
    ) -> T {
        let mut open = None;
        self.until(what, |_| opened(&mut open, store)?.look(&mut found))
    }

    /// Waits until something is so of the record in `store`, and holds the run there until it is
    /// sent [`Signal::CONT`]. It is not recording anything, so that others can use the store.
    pub fn held_when(&mut self, what: &str, store: &Path, is_so: impl Fn(&Record) -> bool) {
        let mut open = None;
        self.until(what, |run| {
            let hold = |record: &Record| is_so(record).then(|| freeze(run.pid()));
            opened(&mut open, store)?.held(hold)
        });
    }

    /// Sends it a signal.
    pub fn signal(&self, signal: Signal) {
        send(self.pid(), signal);
    }

    /// Waits for its end.
    pub fn end(mut self) -> Ended {
        let since = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(since.elapsed() < PATIENCE, "it does not end: {}", self.err());
            thread::sleep(PAUSE);
        };
        let read = |kept: &tempfile::NamedTempFile| fs::read(kept.path()).unwrap();
        Ended::from_output(std::process::Output {
            status,
            stdout: read(&self.out),
            stderr: read(&self.err),
        })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Ended already, or a failed test: then nothing of it may go on.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends a signal to a process, which may have ended meanwhile.
pub fn send(pid: u32, signal: Signal) {
    let _ = kill_process(Pid::from_raw(pid as i32).unwrap(), signal);
}

/// Holds a process where it is until it is sent [`Signal::CONT`]: what a test looks at meanwhile
/// does not depend on how fast the process would be.
pub fn freeze(pid: u32) {
    assert!(stops(pid), "process {pid} has ended");
}

/// The same for a process that may have ended; whether it is held.
fn stops(pid: u32) -> bool {
    send(pid, Signal::STOP);
    let since = Instant::now();
    loop {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let state = stat.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next());
        match state {
            Some('T') => return true,
            Some('Z') | None => return false,
            Some(_) => assert!(since.elapsed() < PATIENCE, "process {pid} does not stop"),
        }
        thread::sleep(PAUSE);
    }
}

/// Holds a run that records into `store` where it is not recording anything: who has the store's
/// lock when it is held would keep everybody else waiting.
pub fn freeze_between_records(pid: u32, store: &Path) {
    OpenStore::open(store).expect("a run has begun").held(|_| freeze(pid));
}

/// The store, opened at the first look at which there is one.
fn opened<'s>(open: &'s mut Option<OpenStore>, store: &Path) -> Option<&'s mut OpenStore> {
    if open.is_none() {
        *open = OpenStore::open(store);
    }
    open.as_mut()
}

/// Waits until a look finds something.
pub fn until_found<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let since = Instant::now();
    loop {
        let looked = Instant::now();
        if let Some(found) = look() {
            return found;
        }
        let took = looked.elapsed();
        assert!(since.elapsed() < PATIENCE, "no {what}");
        thread::sleep(PAUSE.max(2 * took));
    }
}

/// Waits until something is so.
pub fn until_so(what: &str, mut is_so: impl FnMut() -> bool) {
    until_found(what, || is_so().then_some(()));
}

/// Ends what a thread does beside a test, also when the test fails: the test would wait for it for
/// ever.
pub struct EndsWith<'f>(pub &'f AtomicBool);

impl Drop for EndsWith<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Whether that is the first argument of a process that measures.
fn measures(word: &[u8]) -> bool {
    [&b"__engine"[..], b"__slices"].contains(&word)
}

/// The measuring process that `parent` has started, if one runs.
pub fn engine_of(parent: u32) -> Option<u32> {
    let pids = fs::read_dir("/proc").unwrap().flatten();
    pids.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok()).find(|pid| {
        let is_engine = fs::read(format!("/proc/{pid}/cmdline"))
            .is_ok_and(|words| words.split(|b| *b == 0).nth(1).is_some_and(measures));
        is_engine && parent_of(*pid) == Some(parent)
    })
}

/// Field 4 of proc_pid_stat(5), after the name in parentheses, which may hold anything.
fn parent_of(pid: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

/// The bakeoff that another program has started.
pub fn bakeoff_under(parent: u32) -> Option<u32> {
    let children = fs::read_to_string(format!("/proc/{parent}/task/{parent}/children")).ok()?;
    children.split_whitespace().filter_map(|pid| pid.parse().ok()).find(|pid| {
        fs::read_link(format!("/proc/{pid}/exe")).is_ok_and(|exe| exe.ends_with("bakeoff"))
    })
}
