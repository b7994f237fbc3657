//! Workloads that differ in one number only, or in two: a sweep of block sizes, queue depths or
//! threads, which is one curve or one map and not many questions.

use super::job::{Job, Rw};
use super::workload::{Metric, Workload};
use bakeoff_stats::distinct;

pub const LEAST: usize = 3;
/// So many values of a sweep show its shape; the others refine it.
pub const COARSE: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    BlockSize,
    Depth,
    Jobs,
    DepthAndJobs,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sweep {
    pub axis: Axis,
    /// Their indices, the smallest value first; of two numbers by the depth, then by the threads.
    pub members: Vec<usize>,
}

impl Axis {
    /// In the order in which sweeps are looked for. One of depths alone is no sweep where it is a
    /// line of a map.
    const ALL: [Axis; 4] = [Axis::BlockSize, Axis::DepthAndJobs, Axis::Depth, Axis::Jobs];

    /// The values of a job on this axis; 1 where there is no second one.
    pub fn values(self, job: &Job) -> (u64, u64) {
        match self {
            Axis::BlockSize => (job.bs, 1),
            Axis::Depth => (job.iodepth.into(), 1),
            Axis::Jobs => (job.numjobs.into(), 1),
            Axis::DepthAndJobs => (job.iodepth.into(), job.numjobs.into()),
        }
    }

    /// The job without what may differ: the axis, and what follows from it or from chance.
    fn rest(self, job: &Job) -> Job {
        let mut rest = Job { seed: 0, min_ios: 0, time_limit_ns: None, ..job.clone() };
        match self {
            Axis::BlockSize => {
                (rest.bs, rest.size, rest.io_size, rest.runtime_ns) = (0, 0, None, None);
                // Where so many bytes are flushed at once, the count of writes depends on the size.
                (rest.fsync, rest.fdatasync) = (rest.fsync.min(2), rest.fdatasync.min(2));
            }
            Axis::Depth => rest.iodepth = 0,
            Axis::Jobs => rest.numjobs = 0,
            Axis::DepthAndJobs => (rest.iodepth, rest.numjobs) = (0, 0),
        }
        rest
    }

    fn are_alike(self, a: &Workload, b: &Workload) -> bool {
        a.driver == b.driver && a.beside == b.beside && self.rest(&a.job) == self.rest(&b.job)
    }

    /// Whether these values are a curve, or a map with at least two of each number.
    fn is_enough(self, values: &[(u64, u64)]) -> bool {
        let different =
            |of: &dyn Fn(&(u64, u64)) -> u64| distinct::sorted(values.iter().map(of)).len();
        match self {
            Axis::DepthAndJobs => different(&|v| v.0) >= 2 && different(&|v| v.1) >= 2,
            Axis::BlockSize | Axis::Depth | Axis::Jobs => different(&|v| v.0) >= LEAST,
        }
    }
}

/// Whether it can be a point of a curve: its rate is bytes or operations a second.
fn is_a_point(workload: &Workload) -> bool {
    let is_rate = matches!(workload.metric, Metric::Iops | Metric::Bandwidth);
    let is_whole = workload.profile.is_none();
    is_rate && is_whole && workload.job.rw != Rw::SmallFiles
}

pub fn sweeps(workloads: &[Workload]) -> Vec<Sweep> {
    let mut free: Vec<usize> =
        (0..workloads.len()).filter(|i| is_a_point(&workloads[*i])).collect();
    let mut found = Vec::new();
    for axis in Axis::ALL {
        let mut left = free.clone();
        while let Some(first) = left.first().copied() {
            let alike = |i: &usize| axis.are_alike(&workloads[first], &workloads[*i]);
            let (mut members, others): (Vec<usize>, Vec<usize>) = left.into_iter().partition(alike);
            left = others;
            members.sort_by_key(|i| axis.values(&workloads[*i].job));
            members.dedup_by_key(|i| axis.values(&workloads[*i].job));
            let values: Vec<_> = members.iter().map(|i| axis.values(&workloads[*i].job)).collect();
            if axis.is_enough(&values) {
                if axis == Axis::DepthAndJobs {
                    free.retain(|i| !members.contains(i));
                }
                found.push(Sweep { axis, members });
            }
        }
    }
    found.sort_by_key(|sweep| sweep.members.iter().min().copied());
    found
}

