//! L36 autocorrelation: one candidate's results drift: neighbouring blocks are correlated.

use super::{RunCheck, RunRule};
use crate::decide::autocorrelation::{ESTIMABLE, autocorrelated, of_lead};
use crate::decide::compare::{Comparison, Outcome, Pair};
use crate::decide::lead::Lead;
use crate::decide::table::Table;
use crate::evidence::advice::Part::{Say, Set};
use crate::evidence::advice::{Advice, Key};
use crate::evidence::cell::fsync_cadence;
use crate::evidence::rule::{Check, R, RUN, Rule, When};
use crate::evidence::{finding, of_study};
use crate::model::event::Header;
use crate::model::finding::{Finding, Severity};
use crate::model::index::{CandidateIx, WorkloadIx};
use crate::model::protocol::Rules;
use crate::model::run::Run;
use crate::model::setting::Setting;
use crate::scan::ToolResult;
use crate::stats::autocorrelation::{Lag1, lag1, widening};
use crate::study::Study;

pub static RULE: Rule = Rule {
    id: "L36",
    slug: "autocorrelation",
    when: &[When::Analysis, When::Import],
    severity: [R, R, R, R],
    scope: RUN,
    condition: "one candidate's results drift: neighbouring blocks are correlated",
    explain: "Effects common to all candidates cancel in the difference within a block. A slow \
        drift of one candidate alone (garbage collection, a filesystem that fills up) does not. \
        The blocks are then not independent samples, the interval is too narrow, and false winners \
        are more likely. In a fifth of simulated runs, five blocks named a false winner between \
        equal candidates, because one of them drifted by 10 % (docs/truth.md). bakeoff tests the \
        leader's differences for such drift. The run continues if wider intervals would change the \
        answer. If they still would after the last block, there is no verdict. Precondition the \
        drive, let it cool, then measure again with --mode decide.",
    checks: &[Check::Study(in_study)],
};

pub(super) static OVER_RUN: RunRule = RunRule { rule: &RULE, checks: &[RunCheck::Each(in_run)] };

/// Above this probability a wave is not worth widening an interval for.
const PLAUSIBLE: f64 = 0.3;

fn in_run(run: &Run, table: &Table, workload: WorkloadIx, compared: &Comparison) -> Vec<Finding> {
    if run.header.protocol.rules == Rules::Lead {
        let lead = Lead::new(run, table, compared, 1);
        return of_lead(run, table, workload, &lead)
            .into_iter()
            .map(|drift| told(run, table, workload, &lead, drift))
            .collect();
    }
    let tell = |(c, Lag1 { r, p }): (CandidateIx, Lag1)| {
        let name = &run.header.candidates[c].name;
        let evidence = format!(
            "{name}'s results drift: neighbouring blocks are correlated (lag-1 autocorrelation \
             {r:.2} over {} blocks, expected by chance once in {:.0} runs)",
            table.values(workload, c).iter().flatten().count(),
            1.0 / p.max(1e-6)
        );
        let advice = what_helps(&run.header);
        let mut found = finding(&run.header, &RULE, evidence, advice);
        found.candidate = Some(name.clone());
        found
    };
    let found: Vec<Finding> =
        autocorrelated(run, table, workload, compared).into_iter().map(tell).collect();
    match found.is_empty() {
        true => fragile(run, table, workload, compared).into_iter().collect(),
        false => found,
    }
}

/// The finding about one pair of the leader: the other candidate, and how the difference drifts.
fn told(
    run: &Run,
    table: &Table,
    workload: WorkloadIx,
    lead: &Lead,
    (other, lag1): (CandidateIx, Lag1),
) -> Finding {
    let name = |c: CandidateIx| run.header.candidates[c].name.clone();
    let leader = lead.leader.unwrap_or(other);
    let blocks = table.differences(workload, leader, other).len() as u32;
    let evidence = format!(
        "the difference between {} and {} drifts from block to block (lag-1 autocorrelation {:.2} \
         over {blocks} blocks); intervals {:.1} times as wide would change the answer",
        name(leader),
        name(other),
        lag1.r,
        widening(lag1.r, blocks)
    );
    let mut found = finding(&run.header, &RULE, evidence, what_helps(&run.header));
    found.candidate = Some(name(other));
    found
}

fn what_helps(header: &Header) -> Advice {
    Advice::Parts(match Setting::of(header) {
        Setting::Places => {
            &[Say("let the drive idle and cool down, then measure again with --time 15m")]
        }
        Setting::Image => {
            &[Say("let the drive idle and cool down, or use a separate drive: bakeoff run")]
        }
        Setting::Decide | Setting::Precise => &[
            Say("let the drive cool down, set precondition = true, and measure again with "),
            Set(Key::Mode, "decide"),
        ],
    })
}

/// A winner after the last block that is none when a wave as slow as is plausible is allowed for.
fn fragile(
    run: &Run,
    table: &Table,
    workload: WorkloadIx,
    compared: &Comparison,
) -> Option<Finding> {
    let blocks = table.blocks().len();
    let is_last = blocks >= run.header.protocol.last_block() as usize;
    if !is_last || blocks < ESTIMABLE || compared.decision.outcome != Outcome::Beats {
        return None;
    }
    let factor = |pair: &Pair| {
        let differences = table.differences(workload, pair.a, pair.b);
        let found = lag1(&differences).filter(|found| found.p < PLAUSIBLE);
        found.map_or(1.0, |found| widening(found.r, differences.len() as u32))
    };
    let margin = run.header.protocol.tie_margin;
    if compared.decided_with(factor, margin) == Outcome::Beats {
        return None;
    }
    let most = compared.pairs.iter().map(factor).fold(1.0, f64::max);
    let evidence = format!(
        "the winner is certain only if blocks are independent: over {blocks} blocks, plausible \
         drift of one candidate requires an interval {most:.1} times as wide"
    );
    let advice = what_helps(&run.header);
    Some(finding(&run.header, &RULE, evidence, advice))
}

