//! Rule L36 in findings: what [`crate::decide::wander`] saw of a candidate's own noise.

use crate::decide::compare::{Comparison, Outcome, Pair};
use crate::decide::lead::Lead;
use crate::decide::table::Table;
use crate::decide::wander::{ESTIMABLE, autocorrelated, of_lead};
use crate::evidence::finding;
use crate::evidence::registry;
use crate::model::event::Header;
use crate::model::finding::Finding;
use crate::model::protocol::Rules;
use crate::model::run::Run;
use crate::model::setting::Setting;
use crate::stats::autocorrelation::{Lag1, lag1, widening};

/// Above this probability a wave is not worth widening an interval for.
const PLAUSIBLE: f64 = 0.3;

/// The findings about one workload.
pub fn findings(run: &Run, table: &Table, workload: u16, compared: &Comparison) -> Vec<Finding> {
    if run.header.protocol.rules == Rules::Lead {
        let lead = Lead::of(run, table, compared, 1);
        return of_lead(run, table, workload, &lead)
            .into_iter()
            .map(|(other, lag1)| told(run, table, workload, &lead, other, lag1))
            .collect();
    }
    let tell = |(c, Lag1 { r, p }): (u16, Lag1)| {
        let name = &run.header.candidates[usize::from(c)].name;
        let evidence = format!(
            "{name}'s results drift: lag-1 autocorrelation {r:.2} over {} blocks, which \
             independent noise causes once in {:.0} runs",
            table.values(workload, c).iter().flatten().count(),
            1.0 / p.max(1e-6)
        );
        let advice = what_helps(&run.header);
        let mut found = finding(&run.header, &registry::AUTOCORRELATION, evidence, advice);
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

/// The finding about one pair of the leader.
fn told(run: &Run, table: &Table, workload: u16, lead: &Lead, other: u16, lag1: Lag1) -> Finding {
    let name = |c: u16| run.header.candidates[usize::from(c)].name.clone();
    let leader = lead.leader.unwrap_or(other);
    let blocks = table.differences(workload, leader, other).len() as u32;
    let evidence = format!(
        "the difference of {} to {} drifts from block to block (lag-1 autocorrelation {:.2} over \
         {blocks} blocks); with intervals {:.1} times as wide the answer would change",
        name(leader),
        name(other),
        lag1.r,
        widening(lag1.r, blocks)
    );
    let mut found =
        finding(&run.header, &registry::AUTOCORRELATION, evidence, what_helps(&run.header));
    found.candidate = Some(name(other));
    found
}

fn what_helps(header: &Header) -> &'static str {
    match Setting::of(header) {
        Setting::Places => "let the disk rest and cool, then measure again with --time 15m",
        Setting::Image => "let the disk rest and cool, or use a disk of its own: bakeoff run",
        _ => "let the disk cool, set precondition = true, and measure again with --mode decide",
    }
}

/// A winner after the last block that is none when a wave as slow as is plausible is allowed for.
fn fragile(run: &Run, table: &Table, workload: u16, compared: &Comparison) -> Option<Finding> {
    let blocks = table.blocks().len();
    let is_last = blocks >= run.header.protocol.last_block() as usize;
    if !is_last || blocks < ESTIMABLE || compared.settled.outcome != Outcome::Beats {
        return None;
    }
    let factor = |pair: &Pair| {
        let differences = table.differences(workload, pair.a, pair.b);
        let found = lag1(&differences).filter(|found| found.p < PLAUSIBLE);
        found.map_or(1.0, |found| widening(found.r, differences.len() as u32))
    };
    let margin = run.header.protocol.tie_margin;
    if compared.settled_by(factor, margin) == Outcome::Beats {
        return None;
    }
    let most = compared.pairs.iter().map(factor).fold(1.0, f64::max);
    let evidence = format!(
        "the winner is certain only if blocks are independent: over {blocks} blocks, plausible \
         drift of one candidate requires an interval {most:.1} times as wide"
    );
    let advice = what_helps(&run.header);
    Some(finding(&run.header, &registry::AUTOCORRELATION, evidence, advice))
}
