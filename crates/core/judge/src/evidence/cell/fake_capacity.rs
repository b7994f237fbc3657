//! L11 fake-capacity: data read back differs from the data written.

use crate::evidence::observation::Observation;
use crate::evidence::rule::Hit;
use bakeoff_model::design::Design;
use bakeoff_model::finding::Finding;

pub const ID: &str = "L11";

/// L11: what was read back is not what was written; the engine counts it.
pub fn in_cell(of: &Observation) -> Option<Hit> {
    let cell = of.measured?.cell;
    let m = &cell.measurement;
    let seen = m.findings.iter().find(|f| f.id == "verify-mismatch" || f.id == "L11")?;
    let advice = "back up the drive, then run: bakeoff probe";
    Some(Hit::new(seen.evidence.clone(), advice))
}

/// L11: the device did not return what was written to it.
pub fn lies(design: Design<'_>, evidence: String) -> Finding {
    let advice = "do not use the device; find its real capacity with `bakeoff probe`";
    Hit::new(evidence, advice).finding(design, ID)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyse::analyse;
    use crate::evidence::cell::testing::fires;
    use crate::testing::RunBuilder;
    use bakeoff_model::finding::{Scope, Severity};
    use bakeoff_model::verdict::Verdict;

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
