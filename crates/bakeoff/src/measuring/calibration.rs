//! How long the slices of a workload are, and how long the drive settles in each: found once in a
//! run, before its first round, with all candidates taking turns.

use std::collections::BTreeMap;

use bakeoff_core::decide::cell_trial::Natural;
use bakeoff_core::model::calibration::{Calibration, Settled, Tried};
use bakeoff_core::model::event::What;
use bakeoff_core::model::host::Place;
use bakeoff_core::model::index::{CandidateIx, WorkloadIx};
use bakeoff_core::model::slice_length::{
    self, Change, Length, MeasuredLength, Next, SETTLED_NS, Settling, TriedSettling,
};
use bakeoff_core::report::settling;
use bakeoff_core::stats::sample;

use super::member::{Failed, Member, TriedSlice, give_up};
use crate::fault::Fault;
use crate::places::target_set::TargetSet;
use crate::steps::session::Session;

/// Why rounds end before their time.
pub enum Ended {
    /// The block ends.
    Block(Failed),
    /// The run ends.
    Run(Fault),
}

impl From<Failed> for Ended {
    fn from(failed: Failed) -> Self {
        Ended::Block(failed)
    }
}

/// Members that take turns, and those that failed.
pub type Standing<'m> = (&'m mut Vec<Member>, &'m mut Vec<Failed>);

/// The slices of a workload, as the run has recorded them or now does; members that fail meanwhile
/// are moved to the failed.
///
/// # Errors
/// What ends the block or the run.
pub fn find(
    session: &mut Session,
    target_set: &mut TargetSet,
    workload: WorkloadIx,
    standing: Standing<'_>,
) -> Result<Calibration, Ended> {
    if let Some(known) = session.journal.run().calibration(workload) {
        if known.settled != Settled::Quick {
            standing.0.iter_mut().for_each(Member::settles);
        }
        return Ok(known.clone());
    }
    let found = Search::new(session, workload).run(session, target_set, standing)?;
    let recorded = session.journal.record(What::Calibrated(Box::new(found.clone())));
    recorded.map_err(Ended::Run)?;
    let run = session.journal.run();
    if found.settled != Settled::Quick
        && let Some(line) = settling::line(run, workload)
    {
        session.progress.say(&format!("{}: {line}.", run.header.workloads[workload].name));
    }
    Ok(found)
}

/// Share of the remaining time that the last slices of a search may take.
const SEARCH_OF: u64 = 4;

/// What all candidates showed with slices of one length.
type Level = BTreeMap<CandidateIx, Vec<TriedSlice>>;

struct Search {
    workload: WorkloadIx,
    planned: u32,
    margin: f64,
    /// The longest slice of a quick drive that there is time for.
    granted_ns: u64,
    /// The longest slice at all that there is time for.
    most_ns: u64,
    /// How long work takes on the slowest.
    natural: Natural,
    /// Whether turns may cost the drives something.
    charges: bool,
    is_slow: bool,
    tried: Vec<Tried>,
}

impl Search {
    fn new(session: &Session, workload: WorkloadIx) -> Search {
        let run = session.journal.run();
        let protocol = &run.header.protocol;
        let all = run.header.workloads.iter().filter(|w| w.can_be_sliced()).count();
        let left = u32::try_from(all.saturating_sub(run.calibrations.len())).unwrap_or(u32::MAX);
        let chosen_ns = run.calibrations.iter().map(|known| known.length.unit_ns).sum();
        let slices = u64::from(protocol.first_look())
            * u64::from(protocol.k.max(1))
            * u64::from(left.max(1));
        let time_ns = protocol.time_ns.unwrap_or(u64::MAX);
        let left_ns = time_ns.saturating_sub(session.journal.elapsed_ns());
        // The search itself leaves most of the time to the blocks.
        let searches = SEARCH_OF.saturating_mul(protocol.k.max(1).into());
        let most_ns = (left_ns / slices).min(left_ns / searches);
        let natural = session.natural.get(&workload).copied().unwrap_or_default();
        let charges = run.header.places().any(Place::charges_turns);
        let job = &run.header.workloads[workload].job;
        Search {
            workload,
            planned: protocol.rounds.max(1),
            margin: protocol.tie_margin,
            granted_ns: session.pace.longest_slice_ns(chosen_ns, left),
            most_ns,
            natural,
            charges,
            is_slow: slice_length::is_slow(job, natural.unit_ns, charges),
            tried: Vec::new(),
        }
    }

