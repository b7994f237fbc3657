//! L43 contradiction: a stack with an extra layer is certainly faster than the same stack without
//! it.

use super::ComparedRun;
use super::name;
use crate::decide::compare::Comparison;
use crate::evidence::rule::Hit;
use bakeoff_model::candidate::Stack;
use bakeoff_model::index::CandidateIx;

/// More work, and faster for certain.
pub fn in_pairs(of: &ComparedRun, compared: &Comparison) -> Option<Hit> {
    let stack = |c: CandidateIx| of.run.header.candidates[c].stack();
    let pair = compared.pairs.iter().find(|p| {
        let certain = p.interval.is_some_and(|i| i.low > 0.0);
        let adds = stack(p.a).zip(stack(p.b)).is_some_and(|(a, b)| adds_to(a, b));
        certain && adds
    })?;
    let lead = libm::expm1(pair.paired?.mean) * 100.0;
    let evidence = format!(
        "{} is {lead:.1} % faster than {}, the same stack without the layer",
        name(of.run, pair.a),
        name(of.run, pair.b)
    );
    let advice = "an uncontrolled factor affects the result: measure again with {mode=precise}";
    Some(Hit::new(evidence, advice))
}

/// Whether `a` is `b` with encryption or a logical volume added, and nothing else changed.
fn adds_to(a: &Stack, b: &Stack) -> bool {
    let more = (a.crypt.is_some() && b.crypt.is_none()) || (a.lvm && !b.lvm);
    let mut bare = a.clone();
    if b.crypt.is_none() {
        bare.crypt = None;
    }
    if !b.lvm {
        bare.lvm = false;
    }
    more && bare == *b
}

#[cfg(test)]
mod tests {
    use crate::rules::tests::session::{has, noise};
    use crate::testing::RunBuilder;
    use bakeoff_model::candidate::{Crypt, Kind};

    #[test]
    fn l43_encryption_that_makes_it_faster() {
        let run = |encrypted: f64| {
            let rate = move |b, c: u16, w| {
                1000.0 * if c == 1 { encrypted } else { 1.0 } * libm::exp(noise(b, c, w))
            };
            let builder = RunBuilder::stacks(&["ext4", "ext4, LUKS"]).header(|h| {
                let Kind::Stack(stack) = &mut h.candidates[1].kind else { panic!("a stack") };
                stack.crypt = Some(Crypt {
                    kind: "luks2".to_string(),
                    cipher: "aes-xts-plain64".to_string(),
                    key_bits: 512,
                    sector_size: Some(4096),
                    no_read_workqueue: false,
                    no_write_workqueue: false,
                });
            });
            builder.play(5, rate).build()
        };
        assert!(has("L43", &run(1.12)) && !has("L43", &run(0.7)) && !has("L43", &run(1.0)));
    }
}
