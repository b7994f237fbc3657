//! Rules over the course of cells: does the rate hold, or does it fall, drift, never settle?
//!
//! A single cell of a real disk often has a step in it, so a rule speaks only where most cells of a
//! candidate show the same.

use super::finding;
use crate::decide::rounds;
use crate::evidence::registry;
use crate::model::event::{Cell, Header};
use crate::model::finding::Finding;
use crate::model::precondition::{End, Series};
use crate::model::run::Run;
use crate::model::thresholds::Thresholds;
use crate::prepare::precondition;
use crate::stats::change_point::{self, Segment};
use crate::stats::sample;
use crate::stats::steady_state::{self, ROUNDS, SLOPE, Steadiness};

/// Fewest windows whose course says anything: two seconds.
const FEWEST: usize = 20;

/// L37 for each region and each workload that was measured in rounds, L07 and L37 for each
/// candidate and workload.
pub fn rules(run: &Run) -> Vec<Finding> {
    let header = &run.header;
    let mut found: Vec<Finding> =
        run.preconditioned.iter().filter_map(|series| not_preconditioned(run, series)).collect();
    for workload in 0..header.workloads.len() as u16 {
        found.extend(never_steady(run, workload));
        for candidate in 0..header.candidates.len() as u16 {
            let cells: Vec<&Cell> = run
                .complete_blocks()
                .flat_map(|b| &b.cells)
                .filter(|c| (c.candidate, c.workload) == (candidate, workload))
                .collect();
            let Some(first) = cells.first() else { continue };
            let of = [fast_cache(header, &cells), not_steady(header, &cells)];
            found.extend(of.into_iter().flatten().map(|f| super::about(f, header, first)));
        }
    }
    found
}

/// Bytes a second of every whole window; operations where no bytes move.
fn rates(cell: &Cell) -> Vec<f64> {
    let windows = &cell.measurement.windows;
    let whole = windows.len().saturating_sub(1);
    let bytes = |w: &crate::model::measurement::Window| w.read_bytes + w.write_bytes;
    let has_bytes = windows.iter().any(|w| bytes(w) > 0);
    let amount = |w: &crate::model::measurement::Window| if has_bytes { bytes(w) } else { w.ios };
    windows[..whole]
        .iter()
        .filter(|w| w.len_ns > 0)
        .map(|w| amount(w) as f64 * 1e9 / w.len_ns as f64)
        .collect()
}

/// The cells in which `seen` shows something, when they are most of all that are long enough.
fn in_most<T>(cells: &[&Cell], seen: impl Fn(&[f64]) -> Option<T>) -> Option<(T, usize, usize)> {
    let long: Vec<Vec<f64>> =
        cells.iter().map(|c| rates(c)).filter(|r| r.len() >= FEWEST).collect();
    let mut shown: Vec<T> = long.iter().filter_map(|r| seen(r)).collect();
    let count = shown.len();
    (count > 0 && 2 * count > long.len()).then(|| (shown.swap_remove(0), count, long.len()))
}

fn fast_cache(header: &Header, cells: &[&Cell]) -> Option<Finding> {
    if !cells.first()?.measurement.job.rw.writes() {
        return None;
    }
    let Thresholds { cache_fall: fall, change_penalty: penalty, .. } = header.protocol.thresholds;
    let falls = |rates: &[f64]| -> Option<(Segment, Segment)> {
        let segments = change_point::segments(rates, penalty);
        let (first, last) = (*segments.first()?, *segments.last()?);
        let only_down = segments.windows(2).all(|w| w[1].mean < w[0].mean);
        let is_fall = segments.len() > 1 && last.mean < (1.0 - fall) * first.mean;
        (is_fall && only_down).then_some((first, last))
    };
    let ((first, last), count, all) = in_most(cells, falls)?;
    let evidence = format!(
        "the rate falls permanently in {count} of {all} cells, in the first by {:.0} % after {:.1} \
         s",
        (1.0 - last.mean / first.mean) * 100.0,
        first.end as f64 / 10.0
    );
    let advice = "measure beyond the fast part: --runtime 60s, or a larger io_size";
    Some(finding(header, &registry::FAST_CACHE, evidence, advice))
}

