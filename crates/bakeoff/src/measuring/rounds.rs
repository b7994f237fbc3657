//! Measures one workload on all standing candidates: rounds of slices in balanced random order.
//!
//! A round is one slice of every standing candidate. Slices that do not count are measured again
//! in further rounds, so a stray suspend costs a slice and not a cell. Candidates with other
//! settings of the disk have rounds of their own, in groups; nothing is written to the record
//! between the first slice of a group and the last.

use bakeoff_judge::decide::setting_groups::{self, RoundsOfGroup};
use bakeoff_judge::decide::turns::{self, times_of};
use bakeoff_machine::telemetry::layout::Device;
use bakeoff_model::calibration::{Calibration, Settled};
use bakeoff_model::event::{Cell, Truth, What};
use bakeoff_model::host::Counted;
use bakeoff_model::index::CandidateIx;

use super::calibration::{self, Ended, StandingMembers};
use super::cell::{self, CellError};
use super::member::{Failed, Member, RoundsId, Turn, give_up};
use crate::host::{Evidence, Server};
use crate::load::LoadError;
use crate::places::target_set::TargetSet;
use crate::steps::session::Session;

/// Rounds beyond the planned ones, in which slices that do not count are measured again, for each
/// of so many planned ones.
const ONE_FURTHER_OF: u16 = 2;

/// Measures a workload on every standing candidate; gives what is to be recorded of each, a cell or
/// why there is none.
///
/// # Errors
/// What ends the block, as that one place cannot be measured on, or the run.
pub fn measure(
    session: &mut Session,
    target_set: &mut TargetSet,
    which: RoundsId<'_>,
) -> Result<Vec<What>, Ended> {
    watch(session, target_set, which.standing);
    let drives = target_set.disks();
    let drives = Counted { reads: drives.clone(), writes: drives, shares_reads: false };
    let sites =
        which.standing.iter().filter_map(|c| target_set.site(*c).map(|s| s.servers.clone()));
    let mut servers: Vec<Server> = sites.flatten().collect();
    servers.sort_by_key(|server| server.pid);
    servers.dedup();
    let before = Evidence::take(&drives, &servers);
    let ended = in_rounds(session, target_set, which);
    let after = Evidence::take(&drives, &servers);
    if let Some(sampler) = &session.sampler {
        sampler.pause();
    }
    let (members, failed) = match ended {
        Err(Ended::Block(failed)) => {
            clean(target_set, which.standing)?;
            return Err(failed.into());
        }
        ended => ended?,
    };
    let lost = failed.into_iter().map(|(c, trouble)| (c, Err(trouble.to_string())));
    let mut cells: Vec<(CandidateIx, Result<Cell, String>)> = lost.collect();
    let mut others = Truth::default();
    after.since(&before, &mut others);
    let total_ns: u64 = members.iter().map(Member::elapsed_ns).sum();
    for member in members {
        let share = member.elapsed_ns() as f64 / total_ns.max(1) as f64;
        let candidate = member.candidate;
        cells.push((candidate, finish(session, target_set, which, member, (&others, share))));
    }
    // After the processes have ended: what is open would stay under another name on NFS and FUSE.
    clean(target_set, which.standing)?;
    cells.sort_by_key(|(candidate, _)| *candidate);
    let RoundsId { block, workload, .. } = which;
    let recorded = |(candidate, cell)| match cell {
        Ok(cell) => What::CellDone(Box::new(cell)),
        Err(reason) => What::CellInvalid { block, candidate, workload, reason },
    };
    Ok(cells.into_iter().map(recorded).collect())
}

fn watch(session: &Session, target_set: &mut TargetSet, standing: &[CandidateIx]) {
    let Some(sampler) = &session.sampler else { return };
    let mut devices: Vec<Device> = Vec::new();
    for site in standing.iter().filter_map(|c| target_set.site(*c).map(|site| site.devices.clone()))
    {
        devices.extend(site.into_iter().filter(|device| device.is_disk));
    }
    devices.sort_by(|a, b| a.dev.cmp(&b.dev));
    devices.dedup();
    sampler.begin(&devices);
}

