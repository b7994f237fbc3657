//! Waits before a visit until the machine is as cool as when the block began.
//!
//! Whether and how long is decided in `core::decide::cooling`.

use std::time::{Duration, Instant};

use bakeoff_judge::decide::cooling;
use bakeoff_model::event::{Cooled, Header};

use crate::host;
use crate::steps::session::Session;

const LOOK: Duration = Duration::from_millis(500);

/// Waits; none where nothing tells a temperature, or none was needed. The time of the run is not
/// spent on it beyond its limit.
pub fn wait(session: &Session, began_mc: Option<u64>) -> Option<Cooled> {
    let header = &session.journal.run().header;
    let limit_ns = header.protocol.time_ns.unwrap_or(u64::MAX);
    let is_over = || session.cancel.is_set() || session.journal.elapsed_ns() >= limit_ns;
    let hottest = || {
        let now_mc = host::hottest_mc()?;
        if began_mc.is_some_and(|began_mc| cooling::is_too_hot(header, began_mc, now_mc, 0)) {
            session
                .progress
                .doing(&format!("waiting for the machine to cool from {} °C", now_mc / 1000));
        }
        Some(now_mc)
    };
    until_cool(header, began_mc?, hottest, is_over, LOOK)
}

fn until_cool(
    header: &Header,
    began_mc: u64,
    hottest: impl Fn() -> Option<u64>,
    is_over: impl Fn() -> bool,
    look: Duration,
) -> Option<Cooled> {
    if !cooling::waits(header) {
        return None;
    }
    let from_mc = hottest()?;
    let (mut now_mc, mut waited_ns, started) = (from_mc, 0, Instant::now());
    while cooling::is_too_hot(header, began_mc, now_mc, waited_ns) && !is_over() {
        std::thread::sleep(look);
        now_mc = hottest()?;
        waited_ns = u64::try_from(started.elapsed().as_nanos()).unwrap_or(u64::MAX);
    }
    cooling::cooled(from_mc, now_mc, waited_ns)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use bakeoff_judge::testing::RunBuilder;
    use bakeoff_model::protocol::Mode;

    use super::*;

    fn waited(from_mc: u64, is_over: bool) -> Option<Cooled> {
        let run = RunBuilder::stacks(&["ext4", "xfs"]).mode(Mode::Decide).header(|h| {
            h.region.as_mut().unwrap().is_image = false;
        });
        let heat = Cell::new(from_mc + 1000);
        let hottest = || {
            heat.set(heat.get() - 1000);
            Some(heat.get())
        };
        let header = run.build().header;
        until_cool(&header, 50_000, hottest, || is_over, Duration::from_millis(1))
    }

    #[test]
    fn a_hot_machine_is_waited_for_and_a_cool_one_is_not() {
        let cooled = waited(60_000, false).unwrap();
        assert_eq!((cooled.from_mc, cooled.to_mc), (60_000, 53_000));
        assert!(cooled.waited_ns >= 7_000_000);
        assert_eq!(waited(53_000, false), None);
    }

    #[test]
    fn ctrl_c_ends_it() {
        assert_eq!(waited(60_000, true), None);
    }
}
