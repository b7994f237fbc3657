//! The words for a candidate that is measured and compared with nobody. Those of a lead are in
//! [`super::answer`].

use bakeoff_judge::analyse::scope;
use bakeoff_judge::evidence;
use bakeoff_model::candidate::Candidate;
use bakeoff_model::index::WorkloadIx;
use bakeoff_model::run::Run;
use bakeoff_model::verdict::WorkloadVerdict;
use bakeoff_stats::phrases;

const MOST_TOLD: usize = 6;

pub fn headline(run: &Run, verdicts: &[WorkloadVerdict]) -> String {
    let header = &run.header;
    let name = header.candidates.first().map_or("nothing", |c| c.name.as_str());
    if verdicts.iter().all(|v| v.standings.is_empty()) {
        let mut workloads = WorkloadIx::all(header.workloads.len());
        return if workloads.any(|w| !evidence::discarded(run, w).is_empty()) {
            format!("No result for {name}: every measurement was discarded.")
        } else {
            format!("Nothing measured yet in {name}.")
        };
    }
    let told = header.workloads.iter().zip(verdicts).filter_map(|(workload, verdict)| {
        let own = verdict.standings.first()?;
        Some(format!("{} {}", verdict.workload, workload.metric.figure(own.mean)))
    });
    let told: Vec<String> = told.collect();
    if told.len() > MOST_TOLD {
        return format!("{name} was measured with {} workloads.", told.len());
    }
    format!("{name}: {}.", phrases::list(&told))
}

/// The answer for one workload; empty for one that is not the run's.
pub fn sentence(run: &Run, verdict: &WorkloadVerdict) -> String {
    let Some(at) = WorkloadIx::find(&run.header.workloads, |w| w.name == verdict.workload) else {
        return String::new();
    };
    let workload = &run.header.workloads[at];
    let of = |c: &Candidate| verdict.standings.iter().find(|s| s.candidate == c.name);
    let Some(own) = run.header.candidates.iter().find_map(of) else {
        let why = match evidence::discarded(run, at).last() {
            Some(reason) => format!("every cell was discarded (last reason: {reason})"),
            None => "no valid cell yet".to_string(),
        };
        return format!("No result for {}: {why}.", workload.summary);
    };
    let figure = |value| workload.metric.figure(value);
    format!(
        "{}: {} ({} to {} in {}), {}, {}.",
        own.candidate,
        figure(own.mean),
        figure(own.min),
        figure(own.max),
        phrases::count(own.cells, "block"),
        workload.summary,
        scope::conditions(&run.header)
    )
}