/// Every round; gives those that took part to the end, and those that failed, with why.
fn in_rounds(
    session: &mut Session,
    target_set: &mut TargetSet,
    which: RoundsId<'_>,
) -> Result<(Vec<Member>, Vec<Failed>), Ended> {
    let (mut members, mut failed) = (Vec::new(), Vec::new());
    for &candidate in which.standing {
        members.extend(start(session, target_set, which, candidate, &mut failed)?);
    }
    let found =
        calibration::find(session, target_set, which.workload, (&mut members, &mut failed))?;
    start_again(session, target_set, which, (&mut members, &mut failed))?;
    begin_wear(target_set, &mut members);
    let header = &session.journal.run().header;
    let all = times_of(&found, header.protocol.mode, which.block);
    let planned = u16::try_from(all.len()).unwrap_or(u16::MAX);
    let groups = setting_groups::groups(&header.candidates, which.standing.iter().copied());
    let sizes = (groups.len(), planned);
    let mut parts = setting_groups::in_order(header.seed, which.block, which.workload, sizes);
    let further = planned..planned + planned.div_ceil(ONE_FURTHER_OF);
    let further = |group| RoundsOfGroup { group, rounds: further.clone() };
    parts.extend((0..groups.len()).map(further));
    let (mut set, mut after) = (None, None);
    for RoundsOfGroup { group: number, rounds } in parts {
        for round in rounds {
            let lacks = |m: &&Member| round < planned || m.valid() < usize::from(planned);
            let is_in = |m: &&Member| groups[number].contains(&m.candidate) && lacks(m);
            let taking_part: Vec<CandidateIx> =
                members.iter().filter(is_in).map(|member| member.candidate).collect();
            if taking_part.is_empty() {
                break;
            }
            let mut standing = (&mut members, &mut failed);
            if set != Some(number) {
                calibration::switch(session, target_set, &groups[number])?;
                let is_settled = groups.len() == 1 || found.settled != Settled::Quick;
                after = None;
                if !is_settled {
                    after = settle(session, target_set, &mut standing, (&taking_part, &found))?;
                }
                set = Some(number);
            }
            let times = all.get(usize::from(round)).copied().unwrap_or(1);
            let turn = Turn { round, turn: 0, after, length: found.length, times };
            after = one_round(session, target_set, which, standing, (&taking_part, turn))?;
        }
    }
    for member in &mut members {
        let site = target_set.site(member.candidate);
        site.into_iter().for_each(|site| member.end_wear(site));
    }
    Ok((members, failed))
}

/// One slice of each of these members, in balanced random order; gives who was last.
fn one_round(
    session: &Session,
    target_set: &mut TargetSet,
    which: RoundsId<'_>,
    (members, failed): StandingMembers<'_>,
    (taking_part, mut next): (&[CandidateIx], Turn),
) -> Result<Option<CandidateIx>, Failed> {
    let (seed, round) = (session.journal.run().header.seed, next.round.into());
    let order = turns::turns(seed, which.block, which.workload, round, taking_part);
    for (turn, candidate) in (0..).zip(order) {
        next.turn = turn;
        let Some(at) = members.iter().position(|m| m.candidate == candidate) else { continue };
        let Some(site) = target_set.site(candidate) else { continue };
        if let Err(trouble) = members[at].slice(session, site, next) {
            members.remove(at);
            give_up(session, (candidate, trouble), failed)?;
            start_again(session, target_set, which, (members, failed))?;
        }
        next.after = Some(candidate);
    }
    Ok(next.after)
}

