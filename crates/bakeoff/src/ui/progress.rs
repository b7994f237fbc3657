//! One line on stderr: how far, what is measured right now, how fast, how long still; above it the
//! answer so far, once there is one.
//!
//! Nothing is drawn where stderr is no terminal or `--quiet` was given. A display that fails never
//! stops a run.

use std::cell::Cell;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

use bakeoff_stats::units;
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::say;

/// Where a job is going right now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LiveProgress {
    pub ios: u64,
    pub bytes: u64,
}

const TEMPLATE: &str = "{bar:14} {prefix} {wide_msg}";
const BETWEEN: &str = " | ";
const LINES: &str = "{msg}";
/// Steps of the bar; finer than a terminal is wide.
const SCALE: u64 = 1000;

pub struct Progress {
    all: MultiProgress,
    so_far: ProgressBar,
    bar: ProgressBar,
    last: Cell<Option<(Instant, LiveProgress)>>,
    ends: Cell<Option<(Instant, Instant)>>,
    quiet: bool,
}

impl Progress {
    pub fn new(quiet: bool) -> Progress {
        let shown = !quiet && std::io::stderr().is_terminal();
        let target =
            if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let all = MultiProgress::with_draw_target(target);
        let so_far = ProgressBar::new_spinner();
        let bar = all.add(ProgressBar::new(SCALE));
        if let Ok(style) = ProgressStyle::with_template(LINES) {
            so_far.set_style(style);
        }
        // The template is a constant that the tests build; the default would do as well.
        if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
            bar.set_style(style.progress_chars("━━─"));
        }
        Progress { all, so_far, bar, last: Cell::new(None), ends: Cell::new(None), quiet }
    }

    /// How long the run has been going and how long it may still take.
    pub fn expect(&self, elapsed_ns: u64, left_ns: u64) {
        let now = Instant::now();
        let began = now.checked_sub(Duration::from_nanos(elapsed_ns)).unwrap_or(now);
        self.ends.set(Some((began, now + Duration::from_nanos(left_ns))));
        self.draw_time();
    }

    fn draw_time(&self) {
        let Some((began, end)) = self.ends.get() else { return };
        let now = Instant::now();
        let whole = end.saturating_duration_since(began).as_secs_f64().max(0.001);
        let done = now.saturating_duration_since(began).as_secs_f64() / whole;
        self.bar.set_position((done.clamp(0.0, 1.0) * SCALE as f64) as u64);
        let left = end.saturating_duration_since(now).as_nanos();
        self.bar.set_prefix(units::duration(u64::try_from(left).unwrap_or(u64::MAX)));
    }

    pub fn doing(&self, what: &str) {
        self.last.set(None);
        self.bar.set_message(what.to_string());
    }

    /// How fast it is going: the rate since the last call is added to what is being done.
    pub fn live(&self, live: LiveProgress) {
        self.draw_time();
        let now = Instant::now();
        let Some((then, before)) = self.last.replace(Some((now, live))) else { return };
        let seconds = now.duration_since(then).max(Duration::from_millis(1)).as_secs_f64();
        if live.ios <= before.ios {
            return;
        }
        let iops = (live.ios - before.ios) as f64 / seconds;
        let rate = live.bytes.saturating_sub(before.bytes) as f64 / seconds;
        let message = self.bar.message();
        let what = message.split(BETWEEN).next().unwrap_or_default();
        let text = format!("{what}{BETWEEN}{} IOPS, {}", units::count(iops), units::rate(rate));
        self.bar.set_message(text);
    }

    /// The answer so far, redrawn in place: lines for so many columns, in colour or not.
    pub fn so_far(&self, lines: impl FnOnce(usize, bool) -> Vec<String>) {
        if self.bar.is_hidden() {
            return;
        }
        let width = rustix::termios::tcgetwinsize(std::io::stderr()).map_or(0, |size| size.ws_col);
        let color = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        let lines = lines(usize::from(width).clamp(40, 120), color);
        if lines.is_empty() {
            return;
        }
        if self.so_far.message().is_empty() {
            self.all.insert_before(&self.bar, self.so_far.clone());
        }
        self.so_far.set_message(lines.join("\n"));
        self.so_far.tick();
    }

    pub fn is_hidden(&self) -> bool {
        self.bar.is_hidden()
    }

    /// Prints a line above the bar, for things worth keeping.
    pub fn say(&self, line: &str) {
        if self.bar.is_hidden() {
            say::line(format_args!("{line}"));
        } else {
            // What cannot be drawn stops no run.
            let _ = self.all.println(say::fitted(line));
        }
    }

    /// The same for what is only good to know: nothing with `--quiet`.
    pub fn note(&self, line: &str) {
        if !self.quiet {
            self.say(line);
        }
    }

    pub fn clear(&self) {
        self.so_far.finish_and_clear();
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_template_is_one_and_time_runs_down() {
        assert!(ProgressStyle::with_template(TEMPLATE).is_ok());
        let progress = Progress::new(true);
        progress.expect(30_000_000_000, 30_000_000_000);
        assert!((450..=550).contains(&progress.bar.position()), "{}", progress.bar.position());
        progress.expect(u64::MAX, 0);
        assert_eq!(progress.bar.position(), SCALE);
    }
}
