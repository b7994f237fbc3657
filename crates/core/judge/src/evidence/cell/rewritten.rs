//! rewritten: direct writes overwrote their blocks twice or more without a flush in between.

use crate::evidence::observation::{MeasuredCell, Observation};
use crate::evidence::rule::Hit;
use bakeoff_stats::units;

/// Times over from which on blocks count as written again and again.
const MANY_PASSES: f64 = 2.0;

/// Direct writes that come to a block again before any flush: a drive with a cache may keep the
/// last of them alone. Through the page cache that is kept from happening.
pub fn in_cell(of: &Observation) -> Option<Hit> {
    let MeasuredCell { workload, cell, .. } = of.measured?;
    let job = &cell.measurement.job;
    let bytes = cell.measurement.write.as_ref()?.io_bytes;
    let has_words = workload.profile.is_none() && workload.fio_job.is_none();
    let is_flushed = job.fsync > 0 || job.fdatasync > 0;
    let passes = bytes as f64 / job.size.max(1) as f64;
    (has_words && job.direct && !is_flushed && passes >= MANY_PASSES).then(|| {
        let evidence = format!(
            "{} were overwritten {passes:.1} times and flushed at most once, at the end",
            units::size(job.size)
        );
        let advice = "write more than the drive's cache can store: use a larger {size}";
        Hit::new(evidence, advice)
    })
}

#[cfg(test)]
mod tests {
    use crate::evidence::cell::testing::found;
    use bakeoff_model::job::Job;

    #[test]
    fn rewritten_blocks_of_direct_writes_that_nothing_flushes_in_between() {
        let wrote = |passes: f64, change: fn(&mut Job)| {
            found("seqwrite", 5e7, |_, c| {
                let m = &mut c.measurement;
                (m.job.direct, m.job.fsync, m.job.fdatasync) = (true, 0, 0);
                change(&mut m.job);
                m.write.as_mut().unwrap().io_bytes = (m.job.size as f64 * passes) as u64;
            })
        };
        assert_eq!(wrote(2.0, |_| {}), ["rewritten"]);
        assert!(wrote(1.9, |_| {}).is_empty());
        assert!(wrote(30.0, |job| job.fsync = 16).is_empty());
        assert!(!wrote(30.0, |job| job.direct = false).contains(&"rewritten".to_string()));
    }
}
