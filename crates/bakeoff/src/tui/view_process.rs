//! The process of a view, from outside: what it says, and a terminal that is whole however it ends.

use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::process::Child;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use strum::IntoStaticStr;

use super::terminal::{self, TerminalSettings};
use crate::exec::background;
use crate::fault::Fault;
use crate::ui::say;

const ENDING: Duration = Duration::from_secs(5);
const TICK: Duration = Duration::from_millis(10);

/// What a view says, and how that is spelled between the two processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum ViewMessage {
    Shown,
    Hidden,
    Stop,
    Gone,
}

impl ViewMessage {
    fn of(word: &str) -> Option<ViewMessage> {
        let is_it = |said: &ViewMessage| word == <&str>::from(*said);
        [ViewMessage::Shown, ViewMessage::Hidden, ViewMessage::Stop].into_iter().find(is_it)
    }
}

/// A view that is shown or waits for its key. It ends with the value.
pub struct ShownProcess {
    pid: Arc<Mutex<Option<Pid>>>,
    listening: Option<JoinHandle<()>>,
}

impl ShownProcess {
    /// Starts one; `on` hears what it says, [`Said::Gone`] last.
    pub fn start(
        words: &[OsString],
        mut on: impl FnMut(ViewMessage) + Send + 'static,
    ) -> Result<ShownProcess, Fault> {
        let settings = TerminalSettings::now();
        let mut child = background::view(words).map_err(Fault::environment)?;
        let pid = Arc::new(Mutex::new(i32::try_from(child.id()).ok().and_then(Pid::from_raw)));
        let known = Arc::clone(&pid);
        let listening = move || {
            let is_shown = listen(&mut child, &mut on);
            // Its number may be another's as soon as its end was taken.
            let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
            let ended = child.wait();
            *known = None;
            drop(known);
            if is_shown && !ended.is_ok_and(|status| status.success()) {
                terminal::leave_screen();
            }
            settings.iter().for_each(TerminalSettings::apply);
            on(ViewMessage::Gone);
        };
        let mut view = ShownProcess { pid, listening: None };
        match std::thread::Builder::new().spawn(listening) {
            Ok(listening) => view.listening = Some(listening),
            Err(error) => {
                view.send(Signal::TERM);
                return Err(Fault::environment(error));
            }
        }
        Ok(view)
    }

    fn send(&self, signal: Signal) {
        let pid = self.pid.lock().unwrap_or_else(PoisonError::into_inner);
        // It may have ended by itself.
        let _ = pid.map(|pid| kill_process(pid, signal));
    }
}

impl Drop for ShownProcess {
    fn drop(&mut self) {
        let Some(listening) = self.listening.take() else { return };
        self.send(Signal::TERM);
        let since = Instant::now();
        while !listening.is_finished() {
            if since.elapsed() > ENDING {
                self.send(Signal::KILL);
                break;
            }
            std::thread::sleep(TICK);
        }
        let _ = listening.join();
    }
}

/// Hears what it says until it ends; whether it still had the screen then. What it did not mean to
/// say is why it failed.
fn listen(child: &mut Child, on: &mut impl FnMut(ViewMessage)) -> bool {
    let Some(err) = child.stderr.take() else { return false };
    let mut is_shown = false;
    for line in BufReader::new(err).lines().map_while(Result::ok) {
        match ViewMessage::of(&line) {
            Some(said) => {
                is_shown = match said {
                    ViewMessage::Shown => true,
                    ViewMessage::Hidden => false,
                    ViewMessage::Stop | ViewMessage::Gone => is_shown,
                };
                on(said);
            }
            None => say::line(format_args!("{}", bakeoff_model::path::printable(line.as_bytes()))),
        }
    }
    is_shown
}
