//! Prepares every stack once on its region, and settles what is measured, before the first block.

use bakeoff_judge::decide::limits::RunCost;
use bakeoff_judge::decide::size::SizeLimits;
use bakeoff_machine::prepare::capacity;
use bakeoff_model::candidate::{Candidate, Kind, Knobs};
use bakeoff_model::index::CandidateIx;
use bakeoff_model::protocol::Isolation;
use bakeoff_report::left_out;

use super::ahead::Trial;
use super::regions::Regions;
use super::rehearse::{self, Findings, tried_before};
use super::target_set::TargetSet;
use super::try_cells::{self, CellTrials};
use crate::fault::Fault;
use crate::steps::error::StepError;
use crate::steps::session::Session;
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
    let is_out = |c: &Candidate| found.skipped.iter().any(|s| s.name == c.name);
    let all = CandidateIx::all(header.candidates.len());
    let tried: Vec<CandidateIx> = all.filter(|c| !is_out(&header.candidates[*c])).collect();
    let limits = SizeLimits {
        file_bytes: found.file_bytes,
        scratch_bytes: found.append_room_bytes,
        bytes_per_s: rate,
    };
    let stands = header.stands(&tried);
    let room = capacity::fill_bytes(&header.candidates, region_bytes);
    for shared in &stands {
        let shared: Vec<&Candidate> = shared.iter().map(|c| &header.candidates[*c]).collect();
        let filling_bytes = shared.first().map_or(0, |of| of.state().written_bytes(room));
        let known = (&limits, visit_bytes.saturating_add(filling_bytes), tried.len());
        match try_stand(session, &mut target_set, &shared, known, &mut found) {
            Err(error) if is_the_candidates(&error) => {
                // Unless the drive has gone, which every candidate would fail for.
                stepper::check_targets(session)?;
                let failed = |c: &&Candidate| left_out::failed(&c.name, &error.to_string());
                found.skipped.extend(shared.iter().map(failed));
            }
            ended => ended?,
        }
    }
    // In the order of the plan.
    found.candidates.sort_by_key(|(of, _)| header.candidates.iter().position(|c| c == of));
    if found.candidates.is_empty() {
        let why = left_out::lines(&found.skipped);
        return Err(Fault::environment(format!("cannot create any filesystem here:{why}")).into());
    }
    let is_wanted = header.protocol.isolation == Isolation::Slices;
    found.stand_side_by_side =
        is_wanted && found.candidates.len() > 1 && stands.len() <= parts * targets;
    let standing = stands.iter().filter_map(|shared| shared.first());
    let standing: Vec<Candidate> = standing.map(|c| header.candidates[*c].clone()).collect();
    found.written_bytes += stands.len() as u64 * visit_bytes;
    found.written_bytes += capacity::filling_bytes(&standing, region_bytes);
    rehearse::apply_limits(session, found)?;
    Ok(target_set)
}

fn is_the_candidates(error: &StepError) -> bool {
    use StepError as E;
    matches!(error, E::Tool { .. } | E::Fill(_) | E::Missing(_))
}

/// Prepares one filesystem and tries each candidate that is measured on it, with its settings of
/// the disk. One whose settings the kernel does not take is left out.
fn try_stand(
    session: &mut Session,
    target_set: &mut TargetSet,
    shared: &[&Candidate],
    (limits, visit_bytes, tried): (&SizeLimits, u64, usize),
    found: &mut Findings,
) -> Result<(), StepError> {
    let Some(first) = shared.first() else { return Ok(()) };
    let before_bytes = session.spent.own_bytes();
    let (entered, enter_ns) =
        rehearse::timed(|| Ok(target_set.enter(session, &without_settings(first))))?;
    let entered_bytes = session.spent.own_bytes().saturating_sub(before_bytes);
    let mut visit = RunCost { time_ns: enter_ns, write_bytes: visit_bytes.max(entered_bytes) };
    let mut trials = Vec::new();
    let mut tried_all = entered;
    for candidate in shared {
        if tried_all.is_err() {
            break;
        }
        let before = [tried_before(&found.candidates), tried_before(&trials)].concat();
        let time_ns = try_cells::time_ns(session, tried);
        match trial(session, target_set, candidate, (limits, time_ns), &before) {
            // The filesystem that they share is prepared once.
            Ok(trial) => {
                let visit = std::mem::take(&mut visit);
                trials.push(((*candidate).clone(), Trial { visit, ..trial }));
            }
            Err(error) if shared.len() > 1 && is_the_candidates(&error) => {
                stepper::check_targets(session)?;
                found.skipped.push(left_out::failed(&candidate.name, &error.to_string()));
            }
            Err(error) => tried_all = Err(error),
        }
    }
    let ((), leave_ns) = rehearse::timed(|| target_set.leave(&mut session.journal))?;
    if let Some((_, first)) = trials.first_mut() {
        first.visit.time_ns = first.visit.time_ns.saturating_add(leave_ns);
    }
    tried_all?;
    found.candidates.extend(trials);
    Ok(())
}

fn without_settings(candidate: &Candidate) -> Candidate {
    let mut bare = candidate.clone();
    if let Kind::Stack(stack) = &mut bare.kind {
        stack.knobs = Knobs::default();
    }
    bare
}

fn trial(
    session: &mut Session,
    target_set: &mut TargetSet,
    candidate: &Candidate,
    (limits, time_ns): (&SizeLimits, u64),
    before: &[CellTrials],
) -> Result<Trial, StepError> {
    if let Some(regions) = target_set.regions() {
        regions.set_alone(session, candidate)?;
    }
    let Some(site) = target_set.site(CandidateIx::FIRST) else { return Ok(Trial::default()) };
    let tried = rehearse::flushed_write_ns(session, site)
        .and_then(|ns| Ok((ns, try_cells::try_cells(session, site, limits, time_ns, before)?)));
    let charges = site.charges;
    let (flushed_write_ns, cells) = tried?;
    Ok(Trial {
        bytes_per_s: limits.bytes_per_s,
        flushed_write_ns,
        visit: RunCost::default(),
        wears: true,
        charges,
        cells,
    })
}
