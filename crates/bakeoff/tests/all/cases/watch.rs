//! `watch`: how it ends.

use std::path::Path;
use std::process::{Child, Command, Stdio};

use rustix::process::Signal;

use crate::bench::{Bench, LoopDevice, must};
use crate::running::{Running, send, until_found};
use crate::skip;
use crate::terminal::Terminal;

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
    let image = bench.path().join("disk.img");
    must(Command::new("truncate").args(["-s", "64m"]).arg(&image));
    let disk = LoopDevice::over(&image);
    let args = ["watch", &disk.0, "--interval", "100ms", "--format", "csv"];
    let mut run = Running::start(bench.bakeoff().args(args));
    run.until("two rows", |run| (run.out().lines().count() > 2).then_some(()));
    drop(disk);
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
