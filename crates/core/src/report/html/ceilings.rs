//! The table of what lower layers reach on their own, and what could not be watched or measured.

use crate::diagnose::baseline;
use crate::model::ceiling::Rung;
use crate::model::run::Run;
use crate::report::document::{Table, number, words};
use crate::report::view::candidate_name;

/// Every rung of a run, by workload, lowest first.
pub fn table(run: &Run) -> Table {
    let mut rungs: Vec<&Rung> = run.ceilings.rungs.iter().collect();
    rungs.sort_by(|a, b| {
        a.workload.cmp(&b.workload).then(a.rate.total_cmp(&b.rate)).then(a.layer.cmp(&b.layer))
    });
    let row = |rung: &Rung| {
        let workload = rung.workload.get(&run.header.workloads)?;
        Some(vec![
            workload.name.clone(),
            rung.layer.label().to_string(),
            rung.candidate.map_or("all".to_string(), |c| candidate_name(run, c)),
            baseline::in_words(workload.metric, rung.rate),
        ])
    };
    let columns = [words("workload"), words("layer"), words("candidate"), number("rate")];
    Table::new(columns, rungs.into_iter().filter_map(row))
}

/// Sources that this machine lacks and rungs that were left out, each with why.
pub fn unwatched(run: &Run) -> Vec<(String, String)> {
    let missing = run.watching.iter().flat_map(|watching| &watching.missing);
    missing.chain(&run.ceilings.skipped).map(|s| (s.name.clone(), s.reason.clone())).collect()
}
