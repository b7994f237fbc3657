//! `watch`: its figures beside iostat's over one load, and how it ends.

use std::cell::Cell;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use rustix::process::Signal;

use crate::bench::{Bench, must};
use crate::running::{Running, send, until_found};
use crate::skip;
use crate::terminal::Terminal;

/// A loop device of its own over a file of ours; detached when dropped, and once only: its number
/// may be another's by then.
struct LoopDisk(String, Cell<bool>);

impl LoopDisk {
    fn new(bench: &Bench) -> LoopDisk {
        let image = bench.path().join("disk.img");
        must(Command::new("truncate").args(["-s", "64m"]).arg(&image));
        let said = must(Command::new("losetup").args(["--find", "--show"]).arg(&image));
        LoopDisk(said.trim().to_string(), Cell::new(true))
    }

    fn name(&self) -> &str {
        self.0.strip_prefix("/dev/").unwrap()
    }

    /// Reads, writes and sectors of both since it appeared.
    fn counters(&self) -> [f64; 4] {
        let text = std::fs::read_to_string(format!("/sys/block/{}/stat", self.name())).unwrap();
        let all: Vec<f64> = text.split_whitespace().map(|word| word.parse().unwrap()).collect();
        [all[0], all[4], all[2] / 2.0, all[6] / 2.0]
    }

    /// Reads and writes of unlike sizes, and flushes: no two figures are alike by chance.
    fn load(&self) {
        let of = format!("of={}", self.0);
        let write = ["if=/dev/zero", &of, "bs=64k", "count=300", "oflag=direct", "conv=fsync"];
        must(Command::new("dd").args(write));
        let from = format!("if={}", self.0);
        must(Command::new("dd").args([
            &from,
            "of=/dev/null",
            "bs=16k",
            "count=700",
            "iflag=direct",
        ]));
    }

    fn detach(&self) {
        if self.1.replace(false) {
            let _ = Command::new("losetup").arg("--detach").arg(&self.0).status();
        }
    }
}

impl Drop for LoopDisk {
    fn drop(&mut self) {
        self.detach();
    }
}

/// Figures by iostat's names.
type Figures = serde_json::Map<String, serde_json::Value>;

fn figure(figures: &Figures, name: &str) -> f64 {
    figures.get(name).and_then(serde_json::Value::as_f64).unwrap_or_else(|| {
        panic!("no {name} in {figures:?}");
    })
}

/// What both showed of one load.
struct Shown {
    ours: Figures,
    /// Length of our interval.
    elapsed_s: f64,
    theirs: Figures,
    /// What the kernel counted at least and at most between our two looks: others may have read
    /// from the device before and after.
    counted: [[f64; 4]; 2],
}

/// Both at once over one load that begins after the first look of both and ends before the last
/// one. `None` when the machine was too slow.
fn over_one_load(bench: &Bench, disk: &LoopDisk, seconds: u64) -> Option<Shown> {
    let grown = |from: [f64; 4], to: [f64; 4]| std::array::from_fn(|i| to[i] - from[i]);
    let before = disk.counters();
    let text = seconds.to_string();
    let mut iostat = Command::new("iostat");
    iostat.args(["-x", "-y", "-d", "-o", "JSON", disk.name(), &text, "1"]).env("LC_ALL", "C");
    let mut iostat = Running::start(&mut iostat);
    let args = ["watch", disk.name(), "--format", "csv", "--interval", &text, "--time", &text];
    let mut ours = Running::start(bench.bakeoff().args(args));
    // The header comes after the first look; iostat sleeps after its own.
    ours.until("the header", |run| run.out().contains("util\n").then_some(()));
    iostat.until("a sleeping iostat", |run| sleeps(run.pid()).then_some(()));
    sleep(Duration::from_millis(300));
    let began = disk.counters();
    disk.load();
    let ended = disk.counters();
    let (we_run, it_runs) = (ours.is_running(), iostat.is_running());
    let (ours, iostat) = (ours.end(), iostat.end());
    assert_eq!((ours.code, iostat.code), (0, 0), "{ours:?} {iostat:?}");
    if !(we_run && it_runs) {
        return None;
    }
    let mut lines = ours.out.lines().map(|line| line.split(','));
    let (names, values) = (lines.next().unwrap(), lines.next().unwrap());
    let pairs = names.zip(values).map(|(name, value)| {
        (name.to_string(), value.parse::<f64>().map_or(value.into(), serde_json::Value::from))
    });
    let figures: Figures = pairs.collect();
    let host = &iostat.json()["sysstat"]["hosts"][0]["statistics"][0]["disk"][0];
    Some(Shown {
        elapsed_s: figure(&figures, "elapsed_ns") / 1e9,
        ours: figures,
        theirs: host.as_object().unwrap().clone(),
        counted: [grown(began, ended), grown(before, disk.counters())],
    })
}

/// Whether a process waits, three times in a row.
fn sleeps(pid: u32) -> bool {
    (0..3).all(|_| {
        sleep(Duration::from_millis(20));
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('S'))
    })
}

