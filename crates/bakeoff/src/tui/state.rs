//! What the view shows and what keys do to it; drawing is elsewhere.

use std::collections::VecDeque;
use std::time::Instant;

use bakeoff_machine::watch::Frame;
use bakeoff_report::now::Now;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

const FRAMES: usize = 256;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyMode {
    Watch,
    Run,
    Beside,
}

pub struct State {
    pub now: Option<(Box<Now>, Instant)>,
    pub frames: VecDeque<Frame>,
    pub is_paused: bool,
    pub has_details: bool,
    pub workload: usize,
    pub asks: bool,
    pub is_over: bool,
    pub stops: bool,
    pub is_changed: bool,
    pub mode: KeyMode,
}

impl State {
    pub fn new(mode: KeyMode) -> State {
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

    pub fn key(&mut self, key: KeyEvent) {
        use KeyCode::{BackTab, Char, Esc, Left, Right, Tab};
        self.is_changed = true;
        let workloads = self.now.as_ref().map_or(1, |(now, _)| now.verdicts.len().max(1));
        let stops = key.code == Char('c') && key.modifiers.contains(KeyModifiers::CONTROL);
        match (key.code, self.asks) {
            _ if stops || (key.code == Char('y') && self.asks) => {
                self.stops = self.mode != KeyMode::Watch;
                self.is_over = true;
            }
            (_, true) => self.asks = false,
            // A run would be stopped.
            (Char('q') | Esc, _) if self.mode == KeyMode::Run => self.asks = true,
            (Char('q') | Esc, _) => self.is_over = true,
            (Char('p'), _) => self.is_paused = !self.is_paused,
            (Char('d'), _) => self.has_details = !self.has_details,
            (Char('w') | Tab | Right, _) => self.workload = (self.workload + 1) % workloads,
            (Left | BackTab, _) => self.workload = (self.workload + workloads - 1) % workloads,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STOP: KeyEvent = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);

    #[test]
    fn a_run_is_stopped_only_after_a_yes() {
        let mut state = State::new(KeyMode::Run);
        state.key(KeyCode::Char('y').into());
        state.key(KeyCode::Char('q').into());
        assert!(state.asks && !state.is_over);
        state.key(KeyCode::Char('x').into());
        assert!(!state.asks && !state.is_over);
        state.key(KeyCode::Char('q').into());
        state.key(KeyCode::Char('y').into());
        assert!(state.is_over && state.stops);
        let mut watching = State::new(KeyMode::Watch);
        watching.key(STOP);
        assert!(watching.is_over && !watching.stops, "nobody else's run is stopped");
        let mut beside = State::new(KeyMode::Beside);
        beside.key(KeyCode::Char('q').into());
        assert!(beside.is_over && !beside.stops, "its lines go on");
        beside.key(STOP);
        assert!(beside.stops);
    }

    #[test]
    fn a_held_picture_takes_nothing_in() {
        let mut state = State::new(KeyMode::Run);
        state.key(KeyCode::Char('p').into());
        state.frame(Frame::default());
        assert!(state.frames.is_empty());
        state.key(KeyCode::Char('p').into());
        for _ in 0..FRAMES + 9 {
            state.frame(Frame::default());
        }
        assert_eq!(state.frames.len(), FRAMES);
        state.key(KeyCode::Tab.into());
        state.key(KeyCode::Left.into());
        assert_eq!(state.workload, 0);
    }
}
