//! L67 fresh-fs-only: figures for publication come from newly created filesystems.

use crate::evidence::rule::Hit;
use bakeoff_model::protocol::Mode;
use bakeoff_model::run::Run;

/// Where figures are to be published.
pub fn in_run(run: &Run) -> Option<Hit> {
    let is_stack = run.header.stacks().next().is_some();
    (is_stack && run.header.protocol.mode == Mode::Precise).then(|| {
        let blocks = run.complete_blocks().count();
        let evidence = format!("each of the {blocks} blocks created new filesystems");
        let advice = "to measure filesystems in use, run bakeoff quick DIR...; state next to this \
                      figure that it is for new filesystems, because age can change the order";
        Hit::new(evidence, advice)
    })
}

#[cfg(test)]
mod tests {
    use crate::analyse::analyse;
    use crate::rules::tests::session::{at, has, twins};
    use crate::rules::tests::told;
    use crate::testing::RunBuilder;

    #[test]
    fn l67_published_figures_of_new_filesystems() {
        assert!(has("L67", &twins(0.03, 0.0)));
        assert!(!has("L67", &RunBuilder::stacks(&["a", "b"]).play(5, at(&[1.0, 1.1])).build()));
    }

    #[test]
    fn advice_about_new_filesystems_names_what_to_type() {
        let advice = told(&analyse(&twins(0.03, 0.0)).findings, "L67").unwrap().advice;
        assert!(advice.contains("bakeoff quick DIR"), "{advice}");
    }
}
