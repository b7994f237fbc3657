//! The table of what lower layers reach on their own, and what could not be watched or measured.

use crate::document::{Table, candidates, number, words};
use crate::run_document::candidate_name;
use bakeoff_model::ceiling::LayerRate;
use bakeoff_model::run::Run;

/// The rate of every layer of a run, by workload, lowest first.
pub fn table(run: &Run) -> Table {
    let mut measured: Vec<&LayerRate> = run.ceilings.measured.iter().collect();
    measured.sort_by(|a, b| {
        a.workload.cmp(&b.workload).then(a.rate.total_cmp(&b.rate)).then(a.layer.cmp(&b.layer))
    });
    let row = |layer: &LayerRate| {
        let workload = layer.workload.get(&run.header.workloads)?;
        Some(vec![
            workload.name.clone(),
            layer.layer.label().to_string(),
            layer.candidate.map_or("all".to_string(), |c| candidate_name(run, c)),
            workload.metric.rate(layer.rate),
        ])
    };
    let columns = [words("workload"), words("layer"), candidates("candidate"), number("rate")];
    Table::new(columns, measured.into_iter().filter_map(row))
}

/// Sources that this machine lacks and layers that were left out, each with why.
pub fn unwatched(run: &Run) -> Vec<(String, String)> {
    let missing = run.watching.iter().flat_map(|watching| &watching.missing);
    missing.chain(&run.ceilings.skipped).map(|s| (s.name.clone(), s.reason.clone())).collect()
}
