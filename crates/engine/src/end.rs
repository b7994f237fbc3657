//! When a lane stops, as a pure decision.

use bakeoff_model::job::Job;
use bakeoff_tools::native::sliced::Request;

use crate::offsets::share;

/// One lane's share of the job's end. Times from the start of the lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// Data operations after which the work is done.
    pub quota: Option<u64>,
    pub runtime_ns: Option<u64>,
    /// Operations, flushes included, before which neither counts.
    pub min_ios: u64,
    pub least_ios: u64,
    pub least_flushes: u64,
    pub hard_ns: u64,
    /// Operations of the lane from which [`End::reached`] is asked, whatever the time.
    ask_ios: u64,
    ask_ns: u64,
}

impl End {
    /// The share of lane `lane`.
    pub fn of_lane(job: &Job, lane: u32) -> End {
        let whole = match (job.io_size, job.runtime_ns) {
            (Some(bytes), _) => Some(bytes),
            (None, Some(_)) => None,
            (None, None) => Some(job.size),
        };
        let quota = whole.map(|bytes| share((bytes / job.bs).max(1), lane, job.numjobs));
        let hard_ns = job.time_limit_ns.unwrap_or(u64::MAX);
        End {
            quota,
            runtime_ns: job.runtime_ns,
            min_ios: share(job.min_ios, lane, job.numjobs),
            least_ios: 0,
            least_flushes: 0,
            hard_ns,
            ask_ios: quota.unwrap_or(u64::MAX),
            ask_ns: job.runtime_ns.unwrap_or(u64::MAX).min(hard_ns),
        }
    }

    /// The share of lane `lane` in a part of a slice that has so many of its units, and begins when
    /// the lane has `issued` data operations. Operations and flushes count from there.
    pub fn of_slice(job: &Job, request: &Request, units: u32, lane: u32, issued: u64) -> End {
        let units = u64::from(units);
        let ios = request.least_ios.max(request.least_bytes.div_ceil(job.bs)).saturating_mul(units);
        // Every lane has something to do: an idle one would not be the load that was asked for.
        let least = |all: u64| if all == 0 { 0 } else { share(all, lane, job.numjobs).max(1) };
        let all_units = u64::from(request.settling).saturating_add(request.counted.into()).max(1);
        let most_bytes = u128::from(request.most_bytes) * u128::from(units) / u128::from(all_units);
        let most_ios = u64::try_from(most_bytes).unwrap_or(u64::MAX) / job.bs;
        let most = (request.most_bytes > 0).then(|| least(most_ios.max(1)));
        let runtime_ns = request.slice_ns.saturating_mul(units);
        End {
            quota: most,
            runtime_ns: Some(runtime_ns),
            min_ios: 0,
            least_ios: least(ios),
            least_flushes: least(request.least_flushes.saturating_mul(units)),
            hard_ns: request.limit_ns,
            ask_ios: most.map_or(u64::MAX, |most| issued.saturating_add(most)),
            ask_ns: runtime_ns.min(request.limit_ns),
        }
    }

    /// The time of a slice is over and its minimum is not done, with `ios` operations of it and
    /// `issued` of the lane: when to ask again. Without this the loop would ask for each of them.
    pub fn wait_for_least(&mut self, issued: u64, ios: u64) {
        if self.least_ios > ios {
            self.ask_ios = issued.saturating_add(self.least_ios - ios);
            self.ask_ns = self.hard_ns;
        } else if self.least_flushes > 0 {
            self.ask_ios = 0;
        }
    }

    pub fn has_least(&self, ios: u64, flushes: u64) -> bool {
        ios >= self.least_ios && flushes >= self.least_flushes
    }

    /// Whether to start nothing more, with `issued` data operations and `flushes` begun so far.
    pub fn reached(&self, elapsed_ns: u64, issued: u64, flushes: u64) -> bool {
        if elapsed_ns >= self.hard_ns {
            return true;
        }
        if issued.saturating_add(flushes) < self.min_ios || !self.has_least(issued, flushes) {
            return false;
        }
        self.quota.is_some_and(|quota| issued >= quota)
            || self.runtime_ns.is_some_and(|runtime| elapsed_ns >= runtime)
    }

    /// Operations below which [`End::reached`] need not be asked because of counts.
    #[inline]
    pub fn ask_from(&self) -> u64 {
        self.ask_ios
    }

    /// First moment from which [`End::reached`] must be asked because of time.
    #[inline]
    pub fn ask_at_ns(&self) -> u64 {
        self.ask_ns
    }

