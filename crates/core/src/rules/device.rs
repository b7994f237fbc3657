//! Rules about what a device did with what it was given.

use super::finding;
use crate::evidence::registry;
use crate::model::event::Header;
use crate::model::finding::Finding;

/// L11: the device did not return what was written to it.
pub fn lies(header: &Header, evidence: String) -> Finding {
    let advice = "do not use the device; find its real capacity with `bakeoff probe`";
    finding(header, &registry::FAKE_CAPACITY, evidence, advice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyse::analyse;
    use crate::model::verdict::Verdict;
    use crate::testing::RunBuilder;

    #[test]
    fn a_device_that_lies_refuses_every_verdict_and_an_honest_one_none() {
        let verdict = |lied: bool| {
            let mut builder = RunBuilder::stacks(&["ext4", "xfs"]);
            if lied {
                let header = builder.clone().build().header;
                builder = builder.finding(lies(&header, "byte 4096 differs".to_string()));
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
