//! Measures one workload on all standing candidates: rounds of slices in balanced random order.
//!
//! Before the first round of a run the length of the slices is found, and how long the drive
//! settles in each, with all candidates taking turns. A round is one slice of every candidate.
//! Slices that do not count are measured again in further rounds, so a stray suspend costs a slice
//! and not a cell. Candidates with other settings of the disk have rounds of their own, in groups;
//! nothing is written to the record between the first slice of a group and the last.

use bakeoff_judge::decide::search::{Level, Search};
use bakeoff_judge::decide::setting_groups::{self, RoundsOfGroup};
use bakeoff_judge::decide::turns::{self, times_of};
use bakeoff_machine::telemetry::layout::Device;
use bakeoff_model::calibration::{Calibration, Settled};
use bakeoff_model::event::{Cell, Truth, What};
use bakeoff_model::host::{Counted, Place};
use bakeoff_model::index::CandidateIx;
use bakeoff_model::slice_length::{self, Length};
use bakeoff_report::settling;

use super::block::Ended;
use super::cell::{self, CellError};
use super::member::{Member, RoundsId, Turn};
use crate::host::{Evidence, Server};
use crate::load::LoadError;
use crate::load::site::Site;
use crate::places::target_set::TargetSet;
use crate::steps::session::Session;

/// Rounds beyond the planned ones, in which slices that do not count are measured again, for each
/// of so many planned ones.
const ONE_FURTHER_OF: u16 = 2;
const SEARCHED: u64 = 3;

/// The rounds of a workload in a block.
pub struct Rounds<'r, 's> {
    session: &'r mut Session<'s>,
    target_set: &'r mut TargetSet,
    which: RoundsId<'r>,
    /// Candidates that take turns, and those that failed meanwhile.
    members: Vec<Member>,
    failed: Vec<(CandidateIx, CellError)>,
}

/// Which rounds a block has: those of each group of settings, the further ones last.
struct Schedule {
    groups: Vec<Vec<CandidateIx>>,
    rounds: Vec<RoundsOfGroup>,
    planned: u16,
    /// By planned round: how many times the usual length its slices have.
    times: Vec<u8>,
}

impl<'r, 's> Rounds<'r, 's> {
    pub fn new(
        session: &'r mut Session<'s>,
        target_set: &'r mut TargetSet,
        which: RoundsId<'r>,
    ) -> Rounds<'r, 's> {
        Rounds { session, target_set, which, members: Vec::new(), failed: Vec::new() }
    }

    /// Measures the workload on every standing candidate; gives what is to be recorded of each, a
    /// cell or why there is none.
    ///
    /// # Errors
    /// What ends the block, as that one place cannot be measured on, or the run.
    pub fn measure(mut self) -> Result<Vec<What>, Ended> {
        self.watch();
        let drives = self.target_set.disks();
        let drives = Counted { reads: drives.clone(), writes: drives, shares_reads: false };
        let servers = self.servers();
        let before = Evidence::take(&drives, &servers);
        let ended = self.take_turns();
        let after = Evidence::take(&drives, &servers);
        if let Some(sampler) = &self.session.held.sampler {
            sampler.pause();
        }
        if let Err(ended) = ended {
            self.members.clear();
            self.clean()?;
            return Err(ended);
        }
        let mut others = Truth::default();
        after.since(&before, &mut others);
        let cells = self.cells(&others);
        // After the processes have ended: what is open would stay under another name on NFS and
        // FUSE.
        self.clean()?;
        let RoundsId { block, workload, .. } = self.which;
        let recorded = |(candidate, cell)| match cell {
            Ok(cell) => What::CellDone(Box::new(cell)),
            Err(reason) => What::CellInvalid { block, candidate, workload, reason },
        };
        Ok(cells.into_iter().map(recorded).collect())
    }

