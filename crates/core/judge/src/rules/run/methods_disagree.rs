//! methods-disagree: the t interval shows a difference that the rank test does not.

use super::ComparedRun;
use super::name;
use crate::decide::compare::Comparison;
use crate::decide::schedule;
use crate::evidence::rule::Hit;
use bakeoff_stats::hodges_lehmann;

/// The interval of ranks against the interval of the mean, where there are blocks enough for one.
pub fn methods(of: &ComparedRun, compared: &Comparison) -> Option<Hit> {
    let (&ComparedRun { run, table, .. }, workload) = (of, compared.workload);
    let alpha = schedule::alpha_pair(run);
    let pair = compared.pairs.iter().find(|p| {
        let by_mean = p.interval.is_some_and(|i| i.excludes_zero());
        let differences = table.differences(workload, p.a, p.b);
        let by_rank = hodges_lehmann::interval(&differences, alpha);
        by_mean && by_rank.is_some_and(|i| !i.excludes_zero())
    })?;
    let differences = table.differences(workload, pair.a, pair.b);
    let median = hodges_lehmann::estimate(&differences)?;
    let percent = |y: f64| libm::expm1(y) * 100.0;
    let evidence = format!(
        "{} compared with {}: {:+.1} % by the mean, {:+.1} % by the rank test (not significant)",
        name(run, pair.a),
        name(run, pair.b),
        percent(pair.paired?.mean),
        percent(median)
    );
    let advice =
        "check the blocks (bakeoff show -o report.html); a few of them cause the difference";
    Some(Hit::new(evidence, advice))
}

#[cfg(test)]
mod tests {
    use crate::analyse::analyse;
    use crate::rules::tests::session::has;
    use crate::testing::RunBuilder;
    use bakeoff_model::event::What;
    use bakeoff_model::index::{CandidateIx, WorkloadIx};
    use bakeoff_model::run::Run;

    #[test]
    fn methods_disagree_where_ranks_see_nothing() {
        // Twelve blocks: the mean is certain, the ranks are not, when the differences are mixed.
        let run = |wild: bool| {
            let mut builder = RunBuilder::stacks(&["a", "b"]);
            for block in 0..12u32 {
                let order = if block % 2 == 0 { vec![0, 1] } else { vec![1, 0] };
                let gap = match (wild, block) {
                    (true, 0..=2) => -0.001,
                    (true, _) => 0.004 + 0.001 * f64::from(block % 5),
                    (false, _) => 0.02,
                };
                let rate =
                    |_: u32, c: u16, _: u16| 1000.0 * if c == 0 { libm::exp(gap) } else { 1.0 };
                builder.block(order, &mut { rate });
            }
            builder.push(What::Looked { blocks: 12, dropped: vec![] });
            builder.build()
        };
        assert!(!has("methods-disagree", &run(false)));
        let mixed = run(true);
        let interval = &analyse(&mixed).verdicts[0].effects[0];
        assert_eq!(
            has("methods-disagree", &mixed),
            interval.low > 1.0 && ranks_see_nothing(&mixed)
        );
    }

    fn ranks_see_nothing(run: &Run) -> bool {
        let table = crate::decide::table::Table::from_run(run, 12);
        let d = table.differences(WorkloadIx::FIRST, CandidateIx::FIRST, CandidateIx::new(1));
        let alpha = run.header.protocol.alpha_pair();
        bakeoff_stats::hodges_lehmann::interval(&d, alpha).is_some_and(|i| !i.excludes_zero())
    }
}
