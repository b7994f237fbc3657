//! From the causes of cells to what is said about a candidate and a workload.

use crate::model::cause::{Bottleneck, Grade, Reason};
use crate::model::event::Cell;
use crate::model::index::WorkloadIx;
use crate::model::run::Run;
use crate::phrases;

/// Share of the cells that must agree before one cause is named.
const AGREE: f64 = 0.6;

/// Every candidate of a workload that has cells in complete blocks, in the order of the run.
pub fn workload(run: &Run, workload: WorkloadIx) -> Vec<Bottleneck> {
    let cells: Vec<&Cell> = run.complete_cells().filter(|cell| cell.workload == workload).collect();
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
    let key = |r: &Reason| (r.cause, r.subject.clone());
    let count = |wanted: &Reason| reasons.iter().filter(|r| key(r) == key(wanted)).count();
    // The first of those with most: the same run gives the same answer.
    let most = reasons.iter().rev().max_by_key(|r| count(r))?;
    let same: Vec<&Reason> = reasons.iter().filter(|r| key(r) == key(most)).collect();
    if (same.len() as f64) < f64::from(of) * AGREE {
        let mut names: Vec<String> = reasons.iter().map(Reason::name).collect();
        names.sort();
        names.dedup();
        let evidence = format!("measurements disagree: {}", phrases::list(&names));
        let reason = Reason::unattributed(evidence);
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

/// One sentence about a workload: what holds all of them back, or each.
pub fn sentence(all: &[Bottleneck]) -> Option<String> {
    let each = of_each(all);
    if each.is_empty() {
        // The least sure of them is how sure all are; its evidence stands for all.
        let shown = all.iter().min_by_key(|held| held.reason.grade)?;
        let who = if all.len() > 1 { ", for all candidates" } else { "" };
        return Some(format!("{}{who}", of_one(&shown.reason)));
    }
    let each = each.iter().map(|(candidate, cause)| format!("{candidate}: {cause}"));
    Some(each.collect::<Vec<_>>().join("; "))
}

/// Each candidate with its cause; empty if all candidates share one.
pub fn of_each(all: &[Bottleneck]) -> Vec<(String, String)> {
    let key = |held: &Bottleneck| (held.reason.cause, held.reason.subject.clone());
    if all.windows(2).all(|pair| key(&pair[0]) == key(&pair[1])) {
        return Vec::new();
    }
    all.iter().map(|held| (held.candidate.clone(), of_one(&held.reason))).collect()
}

/// "flushing (proved: 1200 flushes took 97 % of the time)".
pub fn of_one(reason: &Reason) -> String {
    match reason.grade {
        Grade::Unattributed => format!("{}: {}", reason.name(), reason.evidence),
        grade @ (Grade::Consistent | Grade::Proved) => {
            format!("{} ({}: {})", reason.name(), grade.label(), reason.evidence)
        }
    }
}
