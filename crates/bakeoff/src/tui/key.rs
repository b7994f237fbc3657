//! `t` while a run prints lines: the view for as long as it is wanted, then the lines again.

use std::path::Path;

use rustix::process::{Signal, getpid, kill_process};

use super::show::What;
use super::terminal;
use super::view_process::{ShownProcess, ViewMessage};
use crate::ui::progress::Progress;

/// Waits for the key in a process of its own, until the run has ended; whether it does.
pub fn listen(progress: &Progress, store: &Path) -> bool {
    if progress.is_hidden() || !terminal::is_ours() || !terminal::is_in_front() {
        return false;
    }
    let lines = progress.lines();
    let words = What::Beside(std::process::id()).words(store);
    let view = ShownProcess::start(&words, move |said| match said {
        ViewMessage::Shown => lines.hold(),
        ViewMessage::Hidden | ViewMessage::Gone => lines.show(),
        // As Ctrl-C does where no view has the terminal.
        ViewMessage::Stop => {
            let _ = kill_process(getpid(), Signal::INT);
        }
    });
    match view {
        Ok(view) => {
            progress.until_end(Box::new(move || drop(view)));
            true
        }
        // The run is there with its lines.
        Err(_) => false,
    }
}
