//! Rules over what a run measured twice.

use super::{ComparedRun, name, winner};
use crate::decide::compare::Comparison;
use crate::evidence::rule::Hit;
use bakeoff_model::index::CandidateIx;
use bakeoff_stats::paired::Paired;

/// The lead of the winner against what an A/A twin shows.
pub fn below_noise(of: &ComparedRun, compared: &Comparison) -> Option<Hit> {
    let (&ComparedRun { run, table, .. }, workload) = (of, compared.workload);
    let lead = winner(of, compared)?.1?;
    let candidates = &run.header.candidates;
    let twins = CandidateIx::all(candidates.len()).filter_map(|twin| {
        let of = candidates[twin].twin_of.as_ref()?;
        let original = CandidateIx::find(candidates, |c| c.name == *of)?;
        Some((original, Paired::from_differences(&table.differences(workload, twin, original))?))
    });
    let (original, apart) = twins.max_by(|a, b| a.1.mean.abs().total_cmp(&b.1.mean.abs()))?;
    let (who, apart) = (name(run, original), apart.mean);
    (apart.abs() >= lead.mean.abs()).then(|| {
        let percent = |y: f64| libm::expm1(y.abs()) * 100.0;
        let evidence = format!(
            "the winner leads by {:.1} %, but two measurements of {who} differ by {:.1} %",
            percent(lead.mean),
            percent(apart)
        );
        Hit::new(evidence, "measure more blocks to confirm such a small lead: {mode=precise}")
    })
}
