//! The engine that does a job here: the one that was asked for, or what comes next to it.

use bakeoff_model::finding::{Finding, Scope, Severity};
use bakeoff_model::job::{EngineName, Job};

use crate::check;
use crate::engine::{libaio, uring};

/// The job as psync does it. Where many I/Os in flight were asked for of another engine, each has
/// a thread of its own; psync itself does one at a time.
pub fn as_threads(job: &Job) -> Job {
    if job.engine == EngineName::Psync {
        return job.clone();
    }
    let blocks = check::blocks(job).saturating_mul(u64::from(job.own_files.max(1)));
    let blocks = u32::try_from(blocks).unwrap_or(u32::MAX);
    let most = check::NUMJOBS_MAX.min(blocks).max(job.numjobs);
    let numjobs = job.numjobs.saturating_mul(job.iodepth).min(most);
    Job { numjobs, iodepth: 1, ..job.clone() }
}

pub fn choose(job: &Job) -> (EngineName, Vec<Finding>) {
    let mut findings = Vec::new();
    let mut wanted = job.engine;
    if wanted == EngineName::IoUring {
        let Err(error) = uring::try_out() else { return (wanted, findings) };
        // Without O_DIRECT libaio does one I/O at a time too, inside of its call.
        wanted = if job.direct { EngineName::Libaio } else { EngineName::Psync };
        if wanted == EngineName::Libaio && libaio::try_out().is_err() {
            wanted = EngineName::Psync;
        }
        findings.push(fall_back("io_uring-unavailable", wanted, uring::explain(&error)));
    } else if wanted == EngineName::Libaio {
        if let Err(error) = libaio::try_out() {
            wanted = EngineName::Psync;
            findings.push(fall_back("libaio-unavailable", wanted, libaio::explain(&error)));
        } else if !job.direct {
            findings.push(one_by_one("libaio-buffered", job.iodepth, "without --direct libaio"));
        }
    }
    if job.engine == EngineName::Psync && job.iodepth > 1 {
        findings.push(one_by_one("psync-depth", job.iodepth, "psync"));
    }
    (wanted, findings)
}

fn warning(id: &str, evidence: String, advice: String) -> Finding {
    Finding {
        id: id.to_string(),
        severity: Severity::Warn,
        scope: Scope::Cell,
        workload: None,
        candidate: None,
        evidence,
        advice,
    }
}

fn fall_back(id: &str, used: EngineName, (evidence, advice): (String, String)) -> Finding {
    let threads = if used == EngineName::Psync { ", a thread for each I/O in flight," } else { "" };
    warning(id, format!("{evidence}; {}{threads} was used", used.name()), advice)
}

fn one_by_one(id: &str, iodepth: u32, who: &str) -> Finding {
    warning(
        id,
        format!("{who} does one I/O at a time: iodepth {iodepth} had no effect"),
        "use the io_uring engine, or a higher numjobs".to_string(),
    )
}

#[cfg(test)]
mod tests {
    use bakeoff_model::job::Rw;

    use super::*;

    #[test]
    fn a_short_file_gets_no_more_threads_than_blocks() {
        let job =
            Job { engine: EngineName::Libaio, iodepth: 64, ..Job::new(Rw::Read, 4096, 40960) };
        assert_eq!(as_threads(&job).numjobs, 10);
        let psync = Job { engine: EngineName::Psync, ..job };
        assert_eq!(as_threads(&psync).numjobs, 1, "psync does one I/O at a time, as in fio");
    }
}