    fn watch(&mut self) {
        let Some(sampler) = &self.session.held.sampler else { return };
        let mut devices: Vec<Device> = Vec::new();
        for candidate in self.which.standing {
            let site = self.target_set.site(*candidate).into_iter();
            devices.extend(site.flat_map(|site| site.devices.clone()).filter(|d| d.is_disk));
        }
        devices.sort_by(|a, b| a.dev.cmp(&b.dev));
        devices.dedup();
        sampler.begin(&devices);
    }

    fn servers(&mut self) -> Vec<Server> {
        let mut servers: Vec<Server> = Vec::new();
        for candidate in self.which.standing {
            let site = self.target_set.site(*candidate).into_iter();
            servers.extend(site.flat_map(|site| site.servers.clone()));
        }
        servers.sort_by_key(|server| server.pid);
        servers.dedup();
        servers
    }

    /// Every round; members are those that took part to the end.
    fn take_turns(&mut self) -> Result<(), Ended> {
        for &candidate in self.which.standing {
            self.start(candidate)?;
        }
        let found = self.calibrate()?;
        self.begin_wear();
        let schedule = self.schedule(&found);
        let (mut set, mut after) = (None, None);
        for RoundsOfGroup { group: number, rounds } in &schedule.rounds {
            let group = &schedule.groups[*number];
            for round in rounds.clone() {
                let taking_part = self.taking_part(group, round, schedule.planned);
                if taking_part.is_empty() {
                    break;
                }
                if set != Some(number) {
                    self.switch(group)?;
                    let is_settled = schedule.groups.len() == 1 || found.settled != Settled::Quick;
                    after =
                        if is_settled { None } else { self.settle(&taking_part, found.length)? };
                    set = Some(number);
                }
                let times = schedule.times.get(usize::from(round)).copied().unwrap_or(1);
                let turn = Turn { round, turn: 0, after, length: found.length, times };
                after = self.one_round(&taking_part, turn)?;
            }
        }
        for member in &mut self.members {
            let site = self.target_set.site(member.candidate);
            site.into_iter().for_each(|site| member.end_wear(site));
        }
        Ok(())
    }

    fn start(&mut self, candidate: CandidateIx) -> Result<(), Ended> {
        let Some(site) = self.target_set.site(candidate) else { return Ok(()) };
        match Member::start(self.session, site, self.which, candidate) {
            Ok(member) => self.members.push(member),
            Err(trouble) => self.start_again(candidate, trouble)?,
        }
        Ok(())
    }

    /// Starts a process that was killed again, once for each candidate.
    fn start_again(&mut self, candidate: CandidateIx, trouble: CellError) -> Result<(), Ended> {
        let is_first = self.failed.iter().all(|(known, _)| *known != candidate);
        let has_ended = matches!(trouble, CellError::Load(LoadError::Child(_)));
        self.give_up(candidate, trouble)?;
        if has_ended && is_first { self.start(candidate) } else { Ok(()) }
    }

    fn schedule(&self, found: &Calibration) -> Schedule {
        let RoundsId { block, workload, standing, .. } = self.which;
        let header = &self.session.journal.run().header;
        let times = times_of(found, header.protocol.mode, block);
        let planned = u16::try_from(times.len()).unwrap_or(u16::MAX);
        let groups = setting_groups::groups(&header.candidates, standing.iter().copied());
        let sizes = (groups.len(), planned);
        let mut rounds = setting_groups::in_order(header.seed, block, workload, sizes);
        let further = planned..planned + planned.div_ceil(ONE_FURTHER_OF);
        let further = |group| RoundsOfGroup { group, rounds: further.clone() };
        rounds.extend((0..groups.len()).map(further));
        Schedule { groups, rounds, planned, times }
    }

    /// The members of a group that have a slice in a round; in a further one those that lack some.
    fn taking_part(&self, group: &[CandidateIx], round: u16, planned: u16) -> Vec<CandidateIx> {
        let lacks = |m: &&Member| round < planned || m.valid() < usize::from(planned);
        let is_in = |m: &&Member| group.contains(&m.candidate) && lacks(m);
        self.members.iter().filter(is_in).map(|member| member.candidate).collect()
    }