/// Rates differ by the length of the two intervals, by one factor for all; means do not differ.
fn agree(Shown { ours, elapsed_s, theirs, .. }: &Shown) -> Result<(), String> {
    for name in ["r_await", "w_await", "f_await", "rareq-sz", "wareq-sz", "rrqm", "wrqm"] {
        let (a, b) = (figure(ours, name), figure(theirs, name));
        // iostat prints two decimals.
        if (a - b).abs() > 0.0051 {
            return Err(format!("{name}: {a} and {b}"));
        }
    }
    let mut factors = Vec::new();
    for name in ["r/s", "w/s", "rkB/s", "wkB/s", "aqu-sz", "util"] {
        let (a, b) = (figure(ours, name) * elapsed_s, figure(theirs, name));
        // Below that two decimals are too few to divide by.
        if b >= 1.0 {
            factors.push((name, a / b));
        }
    }
    let (_, first) = *factors.first().ok_or("iostat saw nothing")?;
    match factors.iter().find(|(_, factor)| (factor / first - 1.0).abs() > 0.01) {
        Some(other) => Err(format!("{other:?} in {factors:?}")),
        None if factors.len() < 4 => Err(format!("too few figures: {factors:?}")),
        None => Ok(()),
    }
}

#[test]
fn figures_are_those_of_iostat_over_the_same_load() {
    if skip::lacks_root() || skip::lacks_command("iostat") || skip::lacks_loop_devices() {
        return;
    }
    let bench = Bench::new();
    let disk = LoopDisk::new(&bench);
    let mut why = String::new();
    // A machine that was busy elsewhere gets more time; figures that differ stay different.
    for seconds in [4, 12, 40, 120] {
        let Some(shown) = over_one_load(&bench, &disk, seconds) else {
            why = format!("the load took longer than {seconds} s");
            continue;
        };
        let [least, most] = shown.counted;
        for (i, name) in ["r/s", "w/s", "rkB/s", "wkB/s"].into_iter().enumerate() {
            let ours = figure(&shown.ours, name) * shown.elapsed_s;
            let slack = 1.0 + ours * 0.001;
            let is_counted = (least[i] - slack..most[i] + slack).contains(&ours);
            assert!(is_counted, "{name}: {ours}, kernel {} to {}", least[i], most[i]);
        }
        match agree(&shown) {
            Ok(()) => return,
            Err(what) => why = what,
        }
    }
    panic!("{why}");
}

/// bakeoff with its stdout in a pipe that is read here.
fn piped(bench: &Bench, args: &[&str]) -> Child {
    bench.bakeoff().args(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn code_of(child: &mut Child) -> Option<i32> {
    until_found("end", || child.try_wait().unwrap()).code()
}

#[test]
fn it_ends_when_nobody_reads_and_when_it_is_told_to() {
    use std::io::{BufRead, BufReader};
    let bench = Bench::new();
    let mut child = piped(&bench, &["watch", "--interval", "100ms", "--format", "json"]);
    let mut line = String::new();
    // The pipe is closed when the reader goes.
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.contains("bakeoff/watch/1"), "{line}");
    assert_eq!(code_of(&mut child), Some(0));

    let mut child = piped(&bench, &["watch", "--format", "csv"]);
    let mut out = BufReader::new(child.stdout.take().unwrap());
    out.read_line(&mut line).unwrap();
    send(child.id(), Signal::INT);
    assert_eq!(code_of(&mut child), Some(130));
}

#[test]
fn a_device_that_goes_away_ends_it_and_says_so() {
    if skip::lacks_root() || skip::lacks_loop_devices() {
        return;
    }
    let bench = Bench::new();
    let disk = LoopDisk::new(&bench);
    let args = ["watch", &disk.0, "--interval", "100ms", "--format", "csv"];
    let mut run = Running::start(bench.bakeoff().args(args));
    run.until("two rows", |run| (run.out().lines().count() > 2).then_some(()));
    disk.detach();
    let ended = run.end();
    assert_eq!(ended.code, 4, "{ended:?}");
    assert!(ended.err.contains("detached") && ended.err.contains("bakeoff devices"), "{ended:?}");
}

#[test]
fn a_terminal_is_given_back_as_it_was() {
    if skip::lacks_command("tmux") {
        return;
    }
    let bench = Bench::new();
    let terminal = Terminal::new(bench.path());
    let tmux = |args: &[&str]| terminal.tmux(args);
    let program = Path::new(env!("CARGO_BIN_EXE_bakeoff")).display().to_string();
    let shell = format!("'{program}' watch --interval 200ms; echo code=$?; sleep 3600");
    terminal.start(&shell);
    let see = |what: &str, flags: &str| {
        until_found(what, || {
            let screen = tmux(&["capture-pane", "-p"]);
            let is_alternate = tmux(&["display-message", "-p", "#{alternate_on}"]);
            let is_seen = screen.contains(what) && is_alternate.trim() == flags;
            is_seen.then_some(screen)
        })
    };
    let drawn = see("%util", "1");
    assert!(drawn.lines().all(|line| line.chars().count() <= 80), "{drawn}");
    tmux(&["send-keys", "C-c"]);
    let left = see("code=130", "0");
    assert!(left.contains("%util"), "what was last seen stays: {left}");
}
