//! L38 peeking: the run checks its results more often than its error rate allows.

use crate::evidence::rule::Hit;
use bakeoff_model::design::Design;
use bakeoff_model::protocol::Protocol;

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