    fn run(
        mut self,
        session: &mut Session,
        target_set: &mut TargetSet,
        mut standing: Standing<'_>,
    ) -> Result<Calibration, Failed> {
        let (unit_ns, still_changes) = match self.is_slow {
            true => (slice_length::LONGEST_NS.min(self.granted_ns), false),
            false => self.length(session, target_set, &mut standing)?,
        };
        let may_settle = self.is_slow || (still_changes && self.charges);
        if !may_settle {
            return Ok(self.found(Length::of(unit_ns), Settled::Quick, 0));
        }
        self.settle(session, target_set, &mut standing, unit_ns)
    }

    /// The length on a quick drive, and whether the rate still changes with it.
    fn length(
        &mut self,
        session: &mut Session,
        target_set: &mut TargetSet,
        standing: &mut Standing<'_>,
    ) -> Result<(u64, bool), Failed> {
        let (mut tried, mut before) = (Vec::new(), BTreeMap::new());
        loop {
            let length_ns = match slice_length::next(&tried) {
                Next::Use(length_ns) => {
                    return Ok((length_ns.min(self.granted_ns), is_unsteady(&tried)));
                }
                // Of no use where nothing longer may be chosen.
                Next::Try(length_ns)
                    if length_ns.saturating_mul(2) > self.granted_ns && tried.is_empty() =>
                {
                    return Ok((self.granted_ns, false));
                }
                Next::Try(length_ns) if length_ns > self.granted_ns => {
                    return Ok((self.granted_ns, false));
                }
                Next::Try(length_ns) => length_ns,
            };
            let level = self.level(session, target_set, standing, Length::of(length_ns))?;
            let logs: BTreeMap<CandidateIx, f64> =
                level.iter().map(|(c, tried)| (*c, mean(tried.iter().map(|t| t.log)))).collect();
            if logs.is_empty() {
                return Ok((self.granted_ns, false));
            }
            let changes: Vec<f64> =
                logs.iter().filter_map(|(c, log)| Some(log - before.get(c)?)).collect();
            let noise = sample::standard_error(&changes).unwrap_or(0.0);
            let rate = mean(logs.values().copied()).exp();
            tried.push(MeasuredLength { length_ns, rate, noise });
            before = logs;
        }
    }

    /// How long the drive settles: doubled until the rate of what counts stays, of every candidate.
    fn settle(
        mut self,
        session: &mut Session,
        target_set: &mut TargetSet,
        standing: &mut Standing<'_>,
        unit_ns: u64,
    ) -> Result<Calibration, Failed> {
        let (mut tried, mut before): (Vec<TriedSettling>, Level) = (Vec::new(), Level::new());
        standing.0.iter_mut().for_each(Member::settles);
        loop {
            let settling = match slice_length::settle(&tried, self.margin, self.most_ns) {
                Settling::Try(settling) => settling,
                Settling::Use(settling) => {
                    let length = Length { unit_ns, settling };
                    let last = tried.last().map_or((1, 0), |t| (2 * t.settling, t.longest_ns));
                    let longest_ns = last.1 / u64::from(last.0) * u64::from(length.units());
                    return Ok(self.found(length, Settled::Yes, longest_ns));
                }
                Settling::TooLong(settling) => {
                    let longest_ns = tried.last().map_or(0, |t| t.longest_ns);
                    let has_time =
                        longest_ns.saturating_mul(2) <= self.most_ns || longest_ns >= SETTLED_NS;
                    // A piece of a visit is twice as long, where the time allows.
                    let times = if longest_ns.saturating_mul(2) <= self.most_ns { 2 } else { 1 };
                    let length = Length { unit_ns, settling: settling * times };
                    let settled = if has_time { Settled::ByVisits } else { Settled::NoTime };
                    let longest_ns = longest_ns.saturating_mul(times.into());
                    return Ok(self.found(length, settled, longest_ns));
                }
            };
            let length = Length { unit_ns, settling };
            let level = self.level(session, target_set, standing, length)?;
            if level.is_empty() {
                return Ok(self.found(Length::of(unit_ns), Settled::Quick, 0));
            }
            let all = level.values().flatten();
            let longest_ns = all.map(|t| t.elapsed_ns + t.settling_ns).max().unwrap_or(0);
            let changes = level.iter().map(|(c, now)| change(before.get(c), now)).collect();
            tried.push(TriedSettling { settling, longest_ns, changes });
            before = level;
        }
    }

