//! The open loop: when each operation should start, whatever became of those before it.
//!
//! A closed loop waits for a stalled device and so leaves out the requests that would have arrived
//! meanwhile. Here arrivals are fixed in advance and latency counts from them. They are evenly
//! spaced, or a Poisson process: gaps are exponential and independent, as those of many users are.
//! Source: Schroeder, Wierman, Harchol-Balter, "Open versus closed: a cautionary tale", NSDI 2006;
//! G. Tene calls the mistake "coordinated omission".

use bakeoff_model::job::{Job, RateProcess};
use bakeoff_stats::prng::SplitMix64;

const PURPOSE_ARRIVALS: u64 = 4;

/// Arrivals of one lane. Lanes take turns in even ones, and each has a process of its own in
/// random ones, which add up to one of the whole rate.
#[derive(Clone, Debug)]
pub struct Pace {
    process: RateProcess,
    rate_iops: u64,
    lane: u64,
    lanes: u64,
    begun: u64,
    due_ns: u64,
    random: SplitMix64,
}

impl Pace {
    /// Lane `lane` of a job; `None` where it is a closed loop.
    pub fn of_lane(job: &Job, lane: u32) -> Option<Pace> {
        let random = SplitMix64::derive(job.seed, &[PURPOSE_ARRIVALS, u64::from(lane)]);
        let mut pace = Pace {
            process: job.rate_process,
            rate_iops: job.rate_iops?,
            lane: lane.into(),
            lanes: job.numjobs.into(),
            begun: 0,
            due_ns: 0,
            random,
        };
        pace.due_ns = match pace.process {
            RateProcess::Linear => pace.even_ns(0),
            RateProcess::Poisson => pace.gap_ns(),
        };
        Some(pace)
    }

    /// When the lane's next operation is due, from the start of the cell.
    #[inline]
    pub fn due_ns(&self) -> u64 {
        self.due_ns
    }

    #[inline]
    pub fn begin(&mut self) {
        self.begun += 1;
        self.due_ns = match self.process {
            RateProcess::Linear => self.even_ns(self.begun),
            RateProcess::Poisson => self.due_ns.saturating_add(self.gap_ns()),
        };
    }

    /// Operations due at `elapsed_ns` or before that were not begun, at most `most`.
    pub fn backlog(&self, elapsed_ns: u64, most: u64) -> u64 {
        if self.process == RateProcess::Linear {
            return self.due_by(elapsed_ns).saturating_sub(self.begun).min(most);
        }
        let mut later = self.clone();
        while later.due_ns <= elapsed_ns && later.begun - self.begun < most {
            later.begin();
        }
        later.begun - self.begun
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

    /// An exponential gap. By the `libm` crate: the same on every machine.
    fn gap_ns(&mut self) -> u64 {
        // Above 0 and up to 1, in 2^53 steps.
        let draw = ((self.random.next_u64() >> 11) + 1) as f64 / (1u64 << 53) as f64;
        let mean_ns = 1e9 * self.lanes as f64 / self.rate_iops as f64;
        // At most 37 means; `as` saturates what no machine will wait for.
        (-libm::log(draw) * mean_ns + 0.5) as u64
    }
}

#[cfg(test)]
mod tests {
    use bakeoff_model::job::Rw;
    use proptest::prelude::*;

    use super::*;

    fn pace(rate: u64, lane: u32, lanes: u32, process: RateProcess) -> Pace {
        let job = Job::new(Rw::RandRead, 4096, 1 << 20);
        let rate_iops = Some(rate);
        let job = Job { rate_iops, numjobs: lanes, rate_process: process, seed: 42, ..job };
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
        let pace = pace(1000, 0, 1, RateProcess::Linear);
        assert_eq!(arrivals(pace.clone(), 3), [0, 1_000_000, 2_000_000]);
        assert_eq!([0, 999_999, 1_000_000].map(|t| pace.backlog(t, 100)), [1, 1, 2]);
        assert_eq!(pace.backlog(1_000_000_000, 7), 7, "no more than there was to do");
    }

    #[test]
    fn lanes_take_turns() {
        let second = |lane| arrivals(pace(1000, lane, 2, RateProcess::Linear), 2)[1];
        assert_eq!([second(0), second(1)], [2_000_000, 3_000_000]);
    }

    /// Part of what a recorded seed stands for; from a second implementation, in Python.
    #[test]
    fn reference_vector() {
        let got = arrivals(pace(1000, 0, 1, RateProcess::Poisson), 4);
        assert_eq!(got, POISSON_42);
    }
    const POISSON_42: [u64; 4] = [191_609, 1_016_928, 1_994_963, 2_937_413];

    #[test]
    fn random_gaps_have_the_mean_and_the_spread_of_a_poisson_process() {
        const COUNT: usize = 50_000;
        for lanes in [1, 4] {
            let due = arrivals(pace(10_000, 1 % lanes, lanes, RateProcess::Poisson), COUNT);
            let gaps: Vec<f64> = due.windows(2).map(|two| (two[1] - two[0]) as f64).collect();
            let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
            let deviation =
                (gaps.iter().map(|g| (g - mean).powi(2)).sum::<f64>() / gaps.len() as f64).sqrt();
            let want = 1e5 * f64::from(lanes);
            // Mean and deviation are equal; five standard errors of 50000 draws are 2.3 %.
            assert!((mean / want - 1.0).abs() < 0.023, "{mean}");
            assert!((deviation / want - 1.0).abs() < 0.05, "{deviation}");
        }
    }

    proptest! {
        #[test]
        fn what_is_due_agrees_with_when_it_is_due(
            rate in 1u64..1_000_000, lane in 0u32..4, elapsed in 0u64..1_000_000_000, random: bool
        ) {
            let process = if random { RateProcess::Poisson } else { RateProcess::Linear };
            let pace = pace(rate, lane, 4, process);
            let due = pace.backlog(elapsed, 2000) as usize;
            let moments = arrivals(pace, due + 1);
            prop_assert!(due == 0 || moments[due - 1] <= elapsed);
            prop_assert!(due == 2000 || moments[due] > elapsed);
        }
    }
}
