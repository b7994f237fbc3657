//! A tmux of a test's own: a terminal that can be looked at.

#![allow(dead_code, clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::bench::must;

/// It; ended when dropped.
pub struct Terminal(PathBuf);

impl Terminal {
    /// One whose socket is in `dir`.
    pub fn new(dir: &Path) -> Terminal {
        Terminal(dir.join("tmux.sock"))
    }

    fn command(&self) -> Command {
        let mut command = Command::new("tmux");
        command.arg("-S").arg(&self.0);
        command
    }

    /// Starts a shell command in 80 x 24.
    pub fn start(&self, shell: &str) {
        let session = ["-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24"];
        must(self.command().args(session).arg(shell));
    }

    /// A command of tmux that has to succeed; gives what it printed.
    pub fn tmux(&self, args: &[&str]) -> String {
        must(self.command().args(args))
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.command().arg("kill-server").status();
    }
}