    /// Slices of one length on everybody, in turns. Members that fail are moved to the failed.
    fn level(
        &mut self,
        session: &mut Session,
        target_set: &mut TargetSet,
        (members, failed): &mut Standing<'_>,
        length: Length,
    ) -> Result<Level, Failed> {
        let mut level = Level::new();
        let expected_ns = self.natural.unit_ns.saturating_mul(length.units().into());
        for _ in 0..slice_length::tries(expected_ns) {
            let turns: Vec<CandidateIx> = members.iter().map(|m| m.candidate).collect();
            for candidate in turns {
                let Some(at) = members.iter().position(|m| m.candidate == candidate) else {
                    continue;
                };
                let Some(site) = target_set.site(candidate) else { return Ok(Level::new()) };
                match members[at].try_out(site, length) {
                    Ok(tried) => {
                        session.spent.add_calibration(tried.written_bytes);
                        self.tried.push(Tried {
                            candidate,
                            length,
                            elapsed_ns: tried.elapsed_ns,
                            rate: tried.log.exp(),
                            settling_ns: tried.settling_ns,
                            settling_rate: tried.settling_log.map(f64::exp),
                        });
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

    fn found(self, length: Length, settled: Settled, longest_ns: u64) -> Calibration {
        let own_ns = match settled {
            Settled::Quick => self.natural.slice_ns.max(length.unit_ns),
            Settled::Yes | Settled::ByVisits | Settled::NoTime => {
                self.natural.unit_ns.max(length.unit_ns).saturating_mul(length.units().into())
            }
        };
        let longest_ns = longest_ns.max(own_ns);
        let rounds = match settled {
            Settled::ByVisits => 1,
            Settled::Quick | Settled::Yes | Settled::NoTime => {
                slice_length::rounds(self.planned, self.granted_ns, longest_ns)
            }
        };
        let tried = self.tried;
        Calibration { workload: self.workload, length, rounds, longest_ns, settled, tried }
    }
}

fn is_unsteady(tried: &[MeasuredLength]) -> bool {
    let at_the_end = tried.last().is_some_and(|t| t.length_ns >= slice_length::LONGEST_NS);
    at_the_end && slice_length::still_changes(tried)
}

/// How the rate of what counts changed since half the settling; first, since none.
fn change(before: Option<&Vec<TriedSlice>>, now: &[TriedSlice]) -> Change {
    let noise = |tried: &[TriedSlice]| {
        let within = mean(tried.iter().map(|t| t.noise * t.noise));
        let logs: Vec<f64> = tried.iter().map(|t| t.log).collect();
        let between = sample::sd(&logs).unwrap_or(0.0).powi(2);
        within.max(between) / tried.len().max(1) as f64
    };
    let own = mean(now.iter().map(|t| t.log));
    let (earlier, earlier_noise) = match before {
        Some(before) => (mean(before.iter().map(|t| t.log)), noise(before)),
        None => (mean(now.iter().filter_map(|t| t.settling_log)), noise(now)),
    };
    Change { change: own - earlier, noise: (noise(now) + earlier_noise).sqrt() }
}

fn mean(logs: impl Iterator<Item = f64>) -> f64 {
    sample::mean(&logs.collect::<Vec<f64>>()).unwrap_or(f64::NAN)
}
