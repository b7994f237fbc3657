//! Rules over whether what a cell wrote reached the drive, and came back.

use crate::evidence::observation::{MeasuredCell, Observation};
use crate::evidence::rule::Hit;
use bakeoff_model::design::Design;
use bakeoff_model::finding::Finding;
use bakeoff_stats::units;

const DIRTIED_PER_PAGE: f64 = 0.5;

pub fn direct_fallback(of: &Observation) -> Option<Hit> {
    let cell = of.measured?.cell;
    let m = &cell.measurement;
    let dirtied = cell.truth.dirtied_per_page.filter(|_| m.job.direct && m.write.is_some())?;
    (dirtied > DIRTIED_PER_PAGE).then(|| {
        let evidence = format!(
            "direct writes went through the page cache: the kernel dirtied {dirtied:.2} cache \
             pages for each page written"
        );
        let advice = "mount btrfs with nodatasum (chattr +C for a directory), or drop \
                      {direct=true} for all";
        Hit::new(evidence, advice)
    })
}

const MANY_PASSES: f64 = 2.0;

/// Direct writes that come to a block again before any flush: a drive with a cache may keep the
/// last of them alone. Through the page cache that is kept from happening.
pub fn rewritten(of: &Observation) -> Option<Hit> {
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

pub const FAKE_CAPACITY: &str = "L11";

/// L11: what was read back is not what was written; the engine counts it.
pub fn fake_capacity(of: &Observation) -> Option<Hit> {
    let cell = of.measured?.cell;
    let m = &cell.measurement;
    let seen = m.findings.iter().find(|f| f.id == "verify-mismatch" || f.id == "L11")?;
    let advice = "back up the drive, then run: bakeoff probe";
    Some(Hit::new(seen.evidence.clone(), advice))
}

/// L11: the device did not return what was written to it.
pub fn lies(design: Design<'_>, evidence: String) -> Finding {
    let advice = "do not use the device; find its real capacity with `bakeoff probe`";
    Hit::new(evidence, advice).finding(design, FAKE_CAPACITY)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyse::analyse;
    use crate::evidence::cell::testing::{fires, found};
    use crate::testing::RunBuilder;
    use bakeoff_model::event::{Cell, Header};
    use bakeoff_model::finding::{Scope, Severity};
    use bakeoff_model::job::Job;
    use bakeoff_model::verdict::Verdict;

    #[test]
    fn l17_a_direct_write_that_dirties_pages() {
        let dirtied =
            |d: f64| move |_: &mut Header, c: &mut Cell| c.truth.dirtied_per_page = Some(d);
        assert_eq!(found("randrw", 900.0, dirtied(1.02)), ["L17"]);
        assert!(found("randrw", 900.0, dirtied(0.4)).is_empty());
        // A buffered write dirties pages, as it says.
        assert!(found("seqwrite", 5e7, dirtied(1.0)).is_empty());
    }

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

    #[test]
    fn l11_what_comes_back_is_not_what_was_written() {
        let seen = || Finding {
            id: "verify-mismatch".to_string(),
            severity: Severity::Refuse,
            scope: Scope::Cell,
            workload: None,
            candidate: None,
            evidence: "3 of 16 MiB came back different".to_string(),
            advice: "probe it".to_string(),
        };
        assert!(fires("L11", |_, c| c.measurement.findings = vec![seen()]));
        assert!(!fires("L11", |_, c| c.measurement.verified_bytes = Some(16 << 20)));
    }

    #[test]
    fn a_device_that_lies_refuses_every_verdict_and_an_honest_one_none() {
        let verdict = |lied: bool| {
            let mut builder = RunBuilder::stacks(&["ext4", "xfs"]);
            if lied {
                let header = builder.clone().build().header;
                builder = builder.finding(lies(header.design(), "byte 4096 differs".to_string()));
            }
            let rate = |block: u32, candidate: u16, _| {
                f64::from(100 + 50 * u32::from(candidate)) + f64::from(block % 3)
            };
            analyse(&builder.play(5, rate).build()).verdicts[0].verdict
        };
        assert_eq!(verdict(false), Verdict::Fastest);
        assert_eq!(verdict(true), Verdict::Refused);
    }
}