/// One flush round stands for a hundred requests: the rounds are what was sampled.
fn in_study(study: &Study) -> Option<Finding> {
    let of = |r: &ToolResult| {
        let find = |name: &str| r.metrics.iter().find(|m| m.name == name).map(|m| m.value.as_f64());
        let is_flushing = r.findings.iter().any(|f| f.id == fsync_cadence::RULE.id);
        let rounds = find("other")? / find("file_count")?.max(1.0);
        (is_flushing && rounds < 30.0).then_some((rounds, find("events")?))
    };
    let (rounds, requests) = study.results.iter().find_map(of)?;
    let evidence =
        format!("{requests:.0} requests, but {rounds:.1} flush rounds determine their time");
    let advice = "Use the number of flush rounds, not of requests, as the sample size.";
    Some(Finding { severity: Severity::Warn, ..of_study(&RULE, evidence, advice) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyse::analyse;
    use crate::model::verdict::Verdict;
    use crate::rules::run::tests::{ids, steady};
    use crate::testing::Version01;

    /// `b` alone goes up and down slowly.
    fn wandering(depth: f64) -> Run {
        let rate = move |block: u32, candidate: u16, w| {
            let wave = if candidate == 1 { depth * libm::sin(f64::from(block) / 3.0) } else { 0.0 };
            steady(block, candidate, w) * libm::exp(wave)
        };
        Version01::stacks(&["a", "b", "c"]).play(18, rate).build()
    }

    #[test]
    fn l36_one_that_wanders_is_refused_and_one_that_only_scatters_is_not() {
        let found = analyse(&wandering(0.2));
        let verdict = &found.verdicts[0];
        assert_eq!(verdict.verdict, Verdict::Refused);
        assert!(crate::rules::limit::forbidding(&verdict.findings).iter().any(|f| f.id == RULE.id));
        assert!(found.verdicts[0].tiers.is_empty() && found.verdicts[0].winner.is_none());
        assert!(!ids(&wandering(0.002)).contains(&"L36".to_string()));
    }

    #[test]
    fn a_run_that_suspects_one_of_wandering_goes_on() {
        // `b` is far ahead and the first look would tell, but it speeds up from block to block.
        let rate = |block: u32, candidate: u16, w| {
            let gain = if candidate == 1 { 0.5 + 0.04 * f64::from(block.min(4)) } else { 0.0 };
            steady(block, candidate, w) * libm::exp(gain)
        };
        let run = Version01::stacks(&["a", "b"]).play(99, rate).build();
        assert!(run.looks.len() > 1, "{:?}", run.looks);
    }

    #[test]
    fn a_run_in_which_one_scatters_more_than_the_others_goes_on() {
        // Without order, so that only its size is suspicious; `b` is far ahead all the same.
        let rate = |block: u32, candidate: u16, w| {
            let scatter = [0.0, 0.12, 0.05, -0.09, 0.11][(block % 5) as usize];
            let gain = if candidate == 1 { 0.8 + scatter } else { 0.0 };
            steady(block, candidate, w) * libm::exp(gain)
        };
        let run = Version01::stacks(&["a", "b", "c"]).play(99, rate).build();
        assert!(run.looks.len() > 1, "{:?}", run.looks);
        let even = |block: u32, candidate: u16, w| {
            steady(block, candidate, w) * if candidate == 1 { libm::exp(0.8) } else { 1.0 }
        };
        let run = Version01::stacks(&["a", "b", "c"]).play(99, even).build();
        assert_eq!(run.looks, [5]);
    }

    #[test]
    fn l36_a_winner_by_blocks_that_resemble_each_other_is_refused_after_the_last_one() {
        // A lead just large enough, in a wave too weak to be refused by itself.
        let run = |lead: f64, wave: f64| {
            let rate = move |block: u32, candidate: u16, w| {
                let b = f64::from(block);
                let noise = 0.05 * libm::sin(b * b * 1.7) + wave * libm::sin(b / 1.6);
                let gain = if candidate == 1 { lead + noise } else { 0.0 };
                steady(block, candidate, w) * libm::exp(gain)
            };
            analyse(&Version01::stacks(&["a", "b"]).play(99, rate).build())
        };
        let narrow = run(0.019, 0.04);
        let refused = &narrow.verdicts[0];
        assert_eq!(refused.verdict, Verdict::Refused, "{:?}", refused.findings);
        let told = refused.findings.iter().find(|f| f.id == "L36").expect("L36");
        assert!(told.evidence.contains("only if blocks are independent"), "{}", told.evidence);
        assert_eq!(run(0.3, 0.04).verdicts[0].verdict, Verdict::Beats);
    }

    #[test]
    fn l36_a_wave_all_have_in_common_is_no_finding() {
        let rate = |block: u32, candidate: u16, w| {
            steady(block, candidate, w) * libm::exp(0.3 * libm::sin(f64::from(block) / 3.0))
        };
        let run = Version01::stacks(&["a", "b", "c"]).play(18, rate).build();
        assert!(!ids(&run).contains(&"L36".to_string()), "{:?}", ids(&run));
    }
}
