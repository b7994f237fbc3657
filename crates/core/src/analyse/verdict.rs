//! The verdict on a workload, from what [`crate::decide`] reads in the intervals. A reason to
//! refuse comes before any reading.

use crate::decide::compare::Comparison;
use crate::decide::exclude;
use crate::decide::lead::Reading;
use crate::decide::table::Table;
use crate::model::finding::Finding;
use crate::model::index::CandidateIx;
use crate::model::lead::Refusal;
use crate::model::run::Run;
use crate::model::verdict::Verdict;
use crate::rules::limit;

pub fn by_lead(reading: Reading, refusal: Option<&Refusal>) -> Verdict {
    match (refusal, reading) {
        (Some(_), _) => Verdict::Refused,
        (None, Reading::Fastest) => Verdict::Fastest,
        (None, Reading::AsFast) => Verdict::AsFast,
        (None, Reading::Leads) => Verdict::Leads,
    }
}

/// Why there is no verdict by the lead, if there is none.
pub fn refusal(
    run: &Run,
    table: &Table,
    compared: &Comparison,
    findings: &[Finding],
) -> Option<Refusal> {
    let (complete, needed) = (table.blocks().len() as u32, run.header.protocol.first_look());
    // More blocks would leave the same candidates out.
    let out = exclude::excluded(run, table, compared.workload);
    let is_out = |c: CandidateIx| out.iter().any(|e| e.candidate == c);
    let has_rivals = CandidateIx::all(run.header.candidates.len())
        .filter(|c| run.header.candidates[*c].twin_of.is_none() && !is_out(*c))
        .count()
        > 1;
    if complete < needed && (out.is_empty() || has_rivals) {
        return Some(Refusal::TooFewBlocks { complete, needed });
    }
    if compared.ranked.len() < 2 {
        return Some(Refusal::NothingToCompare { ranked: compared.ranked.len() as u32 });
    }
    let ids = limit::forbidding_ids(findings);
    (!ids.is_empty()).then_some(Refusal::Findings { ids })
}