/// One slice of each of these that does not count, after the settings of the disk have changed;
/// gives who was last. Slices with a part to settle need none.
fn settle(
    session: &mut Session,
    target_set: &mut TargetSet,
    (members, failed): &mut StandingMembers<'_>,
    (taking_part, found): (&[CandidateIx], &Calibration),
) -> Result<Option<CandidateIx>, Failed> {
    let mut last = None;
    for &candidate in taking_part {
        let Some(at) = members.iter().position(|m| m.candidate == candidate) else { continue };
        let Some(site) = target_set.site(candidate) else { continue };
        match members[at].try_out(site, found.length) {
            Ok((_, written_bytes)) => session.spent.add_unrecorded(written_bytes),
            Err(trouble) => {
                members.remove(at);
                give_up(session, (candidate, trouble), failed)?;
            }
        }
        last = Some(candidate);
    }
    Ok(last)
}

/// From now on what reaches the drive is counted, for those that have a device to themselves.
fn begin_wear(target_set: &mut TargetSet, members: &mut [Member]) {
    let mut device = |m: &Member| target_set.site(m.candidate).map(|site| site.worn.bytes.clone());
    let devices: Vec<Option<Vec<String>>> = members.iter().map(&mut device).collect();
    for (member, own) in members.iter_mut().zip(&devices) {
        let is_alone = devices.iter().filter(|other| *other == own).count() == 1;
        let site = target_set.site(member.candidate).filter(|_| is_alone);
        site.into_iter().for_each(|site| member.begin_wear(site));
    }
}

/// A member that is ready, or none where the candidate cannot take part.
fn start(
    session: &Session,
    target_set: &mut TargetSet,
    which: RoundsId<'_>,
    candidate: CandidateIx,
    failed: &mut Vec<Failed>,
) -> Result<Option<Member>, Failed> {
    let Some(site) = target_set.site(candidate) else { return Ok(None) };
    match Member::start(session, site, which, candidate) {
        Ok(member) => Ok(Some(member)),
        Err(trouble) => give_up(session, (candidate, trouble), failed).map(|()| None),
    }
}

fn start_again(
    session: &Session,
    target_set: &mut TargetSet,
    which: RoundsId<'_>,
    (members, failed): (&mut Vec<Member>, &mut Vec<Failed>),
) -> Result<(), Failed> {
    for &candidate in which.standing {
        let own: Vec<&Failed> = failed.iter().filter(|(known, _)| *known == candidate).collect();
        let ended = matches!(own[..], [(_, CellError::Load(LoadError::Child(_)))]);
        if ended && members.iter().all(|member| member.candidate != candidate) {
            members.extend(start(session, target_set, which, candidate, failed)?);
        }
    }
    Ok(())
}

fn clean(target_set: &mut TargetSet, standing: &[CandidateIx]) -> Result<(), Failed> {
    for &candidate in standing {
        let Some(site) = target_set.site(candidate) else { continue };
        site.scratch.clear_cell().map_err(|error| (candidate, CellError::not_removed(error)))?;
    }
    Ok(())
}

/// A candidate's cell, with all the evidence about it, if its number may stand.
fn finish(
    session: &Session,
    target_set: &mut TargetSet,
    which: RoundsId<'_>,
    member: Member,
    (others, share): (&Truth, f64),
) -> Result<Cell, String> {
    let header = &session.journal.run().header;
    let candidate = member.candidate;
    let (spans, elapsed_ns) = (member.spans.clone(), member.elapsed_ns());
    let cell = member.into_cell(which.block, which.workload).map_err(|e| e.to_string())?;
    let mut cell = cell.ok_or("it has no valid slice")?;
    let site = target_set.site(candidate).ok_or("the candidate has no location")?;
    let divided = |bytes: u64| (bytes as f64 * share) as u64;
    cell.truth = Truth {
        foreign_bytes: others
            .foreign_bytes
            .map(|bytes| divided(bytes) + which.idle.over(elapsed_ns)),
        foreign_by: others.foreign_by.clone(),
        foreign_cpus: others.foreign_cpus,
        foreign_cpus_by: others.foreign_cpus_by.clone(),
        ..cell.truth
    };
    cell.telemetry = session.sampler.as_ref().map(|sampler| Box::new(sampler.of_spans(&spans)));
    cell::judge(header, site, cell)
}
