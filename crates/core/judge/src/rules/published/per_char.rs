//! L23 per-char: a figure comes from a per-character test.

use crate::evidence::observation::Observation;
use crate::evidence::rule::{CELL, Hit, Rule, W, When};

pub static RULE: Rule = Rule {
    id: "L23",
    slug: "per-char",
    when: &[When::Import],
    severity: [W, W, W, W],
    scope: CELL,
    condition: "a figure comes from a per-character test",
    explain: "bonnie++'s first test writes byte by byte and runs at 94 % of a CPU: its manual \
        calls it a test of the C library. It does not measure a drive. Skip it with -f.",
};

pub fn in_result(of: &Observation) -> Option<Hit> {
    let result = of.result?;
    let names = ["sequential_output_per_chr.throughput", "sequential_input_per_chr.throughput"];
    let is_cited = result.figure(&names).is_some()
        || result.test.as_deref().is_some_and(|test| test.ends_with("per chr"));
    let evidence = "a figure of the per-character test".to_string();
    let advice = "It measures one call per byte. Skip it with -f.";
    (result.is("bonnie++") && is_cited).then(|| Hit::new(evidence, advice))
}

#[cfg(test)]
mod tests {
    use crate::rules::tests::imported::fires;

    #[test]
    fn l23_byte_by_byte_and_block_by_block() {
        let of = |test| {
            format!("ext4,none,bonnie++ 1.97,sequential output {test},1,throughput,84,KiB/s,")
        };
        assert!(fires("L23", &[&of("per chr")]) && !fires("L23", &[&of("block")]));
    }
}
