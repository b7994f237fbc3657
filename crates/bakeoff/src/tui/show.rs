//! The process of a view: draws until the user wants no more of it, or the one that started it.
//!
//! It is asked to end when the process that started it dies ([`crate::exec::internal`]), and gives
//! the terminal back then.

use std::ffi::OsString;
use std::io::{Write, stdin};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyEventKind};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Signal, getpid, kill_process};
use signal_hook::consts::SIGTSTP;

use super::draw;
use super::follow::Follow;
use super::state::{KeyMode, State};
use super::terminal::{TerminalSettings, is_in_front};
use super::view_process::ViewMessage;
use crate::fault::{self, Fault, Outcome};
use crate::host::{LiveDevices, LiveHost};
use crate::signals::Cancel;

const INTERVAL: Duration = Duration::from_secs(1);
const TICK: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };
const ENDING: Duration = Duration::from_secs(2);
const IN_BACK: Timespec = Timespec { tv_sec: 1, tv_nsec: 0 };
const SHOW: u8 = b't';

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    Run(u32),
    Beside(u32),
    /// The machine, in intervals of so many nanoseconds, and the run that somebody measures.
    Machine(u64),
}

impl What {
    pub fn words(self, store: &Path) -> [OsString; 3] {
        let (what, number) = match self {
            What::Run(pid) => ("run", pid.into()),
            What::Beside(pid) => ("beside", pid.into()),
            What::Machine(ns) => ("machine", ns),
        };
        [what.into(), number.to_string().into(), store.into()]
    }

    fn of(args: &[OsString]) -> Option<(What, PathBuf)> {
        let [what, number, store] = args else { return None };
        let number: u64 = number.to_str()?.parse().ok()?;
        let pid = || u32::try_from(number).ok();
        let what = match what.to_str()? {
            "run" => What::Run(pid()?),
            "beside" => What::Beside(pid()?),
            "machine" => What::Machine(number),
            _ => return None,
        };
        Some((what, store.into()))
    }
}

pub fn run(args: &[OsString]) -> ExitCode {
    let shown = match What::of(args) {
        Some((what, store)) => show(what, store),
        None => Err(Fault::usage("no view was specified")),
    };
    fault::exit(shown.map(|()| Outcome::Done))
}

fn show(what: What, store: PathBuf) -> Result<(), Fault> {
    let cancel = Cancel::listen().map_err(Fault::environment)?;
    match what {
        What::Run(pid) => {
            let follow = Follow::start(store, Some(pid)).map_err(Fault::environment)?;
            on_screen(&follow, (KeyMode::Run, INTERVAL), &cancel)
        }
        What::Machine(ns) => {
            let follow = Follow::start(store, None).map_err(Fault::environment)?;
            on_screen(&follow, (KeyMode::Watch, Duration::from_nanos(ns)), &cancel)
        }
        What::Beside(pid) => beside(pid, &store, &cancel),
    }
}

fn say(said: ViewMessage) -> Result<(), Fault> {
    writeln!(std::io::stderr(), "{}", <&str>::from(said)).map_err(Fault::environment)
}

fn beside(pid: u32, store: &Path, cancel: &Cancel) -> Result<(), Fault> {
    let Some(settings) = TerminalSettings::now() else { return Ok(()) };
    let suspended = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(SIGTSTP, Arc::clone(&suspended)).map_err(Fault::environment)?;
    let (mut was_in_front, mut shown) = (false, Ok(()));
    while shown.is_ok() && !cancel.is_set() {
        let is_front = is_in_front();
        if is_front && !was_in_front {
            settings.with_keys().apply();
        }
        was_in_front = is_front;
        if pressed(is_front) == Some(SHOW) {
            let follow =
                Follow::start(store.to_path_buf(), Some(pid)).map_err(Fault::environment)?;
            shown = on_screen(&follow, (KeyMode::Beside, INTERVAL), cancel);
        }
        if suspended.swap(false, Ordering::Relaxed) {
            settings.apply();
            let _ = kill_process(getpid(), Signal::STOP);
            was_in_front = false;
        }
    }
    if was_in_front {
        settings.restore();
    }
    shown
}

