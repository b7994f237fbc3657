//! Rules over a whole run: is there enough, in no fixed order, and are the blocks independent?

use super::finding;
use crate::decide::protocol::FIRST_LOOK;
use crate::decide::table::Table;
use crate::decide::{compare::Comparison, schedule};
use crate::model::event::Cell;
use crate::model::finding::Finding;
use crate::model::run::Run;
use crate::stats::autocorrelation::{Lag1, lag1};
use crate::stats::paired::Paired;
use crate::stats::sample;

/// Probability, over all candidates of a workload, of suspecting independent noise at one look. A
/// run that suspects one goes on measuring, so that few are refused by chance in the end.
const AUTOCORRELATION_ALPHA: f64 = 0.02;

/// Rules that hold for every workload alike.
pub fn whole(run: &Run, table: &Table) -> Vec<Finding> {
    [no_replication(run), fixed_order(run, table)].into_iter().flatten().collect()
}

/// Rules over one workload.
pub fn workload(run: &Run, table: &Table, workload: u16, compared: &Comparison) -> Vec<Finding> {
    let mut found = unmeasured(run, table, workload);
    found.extend(control(run, table, workload));
    found.extend(autocorrelation(run, table, workload, compared));
    let name = &run.header.workloads[usize::from(workload)].name;
    found.iter_mut().for_each(|f| f.workload = Some(name.clone()));
    found
}

fn no_replication(run: &Run) -> Option<Finding> {
    let complete = schedule::complete(run);
    let few = schedule::has_question(run) && complete < FIRST_LOOK;
    few.then(|| {
        let evidence = format!("{complete} of {FIRST_LOOK} complete blocks");
        finding(&run.header, "L32", evidence, "go on with: bakeoff resume")
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
                format!("{} was visited before {} in all {} blocks", name(a), name(b), both.len());
            let advice = "measure in random order: bakeoff run does, with --seed to repeat it";
            return Some(finding(&run.header, "L34", evidence, advice));
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
        let advice = "leave this workload out with --workload, or mend what is said here";
        let mut found = finding(&run.header, "unmeasured", evidence, advice);
        found.candidate = Some(run.header.candidates[usize::from(c)].name.clone());
        found
    };
    missing.map(describe).collect()
}

/// A/A twins whose interval excludes zero.
fn control(run: &Run, table: &Table, workload: u16) -> Vec<Finding> {
    let candidates = &run.header.candidates;
    let of = |twin: u16| -> Option<Finding> {
        let name = candidates[usize::from(twin)].twin_of.as_ref()?;
        let original = candidates.iter().position(|c| c.name == *name)? as u16;
        let paired = Paired::of(&table.differences(workload, twin, original))?;
        let interval = paired.interval(run.header.protocol.alpha);
        (paired.blocks >= FIRST_LOOK && interval.excludes_zero()).then(|| {
            let percent = |y: f64| libm::expm1(y) * 100.0;
            let evidence = format!(
                "{name} measured twice differs from itself by {:.1} % (95 % CI {:.1} to {:.1} %)",
                percent(paired.mean),
                percent(interval.low),
                percent(interval.high)
            );
            let advice = "find what differs between visits (heat, background work), then run again";
            finding(&run.header, "L35", evidence, advice)
        })
    };
    (0..candidates.len() as u16).filter_map(of).collect()
}

/// Candidates whose own residuals wander, each with what was seen.
pub fn wanderers(
    run: &Run,
    table: &Table,
    workload: u16,
    compared: &Comparison,
) -> Vec<(u16, Lag1)> {
    if compared.ranked.len() < 2 {
        return Vec::new();
    }
    // The residuals of two candidates mirror each other: one test fewer than candidates.
    let alpha = AUTOCORRELATION_ALPHA / (compared.ranked.len() - 1) as f64;
    let of = |c: &u16| {
        let residuals = own_residuals(run, table, workload, &compared.ranked, *c).values;
        Some((*c, lag1(&residuals).filter(|found| found.p < alpha)?))
    };
    compared.ranked.iter().filter_map(of).collect()
}

fn autocorrelation(run: &Run, table: &Table, workload: u16, compared: &Comparison) -> Vec<Finding> {
    let tell = |(c, Lag1 { r, p }): (u16, Lag1)| {
        let name = &run.header.candidates[usize::from(c)].name;
        let evidence = format!(
            "{name}'s own results wander: lag-1 autocorrelation {r:.2} over {} blocks, which \
             independent noise gives once in {:.0} runs",
            table.values(workload, c).iter().flatten().count(),
            1.0 / p.max(1e-6)
        );
        let advice = "precondition the disk, let it cool, and measure again with --mode decide";
        let mut found = finding(&run.header, "L36", evidence, advice);
        found.candidate = Some(name.clone());
        found
    };
    wanderers(run, table, workload, compared).into_iter().map(tell).collect()
}

/// A candidate's own noise.
pub struct Residuals {
    /// One for each block.
    pub values: Vec<f64>,
    /// Candidates whose mean was taken as what the block has in common.
    pub others: usize,
}

/// What is left of a candidate's `ln(rate)` in each block after what all have in common in that
/// block (the mean of the others) and its own mean. The others are those that stayed in the run at
/// least as long, so that the mean does not jump when one is dropped.
pub fn own_residuals(run: &Run, table: &Table, workload: u16, ranked: &[u16], c: u16) -> Residuals {
    let stayed = |c: u16| run.dropped.iter().find(|d| d.0 == c).map_or(u32::MAX, |d| d.1);
    let others: Vec<u16> =
        ranked.iter().copied().filter(|o| *o != c && stayed(*o) >= stayed(c)).collect();
    let common = |block: usize| -> Option<f64> {
        let values = others.iter().map(|o| table.values(workload, *o)[block]);
        sample::mean(&values.collect::<Option<Vec<f64>>>()?)
    };
    let own = table.values(workload, c).iter().enumerate();
    let against: Vec<f64> = own.filter_map(|(block, y)| Some((*y)? - common(block)?)).collect();
    let mean = sample::mean(&against).unwrap_or(0.0);
    let values = against.into_iter().map(|d| d - mean).collect();
    Residuals { values, others: others.len() }
}

#[cfg(test)]
mod tests;