/// The order in which workloads are worth measuring when not all may fit: of a sweep with many
/// values first four that show its shape (both ends and two between them), everything else where
/// it was.
pub fn coarse_first(workloads: &[Workload]) -> Vec<usize> {
    let mut refines = vec![false; workloads.len()];
    for sweep in sweeps(workloads).iter().filter(|s| s.axis != Axis::DepthAndJobs) {
        let last = sweep.members.len() - 1;
        let coarse: Vec<usize> = (0..COARSE).map(|n| n * last / (COARSE - 1)).collect();
        for (at, member) in sweep.members.iter().enumerate() {
            refines[*member] = !coarse.contains(&at);
        }
    }
    let mut order: Vec<usize> = (0..workloads.len()).collect();
    order.sort_by_key(|i| refines[*i]);
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::Phase;

    fn workload(name: &str, rw: Rw, change: impl Fn(&mut Job)) -> Workload {
        let mut job = Job::new(rw, 4096, 1 << 28);
        change(&mut job);
        Workload::native(name, name, Phase::Append, Metric::Bandwidth, job)
    }

    fn by_size(rw: Rw, powers: &[u32]) -> Vec<Workload> {
        let of = |power: &u32| workload(&format!("{power}"), rw, |job| job.bs = 1 << power);
        powers.iter().map(of).collect()
    }

    #[test]
    fn block_sizes_are_a_curve_for_each_pattern_in_the_order_of_their_sizes() {
        let mut all = by_size(Rw::Write, &[20, 12, 16]);
        all.extend(by_size(Rw::Read, &[12, 16, 20]));
        all.push(workload("other", Rw::RandRead, |_| ()));
        let found = sweeps(&all);
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].axis, &found[0].members[..]), (Axis::BlockSize, &[1, 2, 0][..]));
        assert_eq!(found[1].members, [3, 4, 5]);
    }

    #[test]
    fn two_sizes_are_no_curve_and_files_are_no_points() {
        assert_eq!(sweeps(&by_size(Rw::Write, &[12, 20])), []);
        assert_eq!(sweeps(&by_size(Rw::SmallFiles, &[12, 14, 16])), []);
    }

    #[test]
    fn depths_and_threads_are_a_map_and_depths_alone_a_curve() {
        let of = |depth: u32, jobs: u32| {
            workload(&format!("{depth}x{jobs}"), Rw::RandRead, move |job| {
                (job.iodepth, job.numjobs) = (depth, jobs);
            })
        };
        let map = [of(1, 1), of(1, 4), of(8, 1), of(8, 4)];
        assert_eq!(sweeps(&map)[0].axis, Axis::DepthAndJobs);
        // Its corner is a point of a curve over block sizes as well.
        let mut both = map.to_vec();
        let sizes = [12, 14, 16].map(|power| {
            workload(&format!("{power}"), Rw::RandRead, move |job| job.bs = 1 << power)
        });
        both.extend(sizes.into_iter().skip(1));
        let found: Vec<_> = sweeps(&both).into_iter().map(|s| (s.axis, s.members)).collect();
        assert_eq!(found[0], (Axis::BlockSize, vec![0, 4, 5]));
        assert_eq!(found[1], (Axis::DepthAndJobs, vec![0, 1, 2, 3]));
        let curve = [of(8, 1), of(1, 1), of(32, 1)];
        let found = sweeps(&curve);
        assert_eq!((found[0].axis, &found[0].members[..]), (Axis::Depth, &[1, 0, 2][..]));
    }

    #[test]
    fn four_sizes_of_each_curve_come_first_and_the_rest_keeps_its_order() {
        let powers: Vec<u32> = (3..=20).collect();
        let mut all = by_size(Rw::Write, &powers);
        all.extend(by_size(Rw::Read, &powers));
        let order = coarse_first(&all);
        assert_eq!(&order[..8], [0, 5, 11, 17, 18, 23, 29, 35]);
        assert_eq!(&order[8..11], [1, 2, 3]);
        let mut sorted = order;
        sorted.sort_unstable();
        assert_eq!(sorted, (0..36).collect::<Vec<_>>());
        assert_eq!(coarse_first(&by_size(Rw::Write, &[12, 14, 16])), [0, 1, 2]);
    }
}
