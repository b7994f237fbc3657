//! L42 rank-flip: different candidates win on different workloads.

use std::collections::{BTreeMap, BTreeSet};

use super::{RunCheck, RunRule, name, winner};
use crate::decide::compare::Comparison;
use crate::decide::schedule;
use crate::decide::table::Table;
use crate::evidence::rule::{Check, I, RUN, Rule, When};
use crate::evidence::{finding, of_study};
use crate::model::event::Header;
use crate::model::finding::{Finding, Severity};
use crate::model::index::{CandidateIx, WorkloadIx};
use crate::model::run::Run;
use crate::phrases::figures;
use crate::study::{Cell, SAME, Study};
use crate::units;

pub static RULE: Rule = Rule {
    id: "L42",
    slug: "rank-flip",
    when: &[When::Analysis, When::Import],
    severity: [I, I, I, I],
    scope: RUN,
    condition: "different candidates win on different workloads",
    explain: "vfat wrote fastest at 512 bytes and slowest at 4 KiB, and four filesystems ranked \
        differently on USB and on eSATA. A winner is valid for its workload and this machine; no \
        filesystem is best for everything.",
    checks: &[Check::Study(in_study), Check::Study(over_blocks)],
};

pub(super) static OVER_RUN: RunRule = RunRule { rule: &RULE, checks: &[RunCheck::Whole(winners)] };

fn winners(run: &Run, table: &Table) -> Option<Finding> {
    let alpha = schedule::alpha_pair(run);
    let all: Vec<Comparison> = WorkloadIx::all(run.header.workloads.len())
        .map(|w| Comparison::new(run, table, w, alpha))
        .collect();
    let won: Vec<(WorkloadIx, CandidateIx)> =
        WorkloadIx::each(&all).filter_map(|(w, c)| Some((w, winner(run, table, c)?.0))).collect();
    let first = won.first()?;
    let other = won.iter().find(|o| o.1 != first.1)?;
    let lead = |(w, winner): (WorkloadIx, CandidateIx)| {
        let ahead = all[usize::from(w)].pairs.iter().find_map(|p| {
            let certain = p.interval.filter(|i| p.a == winner && i.low > 0.0)?;
            Some(figures::lead(p.paired?.mean, certain))
        });
        let by = ahead.map(|by| format!(" ({by})")).unwrap_or_default();
        format!("{}{by}", run.header.workloads[w].name)
    };
    let evidence = format!(
        "{} is fastest for {}, {} for {}",
        name(run, first.1),
        lead(*first),
        name(run, other.1),
        lead(*other)
    );
    let advice = "choose by your workload; bakeoff show last names the winner for each";
    Some(finding(&run.header, &RULE, evidence, advice))
}

#[derive(Clone, Copy, Debug)]
pub struct WinnerIn<'a> {
    pub winner: &'a str,
    pub run: &'a str,
}

pub fn over_runs(header: &Header, workload: &str, [a, b]: [WinnerIn; 2]) -> Finding {
    let evidence = format!("{} is fastest in {}, {} in {}", a.winner, a.run, b.winner, b.run);
    let advice = "choose by the setting that you use; a winner is valid for its own setting only";
    let found = finding(header, &RULE, evidence, advice);
    Finding { workload: Some(workload.to_string()), ..found }
}

type Sweep<'a> = (String, &'a str, u64);

/// Another candidate leads once the same drive hangs on another bus.
fn in_study(study: &Study) -> Option<Finding> {
    let mut leaders: BTreeMap<Sweep, Vec<(&str, String)>> = BTreeMap::new();
    for of in study.settings() {
        let best = of.iter().max_by(|a, b| a.rate.total_cmp(&b.rate))?;
        let drive = best.device.split(" on ").next().unwrap_or_default().to_string();
        let key = (drive, best.test, best.block);
        leaders.entry(key).or_default().push((best.device, best.candidate()));
    }
    let flipped = leaders.iter().find(|((.., block), of)| {
        let names: BTreeSet<&String> = of.iter().map(|(_, name)| name).collect();
        *block >= 4096 && of.len() >= 3 && names.len() > 1
    })?;
    let ((drive, test, block), of) = flipped;
    let list: Vec<String> = of.iter().map(|(device, name)| format!("{name} ({device})")).collect();
    let evidence = format!(
        "{test} of {} on {drive} has different leaders: {}",
        units::block_size(*block),
        list.join(", ")
    );
    let advice = "The winner is valid for one bus only. State which bus.";
    Some(Finding { severity: Severity::Warn, ..of_study(&RULE, evidence, advice) })
}

/// The candidate that leads, and by more than what counts as the same over `other`.
fn leads<'s, 'a>(of: &[&'s Cell<'a>], other: Option<&str>) -> Option<&'s Cell<'a>> {
    let best = of.iter().max_by(|a, b| a.rate.total_cmp(&b.rate))?;
    let is_ahead = |c: &&&Cell| best.rate > c.rate * (1.0 + SAME);
    let Some(other) = other else { return Some(best) };
    of.iter().filter(|c| c.candidate() == other).find(is_ahead).map(|_| *best)
}

/// Another leader with another block size, and nothing else changed.
fn over_blocks(study: &Study) -> Option<Finding> {
    let settings = study.settings();
    let key = |c: &Cell| [c.host, c.device, c.tool, c.test].map(str::to_string);
    let flip = |of: &[&Cell], more: &[&Cell]| {
        let (a, b) = (leads(of, None)?.candidate(), leads(more, None)?.candidate());
        let [a, b] = [leads(of, Some(&b))?, leads(more, Some(&a))?];
        (key(a) == key(b) && a.block >= 4096 && b.block >= 4096).then(|| {
            let led = |c: &Cell| format!("{} with {}", c.candidate(), units::block_size(c.block));
            format!("{} on {} has different leaders: {} and {}", a.test, a.device, led(a), led(b))
        })
    };
    let evidence = settings
        .iter()
        .enumerate()
        .find_map(|(at, of)| settings[at + 1..].iter().find_map(|more| flip(of, more)))?;
    let advice = "The winner is valid for one block size only. State the block size.";
    Some(Finding { severity: Severity::Warn, ..of_study(&RULE, evidence, advice) })
}

#[cfg(test)]
mod tests {
    use crate::rules::tests::session::{has, noise};
    use crate::testing::RunBuilder;

    #[test]
    fn l42_another_winner_on_another_workload() {
        let run = |second: f64| {
            let rate = move |b, c: u16, w: u16| {
                let fast = [[1.0, 1.3], [1.0, second]][usize::from(w)][usize::from(c)];
                1e4 * fast * libm::exp(noise(b, c, w))
            };
            RunBuilder::stacks(&["a", "b"])
                .workloads(&["randwrite", "randread"])
                .play(5, rate)
                .build()
        };
        assert!(has("L42", &run(0.7)) && !has("L42", &run(1.4)));
    }
}
