//! L44 unmeasured-claim: a conclusion has no measurement behind it, or contradicts the figures.

use crate::evidence::of_study;
use crate::evidence::rule::{Check, R, RUN, Rule, When};
use crate::model::finding::Finding;
use crate::study::Study;
use crate::study::facts::Quantity;

pub static RULE: Rule = Rule {
    id: "L44",
    slug: "unmeasured-claim",
    when: &[When::Import],
    severity: [R, R, R, R],
    scope: RUN,
    condition: "a conclusion has no measurement behind it, or contradicts the figures",
    explain: "One study named f2fs the winner, although its writes were 18 % slower, its seeks 12 \
        % fewer and its worst latency 123 times as long. It also expected a longer lifetime, which \
        no test measured. A conclusion needs a figure that supports it.",
    checks: &[Check::Study(in_study)],
};

/// How far behind the named winner may be in a test before the data speak against it.
const BEHIND: f64 = 0.9;

/// Whether the study has a figure of the quantity that is claimed.
fn is_measured(study: &Study, claimed: &str) -> bool {
    let quantity = Quantity::from_name(claimed);
    let mut metrics = study.results.iter().flat_map(|result| &result.metrics);
    metrics.any(|metric| match (quantity, Quantity::from_name(&metric.name)) {
        (Some(claimed), Some(measured)) => claimed.is_shown_by(measured),
        (Some(_), None) => false,
        (None, _) => metric.name == claimed,
    })
}

fn in_study(study: &Study) -> Option<Finding> {
    let advice = "Draw conclusions only from what was measured.";
    let winner = study.facts.get("winner").and_then(|fact| {
        let mine = study.cells.iter().filter(|c| c.fs == fact.value);
        mine.filter_map(|c| {
            let same = study.cells.iter().filter(|o| {
                (o.host, o.device, o.tool, o.test, o.block)
                    == (c.host, c.device, c.tool, c.test, c.block)
            });
            let best = same.max_by(|a, b| a.rate.total_cmp(&b.rate))?;
            (c.rate < best.rate * BEHIND).then(|| {
                let percent = (1.0 - c.rate / best.rate) * 100.0;
                (percent, format!("{} is {percent:.0} % behind {} in {}", c.fs, best.fs, c.test))
            })
        })
        .max_by(|a, b| a.0.total_cmp(&b.0))
    });
    let claimed = study.facts.all("claims").find(|fact| !is_measured(study, &fact.value));
    let evidence = match (winner, claimed) {
        (Some((_, behind)), Some(fact)) => format!("{behind}; {}", fact.says),
        (Some((_, behind)), None) => behind,
        (None, Some(fact)) => fact.says.clone(),
        (None, None) => return None,
    };
    Some(of_study(&RULE, evidence, advice))
}

#[cfg(test)]
mod tests {
    use crate::rules::tests::imported::{TWO, fires};

    #[test]
    fn l44_a_winner_that_is_behind_and_one_that_is_nearly_ahead() {
        let with = |rate: f64, fact| {
            let other = format!("xfs,none,dd,sequential write,1048576,throughput,{rate},MB/s,");
            fires("L44", &[TWO[0], &other], fact)
        };
        assert!(with(8.9, "winner=xfs") && !with(9.1, "winner=xfs") && !with(8.9, "winner=ext4"));
        assert!(with(9.1, "claims=lifetime"), "nothing was measured of it");
        assert!(!with(9.1, "claims=throughput"));
    }
}
