//! unmeasured: a candidate has no valid cell for a workload that others completed.

use super::ComparedRun;
use crate::decide::compare::Comparison;
use crate::evidence::rule::Hit;
use bakeoff_model::event::Cell;
use bakeoff_model::index::CandidateIx;

/// Candidates without a number on a workload on which others have one.
pub fn unmeasured(of: &ComparedRun, compared: &Comparison) -> Vec<Hit> {
    let (&ComparedRun { run, table, .. }, workload) = (of, compared.workload);
    let candidates = CandidateIx::all(run.header.candidates.len());
    let has = |c: &CandidateIx| table.values(workload, *c).iter().any(Option::is_some);
    if table.blocks().is_empty() || !candidates.clone().any(|c| has(&c)) {
        return Vec::new();
    }
    let missing = candidates.filter(|c| !has(c));
    let describe = |c: CandidateIx| {
        let tried: Vec<&String> = run
            .invalid
            .iter()
            .filter(|(_, candidate, w, _)| (*candidate, *w) == (c, workload))
            .map(|(.., reason)| reason)
            .collect();
        let last = tried.last().map_or(String::new(), |reason| format!("; last reason: {reason}"));
        let is_it = |cell: &&Cell| (cell.candidate, cell.workload) == (c, workload);
        let kept = run.complete_cells().filter(is_it).count();
        let attempts = bakeoff_stats::phrases::count(tried.len() + kept, "attempt");
        let evidence = format!("no valid cell in {attempts}{last}");
        let advice = "fix the error above, or exclude this workload";
        Hit { candidate: Some(run.header.candidates[c].name.clone()), ..Hit::new(evidence, advice) }
    };
    missing.map(describe).collect()
}

#[cfg(test)]
mod tests {
    use crate::analyse::analyse;
    use crate::rules::run::tests::steady;
    use crate::testing::RunBuilder;

    #[test]
    fn a_candidate_whose_every_cell_is_thrown_away_is_named() {
        let builder = RunBuilder::directories(&["/a", "/b", "/c"]);
        let run = builder
            .cells(|c| {
                c.truth.suspended_ns = if c.candidate.number() == 2 { 3_000_000_000 } else { 0 }
            })
            .play(5, steady)
            .build();
        let found = analyse(&run);
        let named = found.findings.iter().find(|f| f.id == "unmeasured").expect("a finding");
        assert_eq!(named.candidate.as_deref(), Some("/c"));
        let told = found.findings.iter().find(|f| f.id == "suspended").expect("a finding");
        assert!(told.evidence.contains("in 3 of 3 cells; first: discarded"), "{}", told.evidence);
        assert_eq!((found.cells, found.void_cells), (6, 3));
        assert_eq!(found.verdicts[0].standings.len(), 2);
    }
}
