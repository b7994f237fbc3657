//! The open loop: when each operation should start, whatever became of those before it.
//!
//! A closed loop waits for a stalled device and so leaves out the requests that would have arrived
//! meanwhile. Here arrivals are fixed in advance and latency counts from them. Source: Schroeder,
//! Wierman, Harchol-Balter, "Open versus closed: a cautionary tale", NSDI 2006; G. Tene calls the
//! mistake "coordinated omission".

/// Evenly spaced arrivals of one lane; lanes take turns.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    rate_iops: u64,
    lane: u64,
    lanes: u64,
}

impl Pace {
    /// Lane `lane` of `lanes`, which together start `rate_iops` (above 0) operations a second.
    pub fn new(rate_iops: u64, lane: u32, lanes: u32) -> Pace {
        Pace { rate_iops, lane: lane.into(), lanes: lanes.into() }
    }

    /// When the lane's operation `index` is due, from the start of the cell.
    #[inline]
    pub fn due_ns(&self, index: u64) -> u64 {
        let global = u128::from(index) * u128::from(self.lanes) + u128::from(self.lane);
        // The product of 64-bit numbers and 10^9 stays below 2^128; u64::MAX is never reached.
        u64::try_from(global * 1_000_000_000 / u128::from(self.rate_iops)).unwrap_or(u64::MAX)
    }

    /// Operations due at `elapsed_ns` or before.
    pub fn due_by(&self, elapsed_ns: u64) -> u64 {
        let ticks = u128::from(elapsed_ns) * u128::from(self.rate_iops);
        // Operation g is due when g x 10^9 / rate, rounded down, is at most elapsed: when
        // g x 10^9 < (elapsed + 1) x rate.
        let global_due = (ticks + u128::from(self.rate_iops)).div_ceil(1_000_000_000);
        let lane = u128::from(self.lane);
        if global_due <= lane {
            return 0;
        }
        u64::try_from((global_due - lane).div_ceil(u128::from(self.lanes))).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_thousand_a_second_is_one_every_millisecond() {
        let pace = Pace::new(1000, 0, 1);
        assert_eq!(
            [0, 1, 2, 1000].map(|i| pace.due_ns(i)),
            [0, 1_000_000, 2_000_000, 1_000_000_000]
        );
        assert_eq!([0, 999_999, 1_000_000].map(|t| pace.due_by(t)), [1, 1, 2]);
    }

    #[test]
    fn lanes_take_turns() {
        let due = |lane| Pace::new(1000, lane, 2).due_ns(1);
        assert_eq!([due(0), due(1)], [2_000_000, 3_000_000]);
    }

    proptest! {
        #[test]
        fn what_is_due_agrees_with_when_it_is_due(
            rate in 1u64..10_000_000, lane in 0u32..4, elapsed in 0u64..100_000_000_000
        ) {
            let pace = Pace::new(rate, lane, 4);
            let due = pace.due_by(elapsed);
            prop_assert!(due == 0 || pace.due_ns(due - 1) <= elapsed);
            prop_assert!(pace.due_ns(due) > elapsed);
        }
    }
}
