//! Rules over whether what a cell wrote reached the drive, and came back.

use crate::evidence::observation::Observation;
use crate::evidence::rule::Hit;
use bakeoff_model::design::Design;
use bakeoff_model::finding::Finding;

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
    use crate::testing::RunBuilder;
    use bakeoff_model::verdict::Verdict;

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
