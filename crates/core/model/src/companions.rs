//! Companions: what works beside a measured workload, at a fixed pace.
//!
//! The pace is fixed so that a slow candidate is not rewarded with less of it. A companion that
//! cannot keep its pace falls behind, which its figures show.

use crate::job::{Job, Rw};
use crate::profile::Profile;
use crate::profiles;
use crate::workload::{Metric, Phase, Workload};

/// Those that have a name of their own, besides the workloads of a plan and the profiles.
pub const BUILT_IN: [&str; 2] = ["backup", "logs"];

/// Operations a second of a companion for which nobody says how many.
pub const USUAL_RATE: u64 = 100;
/// Bytes of its files, where nobody says how many.
pub const USUAL_BYTES: u64 = 32 << 20;
/// How long it works before what is beside it is measured.
pub const LEAD_NS: u64 = 100_000_000;

/// A commit writes whole pages.
const COMMIT_BYTES: u64 = 4 * 4096;

pub fn built_in(name: &str) -> Option<Workload> {
    let made = match name {
        // About 15 MB/s.
        "backup" => {
            let job = Job { rate_iops: Some(100), ..profiles::job(Profile::Backup) };
            profiles::parts(Profile::Backup, &job).into_iter().next()
        }
        "logs" => {
            let job = Job::new(Rw::Write, 4096, USUAL_BYTES);
            let job = Job { fdatasync: 1, rate_iops: Some(10), ..job };
            let summary = "4k appended to a log, each flushed";
            Some(Workload::native(name, summary, Phase::Append, Metric::Iops, job))
        }
        _ => None,
    };
    made.map(|workload| of(Workload { name: name.to_string(), ..workload }))
}

/// The companion that a workload is: at its own rate or the usual one, in files of the usual size
/// or its own, and beside nothing itself.
pub fn of(workload: Workload) -> Workload {
    let (rate, size) = (workload.job.rate_iops, workload.job.size);
    let size = if workload.sized { size } else { size.min(USUAL_BYTES).max(workload.job.bs) };
    let job = Job {
        rate_iops: rate.or(Some(USUAL_RATE)),
        size,
        io_size: None,
        runtime_ns: None,
        verify: false,
        ..workload.job
    };
    Workload { job, beside: None, ..workload }
}

/// Operations a second that it is asked for.
pub fn rate(companion: &Workload) -> u64 {
    companion.job.rate_iops.unwrap_or(USUAL_RATE)
}

/// Bytes that it writes a second at most, filesystem apart.
pub fn write_bytes_per_s(companion: &Workload) -> u64 {
    let job = &companion.job;
    let each = match companion.profile.map(|part| part.profile) {
        Some(Profile::Sqlite | Profile::HomeAssistant) => job.bs + COMMIT_BYTES,
        _ if !job.rw.writes() => 0,
        _ if job.rw.is_mixed() => job.bs * u64::from(100 - job.rwmixread.min(100)) / 100,
        _ => job.bs,
    };
    rate(companion).saturating_mul(each)
}

/// Bytes that are written for it before it begins.
pub fn layout_bytes(companion: &Workload) -> u64 {
    let lays_out = match companion.profile {
        Some(part) => profiles::lays_out(part.profile),
        None => companion.job.rw.reads() && companion.job.rw != Rw::SmallFiles,
    };
    if lays_out { companion.job.size } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_built_in_one_has_a_pace_and_files_that_fit_anywhere() {
        for name in BUILT_IN {
            let companion = built_in(name).expect(name);
            assert_eq!(companion.name, name);
            assert!(companion.job.rate_iops.is_some() && companion.job.size <= USUAL_BYTES);
        }
        assert_eq!(built_in("none"), None);
        let rate = |name| write_bytes_per_s(&built_in(name).expect(name));
        assert_eq!(["backup", "logs"].map(rate), [0, 40960]);
        let laid_out = |name| layout_bytes(&built_in(name).expect(name));
        assert_eq!(["backup", "logs"].map(laid_out), [USUAL_BYTES, 0]);
    }

    #[test]
    fn a_workload_keeps_its_own_rate_and_size_as_a_companion() {
        let mut own = crate::workloads::find("randwrite").expect("built in");
        assert_eq!((rate(&of(own.clone())), of(own.clone()).job.size), (100, USUAL_BYTES));
        own.job = Job { rate_iops: Some(7), size: 64 << 20, runtime_ns: Some(9), ..own.job };
        (own.sized, own.beside) = (true, Some(Box::new(own.clone())));
        let companion = of(own);
        assert_eq!((rate(&companion), companion.job.size), (7, 64 << 20));
        assert_eq!((companion.beside, companion.job.runtime_ns), (None, None));
    }
}
