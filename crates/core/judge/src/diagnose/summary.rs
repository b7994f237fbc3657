//! From the causes of cells to what holds a candidate back on a workload.

use crate::evidence;
use bakeoff_model::bottleneck::{Bottleneck, Reason};
use bakeoff_model::cause::Grade;
use bakeoff_model::event::Cell;
use bakeoff_model::index::WorkloadIx;
use bakeoff_model::run::Run;
use bakeoff_stats::distinct;
use bakeoff_stats::phrases;

const AGREE: f64 = 0.6;

/// Every candidate of a workload that has cells in complete blocks, in the order of the run. A cell
/// that was discarded measured something else, so that nothing holds it back.
pub fn workload(run: &Run, workload: WorkloadIx) -> Vec<Bottleneck> {
    let counts = |cell: &&Cell| !evidence::is_invalid(&run.header, cell);
    let cells = run.complete_cells().filter(|cell| cell.workload == workload).filter(counts);
    let cells: Vec<&Cell> = cells.collect();
    let candidates = run.header.candidates.iter().enumerate();
    candidates
        .filter_map(|(index, candidate)| {
            let own = cells.iter().filter(|cell| usize::from(cell.candidate) == index);
            let reasons: Vec<Reason> = own
                .filter_map(|cell| super::cell(run, cell).filter(|r| is_told(cell, r)))
                .collect();
            common(candidate.name.clone(), &reasons)
        })
        .collect()
}

/// Whether anything was looked at: of a cell that nobody watched, "unattributed" says nothing.
fn is_told(cell: &Cell, reason: &Reason) -> bool {
    cell.telemetry.is_some() || reason.grade != Grade::Unattributed
}

/// The cause that most cells share; unattributed when they do not agree.
fn common(candidate: String, reasons: &[Reason]) -> Option<Bottleneck> {
    let of = reasons.len() as u32;
    let count = |wanted: &Reason| reasons.iter().filter(|r| r.what() == wanted.what()).count();
    // The first of those with most: the same run gives the same answer.
    let most = reasons.iter().rev().max_by_key(|r| count(r))?;
    let same: Vec<&Reason> = reasons.iter().filter(|r| r.what() == most.what()).collect();
    if (same.len() as f64) < f64::from(of) * AGREE {
        let names = distinct::sorted(reasons.iter().map(Reason::name));
        let clue = format!("measurements disagree: {}", phrases::list(&names));
        let reason = Reason::unattributed(clue);
        return Some(Bottleneck { candidate, reason, cells: of, of });
    }
    let proved = same.iter().filter(|r| r.grade == Grade::Proved).count();
    let grade =
        if proved * 2 > same.len() { Grade::Proved } else { most.grade.min(Grade::Consistent) };
    let mut by_share: Vec<&&Reason> = same.iter().filter(|r| r.grade == grade).collect();
    by_share.sort_by(|a, b| a.share.unwrap_or(0.0).total_cmp(&b.share.unwrap_or(0.0)));
    let middle = by_share.get(by_share.len() / 2).copied().copied().unwrap_or(most);
    let reason = Reason { grade, ..middle.clone() };
    Some(Bottleneck { candidate, reason, cells: same.len() as u32, of })
}
