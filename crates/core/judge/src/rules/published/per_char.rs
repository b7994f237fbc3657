//! L23 per-char: a figure comes from a per-character test.

use crate::evidence::observation::Observation;
use crate::evidence::rule::Hit;

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
