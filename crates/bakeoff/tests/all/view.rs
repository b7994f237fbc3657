//! `--tui` and `t` in a real terminal: what is seen, what keys do, and a terminal that is whole
//! however the view or the run ends. A run in a session of its own is held where it is while a test
//! looks, so that no disk is so fast that it ends meanwhile.

use std::cell::RefCell;
use std::path::Path;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::bench::{Bench, must};
use crate::running::{bakeoff_under, freeze_between_records, send, until_found};
use crate::skip;
use crate::terminal::Terminal;

/// Longest wait: a busy machine may be slow, a hang is a failure.
const PATIENCE: Duration = Duration::from_secs(300);
/// What is typed into the shell to see the settings of its terminal, in words that the line itself
/// does not have.
const SETTINGS: &str = "stty -a | tr ' ' '\\n' | grep -Ex -- '-?(icanon|echo|isig);?' | paste -sd+";
/// What it prints where they are as a shell wants them.
const WHOLE: &str = "isig+icanon+echo";

/// A shell in a terminal of 80 x 24, in the directory of a test.
struct Shell<'b> {
    bench: &'b Bench,
    terminal: Terminal,
    lines: RefCell<u32>,
}

impl<'b> Shell<'b> {
    fn new(bench: &'b Bench) -> Shell<'b> {
        let terminal = Terminal::new(bench.path());
        let data = bench.path().join("data");
        let here = bench.path().display();
        let shell = format!("cd '{here}'; XDG_DATA_HOME='{}' PS1='$ ' exec sh", data.display());
        terminal.start(&shell);
        Shell { bench, terminal, lines: RefCell::new(0) }
    }

    fn screen(&self) -> String {
        self.terminal.tmux(&["capture-pane", "-p"])
    }

    fn is_alternate(&self) -> bool {
        self.terminal.tmux(&["display-message", "-p", "#{alternate_on}"]).trim() == "1"
    }

    fn keys(&self, keys: &[&str]) {
        self.terminal.tmux(&[&["send-keys"], keys].concat());
    }

    /// Types a line; gives what is behind it when its output is complete.
    fn says(&self, line: &str) -> String {
        *self.lines.borrow_mut() += 1;
        let end = format!("end-of-{}", self.lines.borrow());
        // Broken in two, so that the typed line is not taken for its output.
        let (a, b) = end.split_at(3);
        self.keys(&["-l", &format!("{line}; echo {a}''{b}")]);
        self.keys(&["Enter"]);
        self.until(&end, |screen| screen.lines().any(|line| line == end))
    }

    fn until(&self, what: &str, found: impl Fn(&str) -> bool) -> String {
        let since = Instant::now();
        loop {
            let screen = self.screen();
            if found(&screen) {
                return screen;
            }
            assert!(since.elapsed() < PATIENCE, "no {what}: {screen}");
            sleep(Duration::from_millis(50));
        }
    }

    /// Waits until the view has the screen and shows that.
    fn sees(&self, what: &str) -> String {
        let shown = self.until(what, |screen| screen.contains(what) && self.is_alternate());
        let width = shown.lines().map(|line| line.chars().count()).max();
        assert!(width <= Some(100), "{shown}");
        shown
    }

    /// Begins a comparison of so many places, which only reads; gives the process that was typed.
    fn begin(&self, more: &str, places: usize) -> u32 {
        let names: Vec<String> = (1..=places).map(|n| format!("place-{n}")).collect();
        for name in &names {
            self.bench.dir(name);
        }
        let program = Path::new(env!("CARGO_BIN_EXE_bakeoff")).display();
        let quick = "quick --time 1h --size 16m --workload randread,seqread";
        let names = names.join(" ");
        self.keys(&["-l", &format!("clear; '{program}' {quick} {more} {names}; echo code=$?")]);
        self.keys(&["Enter"]);
        let shell = self.terminal.tmux(&["display-message", "-p", "#{pane_pid}"]);
        let shell: u32 = shell.trim().parse().unwrap();
        until_found("bakeoff", || bakeoff_under(shell))
    }

    /// Begins one of two places with `--tui`, and holds it once it is seen: the process that was
    /// typed, and the run.
    fn begin_view(&self) -> (u32, u32) {
        let typed = self.begin("--tui", 2);
        self.sees(" left");
        let run = child_of(typed, b"__session");
        freeze_between_records(run, &self.bench.store());
        (typed, run)
    }

    /// Begins one that prints lines and shows it; it takes half a minute at the least.
    fn begin_lines(&self) -> u32 {
        let run = self.begin("", 12);
        self.until("hint", |screen| screen.contains("Press t for the full"));
        self.keys(&["t"]);
        self.sees("q back to line output");
        run
    }

    /// The terminal is as it was, and so is the screen.
    fn is_whole(&self) {
        self.until("main screen", |_| !self.is_alternate());
        let said = self.says(SETTINGS);
        assert!(said.contains(WHOLE), "{said}");
        let cursor = self.terminal.tmux(&["display-message", "-p", "#{cursor_flag}"]);
        assert_eq!(cursor.trim(), "1", "the cursor is hidden");
    }
}

/// The process that `parent` started with that first argument.
fn child_of(parent: u32, word: &[u8]) -> u32 {
    let is_it = |pid: &u32| {
        let words = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        words.split(|byte| *byte == 0).nth(1) == Some(word)
    };
    // A list that is read while a child ends may lack another one (proc_pid_children(5)).
    until_found("child", || {
        let pids =
            std::fs::read_to_string(format!("/proc/{parent}/task/{parent}/children")).ok()?;
        pids.split_whitespace().filter_map(|pid| pid.parse().ok()).find(is_it)
    })
}

/// The process that draws for `parent`.
fn view_of(parent: u32) -> u32 {
    child_of(parent, b"__show")
}

#[test]
fn a_run_is_seen_on_the_whole_terminal_and_stopped_there() {
    if skip::lacks_command("tmux") {
        return;
    }
    let bench = Bench::new();
    let shell = Shell::new(&bench);
    let before = shell.says(SETTINGS);
    assert!(before.contains(WHOLE), "{before}");
    let (_, run) = shell.begin_view();
    let shown = shell.sees("random reads");
    for word in ["place-1", "place-2", "processors", "q stop the run", "p pause display", "left"] {
        assert!(shown.contains(word), "{word}: {shown}");
    }
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
    // Which workload the line below the matrix is about.
    let about = |name: &str| format!("{name}, share of the leader:");
    let is_about = |screen: &str, name: &str| {
        screen.contains(&about(name)) || screen.contains(&format!("{name}: no interval"))
    };
    shell.until("the first workload", |screen| is_about(screen, "random reads"));
    shell.keys(&["w"]);
    shell.until("the next workload", |screen| is_about(screen, "sequential reads"));
    shell.keys(&["p"]);
    shell.sees("p continue");
    shell.keys(&["p"]);
    shell.sees("p pause display");
    shell.keys(&["d"]);
    shell.sees("d machine");
    shell.keys(&["d"]);
    shell.sees("processors");
    shell.terminal.tmux(&["resize-window", "-x", "100", "-y", "30"]);
    let wide = shell.until("the larger picture", |screen| {
        screen.lines().count() == 30 && screen.lines().last().unwrap().contains("q stop the run")
    });
    assert!(wide.contains("processors"), "{wide}");
    shell.terminal.tmux(&["resize-window", "-x", "80", "-y", "24"]);
    shell.until("the smaller picture", |screen| {
        screen.lines().count() == 24 && screen.lines().last().unwrap().contains("q stop the run")
    });
    shell.keys(&["q"]);
    shell.sees("y: yes");
    shell.keys(&["n"]);
    shell.sees("q stop the run");
    shell.keys(&["q", "y"]);
    shell.until("notice", |screen| screen.contains("Stopping the run"));
    send(run, Signal::CONT);
    shell.until("exit code", |screen| screen.contains("code=130"));
    shell.is_whole();
    assert_eq!(bench.leftovers(), [""; 0]);
}

#[test]
fn a_killed_view_leaves_the_run_and_a_whole_terminal() {
    if skip::lacks_command("tmux") {
        return;
    }
    let bench = Bench::new();
    let shell = Shell::new(&bench);
    let (typed, run) = shell.begin_view();
    send(view_of(typed), Signal::KILL);
    shell.until("notice", |screen| screen.contains("The run continues; Ctrl-C stops it."));
    assert!(!shell.is_alternate());
    shell.keys(&["C-c"]);
    send(run, Signal::CONT);
    shell.until("exit code", |screen| screen.contains("code=130"));
    shell.is_whole();
    // As a panic would, with a word about it; and the other way to end it.
    let (typed, run) = shell.begin_view();
    send(view_of(typed), Signal::ABORT);
    shell.until("notice", |screen| screen.contains("The run continues; Ctrl-C stops it."));
    send(typed, Signal::TERM);
    send(run, Signal::CONT);
    shell.until("exit code", |screen| screen.contains("code=130"));
    shell.is_whole();
    assert_eq!(bench.leftovers(), [""; 0]);
}

#[test]
fn a_killed_run_leaves_a_whole_terminal() {
    if skip::lacks_command("tmux") {
        return;
    }
    let bench = Bench::new();
    let shell = Shell::new(&bench);
    for (signal, code) in [(Signal::TERM, Some("code=130")), (Signal::KILL, None)] {
        let (typed, run) = shell.begin_view();
        send(typed, signal);
        send(run, Signal::CONT);
        // What a shell says of a killed job may be on the screen of the view.
        if let Some(code) = code {
            shell.until(code, |screen| screen.contains(code));
        }
        shell.is_whole();
        // The run has a session of its own.
        send(run, Signal::INT);
        shell.until("the end of the run", |_| !Path::new(&format!("/proc/{run}")).exists());
    }
    assert_eq!(bench.leftovers(), [""; 0]);
}

#[test]
fn t_shows_a_run_that_prints_lines_and_q_leads_back_to_them() {
    if skip::lacks_command("tmux") {
        return;
    }
    let bench = Bench::new();
    let shell = Shell::new(&bench);
    let run = shell.begin_lines();
    shell.keys(&["q"]);
    shell.until("lines again", |screen| screen.contains("Press t") && !shell.is_alternate());
    shell.keys(&["x", "t"]);
    shell.sees("q back to line output");
    send(view_of(run), Signal::KILL);
    shell.until("lines again", |screen| screen.contains("Press t") && !shell.is_alternate());
    shell.keys(&["C-c"]);
    shell.until("exit code", |screen| screen.contains("code=130"));
    shell.is_whole();
    let run = shell.begin_lines();
    send(run, Signal::KILL);
    shell.is_whole();
    must(bench.bakeoff().arg("clean"));
    // Ctrl-C in the view stops the run as it does elsewhere.
    shell.begin_lines();
    shell.keys(&["C-c"]);
    shell.until("exit code", |screen| screen.contains("code=130"));
    shell.is_whole();
    assert_eq!(bench.leftovers(), [""; 0]);
}

#[test]
fn without_a_terminal_it_says_so() {
    let bench = Bench::new();
    let place = bench.dir("place");
    let ended = bench.run(&["quick", "--tui", place.to_str().unwrap()]);
    assert!(ended.code == 2 && ended.err.contains("--tui needs a terminal"), "{ended:?}");
    let mut script = Command::new("sh");
    // A job in the background reads no keys, so that nobody stops it.
    let program = env!("CARGO_BIN_EXE_bakeoff");
    script.args(["-c", &format!("'{program}' watch --tui")]).stdin(std::process::Stdio::null());
    let ended = crate::bench::ended_of(&mut script);
    assert!(ended.code == 2 && ended.err.contains("--tui needs a terminal"), "{ended:?}");
}
