//! How long the slices of a workload are, and how long the drive settles in each: found once in a
//! run, before its first round, with all candidates taking turns.

use bakeoff_judge::decide::search::{Level, Search};
use bakeoff_judge::decide::setting_groups;
use bakeoff_model::calibration::{Calibration, Settled};
use bakeoff_model::event::What;
use bakeoff_model::host::Place;
use bakeoff_model::index::{CandidateIx, WorkloadIx};
use bakeoff_model::slice_length::{self, Length};
use bakeoff_report::settling;

use super::member::{Failed, Member, give_up};
use crate::fault::Fault;
use crate::places::target_set::TargetSet;
use crate::steps::session::Session;
use crate::steps::step_error::StepError;

/// Why rounds end before their time.
pub enum Ended {
    Block(Failed),
    /// The kernel does not take the settings of candidates.
    Settings(StepError),
    Run(Fault),
}

impl From<Failed> for Ended {
    fn from(failed: Failed) -> Self {
        Ended::Block(failed)
    }
}

/// Members that take turns, and those that failed.
pub type StandingMembers<'m> = (&'m mut Vec<Member>, &'m mut Vec<Failed>);

/// The slices of a workload, as the run has recorded them or now does; members that fail meanwhile
/// are moved to the failed.
///
/// # Errors
/// What ends the block or the run.
pub fn find(
    session: &mut Session,
    target_set: &mut TargetSet,
    workload: WorkloadIx,
    mut standing: StandingMembers<'_>,
) -> Result<Calibration, Ended> {
    if let Some(known) = session.journal.run().calibration(workload) {
        set_settles(standing.0, known.settled != Settled::Quick);
        return Ok(known.clone());
    }
    let found = search(session, workload)
        .run(|length, tries| level(session, target_set, &mut standing, (length, tries)))?;
    set_settles(standing.0, found.settled != Settled::Quick);
    let recorded = session.journal.record(What::Calibrated(Box::new(found.clone())));
    recorded.map_err(Ended::Run)?;
    let run = session.journal.run();
    if found.settled != Settled::Quick
        && let Some(line) = settling::line(run, workload)
    {
        session.progress.note(&format!("{}: {line}.", run.header.workloads[workload].name));
    }
    Ok(found)
}

const SEARCHED: u64 = 3;

fn search(session: &Session, workload: WorkloadIx) -> Search {
    let run = session.journal.run();
    let protocol = &run.header.protocol;
    let all = run.header.workloads.iter().filter(|w| w.can_be_sliced()).count();
    let left = u32::try_from(all.saturating_sub(run.calibrations.len())).unwrap_or(u32::MAX);
    let chosen_ns = run.calibrations.iter().map(|known| known.length.unit_ns).sum();
    // The control takes turns too. The search leaves the blocks of the first look their time.
    let candidates = run.header.candidates.len().max(1) as u64;
    let slices =
        (u64::from(protocol.first_look()) + SEARCHED) * candidates * u64::from(left.max(1));
    let time_ns = protocol.time_ns.unwrap_or(u64::MAX);
    let left_ns = time_ns.saturating_sub(session.journal.elapsed_ns());
    let natural = session.natural.get(&workload).copied().unwrap_or_default();
    let charges = run.header.places().any(Place::charges_turns);
    let job = &run.header.workloads[workload].job;
    Search {
        workload,
        planned: slice_length::sparing_rounds(protocol.rounds, job, protocol.slice_bytes),
        margin: protocol.tie_margin,
        granted_ns: session.pace.longest_slice_ns(chosen_ns, left),
        most_ns: left_ns / slices,
        natural,
        charges,
        is_slow: slice_length::is_slow(job, natural.unit_ns, charges),
        tried: Vec::new(),
    }
}

fn set_settles(members: &mut [Member], settles: bool) {
    members.iter_mut().for_each(|member| member.set_settles(settles));
}

/// Makes the settings of the disk that candidates want, where they have any.
///
/// # Errors
/// When the kernel does not take one, or shows another value after that.
pub fn switch(
    session: &mut Session,
    target_set: &mut TargetSet,
    group: &[CandidateIx],
) -> Result<(), Ended> {
    let made = target_set.regions().map(|regions| regions.set(session, group));
    made.unwrap_or(Ok(())).map_err(Ended::Settings)
}

/// Slices of one length on everybody, in turns, each with its settings of the disk. Members that
/// fail are moved to the failed.
fn level(
    session: &mut Session,
    target_set: &mut TargetSet,
    (members, failed): &mut StandingMembers<'_>,
    (length, tries): (Length, u32),
) -> Result<Level, Ended> {
    let mut level = Level::new();
    set_settles(members, length.settling > 0);
    let candidates = &session.journal.run().header.candidates;
    let groups = setting_groups::groups(candidates, members.iter().map(|m| m.candidate));
    for group in groups {
        switch(session, target_set, &group)?;
        for candidate in (0..tries).flat_map(|_| group.clone()) {
            let Some(at) = members.iter().position(|m| m.candidate == candidate) else {
                continue;
            };
            let Some(site) = target_set.site(candidate) else { return Ok(Level::new()) };
            match members[at].try_out(site, length) {
                Ok((tried, written_bytes)) => {
                    session.spent.add_unrecorded(written_bytes);
                    level.entry(candidate).or_default().push(tried);
                }
                Err(trouble) => {
                    members.remove(at);
                    level.remove(&candidate);
                    give_up(session, (candidate, trouble), failed)?;
                }
            }
        }
    }
    Ok(level)
}
