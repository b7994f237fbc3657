//! Rules over a whole run: is there enough, in no fixed order, and are the blocks independent?

use super::{carry_over, control, drift, finding, outcome, series, wander};
use crate::decide::protocol::FIRST_LOOK;
use crate::decide::table::Table;
use crate::decide::{compare::Comparison, schedule};
use crate::evidence::registry;
use crate::model::event::Cell;
use crate::model::finding::Finding;
use crate::model::run::Run;

/// Rules that hold for every workload alike.
pub fn whole(run: &Run, table: &Table) -> Vec<Finding> {
    let mut found: Vec<Finding> =
        [no_replication(run), fixed_order(run, table)].into_iter().flatten().collect();
    found.extend(drift::rules(run, table));
    found.extend(carry_over::rules(run, table));
    found.extend(outcome::whole(run, table));
    found.extend(series::rules(run));
    found
}

/// Rules over one workload.
pub fn workload(run: &Run, table: &Table, workload: u16, compared: &Comparison) -> Vec<Finding> {
    let mut found = unmeasured(run, table, workload);
    found.extend(control::findings(run, table, workload));
    found.extend(wander::findings(run, table, workload, compared));
    found.extend(outcome::workload(run, table, workload, compared));
    let name = &run.header.workloads[usize::from(workload)].name;
    found.iter_mut().for_each(|f| f.workload = Some(name.clone()));
    found
}

fn no_replication(run: &Run) -> Option<Finding> {
    let complete = schedule::complete(run);
    let first = run.header.protocol.first_look();
    let few = schedule::has_question(run) && complete < first;
    few.then(|| {
        let evidence = format!("{complete} of {first} complete blocks");
        finding(&run.header, &registry::NO_REPLICATION, evidence, "continue with: bakeoff resume")
    })
}

fn fixed_order(run: &Run, table: &Table) -> Option<Finding> {
    let orders: Vec<&[u16]> = run
        .complete_blocks()
        .filter(|b| table.blocks().contains(&b.block))
        .map(|b| b.order.as_slice())
        .collect();
    let candidates = 0..run.header.candidates.len() as u16;
    let pairs = candidates.clone().flat_map(|a| candidates.clone().map(move |b| (a, b)));
    for (a, b) in pairs.filter(|(a, b)| a != b) {
        let place = |order: &[u16], c| order.iter().position(|x| *x == c);
        let both: Vec<bool> =
            orders.iter().filter_map(|o| Some(place(o, a)? < place(o, b)?)).collect();
        if both.len() >= FIRST_LOOK as usize && both.iter().all(|first| *first) {
            let name = |c: u16| &run.header.candidates[usize::from(c)].name;
            let evidence =
                format!("{} was measured before {} in all {} blocks", name(a), name(b), both.len());
            let advice = "measure in random order with bakeoff run (use --seed to repeat an order)";
            return Some(finding(&run.header, &registry::FIXED_ORDER, evidence, advice));
        }
    }
    None
}

/// Candidates without a number on a workload on which others have one.
fn unmeasured(run: &Run, table: &Table, workload: u16) -> Vec<Finding> {
    let candidates = 0..run.header.candidates.len() as u16;
    let has = |c: &u16| table.values(workload, *c).iter().any(Option::is_some);
    if table.blocks().is_empty() || !candidates.clone().any(|c| has(&c)) {
        return Vec::new();
    }
    let missing = candidates.filter(|c| !has(c));
    let describe = |c: u16| {
        let tried: Vec<&String> = run
            .invalid
            .iter()
            .filter(|(_, candidate, w, _)| (*candidate, *w) == (c, workload))
            .map(|(.., reason)| reason)
            .collect();
        let last =
            tried.last().map_or(String::new(), |reason| format!(", the last time: {reason}"));
        let is_it = |cell: &&Cell| (cell.candidate, cell.workload) == (c, workload);
        let kept = run.complete_blocks().flat_map(|b| &b.cells).filter(is_it).count();
        let attempts = crate::words::count((tried.len() + kept) as u32, "attempt");
        let evidence = format!("no valid cell in {attempts}{last}");
        let advice = "fix the error above, or exclude this workload";
        let mut found = finding(&run.header, &registry::UNMEASURED, evidence, advice);
        found.candidate = Some(run.header.candidates[usize::from(c)].name.clone());
        found
    };
    missing.map(describe).collect()
}

#[cfg(test)]
mod tests;
