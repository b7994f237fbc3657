//! L38 peeking: the run checks its results more often than its error rate allows.

use crate::evidence::rule::{E, Hit, RUN, Rule, W, When};
use bakeoff_model::design::Design;
use bakeoff_model::protocol::Protocol;

pub static RULE: Rule = Rule {
    id: "L38",
    slug: "peeking",
    when: &[When::Plan, When::Analysis],
    severity: [W, W, W, E],
    scope: RUN,
    condition: "the run checks its results more often than its error rate allows",
    explain: "Checking after every run and stopping at the first significant difference names a \
        winner between equal candidates in 24 % of comparisons; five checks at 5 % each do so in \
        16 %. The checks of each mode of bakeoff share an error rate of at most 5 %. This \
        finding marks a run with other checks or another alpha.",
};

pub fn in_plan(design: Design<'_>) -> Option<Hit> {
    let protocol = &design.protocol;
    let looks = protocol.looks.len();
    let spent = |alphas: &[f64]| alphas.iter().sum::<f64>();
    let paid = spent(&Protocol::for_mode(protocol.mode, protocol.k).alphas);
    let own = spent(&protocol.alphas);
    (looks != protocol.alphas.len() || own > paid + 1e-9).then(|| {
        let evidence = format!(
            "{looks} checks cause an error rate of {own:.3}; the checks of this mode cause \
             {paid:.3}"
        );
        let advice = "use the checks of a mode: {mode=decide}";
        Hit::new(evidence, advice)
    })
}

#[cfg(test)]
mod tests {
    use crate::rules::tests::before::{fires, stacks, with};

    #[test]
    fn l38_looks_that_are_not_paid_for_and_those_of_a_mode() {
        assert!(fires("L38", &with(|h| h.protocol.alphas[0] = 0.05)));
        assert!(fires("L38", &with(|h| h.protocol.looks = vec![5, 6, 7, 8, 9, 10])));
        assert!(!fires("L38", &stacks().build()));
    }
}