/// The next key; `None` when a signal came, or another job is in front. Nothing is done while it is
/// waited for.
fn pressed(is_front: bool) -> Option<u8> {
    let stdin = stdin();
    let mut fds = [PollFd::new(&stdin, PollFlags::IN)];
    if !is_front {
        // Who reads from behind is stopped with its whole job.
        let _ = poll(&mut [], Some(&IN_BACK));
        return None;
    }
    poll(&mut fds, None).ok()?;
    let mut key = [0];
    (is_in_front() && rustix::io::read(&stdin, &mut key) == Ok(1)).then_some(key[0])
}

fn on_screen(
    follow: &Follow,
    (mode, interval): (KeyMode, Duration),
    cancel: &Cancel,
) -> Result<(), Fault> {
    let mut live = LiveHost::open(LiveDevices::Disks).map_err(Fault::environment)?;
    let over = watch_end(cancel).map_err(Fault::environment)?;
    say(ViewMessage::Shown)?;
    // Gives the terminal back also after a panic.
    let mut terminal = ratatui::try_init().map_err(Fault::environment)?;
    let mut state = State::new(mode);
    let drawn = drawn(&mut terminal, &mut state, |state, due| {
        if cancel.is_set() {
            return Ok(false);
        }
        if *due <= Instant::now() {
            state.frame(live.frame().map_err(Fault::environment)?);
            *due = Instant::now() + interval;
        }
        state.run(follow.latest());
        Ok(true)
    });
    ratatui::restore();
    over.store(true, Ordering::Relaxed);
    say(ViewMessage::Hidden)?;
    if state.stops {
        say(ViewMessage::Stop)?;
    }
    drawn
}

/// Ends the process where drawing does not end when it is told to: nothing answers on a terminal
/// that is gone.
fn watch_end(cancel: &Cancel) -> std::io::Result<Arc<AtomicBool>> {
    let over = Arc::new(AtomicBool::new(false));
    let (is_over, cancel) = (Arc::clone(&over), cancel.clone());
    std::thread::Builder::new().spawn(move || {
        while !cancel.is_set() {
            std::thread::sleep(ENDING);
            if is_over.load(Ordering::Relaxed) {
                return;
            }
        }
        std::thread::sleep(ENDING);
        if !is_over.load(Ordering::Relaxed) {
            ratatui::restore();
            std::process::exit(1);
        }
    })?;
    Ok(over)
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
        if !is_ready()? {
            break;
        }
        while event::poll(Duration::ZERO).map_err(Fault::environment)? {
            match event::read().map_err(Fault::environment)? {
                Event::Key(key) if key.kind == KeyEventKind::Press => state.key(key),
                Event::Resize(..) => state.is_changed = true,
                _ => {}
            }
        }
    }
    Ok(())
}

/// Waits for a key, a signal or the next look; false where the terminal is gone.
fn is_ready() -> Result<bool, Fault> {
    let stdin = stdin();
    let mut fds = [PollFd::new(&stdin, PollFlags::IN)];
    match poll(&mut fds, Some(&TICK)) {
        Ok(_) => Ok(!fds[0].revents().intersects(PollFlags::HUP | PollFlags::ERR)),
        Err(rustix::io::Errno::INTR) => Ok(true),
        Err(error) => Err(Fault::environment(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_lead_back_to_what_is_shown() {
        let store = Path::new("/a b/s.db");
        for what in [What::Run(7), What::Beside(u32::MAX), What::Machine(u64::MAX)] {
            assert_eq!(What::of(&what.words(store)), Some((what, store.to_path_buf())));
        }
        assert_eq!(What::of(&["run".into(), "-1".into(), "/s".into()]), None);
    }
}
