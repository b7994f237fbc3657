//! Prepares every stack once on its region, and settles what is measured, before the first block.

use bakeoff_judge::decide::fit::FitCost;
use bakeoff_judge::decide::size::SizeLimits;
use bakeoff_machine::prepare::capacity;
use bakeoff_model::candidate::Candidate;
use bakeoff_model::index::CandidateIx;
use bakeoff_model::protocol::Isolation;
use bakeoff_report::left_out;

use super::ahead::Trial;
use super::regions::Regions;
use super::rehearse::{self, Findings, tried_before};
use super::target_set::TargetSet;
use super::try_cells::{self, CellTrials};
use crate::fault::Fault;
use crate::steps::action_error::ActionError;
use crate::steps::session::Session;
use crate::steps::step_error::StepError;
use crate::steps::stepper;

/// Tries every candidate, leaves out what cannot be made, and settles the plan. `rate` is what a
/// region takes, bytes a second; `found` is what is known before.
pub fn rehearse(
    session: &mut Session,
    regions: Regions,
    rate: f64,
    mut found: Findings,
) -> Result<TargetSet, StepError> {
    let header = session.journal.run().header.clone();
    let visit_bytes = regions.visit_write_bytes();
    found.file_bytes = regions.file_bytes;
    (found.region, found.more_regions) = regions.described();
    let parts = regions.list.iter().map(|at| at.parts.len()).min().unwrap_or(1);
    let targets = regions.list.len().max(1);
    let region_bytes = regions.list.iter().map(|at| at.region.size_bytes).min().unwrap_or(0);
    let mut target_set = TargetSet::Regions(regions);
    let is_out = |c: &&Candidate| found.skipped.iter().any(|s| s.name == c.name);
    let tried: Vec<Candidate> = header.candidates.iter().filter(|c| !is_out(c)).cloned().collect();
    let limits = SizeLimits {
        file_bytes: found.file_bytes,
        scratch_bytes: found.append_room_bytes,
        bytes_per_s: rate,
    };
    for candidate in &tried {
        let time_ns = try_cells::time_ns(session, tried.len());
        let room = capacity::fill_bytes(&header.candidates, region_bytes);
        let visit_bytes = visit_bytes + candidate.state().written_bytes(room);
        let known = (&limits, &tried_before(&found.candidates)[..]);
        match trial(session, &mut target_set, candidate, (visit_bytes, time_ns), known) {
            Ok(trial) => found.candidates.push((candidate.clone(), trial)),
            Err(StepError::Failed(error)) if is_the_candidates(&error) => {
                // Unless the drive has gone, which every candidate would fail for.
                stepper::check_targets(session)?;
                found.skipped.push(left_out::failed(&candidate.name, &error.to_string()));
            }
            Err(error) => return Err(error),
        }
    }
    if found.candidates.is_empty() {
        let why = left_out::lines(&found.skipped);
        return Err(Fault::environment(format!("cannot create any filesystem here:{why}")).into());
    }
    let is_wanted = header.protocol.isolation == Isolation::Slices;
    found.stand_side_by_side = is_wanted && (2..=parts * targets).contains(&found.candidates.len());
    found.written_bytes += tried.len() as u64 * visit_bytes;
    found.written_bytes += capacity::filling_bytes(&tried, region_bytes);
    rehearse::apply_limits(session, found)?;
    Ok(target_set)
}

fn is_the_candidates(error: &ActionError) -> bool {
    use ActionError as E;
    matches!(error, E::Tool { .. } | E::Fill(_) | E::Missing(_))
}

fn trial(
    session: &mut Session,
    target_set: &mut TargetSet,
    candidate: &Candidate,
    (visit_bytes, time_ns): (u64, u64),
    (limits, before): (&SizeLimits, &[CellTrials]),
) -> Result<Trial, StepError> {
    let before_bytes = session.spent.own_bytes();
    let (entered, enter_ns) = rehearse::timed(|| Ok(target_set.enter(session, candidate)))?;
    let entered_bytes = session.spent.own_bytes().saturating_sub(before_bytes);
    let tried = match (&entered, target_set.site(CandidateIx::FIRST)) {
        (Ok(()), Some(site)) => rehearse::flushed_write_ns(session, site)
            .and_then(|ns| Ok((ns, try_cells::try_cells(session, site, limits, time_ns, before)?))),
        _ => Ok((0, Vec::new())),
    };
    let charges = target_set.site(CandidateIx::FIRST).is_some_and(|site| site.charges);
    let ((), leave_ns) = rehearse::timed(|| target_set.leave(&mut session.journal))?;
    entered?;
    let (flushed_write_ns, cells) = tried.map_err(ActionError::from)?;
    Ok(Trial {
        bytes_per_s: limits.bytes_per_s,
        flushed_write_ns,
        visit: FitCost {
            time_ns: enter_ns.saturating_add(leave_ns),
            write_bytes: visit_bytes.max(entered_bytes),
        },
        wears: true,
        charges,
        cells,
    })
}
