//! One line on stderr: how far, what is measured right now, how fast, how long still.
//!
//! Nothing is drawn where stderr is no terminal or `--quiet` was given. A display that fails never
//! stops a run.

use std::cell::Cell;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

use bakeoff_core::units;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::runner::load::Live;

/// Steps of the bar; finer than a terminal is wide.
const SCALE: u64 = 1000;

/// The progress line.
pub struct Progress {
    bar: ProgressBar,
    last: Cell<Option<(Instant, Live)>>,
}

impl Progress {
    /// A line that is drawn only for a person.
    pub fn new(quiet: bool) -> Progress {
        let shown = !quiet && std::io::stderr().is_terminal();
        let target =
            if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(SCALE), target);
        // The template is a constant that the tests build; the default would do as well.
        if let Ok(style) = ProgressStyle::with_template("{bar:24} {prefix} {wide_msg}") {
            bar.set_style(style.progress_chars("━━─"));
        }
        Progress { bar, last: Cell::new(None) }
    }

    /// How far the run is and how long it may still take.
    pub fn far(&self, done: f64, left_ns: Option<u64>) {
        self.bar.set_position((done.clamp(0.0, 1.0) * SCALE as f64) as u64);
        let left = left_ns.map(|ns| format!("{} left ·", units::duration(ns))).unwrap_or_default();
        self.bar.set_prefix(left);
    }

    /// What is being done now.
    pub fn doing(&self, what: &str) {
        self.last.set(None);
        self.bar.set_message(what.to_string());
    }

    /// How fast it is going: the rate since the last call is added to what is being done.
    pub fn live(&self, live: Live) {
        let now = Instant::now();
        let Some((then, before)) = self.last.replace(Some((now, live))) else { return };
        let seconds = now.duration_since(then).max(Duration::from_millis(1)).as_secs_f64();
        if live.ios <= before.ios {
            return;
        }
        let iops = (live.ios - before.ios) as f64 / seconds;
        let rate = live.bytes.saturating_sub(before.bytes) as f64 / seconds;
        let message = self.bar.message();
        let what = message.split(" — ").next().unwrap_or_default();
        self.bar.set_message(format!(
            "{what} — {} IOPS, {}",
            units::count(iops),
            units::rate(rate)
        ));
    }

    /// Prints a line above the bar, for things worth keeping.
    pub fn say(&self, line: &str) {
        if self.bar.is_hidden() {
            eprintln!("{line}");
        } else {
            self.bar.println(line);
        }
    }

    /// Takes the line away.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }
}
