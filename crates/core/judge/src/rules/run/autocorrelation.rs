//! L36 autocorrelation: one candidate's results drift: neighbouring blocks are correlated.

use super::ComparedRun;
use crate::decide::autocorrelation::of_lead;
use crate::decide::compare::Comparison;
use crate::decide::lead::DecidedLead;
use crate::evidence::rule::Hit;
use bakeoff_model::event::Header;
use bakeoff_model::index::{CandidateIx, WorkloadIx};
use bakeoff_model::setting::Setting;
use bakeoff_stats::autocorrelation::{Lag1, widening};

pub const ID: &str = "L36";

pub fn in_run(of: &ComparedRun, compared: &Comparison) -> Vec<Hit> {
    let lead = DecidedLead::new(of.run, of.table, compared, 1);
    of_lead(of.run, of.table, compared.workload, &lead)
        .into_iter()
        .map(|drift| told(of, compared.workload, &lead, drift))
        .collect()
}

/// The finding about one pair of the leader: the other candidate, and how the difference drifts.
fn told(
    of: &ComparedRun,
    workload: WorkloadIx,
    lead: &DecidedLead,
    (other, lag1): (CandidateIx, Lag1),
) -> Hit {
    let name = |c: CandidateIx| of.run.header.candidates[c].name.clone();
    let leader = lead.leader.unwrap_or(other);
    let blocks = of.table.differences(workload, leader, other).len() as u32;
    let evidence = format!(
        "the difference between {} and {} drifts from block to block (lag-1 autocorrelation {:.2} \
         over {blocks} blocks); intervals {:.1} times as wide would change the answer",
        name(leader),
        name(other),
        lag1.r,
        widening(lag1.r, blocks)
    );
    Hit { candidate: Some(name(other)), ..Hit::new(evidence, what_helps(&of.run.header)) }
}

fn what_helps(header: &Header) -> &'static str {
    match Setting::of(header) {
        Setting::Places => "let the drive idle and cool down, then measure again with --time 15m",
        Setting::Image => "let the drive idle and cool down, or use a separate drive: bakeoff run",
        Setting::Decide | Setting::Precise => {
            "let the drive cool down, then measure again with {mode=decide}"
        }
    }
}
