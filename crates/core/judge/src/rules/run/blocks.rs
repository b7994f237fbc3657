//! Rules over the blocks of a run: are there enough, of all candidates?

use super::ComparedRun;
use crate::decide::compare::Comparison;
use crate::decide::schedule;
use crate::evidence::rule::Hit;
use bakeoff_model::event::Cell;
use bakeoff_model::index::CandidateIx;
use bakeoff_model::run::Run;

pub const NO_REPLICATION: &str = "L32";

pub fn no_replication(run: &Run) -> Option<Hit> {
    let complete = schedule::complete(run);
    let first = run.header.protocol.first_look();
    let few = schedule::has_question(run) && complete < first;
    few.then(|| {
        let evidence = format!("{complete} of {first} blocks are complete");
        Hit::new(evidence, next_blocks(run))
    })
}

/// What gives it more blocks: a run that is over cannot continue, and one under way needs nobody.
fn next_blocks(run: &Run) -> String {
    let id: String = run.header.short_id();
    match &run.stopped {
        None => "wait for the next blocks".to_string(),
        Some((reason, _)) if reason.is_resumable() => {
            format!("continue with: bakeoff resume {id} --time 10m")
        }
        Some(_) => "measure again with a longer --time".to_string(),
    }
}

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
