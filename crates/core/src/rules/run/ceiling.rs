//! L41 ceiling: three or more candidates are within 2 % of each other, at 85 % or more of the link
//! speed.

use super::{RunCheck, RunRule};
use crate::decide::compare::Comparison;
use crate::decide::table::Table;
use crate::evidence::advice::Key;
use crate::evidence::advice::Part::{Say, Set};
use crate::evidence::rule::{Check, RUN, Rule, W, When};
use crate::evidence::{finding, of_study};
use crate::model::finding::Finding;
use crate::model::index::{CandidateIx, WorkloadIx};
use crate::model::run::Run;
use crate::model::thresholds::Thresholds;
use crate::stats::sample;
use crate::study::{SAME, Study};
use crate::{study, units};

pub static RULE: Rule = Rule {
    id: "L41",
    slug: "ceiling",
    when: &[When::Analysis, When::Import],
    severity: [W, W, W, W],
    scope: RUN,
    condition: "three or more candidates are within 2 % of each other, at 85 % or more of the link \
        speed",
    explain: "Four candidates on one stick read 159, 159, 159 and 159 MB/s: that is the speed of \
        the stick. All reach the same limit, so this workload cannot rank them; it only shows that \
        none of them is the bottleneck. Use small or flushed requests to distinguish them.",
    checks: &[Check::Study(in_study)],
};

pub(super) static OVER_RUN: RunRule =
    RunRule { rule: &RULE, checks: &[RunCheck::Workload(at_the_link)] };

/// Several alike at what the link carries.
fn at_the_link(
    run: &Run,
    table: &Table,
    workload: WorkloadIx,
    compared: &Comparison,
) -> Option<Finding> {
    let of = &run.header.workloads[workload];
    let limits = &run.header.protocol.thresholds;
    if of.metric != crate::model::workload::Metric::Bandwidth {
        return None;
    }
    let carried = |c: &CandidateIx| {
        let place = crate::evidence::cell::place(&run.header, *c)?;
        crate::boards::link::of_place(place)
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
        finding(
            &run.header,
            &RULE,
            evidence,
            &[Say("add small or flushed requests: "), Set(Key::Workload, "randwrite")],
        )
    })
}

fn in_study(study: &Study) -> Option<Finding> {
    let share = Thresholds::default().ceiling;
    let least = study.facts.number("link_bytes_per_s").map_or(0.0, |link| share * link);
    let moves_data = |c: &study::Cell| c.only_reads() || c.only_writes();
    let is_disk = |c: &&study::Cell| c.block >= 4096 && moves_data(c) && c.rate >= least;
    for of in study.settings() {
        let mut rates: Vec<f64> = of.iter().copied().filter(is_disk).map(|c| c.rate).collect();
        rates.sort_by(f64::total_cmp);
        let top = &rates[rates.len().saturating_sub(3)..];
        if top.len() == 3 && top[2] <= top[0] * (1.0 + SAME) {
            let evidence = format!(
                "{} on {}: three candidates within {:.1} % at {}",
                of[0].test,
                of[0].device,
                (top[2] / top[0] - 1.0) * 100.0,
                units::rate(top[2])
            );
            let advice = "They reach the same limit, so this test cannot rank them.";
            return Some(of_study(&RULE, evidence, advice));
        }
    }
    None
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
