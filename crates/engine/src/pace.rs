//! The open loop: when each operation should start, whatever became of those before it.
//!
//! A closed loop waits for a stalled device and so leaves out the requests that would have arrived
//! meanwhile. Here arrivals are fixed in advance and latency counts from them. They are evenly
//! spaced.
//! Source: Schroeder, Wierman, Harchol-Balter, "Open versus closed: a cautionary tale", NSDI 2006;
//! G. Tene calls the mistake "coordinated omission".

use bakeoff_model::job::Job;

/// Arrivals of one lane; lanes take turns.
#[derive(Clone, Debug)]
pub struct Pace {
    rate_iops: u64,
    lane: u64,
    lanes: u64,
    begun: u64,
}

impl Pace {
    /// Lane `lane` of a job; `None` where it is a closed loop.
    pub fn of_lane(job: &Job, lane: u32) -> Option<Pace> {
        Some(Pace {
            rate_iops: job.rate_iops?,
            lane: lane.into(),
            lanes: job.numjobs.into(),
            begun: 0,
        })
    }

    /// When the lane's next operation is due, from the start of the cell.
    #[inline]
    pub fn due_ns(&self) -> u64 {
        self.even_ns(self.begun)
    }

    #[inline]
    pub fn begin(&mut self) {
        self.begun += 1;
    }

    /// Operations due at `elapsed_ns` or before that were not begun, at most `most`.
    pub fn backlog(&self, elapsed_ns: u64, most: u64) -> u64 {
        self.due_by(elapsed_ns).saturating_sub(self.begun).min(most)
    }

    fn even_ns(&self, index: u64) -> u64 {
        let global = u128::from(index) * u128::from(self.lanes) + u128::from(self.lane);
        // The product of 64-bit numbers and 10^9 stays below 2^128; u64::MAX is never reached.
        u64::try_from(global * 1_000_000_000 / u128::from(self.rate_iops)).unwrap_or(u64::MAX)
    }

    fn due_by(&self, elapsed_ns: u64) -> u64 {
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
    use bakeoff_model::job::Rw;
    use proptest::prelude::*;

    use super::*;

    fn pace(rate: u64, lane: u32, lanes: u32) -> Pace {
        let job = Job::new(Rw::RandRead, 4096, 1 << 20);
        let rate_iops = Some(rate);
        let job = Job { rate_iops, numjobs: lanes, seed: 42, ..job };
        Pace::of_lane(&job, lane).unwrap()
    }

    fn arrivals(mut pace: Pace, count: usize) -> Vec<u64> {
        let mut next = || {
            let due_ns = pace.due_ns();
            pace.begin();
            due_ns
        };
        (0..count).map(|_| next()).collect()
    }

    #[test]
    fn a_thousand_a_second_is_one_every_millisecond() {
        let pace = pace(1000, 0, 1);
        assert_eq!(arrivals(pace.clone(), 3), [0, 1_000_000, 2_000_000]);
        assert_eq!([0, 999_999, 1_000_000].map(|t| pace.backlog(t, 100)), [1, 1, 2]);
        assert_eq!(pace.backlog(1_000_000_000, 7), 7, "no more than there was to do");
    }

    #[test]
    fn lanes_take_turns() {
        let second = |lane| arrivals(pace(1000, lane, 2), 2)[1];
        assert_eq!([second(0), second(1)], [2_000_000, 3_000_000]);
    }

    proptest! {
        #[test]
        fn what_is_due_agrees_with_when_it_is_due(
            rate in 1u64..1_000_000, lane in 0u32..4, elapsed in 0u64..1_000_000_000
        ) {
            let pace = pace(rate, lane, 4);
            let due = pace.backlog(elapsed, 2000) as usize;
            let moments = arrivals(pace, due + 1);
            prop_assert!(due == 0 || moments[due - 1] <= elapsed);
            prop_assert!(due == 2000 || moments[due] > elapsed);
        }
    }
}
