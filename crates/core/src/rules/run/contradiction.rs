//! L43 contradiction: a stack with an extra layer is certainly faster than the same stack without
//! it.

use super::{RunCheck, RunRule, name};
use crate::decide::compare::Comparison;
use crate::decide::table::Table;
use crate::evidence::advice::Key;
use crate::evidence::advice::Part::{Say, Set};
use crate::evidence::rule::{Check, E, Rule, STACK, When};
use crate::evidence::{finding, of_study};
use crate::model::candidate::Stack;
use crate::model::finding::Finding;
use crate::model::index::{CandidateIx, WorkloadIx};
use crate::model::run::Run;
use crate::study::{SAME, Study};
use crate::{study, units};

pub static RULE: Rule = Rule {
    id: "L43",
    slug: "contradiction",
    when: &[When::Analysis, When::Import],
    severity: [E, E, E, E],
    scope: STACK,
    condition: "a stack with an extra layer is certainly faster than the same stack without it",
    explain: "LUKS on ext4 wrote 117 MB/s where ext4 alone wrote 104, in a study that concluded \
        that encryption slows everything down. Encryption adds work. If it is faster, another \
        factor differs. Check the other findings, and measure again with --mode precise.",
    checks: &[Check::Study(in_study)],
};

pub(super) static OVER_RUN: RunRule =
    RunRule { rule: &RULE, checks: &[RunCheck::Workload(in_pairs)] };

/// More work, and faster for certain.
fn in_pairs(run: &Run, _: &Table, _: WorkloadIx, compared: &Comparison) -> Option<Finding> {
    let stack = |c: CandidateIx| run.header.candidates[c].stack();
    let pair = compared.pairs.iter().find(|p| {
        let certain = p.interval.is_some_and(|i| i.low > 0.0);
        let adds = stack(p.a).zip(stack(p.b)).is_some_and(|(a, b)| adds_to(a, b));
        certain && adds
    })?;
    let lead = libm::expm1(pair.paired?.mean) * 100.0;
    let evidence = format!(
        "{} is {lead:.1} % faster than {}, the same stack without the layer",
        name(run, pair.a),
        name(run, pair.b)
    );
    let advice = &[
        Say("an uncontrolled factor affects the result: measure again with "),
        Set(Key::Mode, "precise"),
    ];
    Some(finding(&run.header, &RULE, evidence, advice))
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

fn in_study(study: &Study) -> Option<Finding> {
    for of in study.settings() {
        for plain in of.iter().filter(|c| c.crypt.is_empty()) {
            let same = |c: &&&study::Cell| c.fs == plain.fs && !c.crypt.is_empty();
            let faster = of.iter().filter(same).find(|c| c.rate > plain.rate * (1.0 + SAME));
            if let Some(more) = faster {
                let evidence = format!(
                    "{} on {}: {} at {} is faster than {} alone at {}",
                    more.test,
                    more.device,
                    more.candidate(),
                    units::rate(more.rate),
                    plain.fs,
                    units::rate(plain.rate)
                );
                let advice = "More work cannot be faster: something else differs between them.";
                return Some(of_study(&RULE, evidence, advice));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use crate::model::candidate::{Crypt, Kind};
    use crate::rules::tests::session::{has, noise};
    use crate::testing::RunBuilder;

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