/// A region that is still changing when the first block begins.
fn not_preconditioned(run: &Run, series: &Series) -> Option<Finding> {
    let advice = match series.end? {
        End::Steady => return None,
        End::Rounds => {
            "check its rate over time: bakeoff bench DEVICE --rw randwrite --runtime 10m"
        }
        End::Time => "allow more time for preconditioning: --time 4h",
        End::Bytes => "allow more writes for preconditioning: --max-write SIZE",
    };
    let region = run.header.regions().nth(usize::from(series.region))?;
    let evidence = format!("{}: {}", region.target, precondition::words(series));
    Some(finding(&run.header, &registry::NOT_STEADY, evidence, advice))
}

/// A workload that had all its rounds and did not become steady in them.
fn never_steady(run: &Run, workload: u16) -> Option<Finding> {
    let shown = rounds::shown(run, workload, 0);
    if shown.len() < steady_state::MOST_ROUNDS {
        return None;
    }
    let seen = rounds::steadiness(run, &shown, workload).filter(|seen| !seen.is_steady())?;
    let evidence = format!(
        "not steady after {} rounds (last {ROUNDS}: range {:.0} %, trend {:.0} % of their mean)",
        shown.len(),
        seen.range * 100.0,
        seen.slope * 100.0
    );
    let advice =
        "check its rounds in the report; a longer cell_min averages out short fluctuations";
    let found = finding(&run.header, &registry::NOT_STEADY, evidence, advice);
    let workload = run.header.workloads.get(usize::from(workload))?.name.clone();
    Some(Finding { workload: Some(workload), ..found })
}

fn not_steady(header: &Header, cells: &[&Cell]) -> Option<Finding> {
    unsteady(header, cells).or_else(|| changes(header, cells))
}

/// The mean changes for good, by more than a steady trend may.
fn changes(header: &Header, cells: &[&Cell]) -> Option<Finding> {
    let penalty = header.protocol.thresholds.change_penalty;
    let largest = |rates: &[f64]| -> Option<(f64, usize)> {
        let segments = change_point::segments(rates, penalty);
        let mean = sample::mean(rates).filter(|mean| *mean > 0.0)?;
        let steps = segments.windows(2).map(|w| ((w[1].mean - w[0].mean) / mean, w[1].start));
        steps.filter(|(step, _)| step.abs() > SLOPE).max_by(|a, b| a.0.abs().total_cmp(&b.0.abs()))
    };
    let ((step, at), count, all) = in_most(cells, largest)?;
    let evidence = format!(
        "the rate changes permanently in {count} of {all} cells, in the first by {:+.0} % after \
         {:.1} s",
        step * 100.0,
        at as f64 / 10.0
    );
    let advice = "check the rate over time in the report, or measure longer: --runtime 60s";
    Some(finding(header, &registry::NOT_STEADY, evidence, advice))
}

fn unsteady(header: &Header, cells: &[&Cell]) -> Option<Finding> {
    let unsteady = |rates: &[f64]| -> Option<Steadiness> {
        // Five rounds of the cell, as the standard has five of the device.
        let length = rates.len() / ROUNDS;
        let rounds: Vec<f64> =
            rates.chunks(length.max(1)).take(ROUNDS).filter_map(sample::mean).collect();
        steady_state::steadiness(&rounds).filter(|s| !s.is_steady())
    };
    let (steadiness, count, all) = in_most(cells, unsteady)?;
    let evidence = format!(
        "throughput was not steady in {count} of {all} cells (first: range {:.0} %, trend {:.0} %)",
        steadiness.range * 100.0,
        steadiness.slope * 100.0
    );
    let advice = "check the rate over time in the report, or measure longer: --runtime 60s";
    Some(finding(header, &registry::NOT_STEADY, evidence, advice))
}
