//! L41 ceiling: three or more candidates are within 2 % of each other, at 85 % or more of the link
//! speed.

use super::ComparedRun;
use crate::decide::compare::Comparison;
use crate::evidence::rule::Hit;
use bakeoff_model::index::CandidateIx;
use bakeoff_stats::sample;
use bakeoff_stats::units;

/// Several alike at what the link carries.
pub fn at_the_link(of: &ComparedRun, compared: &Comparison) -> Option<Hit> {
    let (&ComparedRun { run, table, .. }, workload) = (of, compared.workload);
    let of = &run.header.workloads[workload];
    let limits = &run.header.protocol.thresholds;
    if of.metric != bakeoff_model::workload::Metric::Bandwidth {
        return None;
    }
    let carried = |c: &CandidateIx| {
        let place = crate::evidence::cell::place(&run.header, *c)?;
        bakeoff_model::boards::link::of_place(place)
    };
    let mean = |c: &CandidateIx| {
        sample::mean(&table.scores(workload, *c)).map(|y| of.metric.from_score(y))
    };
    let at_limit: Vec<f64> = compared
        .ranked
        .iter()
        .filter_map(|c| {
            let (rate, link) = (mean(c)?, carried(c)?);
            (rate >= limits.ceiling * link).then_some(rate)
        })
        .collect();
    let (low, high) = sample::range(at_limit.iter().copied())?;
    (at_limit.len() >= 3 && high <= low * (1.0 + limits.alike)).then(|| {
        let evidence = format!(
            "{} candidates reach {} to {}, at least {:.0} % of the link speed",
            at_limit.len(),
            units::rate(low),
            units::rate(high),
            limits.ceiling * 100.0
        );
        Hit::new(evidence, "add small or flushed requests: {workload=randwrite}")
    })
}

#[cfg(test)]
mod tests {
    use crate::rules::tests::session::{at, has};
    use crate::testing::RunBuilder;

    #[test]
    fn l41_three_at_the_link_and_two() {
        let run = |rates: &'static [f64]| {
            let mut builder = RunBuilder::directories(&["/a", "/b", "/c"]).workloads(&["seqread"]);
            for i in 0..3 {
                builder = builder.place(i, |p| p.chain[1].link = Some("USB 480 Mb/s".into()));
            }
            builder.play(5, at(rates)).build()
        };
        assert!(has("L41", &run(&[52e6, 52.2e6, 52.1e6])));
        assert!(!has("L41", &run(&[52e6, 52.2e6, 45e6])) && !has("L41", &run(&[40e6; 3])));
    }
}
