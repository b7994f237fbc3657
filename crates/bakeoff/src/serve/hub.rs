//! What watching browsers are sent: the latest messages, numbered, so that one that was cut off
//! gets what it missed.
//!
//! The watcher publishes, each connection reads at its own pace. A connection that falls behind the
//! oldest message begins anew; nobody waits for it.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bakeoff_model::path::unsteered;
use tokio::sync::watch;

/// Messages kept: ten minutes at one frame in two seconds, and the states between them.
const KEPT: usize = 400;
/// How long frames are taken on after the last browser went: it may be cut off only.
const LINGER: Duration = Duration::from_secs(600);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
    Frame,
    Run,
}

impl Topic {
    pub fn name(self) -> &'static str {
        match self {
            Topic::Frame => "frame",
            Topic::Run => "run",
        }
    }
}

#[derive(Clone, Debug)]
pub struct Message {
    pub number: u64,
    pub topic: Topic,
    pub data: Arc<str>,
}

pub struct Hub {
    boot: String,
    inner: Mutex<HubState>,
    changed: watch::Sender<u64>,
    wanted: Condvar,
}

#[derive(Default)]
struct HubState {
    last: u64,
    kept: VecDeque<Message>,
    text: String,
    watchers: usize,
    left_at: Option<Instant>,
}

pub struct Missed {
    pub messages: Vec<Message>,
    pub has_gap: bool,
}

impl Hub {
    /// Without messages. `boot` is of letters and digits.
    pub fn new(boot: String) -> Hub {
        let inner = Mutex::new(HubState::default());
        Hub { boot, inner, changed: watch::Sender::new(0), wanted: Condvar::new() }
    }

    /// A panic elsewhere leaves the messages as good as they were.
    fn lock(&self) -> MutexGuard<'_, HubState> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a message. Of runs only the latest is kept.
    pub fn publish(&self, topic: Topic, data: String) {
        let mut inner = self.lock();
        inner.last += 1;
        let number = inner.last;
        if topic == Topic::Run {
            inner.kept.retain(|message| message.topic != Topic::Run);
        }
        if inner.kept.len() == KEPT {
            inner.kept.pop_front();
        }
        inner.kept.push_back(Message { number, topic, data: unsteered(&data).into() });
        drop(inner);
        self.changed.send_replace(number);
    }

    pub fn id(&self, number: u64) -> String {
        format!("{}-{number}", self.boot)
    }

    /// The number behind an id; `None` when it is another server's, or none at all.
    pub fn number(&self, id: &str) -> Option<u64> {
        id.strip_prefix(self.boot.as_str())?.strip_prefix('-')?.parse().ok()
    }

    /// What came after the message of that number; everything without one.
    pub fn since(&self, number: Option<u64>) -> Missed {
        let inner = self.lock();
        let after = number.filter(|number| *number <= inner.last);
        let frames = || inner.kept.iter().filter(|m| m.topic == Topic::Frame);
        let oldest = frames().next().map_or(inner.last + 1, |message| message.number);
        let is_whole = |number: u64| inner.kept.len() < KEPT || number + 1 >= oldest;
        Missed {
            messages: inner
                .kept
                .iter()
                .filter(|message| after.is_none_or(|after| message.number > after))
                .cloned()
                .collect(),
            has_gap: !after.is_some_and(is_whole),
        }
    }

    pub fn set_text(&self, text: String) {
        self.lock().text = text;
    }

    /// The last frame as text; empty before the first.
    pub fn text(&self) -> String {
        self.lock().text.clone()
    }

    pub fn watch(self: &Arc<Hub>) -> HubWatcher {
        self.lock().watchers += 1;
        self.wanted.notify_all();
        HubWatcher { hub: Arc::clone(self), changed: self.changed.subscribe() }
    }

    /// Waits for `interval`; without readers, and [`LINGER`] after the last one, until one comes.
    pub fn rest(&self, interval: Duration) {
        let due = Instant::now() + interval;
        let mut inner = self.lock();
        loop {
            let is_idle =
                inner.watchers == 0 && inner.left_at.is_none_or(|at| at.elapsed() > LINGER);
            let left = due.saturating_duration_since(Instant::now());
            inner = match (is_idle, left.is_zero()) {
                (false, true) => return,
                (true, _) => self.wanted.wait(inner).unwrap_or_else(PoisonError::into_inner),
                (false, false) => {
                    let waited = self.wanted.wait_timeout(inner, left);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }
}

pub struct HubWatcher {
    hub: Arc<Hub>,
    pub changed: watch::Receiver<u64>,
}

impl Drop for HubWatcher {
    fn drop(&mut self) {
        let mut inner = self.hub.lock();
        inner.watchers -= 1;
        inner.left_at = Some(Instant::now());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(missed: &Missed) -> Vec<u64> {
        missed.messages.iter().map(|message| message.number).collect()
    }

    #[test]
    fn who_comes_back_gets_what_was_missed_and_only_that() {
        let hub = Hub::new("b00".into());
        for i in 0..5 {
            hub.publish(Topic::Frame, format!("{i}"));
        }
        let missed = hub.since(hub.number("b00-3"));
        assert_eq!((numbers(&missed), missed.has_gap), (vec![4, 5], false));
        let missed = hub.since(hub.number("b00-5"));
        assert_eq!((numbers(&missed), missed.has_gap), (vec![], false));
        // Another server's number, one from the future, nonsense, none.
        for id in ["a00-3", "b00-77", "b00-", "", "b00--1"] {
            let missed = hub.since(hub.number(id));
            assert_eq!((numbers(&missed).len(), missed.has_gap), (5, true), "{id}");
        }
    }

    #[test]
    fn who_was_away_too_long_is_sent_what_there_is_and_knows_of_the_gap() {
        let hub = Hub::new("b".into());
        for i in 0..KEPT + 50 {
            hub.publish(Topic::Frame, format!("{i}"));
        }
        let missed = hub.since(Some(10));
        assert_eq!((missed.messages.len(), missed.has_gap), (KEPT, true));
        assert!(!hub.since(Some(50)).has_gap, "the message after it is the oldest kept");
        assert!(hub.since(Some(49)).has_gap);
    }

    #[test]
    fn of_runs_the_latest_is_kept_which_is_no_gap() {
        let hub = Hub::new("b".into());
        hub.publish(Topic::Frame, "f".into());
        for i in 0..3 {
            hub.publish(Topic::Run, format!("r{i}"));
        }
        let missed = hub.since(Some(1));
        assert_eq!((numbers(&missed), missed.has_gap), (vec![4], false));
        assert_eq!(&*missed.messages[0].data, "r2");
    }

    #[test]
    fn rests_while_nobody_watches() {
        let hub = Arc::new(Hub::new("b".into()));
        let other = Arc::clone(&hub);
        let began = Instant::now();
        let resting = std::thread::spawn(move || other.rest(Duration::from_millis(1)));
        std::thread::sleep(Duration::from_millis(50));
        assert!(!resting.is_finished());
        let watching = hub.watch();
        resting.join().unwrap();
        assert!(began.elapsed() >= Duration::from_millis(50));
        drop(watching);
        // A browser that went just now may come back.
        hub.rest(Duration::from_millis(1));
    }
}
