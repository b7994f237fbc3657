//! What the view shows and what keys do to it; drawing is elsewhere.

use std::collections::VecDeque;
use std::time::Instant;

use bakeoff_core::report::now::Now;
use bakeoff_core::watch::Frame;

/// Frames kept: more than a terminal is wide.
const FRAMES: usize = 256;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// Leave, after a question where a run would be stopped.
    Quit,
    Stop,
    Yes,
    Pause,
    Details,
    Next,
    Previous,
    Other,
}

/// What keys may do to a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Nothing: it is somebody's.
    Watch,
    Run,
    Beside,
}

pub struct State {
    /// The run, once it is known, and when that was read.
    pub now: Option<(Box<Now>, Instant)>,
    /// The last frames, the latest last.
    pub frames: VecDeque<Frame>,
    pub is_paused: bool,
    pub has_details: bool,
    pub workload: usize,
    pub asks: bool,
    pub is_over: bool,
    pub stops: bool,
    pub is_changed: bool,
    pub mode: Mode,
}

impl State {
    pub fn new(mode: Mode) -> State {
        State {
            now: None,
            frames: VecDeque::new(),
            is_paused: false,
            has_details: false,
            workload: 0,
            asks: false,
            is_over: false,
            stops: false,
            is_changed: true,
            mode,
        }
    }

    /// The machine's last second.
    pub fn frame(&mut self, frame: Frame) {
        if self.is_paused {
            return;
        }
        if self.frames.len() == FRAMES {
            self.frames.pop_front();
        }
        self.frames.push_back(frame);
        self.is_changed = true;
    }

    pub fn run(&mut self, now: Option<Box<Now>>) {
        if let Some(now) = now.filter(|_| !self.is_paused) {
            self.now = Some((now, Instant::now()));
            self.is_changed = true;
        }
    }

    pub fn key(&mut self, key: Key) {
        self.is_changed = true;
        let workloads = self.now.as_ref().map_or(1, |(now, _)| now.verdicts.len().max(1));
        match (key, self.asks) {
            (Key::Stop, _) | (Key::Yes, true) => {
                self.stops = self.mode != Mode::Watch;
                self.is_over = true;
            }
            (_, true) => self.asks = false,
            (Key::Quit, false) if self.mode == Mode::Run => self.asks = true,
            (Key::Quit, false) => self.is_over = true,
            (Key::Pause, false) => self.is_paused = !self.is_paused,
            (Key::Details, false) => self.has_details = !self.has_details,
            (Key::Next, false) => self.workload = (self.workload + 1) % workloads,
            (Key::Previous, false) => self.workload = (self.workload + workloads - 1) % workloads,
            (Key::Yes | Key::Other, false) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_stopped_only_after_a_yes() {
        let mut state = State::new(Mode::Run);
        state.key(Key::Yes);
        state.key(Key::Quit);
        assert!(state.asks && !state.is_over);
        state.key(Key::Other);
        assert!(!state.asks && !state.is_over);
        state.key(Key::Quit);
        state.key(Key::Yes);
        assert!(state.is_over && state.stops);
        let mut watching = State::new(Mode::Watch);
        watching.key(Key::Stop);
        assert!(watching.is_over && !watching.stops, "nobody else's run is stopped");
        let mut beside = State::new(Mode::Beside);
        beside.key(Key::Quit);
        assert!(beside.is_over && !beside.stops, "its lines go on");
        beside.key(Key::Stop);
        assert!(beside.stops);
    }

    #[test]
    fn a_held_picture_takes_nothing_in() {
        let mut state = State::new(Mode::Run);
        state.key(Key::Pause);
        state.frame(Frame::default());
        assert!(state.frames.is_empty());
        state.key(Key::Pause);
        for _ in 0..FRAMES + 9 {
            state.frame(Frame::default());
        }
        assert_eq!(state.frames.len(), FRAMES);
        state.key(Key::Next);
        state.key(Key::Previous);
        assert_eq!(state.workload, 0);
    }
}
