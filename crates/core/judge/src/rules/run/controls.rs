//! Rules over what a run measured twice.

use super::{ComparedRun, name, winner};
use crate::decide::compare::Comparison;
use crate::decide::schedule;
use crate::evidence::rule::Hit;
use crate::rules::control::pooled;
use bakeoff_model::index::CandidateIx;
use bakeoff_stats::hodges_lehmann;
use bakeoff_stats::paired::Paired;

/// The lead of the winner against what an A/A twin shows.
pub fn below_noise(of: &ComparedRun, compared: &Comparison) -> Option<Hit> {
    let (&ComparedRun { run, table, .. }, workload) = (of, compared.workload);
    let lead = winner(of, compared)?.1?;
    let candidates = &run.header.candidates;
    let twins = CandidateIx::all(candidates.len()).filter_map(|twin| {
        let of = candidates[twin].twin_of.as_ref()?;
        let original = CandidateIx::find(candidates, |c| c.name == *of)?;
        Some((original, Paired::from_differences(&table.differences(workload, twin, original))?))
    });
    let own = twins.max_by(|a, b| a.1.mean.abs().total_cmp(&b.1.mean.abs()));
    let (who, apart) = match own {
        Some((original, apart)) => (name(run, original).to_string(), apart.mean),
        None => {
            let (runs, of) = pooled(run, workload)?;
            (
                format!("a candidate of {}", bakeoff_stats::phrases::count(runs, "earlier run")),
                of.mean,
            )
        }
    };
    (apart.abs() >= lead.mean.abs()).then(|| {
        let percent = |y: f64| libm::expm1(y.abs()) * 100.0;
        let evidence = format!(
            "the winner leads by {:.1} %, but two measurements of {who} differ by {:.1} %",
            percent(lead.mean),
            percent(apart)
        );
        Hit::new(evidence, "measure more blocks to confirm such a small lead: {mode=precise}")
    })
}

/// The interval of ranks against the interval of the mean, where there are blocks enough for one.
pub fn methods_disagree(of: &ComparedRun, compared: &Comparison) -> Option<Hit> {
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
    use crate::rules::tests::session::{has, twins};
    use crate::testing::RunBuilder;
    use bakeoff_model::event::What;
    use bakeoff_model::index::{CandidateIx, WorkloadIx};
    use bakeoff_model::run::Run;

    #[test]
    fn l40_a_lead_smaller_than_a_twin_has_over_itself() {
        assert!(has("L40", &twins(0.01, 0.02)) && !has("L40", &twins(0.03, 0.02)));
    }

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
        let table = crate::decide::table::ScoreTable::from_run(run, 12);
        let d = table.differences(WorkloadIx::FIRST, CandidateIx::FIRST, CandidateIx::new(1));
        let alpha = run.header.protocol.alpha_pair();
        bakeoff_stats::hodges_lehmann::interval(&d, alpha).is_some_and(|i| !i.excludes_zero())
    }
}
