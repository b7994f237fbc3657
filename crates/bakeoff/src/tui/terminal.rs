//! The terminal's own settings: who may change them, single keys without Enter, and the way back.
//!
//! A process that is not in the foreground and changes them stops its whole job (termios(3),
//! "Job control"), so it is always asked first.

use std::io::{Write, stdin, stdout};

use rustix::process::getpgrp;
use rustix::termios::{
    LocalModes, OptionalActions, SpecialCodeIndex, Termios, isatty, tcgetattr, tcgetpgrp, tcsetattr,
};

/// Shows the cursor and leaves the alternate screen (ctlseqs: DECSET 25 and 1049).
const LEAVE: &[u8] = b"\x1b[?25h\x1b[?1049l";

pub fn is_ours() -> bool {
    isatty(stdin()) && isatty(stdout())
}

pub fn is_in_front() -> bool {
    tcgetpgrp(stdin()).is_ok_and(|front| front == getpgrp())
}

#[derive(Clone)]
pub struct TerminalSettings(Termios);

impl TerminalSettings {
    /// As they are; `None` where there is no terminal.
    pub fn now() -> Option<TerminalSettings> {
        tcgetattr(stdin()).ok().map(TerminalSettings)
    }

    /// Makes them those of the terminal; a terminal that is gone, or another job's, is left alone.
    pub fn apply(&self) {
        if is_in_front() {
            let _ = tcsetattr(stdin(), OptionalActions::Now, &self.0);
        }
    }

    /// The same where nobody else can have changed them since: also after the job of this process
    /// is dead and the shell has the terminal.
    pub fn restore(&self) {
        let _ = tcsetattr(stdin(), OptionalActions::Now, &self.0);
    }

    /// The same with keys that are read at once and not shown. Ctrl-C remains a signal.
    pub fn with_keys(&self) -> TerminalSettings {
        let mut settings = self.0.clone();
        settings.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO);
        settings.special_codes[SpecialCodeIndex::VMIN] = 1;
        settings.special_codes[SpecialCodeIndex::VTIME] = 0;
        TerminalSettings(settings)
    }
}

pub fn leave_screen() {
    let mut out = stdout().lock();
    // A terminal that is gone needs nothing given back.
    let _ = out.write_all(LEAVE);
    let _ = out.flush();
}
