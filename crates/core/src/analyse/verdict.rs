//! The verdict on a workload, from what [`crate::decide`] reads in the intervals. A reason to
//! refuse comes before any reading.

use crate::decide::compare::{Comparison, Outcome};
use crate::decide::lead::Reading;
use crate::decide::table::Table;
use crate::decide::{exclude, schedule};
use crate::model::finding::Finding;
use crate::model::index::CandidateIx;
use crate::model::lead::Refusal;
use crate::model::protocol::Rules;
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

/// By all pairs, as runs of version 0.1 are judged, and where nothing is compared.
pub fn by_pairs(run: &Run, table: &Table, compared: &Comparison, findings: &[Finding]) -> Verdict {
    let too_few = (table.blocks().len() as u32) < run.header.protocol.first_look();
    if !schedule::has_question(run) && run.header.protocol.rules == Rules::Lead {
        return Verdict::Alone;
    }
    if too_few || !schedule::has_question(run) {
        return Verdict::NotResolved;
    }
    if !limit::forbidding(findings).is_empty() || compared.ranked.len() < 2 {
        return Verdict::Refused;
    }
    match compared.decision.outcome {
        Outcome::Beats => Verdict::Beats,
        Outcome::Ties => Verdict::Ties,
        Outcome::Open => Verdict::NotResolved,
    }
}
