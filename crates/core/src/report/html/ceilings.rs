//! The table of what lower layers reach on their own, and what could not be watched or measured.

use crate::diagnose::baseline;
use crate::model::ceiling::Rung;
use crate::model::run::Run;
use crate::report::view::candidate_name;

/// One rung.
pub struct CeilingRow {
    /// Workload.
    pub workload: String,
    /// "the raw device".
    pub layer: &'static str,
    /// The candidate it belongs to, or "all".
    pub candidate: String,
    /// Rate in words.
    pub rate: String,
}

/// Every rung of a run, by workload, lowest first.
pub fn rows(run: &Run) -> Vec<CeilingRow> {
    let mut rungs: Vec<&Rung> = run.ceilings.rungs.iter().collect();
    rungs.sort_by(|a, b| {
        a.workload.cmp(&b.workload).then(a.rate.total_cmp(&b.rate)).then(a.layer.cmp(&b.layer))
    });
    let row = |rung: &Rung| {
        let workload = run.header.workloads.get(usize::from(rung.workload))?;
        Some(CeilingRow {
            workload: workload.name.clone(),
            layer: rung.layer.label(),
            candidate: rung.candidate.map_or("all".to_string(), |c| candidate_name(run, c)),
            rate: baseline::in_words(workload.metric, rung.rate),
        })
    };
    rungs.into_iter().filter_map(row).collect()
}

/// Sources that this machine lacks and rungs that were left out, each with why.
pub fn unwatched(run: &Run) -> Vec<(String, String)> {
    let missing = run.watching.iter().flat_map(|watching| &watching.missing);
    missing.chain(&run.ceilings.skipped).map(|s| (s.name.clone(), s.reason.clone())).collect()
}