    /// Next moment after `elapsed_ns` at which its answer may change because of time.
    pub fn ask_after_ns(&self, elapsed_ns: u64) -> u64 {
        let later = self.runtime_ns.filter(|runtime| *runtime > elapsed_ns);
        later.unwrap_or(u64::MAX).min(self.hard_ns)
    }
}

#[cfg(test)]
mod tests {
    use bakeoff_model::job::Rw;

    use super::*;

    fn job() -> Job {
        Job::new(Rw::Write, 4096, 40960)
    }

    fn request() -> Request {
        Request {
            settling: 0,
            counted: 1,
            slice_ns: 50,
            least_ios: 20,
            least_flushes: 0,
            least_bytes: 0,
            most_bytes: 0,
            limit_ns: 2000,
        }
    }

    #[test]
    fn without_an_end_the_size_is_done_once() {
        let end = End::of_lane(&job(), 0);
        assert!(!end.reached(u64::MAX - 1, 9, 0));
        assert!(end.reached(0, 10, 0));
    }

    #[test]
    fn the_first_of_io_size_and_runtime_ends() {
        let end = End::of_lane(&Job { io_size: Some(8192), runtime_ns: Some(100), ..job() }, 0);
        assert!(!end.reached(99, 1, 0));
        assert!(end.reached(100, 1, 0));
        assert!(end.reached(0, 2, 0));
    }

    #[test]
    fn neither_ends_before_min_ios_and_flushes_count() {
        let end = End::of_lane(
            &Job { io_size: Some(4096), runtime_ns: Some(100), min_ios: 50, ..job() },
            0,
        );
        assert!(!end.reached(1_000_000, 49, 0));
        assert!(end.reached(1_000_000, 25, 25));
    }

    #[test]
    fn the_time_limit_ends_before_min_ios() {
        let end = End::of_lane(&Job { min_ios: 50, time_limit_ns: Some(1000), ..job() }, 0);
        assert!(!end.reached(999, 1, 0));
        assert!(end.reached(1000, 1, 0));
    }

    #[test]
    fn a_slice_ends_when_its_time_and_its_minimum_are_over_or_at_its_limit() {
        let request = Request { least_flushes: 3, least_bytes: 100_000, ..request() };
        let end =
            End::of_slice(&Job { io_size: Some(4096), min_ios: 99, ..job() }, &request, 1, 0, 0);
        assert!(!end.reached(49, 1000, 1000));
        assert!(!end.reached(50, 24, 3), "100000 bytes are 25 operations");
        assert!(!end.reached(50, 25, 2));
        assert!(end.reached(50, 25, 3));
        assert!(end.reached(2000, 1, 0));
        assert!(!end.has_least(1, 0));
        let lanes = Job { numjobs: 8, ..job() };
        let flushes: Vec<_> =
            (0..8).map(|lane| End::of_slice(&lanes, &request, 1, lane, 0).least_flushes).collect();
        assert_eq!(flushes, [1; 8]);
    }

    #[test]
    fn a_part_has_its_units_of_time_and_work_and_its_share_of_the_bytes() {
        let request = Request { settling: 3, counted: 5, most_bytes: 80 * 4096, ..request() };
        let settling = End::of_slice(&job(), &request, request.settling, 0, 0);
        assert_eq!((settling.runtime_ns, settling.least_ios), (Some(150), 60));
        assert_eq!((settling.quota, settling.hard_ns), (Some(30), 2000));
        let counted = End::of_slice(&job(), &request, request.counted, 0, 0);
        assert_eq!((counted.runtime_ns, counted.quota), (Some(250), Some(50)));
        assert!(!counted.reached(10, 99, 0) && counted.reached(10, 100, 0), "not below the least");
    }

    /// A slice beyond its time once asked for each I/O, at 450 instructions more each.
    #[test]
    fn a_slice_beyond_its_time_asks_again_when_its_minimum_is_done() {
        let mut end = End::of_slice(&job(), &request(), 1, 0, 0);
        assert_eq!((end.ask_from(), end.ask_at_ns()), (u64::MAX, 50));
        end.wait_for_least(105, 5);
        assert_eq!((end.ask_from(), end.ask_at_ns()), (120, 2000));
        assert!(end.reached(60, 20, 0));
    }

    #[test]
    fn lanes_share_the_io_size() {
        let job = Job { io_size: Some(7 * 4096), numjobs: 3, ..job() };
        let quotas: Vec<_> = (0..3).map(|lane| End::of_lane(&job, lane).quota).collect();
        assert_eq!(quotas, [Some(3), Some(2), Some(2)]);
    }
}
