//! `--tui`: a run on the whole terminal.
//!
//! The run is a process of its own, as it is without this view, and the view is a reader of the
//! store: a view that fails or is killed takes nothing from a run.

mod draw;
mod follow;
mod state;

use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::process::Child;
use std::time::{Duration, Instant};

use bakeoff_core::model::path::printable;
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEventKind, KeyModifiers};
use rustix::process::{Pid, Signal, kill_process};

use crate::cli::Global;
use crate::exec::{background, internal};
use crate::fault::{Fault, Outcome};
use crate::host::{Devices, Live};
use crate::signals::Cancel;
use crate::ui::say;
use follow::{Follow, Whose};
use state::{Key, State};

/// Between two looks at the machine.
const INTERVAL: Duration = Duration::from_secs(1);
/// How long a key is waited for.
const TICK: Duration = Duration::from_millis(100);
/// Most of what a run printed that is shown when the view ends.
const PRINTED_BYTES: u64 = 256 << 10;

/// Runs this command again without `--tui`, with these tokens, and shows it.
pub fn around(global: &Global, tokens: &[String]) -> Result<Outcome, Fault> {
    let (stdin, stdout) = (std::io::stdin(), std::io::stdout());
    if !(rustix::termios::isatty(stdin) && rustix::termios::isatty(stdout)) {
        return Err(Fault::usage("--tui needs a terminal. Leave it out to print lines"));
    }
    let cancel = Cancel::listen().map_err(Fault::environment)?;
    let store = crate::store::place::path(global.store.as_deref())?;
    let [out, err] = [(); 2].map(|()| tempfile::tempfile());
    let (mut out, mut err) = (out.map_err(Fault::environment)?, err.map_err(Fault::environment)?);
    let args = arguments(internal::typed_args(), tokens);
    let mut child = background::beside(&args, &out, &err).map_err(Fault::environment)?;
    let follow = Follow::start(store, Whose::Process(child.id()));
    let shown = show(&follow, INTERVAL, &cancel, Some(&mut child));
    // The view is over; the run decides when it ends.
    let status = child.wait().map_err(Fault::environment)?;
    print(&mut err, &mut std::io::stderr());
    print(&mut out, &mut std::io::stdout());
    shown?;
    match status.code() {
        Some(0) => Ok(Outcome::Done),
        Some(1) => Ok(Outcome::Open),
        // What went wrong has been printed.
        code => Err(Fault::passed_on(code, "")),
    }
}

/// Shows the machine, and the run that somebody measures.
pub fn watch(global: &Global, interval_ns: u64) -> Result<Outcome, Fault> {
    if !rustix::termios::isatty(std::io::stdout()) {
        return Err(Fault::usage("--tui needs a terminal. Leave it out to print lines"));
    }
    let cancel = Cancel::listen().map_err(Fault::environment)?;
    let store = crate::store::place::path(global.store.as_deref())?;
    let follow = Follow::start(store, Whose::Anybody);
    show(&follow, Duration::from_nanos(interval_ns), &cancel, None)?;
    Ok(Outcome::Done)
}

/// The command line again, with the tokens typed and without `--tui`.
fn arguments(typed: Vec<OsString>, tokens: &[String]) -> Vec<OsString> {
    let mut args: Vec<OsString> =
        typed.into_iter().skip(1).filter(|word| word != "--tui").collect();
    for token in tokens {
        args.push(format!("--erase={token}").into());
    }
    args
}

/// Draws until the run has ended or the user wants no more of it.
fn show(
    follow: &Follow,
    interval: Duration,
    cancel: &Cancel,
    mut child: Option<&mut Child>,
) -> Result<(), Fault> {
    let mut live = Live::open(Devices::Disks).map_err(Fault::environment)?;
    // Gives the terminal back also after a panic.
    let mut terminal = ratatui::try_init().map_err(Fault::environment)?;
    let mut state = State::new(child.is_some());
    let ended = drawn(&mut terminal, &mut state, |state, due| {
        if cancel.is_set() {
            return Ok(false);
        }
        if *due <= Instant::now() {
            state.frame(live.frame().map_err(Fault::environment)?);
            *due = Instant::now() + interval;
        }
        state.run(follow.latest());
        let has_ended = |child: &mut &mut Child| matches!(child.try_wait(), Ok(Some(_)));
        Ok(!child.as_mut().is_some_and(has_ended))
    });
    ratatui::restore();
    let stops = cancel.is_set() || state.stops;
    if let (true, Some(child)) = (stops, child) {
        interrupt(child);
    }
    ended
}

fn drawn(
    terminal: &mut DefaultTerminal,
    state: &mut State,
    mut look: impl FnMut(&mut State, &mut Instant) -> Result<bool, Fault>,
) -> Result<(), Fault> {
    let mut due = Instant::now();
    while look(state, &mut due)? && !state.is_over {
        if state.is_changed {
            terminal.draw(|frame| draw::draw(frame, state)).map_err(Fault::environment)?;
            state.is_changed = false;
        }
        if event::poll(TICK).map_err(Fault::environment)? {
            match event::read().map_err(Fault::environment)? {
                Event::Key(key) if key.kind == KeyEventKind::Press => {
                    state.key(named(key.code, key.modifiers));
                }
                Event::Resize(..) => state.is_changed = true,
                _ => {}
            }
        }
    }
    Ok(())
}

fn named(code: KeyCode, modifiers: KeyModifiers) -> Key {
    match code {
        KeyCode::Char('c') if modifiers.contains(KeyModifiers::CONTROL) => Key::Stop,
        KeyCode::Char('q') | KeyCode::Esc => Key::Quit,
        KeyCode::Char('y') => Key::Yes,
        KeyCode::Char('p') => Key::Pause,
        KeyCode::Char('d') => Key::Details,
        KeyCode::Char('w') | KeyCode::Tab | KeyCode::Right => Key::Next,
        KeyCode::Left | KeyCode::BackTab => Key::Previous,
        _ => Key::Other,
    }
}

/// Ctrl-C for the run.
fn interrupt(child: &Child) {
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    // It may have ended meanwhile.
    let _ = pid.map(|pid| kill_process(pid, Signal::INT));
    say::line(format_args!("Stopping the run and restoring all changes…"));
}

/// What the run printed; a reader that is gone misses it.
fn print(file: &mut File, to: &mut impl std::io::Write) {
    use std::io::{Seek, SeekFrom};
    let mut text = Vec::new();
    let read =
        file.seek(SeekFrom::Start(0)).and_then(|_| file.take(PRINTED_BYTES).read_to_end(&mut text));
    if read.is_ok() && !text.is_empty() {
        let lines = text.split(|byte| *byte == b'\n').map(printable).collect::<Vec<_>>();
        let _ = write!(to, "{}", lines.join("\n"));
        let _ = to.flush();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_run_is_started_without_a_view_and_with_its_consent() {
        let typed = ["bakeoff", "run", "--tui", "nas", "--target", "/dev/sdb"].map(OsString::from);
        let args = arguments(typed.into(), &["4C53".to_string()]);
        assert_eq!(args, ["run", "nas", "--target", "/dev/sdb", "--erase=4C53"]);
    }
}
