//! L40 below-noise: the winner's lead is smaller than the difference of one candidate from itself.

use super::{RunCheck, RunRule, name, winner};
use crate::decide::compare::Comparison;
use crate::decide::table::Table;
use crate::evidence::advice::Key;
use crate::evidence::advice::Part::{Say, Set};
use crate::evidence::rule::{Check, R, RUN, Rule, W, When};
use crate::evidence::{finding, of_study};
use crate::model::finding::Finding;
use crate::model::index::{CandidateIx, WorkloadIx};
use crate::model::run::Run;
use crate::rules::control::pooled;
use crate::stats::paired::Paired;
use crate::study;
use crate::study::Study;

pub static RULE: Rule = Rule {
    id: "L40",
    slug: "below-noise",
    when: &[When::Analysis, When::Import],
    severity: [W, W, R, R],
    scope: RUN,
    condition: "the winner's lead is smaller than the difference of one candidate from itself",
    explain: "An A/A control measures one candidate under two labels. If it is 2 % faster than \
        itself, a lead of 1 % proves nothing. In one study two reads of the same file differed by \
        0.6 to 7.2 %, but the ranked filesystems by only 1.6 %. More blocks make both smaller: \
        --mode precise stops at 2 % instead of 3 %.",
    checks: &[Check::Study(in_study), Check::Study(tools_disagree)],
};

pub(super) static OVER_RUN: RunRule =
    RunRule { rule: &RULE, checks: &[RunCheck::Workload(of_winner)] };

/// The lead of the winner against what an A/A twin shows.
fn of_winner(
    run: &Run,
    table: &Table,
    workload: WorkloadIx,
    compared: &Comparison,
) -> Option<Finding> {
    let lead = winner(run, table, compared)?.1?;
    let candidates = &run.header.candidates;
    let twins = CandidateIx::all(candidates.len()).filter_map(|twin| {
        let twin_of = &candidates[twin];
        let of = twin_of.twin_of.as_ref().filter(|_| twin_of.slowed_ppm == 0)?;
        let original = CandidateIx::find(candidates, |c| c.name == *of)?;
        Some((original, Paired::from_differences(&table.differences(workload, twin, original))?))
    });
    let own = twins.max_by(|a, b| a.1.mean.abs().total_cmp(&b.1.mean.abs()));
    let (who, apart) = match own {
        Some((original, apart)) => (name(run, original).to_string(), apart.mean),
        None => {
            let (runs, of) = pooled(run, workload)?;
            (format!("a candidate of {}", crate::phrases::count(runs, "earlier run")), of.mean)
        }
    };
    (apart.abs() >= lead.mean.abs()).then(|| {
        let percent = |y: f64| libm::expm1(y.abs()) * 100.0;
        let evidence = format!(
            "the winner leads by {:.1} %, but two measurements of {who} differ by {:.1} %",
            percent(lead.mean),
            percent(apart)
        );
        finding(
            &run.header,
            &RULE,
            evidence,
            &[Say("measure more blocks to confirm such a small lead: "), Set(Key::Mode, "precise")],
        )
    })
}

/// The same file read twice differs by more than candidates do.
fn in_study(study: &Study) -> Option<Finding> {
    let first_of = |c: &study::Cell| {
        let stem = c.repeats()?;
        study.cells.iter().find(|o| {
            o.test != c.test
                && o.test.starts_with(stem)
                && o.candidate() == c.candidate()
                && o.tool == c.tool
        })
    };
    let pairs: Vec<(&study::Cell, &study::Cell)> =
        study.cells.iter().filter_map(|c| Some((first_of(c)?, c))).collect();
    let noise = pairs.iter().map(|(a, b)| (a.rate / b.rate - 1.0).abs()).fold(0.0, f64::max);
    let rates: Vec<f64> = pairs.iter().map(|(a, _)| a.rate).collect();
    let closest = rates
        .iter()
        .enumerate()
        .flat_map(|(at, a)| rates[at + 1..].iter().map(move |b| (a / b - 1.0).abs()));
    let effect = closest.fold(f64::MAX, f64::min);
    let evidence = format!(
        "the same file read twice differs by up to {:.1} %, candidates by as little as {:.1} %",
        noise * 100.0,
        effect * 100.0
    );
    let advice = "Differences smaller than the spread of repeats are not meaningful.";
    (effect < noise).then(|| of_study(&RULE, evidence, advice))
}

/// Two tools that disagree about one candidate by more than candidates differ in one of them.
fn tools_disagree(study: &Study) -> Option<Finding> {
    let is_stream = |c: &&study::Cell| {
        let moves = c.only_reads() || c.only_writes();
        c.is_sequential() && moves && c.block >= 4096 && !c.is_rewrite()
    };
    let cells: Vec<&study::Cell> = study.cells.iter().filter(is_stream).collect();
    let apart = |a: &study::Cell, b: &study::Cell| (a.rate / b.rate - 1.0).abs();
    let key = |c: &study::Cell| [c.host, c.device].map(str::to_string);
    let (mut noise, mut effect) = (0.0, f64::MAX);
    for (at, a) in cells.iter().enumerate() {
        for b in cells[at + 1..].iter().filter(|b| key(a) == key(b)) {
            match (a.tool == b.tool, a.candidate() == b.candidate()) {
                (false, true) if a.only_reads() == b.only_reads() => {
                    noise = f64::max(noise, apart(a, b));
                }
                (true, false) if a.test == b.test && a.block == b.block => {
                    effect = f64::min(effect, apart(a, b));
                }
                (true, true) | (false, false) | (false, true) | (true, false) => {}
            }
        }
    }
    let evidence = format!(
        "two tools disagree about one candidate by up to {:.1} %, candidates differ by as little \
         as {:.1} %",
        noise * 100.0,
        effect * 100.0
    );
    let advice = "Differences smaller than the disagreement of two tools are not meaningful.";
    (effect < noise).then(|| of_study(&RULE, evidence, advice))
}

#[cfg(test)]
mod tests {
    use crate::rules::tests::session::{has, twins};

    #[test]
    fn l40_a_lead_smaller_than_a_twin_has_over_itself() {
        assert!(has("L40", &twins(0.01, 0.02)) && !has("L40", &twins(0.03, 0.02)));
    }
}