    /// One slice of each of these members, in balanced random order; gives who was last.
    fn one_round(
        &mut self,
        taking_part: &[CandidateIx],
        mut next: Turn,
    ) -> Result<Option<CandidateIx>, Ended> {
        let RoundsId { block, workload, .. } = self.which;
        let seed = self.session.journal.run().header.seed;
        let order = turns::turns(seed, block, workload, next.round.into(), taking_part);
        for (turn, candidate) in (0..).zip(order) {
            next.turn = turn;
            self.turn(candidate, |member, session, site| member.slice(session, site, next))?;
            next.after = Some(candidate);
        }
        Ok(next.after)
    }

    /// One slice of each of these that does not count, after the settings of the disk have changed;
    /// gives who was last. Slices with a part to settle need none.
    fn settle(
        &mut self,
        taking_part: &[CandidateIx],
        length: Length,
    ) -> Result<Option<CandidateIx>, Ended> {
        for &candidate in taking_part {
            self.turn(candidate, |member, session, site| member.try_out(session, site, length))?;
        }
        Ok(taking_part.last().copied())
    }

    /// Has a member do something on its site; `None` where it does not take part any more.
    fn turn<T>(
        &mut self,
        candidate: CandidateIx,
        work: impl FnOnce(&mut Member, &mut Session, &Site) -> Result<T, CellError>,
    ) -> Result<Option<T>, Ended> {
        let Some(at) = self.members.iter().position(|m| m.candidate == candidate) else {
            return Ok(None);
        };
        let Some(site) = self.target_set.site(candidate) else { return Ok(None) };
        match work(&mut self.members[at], self.session, site) {
            Ok(done) => Ok(Some(done)),
            Err(trouble) => {
                self.members.remove(at);
                self.start_again(candidate, trouble).map(|()| None)
            }
        }
    }

    /// Continues without a candidate, unless its trouble is everybody's.
    fn give_up(&mut self, candidate: CandidateIx, trouble: CellError) -> Result<(), Ended> {
        let of = &self.session.journal.run().header.candidates[candidate];
        if trouble.ends_block(of) {
            return Err(Ended::by_cell(of, &trouble));
        }
        self.failed.push((candidate, trouble));
        Ok(())
    }

    /// Makes the settings of the disk that a group wants, where it has any.
    fn switch(&mut self, group: &[CandidateIx]) -> Result<(), Ended> {
        let made = self.target_set.regions().map(|regions| regions.set(self.session, group));
        made.unwrap_or(Ok(())).map_err(|error| Ended::by_step("settings", error))
    }

    /// The length of the slices, as the run has recorded it or now does.
    fn calibrate(&mut self) -> Result<Calibration, Ended> {
        let workload = self.which.workload;
        if let Some(known) = self.session.journal.run().calibration(workload).cloned() {
            self.set_settles(known.settled != Settled::Quick);
            return Ok(known);
        }
        let found = self.search().run(|length, tries| self.level(length, tries))?;
        self.set_settles(found.settled != Settled::Quick);
        self.session.journal.record(What::Calibrated(Box::new(found.clone())))?;
        let run = self.session.journal.run();
        if found.settled != Settled::Quick
            && let Some(line) = settling::line(run, workload)
        {
            self.session
                .progress
                .note(&format!("{}: {line}.", run.header.workloads[workload].name));
        }
        Ok(found)
    }

