//! What ends a command early: Ctrl-C and its relatives, and the limits of a run. Noticed once,
//! acted on between operations, never lost.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

/// A limit of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    Time,
    Bytes,
}

/// Becomes true when the user or the system asks the command to stop, or a limit is reached.
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    signal: Arc<AtomicBool>,
    /// 0 = none.
    limit: Arc<AtomicU8>,
}

impl Cancel {
    pub fn listen() -> std::io::Result<Cancel> {
        let cancel = Cancel::default();
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            signal_hook::flag::register(signal, Arc::clone(&cancel.signal))?;
        }
        Ok(cancel)
    }

    pub fn is_set(&self) -> bool {
        self.signal.load(Ordering::Relaxed) || self.limit.load(Ordering::Relaxed) != 0
    }

    pub fn reach(&self, limit: Limit) {
        let value = match limit {
            Limit::Time => 1,
            Limit::Bytes => 2,
        };
        let _ = self.limit.compare_exchange(0, value, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Goes on after the limit of time, with what has a limit of its own.
    pub fn forget_time(&self) {
        let _ = self.limit.compare_exchange(1, 0, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// The limit that was reached, where nobody asked to stop.
    pub fn limit(&self) -> Option<Limit> {
        match self.limit.load(Ordering::Relaxed) {
            _ if self.signal.load(Ordering::Relaxed) => None,
            1 => Some(Limit::Time),
            2 => Some(Limit::Bytes),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_limit_counts_and_a_signal_more() {
        let cancel = Cancel::default();
        assert!(!cancel.is_set() && cancel.limit().is_none());
        let other = cancel.clone();
        other.reach(Limit::Bytes);
        other.reach(Limit::Time);
        assert!(cancel.is_set());
        assert_eq!(cancel.limit(), Some(Limit::Bytes));
        cancel.forget_time();
        assert!(cancel.is_set(), "bytes stay");
        cancel.signal.store(true, Ordering::Relaxed);
        assert_eq!(cancel.limit(), None);
    }
}