    fn search(&self) -> Search {
        let (session, workload) = (&*self.session, self.which.workload);
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

    fn set_settles(&mut self, settles: bool) {
        self.members.iter_mut().for_each(|member| member.set_settles(settles));
    }

    /// Slices of one length on everybody, in turns, each with its settings of the disk.
    fn level(&mut self, length: Length, tries: u32) -> Result<Level, Ended> {
        let mut level = Level::new();
        self.set_settles(length.settling > 0);
        let candidates = &self.session.journal.run().header.candidates;
        let members = self.members.iter().map(|member| member.candidate);
        for group in setting_groups::groups(candidates, members) {
            self.switch(&group)?;
            for candidate in (0..tries).flat_map(|_| group.clone()) {
                let tried = self.turn(candidate, |member, session, site| {
                    member.try_out(session, site, length)
                })?;
                match tried {
                    Some(tried) => level.entry(candidate).or_default().push(tried),
                    None => drop(level.remove(&candidate)),
                }
            }
        }
        Ok(level)
    }

    /// From now on what reaches the drive is counted, for those that have a device to themselves.
    fn begin_wear(&mut self) {
        let target_set = &mut *self.target_set;
        let device = |m: &Member| target_set.site(m.candidate).map(|site| site.worn.bytes.clone());
        let devices: Vec<Option<Vec<String>>> = self.members.iter().map(device).collect();
        for (member, own) in self.members.iter_mut().zip(&devices) {
            let is_alone = devices.iter().filter(|other| *other == own).count() == 1;
            let site = self.target_set.site(member.candidate).filter(|_| is_alone);
            site.into_iter().for_each(|site| member.begin_wear(site));
        }
    }

    fn clean(&mut self) -> Result<(), Ended> {
        for &candidate in self.which.standing {
            let Some(site) = self.target_set.site(candidate) else { continue };
            let cleared = site.scratch.clear_cell().map_err(CellError::not_removed);
            let of = &self.session.journal.run().header.candidates[candidate];
            cleared.map_err(|error| Ended::by_cell(of, &error))?;
        }
        Ok(())
    }

    /// The cell of each candidate, or why it has none. What other processes did is divided by time.
    fn cells(&mut self, others: &Truth) -> Vec<(CandidateIx, Result<Cell, String>)> {
        let lost = self.failed.drain(..).map(|(candidate, why)| (candidate, Err(why.to_string())));
        let mut cells: Vec<(CandidateIx, Result<Cell, String>)> = lost.collect();
        let members = std::mem::take(&mut self.members);
        let total_ns: u64 = members.iter().map(Member::elapsed_ns).sum();
        for member in members {
            let share = member.elapsed_ns() as f64 / total_ns.max(1) as f64;
            let divided = |bytes: u64| (bytes as f64 * share) as u64;
            let idle_bytes = self.which.idle.over(member.elapsed_ns());
            let foreign_bytes = others.foreign_bytes.map(|bytes| divided(bytes) + idle_bytes);
            let foreign = Truth { foreign_bytes, ..others.clone() };
            cells.push((member.candidate, self.cell(member, foreign)));
        }
        cells.sort_by_key(|(candidate, _)| *candidate);
        cells
    }

    /// A candidate's cell, with all the evidence about it, if its number is valid.
    fn cell(&mut self, member: Member, foreign: Truth) -> Result<Cell, String> {
        let (candidate, spans) = (member.candidate, member.spans.clone());
        let cell = member.into_cell(self.which.block, self.which.workload);
        let mut cell = cell.map_err(|e| e.to_string())?.ok_or("it has no valid slice")?;
        cell.truth = Truth {
            foreign_bytes: foreign.foreign_bytes,
            foreign_by: foreign.foreign_by,
            foreign_cpus: foreign.foreign_cpus,
            foreign_cpus_by: foreign.foreign_cpus_by,
            ..cell.truth
        };
        let sampler = self.session.held.sampler.as_ref();
        cell.telemetry = sampler.map(|sampler| Box::new(sampler.of_spans(&spans)));
        let site = self.target_set.site(candidate).ok_or("the candidate has no location")?;
        cell::judge(&self.session.journal.run().header, site, cell)
    }
}
