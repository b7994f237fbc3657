//! Prepares every candidate once and finds out how long things take, before the first block.
//!
//! What cannot be prepared is out; what does not fit in the time or the bytes to write is dropped
//! by `core::decide`, and both are said before the run starts.

use std::time::Instant;

use bakeoff_core::decide::cell_trial::{CellTrial, expected_length_ns};
use bakeoff_core::decide::fit::{Cost, Fit, FitError, Wanted, plan_fit};
use bakeoff_core::decide::pace::{self, Demand, Pace};
use bakeoff_core::decide::size::SizeLimits;
use bakeoff_core::model::candidate::{Candidate, Skipped};
use bakeoff_core::model::event::{Header, Region, Rehearsal, What};
use bakeoff_core::model::job::{Job, Rw};
use bakeoff_core::model::profile::Part;
use bakeoff_core::model::protocol::{Isolation, Mode, Protocol};
use bakeoff_core::model::slice_length::{self, Least};
use bakeoff_core::model::workload::{Phase, Workload};
use bakeoff_core::profiles::{self, PartSpec};
use bakeoff_core::rules;

use crate::fault::Fault;
use crate::host;
use crate::load::site::Site;
use crate::load::{self, LoadError};
use crate::steps::action::ActionError;
use crate::steps::session::Session;
use crate::steps::stepper::StepError;

/// Operations of the trial that shows what a flushed write costs, and the time it may take.
const TRIAL_IOS: u64 = 8;
const TRIAL_NS: u64 = 3_000_000_000;
/// Starting the engine, counters, the record: beside every cell.
const CELL_OVERHEAD_NS: u64 = 150_000_000;

/// What a slice takes on average: calibration seldom stops at the shortest.
const USUAL_SLICE_NS: u64 = 100_000_000;
/// Counters around a slice, and starting its process.
const SLICE_OVERHEAD_NS: u64 = 4_000_000;
const START_NS: u64 = 30_000_000;

/// What was learnt about one candidate.
#[derive(Clone, Debug, Default)]
pub struct Trial {
    /// Durable sequential writing, bytes a second.
    pub bytes_per_s: f64,
    /// One flushed 4k write.
    pub flushed_write_ns: u64,
    /// Preparing and ending a visit.
    pub visit: Cost,
    /// Whether what is written wears a disk; memory does not.
    pub wears: bool,
    /// What a few slices of each workload took, in the order of the header's workloads.
    pub cells: Vec<Option<CellTrial>>,
}

/// A load that prepares a candidate failed; as the failure of that step.
pub fn unfilled(error: LoadError) -> ActionError {
    match error {
        LoadError::Interrupted => ActionError::Interrupted,
        LoadError::Failed(_) | LoadError::Child(_) => ActionError::Fill(error.to_string()),
    }
}

/// Tries what a flushed 4k write costs on a prepared site.
pub fn flushed_write_ns(session: &Session, site: &Site) -> Result<u64, LoadError> {
    let job = Job {
        fsync: 1,
        runtime_ns: Some(1),
        min_ios: 2 * TRIAL_IOS,
        time_limit_ns: Some(TRIAL_NS),
        ..Job::new(Rw::RandWrite, 4096, site.file_bytes)
    };
    let measured = load::run(&job, &site.data, site.data_kind(), &session.cancel, &mut |_| {})?;
    let writes = measured.write.map_or(1, |write| write.total_ios).max(1);
    Ok(measured.elapsed_ns / writes)
}

/// What a block of slices is made of, to choose its rounds by.
pub fn demand(
    workloads: &[Workload],
    candidates: u32,
    visit_ns: u64,
    time_ns: Option<u64>,
    elapsed_ns: u64,
) -> Demand {
    let sliced = workloads.iter().filter(|w| w.can_be_sliced()).count();
    Demand {
        prepare_ns: visit_ns.saturating_mul(candidates.into()),
        candidates,
        workloads: u32::try_from(sliced).unwrap_or(u32::MAX),
        whole_ns: 0,
        time_ns: time_ns.map(|limit| limit.saturating_sub(elapsed_ns)),
    }
}

/// Bytes a workload is expected to write while it is measured.
fn written_in(measured_ns: u64, workload: &Workload, trial: &Trial) -> u64 {
    let seconds = measured_ns as f64 / 1e9;
    let bytes = match (workload.phase, trial.flushed_write_ns) {
        _ if !trial.wears => 0.0,
        (Phase::ColdRead, _) => 0.0,
        (Phase::Append, _) => trial.bytes_per_s * seconds,
        (_, ns) => seconds * 1e9 / ns.max(1) as f64 * workload.job.bs as f64,
    };
    bytes as u64
}

/// What one cell of slices is expected to cost on a candidate.
fn sliced_cost(workload: &Workload, protocol: &Protocol, trial: &Trial) -> Cost {
    let least = Least::of(&workload.job);
    let moved_bytes = least.bytes + least.flushes * workload.job.bs;
    let moved_ns = (moved_bytes as f64 / trial.bytes_per_s.max(1.0) * 1e9) as u64;
    let least_ns = moved_ns.saturating_add(least.flushes * trial.flushed_write_ns);
    let slice_ns = USUAL_SLICE_NS.max(least_ns).min(slice_length::LIMIT_NS);
    let rounds = u64::from(protocol.rounds.max(1));
    let measured_ns = slice_ns * rounds;
    let time_ns = measured_ns + rounds * SLICE_OVERHEAD_NS + START_NS;
    Cost { time_ns, write_bytes: written_in(measured_ns, workload, trial) }
}

/// What one cell is expected to cost on a candidate.
pub fn cell_cost(workload: &Workload, protocol: &Protocol, trial: &Trial) -> Cost {
    if let Some(spec) = workload.profile.and_then(profiles::part_spec) {
        return part_cost(workload, spec, protocol, trial);
    }
    let flushed = workload.job.fsync > 0 && workload.job.bs <= 64 << 10;
    let slowest = if flushed { protocol.cell_min_ios / 2 * trial.flushed_write_ns } else { 0 };
    let measured_ns =
        protocol.cell_min_ns.max(slowest).min(protocol.cell_max_ns.unwrap_or(u64::MAX));
    let write_bytes = written_in(measured_ns, workload, trial);
    Cost { time_ns: measured_ns + CELL_OVERHEAD_NS, write_bytes }
}

/// What one part of a profile is expected to cost at most: it is timed or goes through its files
/// as a whole, is cut off like any cell, and the first may have to lay the files out.
fn part_cost(workload: &Workload, spec: &PartSpec, protocol: &Protocol, trial: &Trial) -> Cost {
    let whole_ns = workload.job.size as f64 / trial.bytes_per_s.max(1.0) * 1e9;
    let limit_ns = protocol.cell_max_ns.unwrap_or(u64::MAX);
    let least_ns = protocol.cell_min_ns.max(spec.least_ns);
    let through_ns = if spec.is_timed { 0 } else { (whole_ns as u64).min(limit_ns) };
    let measured_ns = least_ns.max(through_ns);
    let lays_out = |part: Part| part.part == 0 && profiles::spec(part.profile).lays_out;
    let layout_ns = if workload.profile.is_some_and(lays_out) { whole_ns as u64 } else { 0 };
    let writing_ns = if spec.rw.writes() { measured_ns + layout_ns } else { layout_ns };
    let writing_s = if trial.wears { writing_ns as f64 / 1e9 } else { 0.0 };
    Cost {
        time_ns: measured_ns + layout_ns + CELL_OVERHEAD_NS,
        write_bytes: (trial.bytes_per_s * writing_s) as u64,
    }
}

/// What is put together into the plan.
pub struct Findings {
    /// Candidates that could be prepared, each with its trial.
    pub candidates: Vec<(Candidate, Trial)>,
    /// Candidates that could not.
    pub skipped: Vec<Skipped>,
    /// Where stacks are put.
    pub region: Option<Region>,
    /// The regions of further devices.
    pub more_regions: Vec<Region>,
    /// Size of the data file.
    pub file_bytes: u64,
    /// Room for an append file.
    pub append_room_bytes: u64,
    /// Bytes written so far.
    pub written_bytes: u64,
    /// Whether all of them have a region of their own.
    pub stand_side_by_side: bool,
}

/// Settles the plan and records it.
pub fn apply_limits(session: &mut Session, found: Findings) -> Result<(), Fault> {
    let header = session.journal.run().header.clone();
    // What was tried was written too.
    let written_bytes = found.written_bytes.max(session.spent.own_bytes());
    let found = Findings { written_bytes, ..found };
    let (rehearsal, pace) =
        plan(&header, session.journal.elapsed_ns(), found).map_err(|error| match error {
            // Wear is a question of safety.
            FitError::Bytes { .. } => Fault::refused(error),
            _ => Fault::usage(error),
        })?;
    session.pace = pace;
    session.journal.record(What::Rehearsed(Box::new(rehearsal)))?;
    session.watch_limits();
    // What follows from the header alone every analysis finds again; this needs the machine.
    let system = host::system_disks(session.journal.store_path());
    let found = rules::plan(&session.journal.run().header, &system);
    for finding in found.into_iter().filter(|finding| finding.id == "L10") {
        session.journal.record(What::Found(finding))?;
    }
    Ok(())
}

/// Parts of the time that slices are planned for, one after the other until everything fits: what a
/// fast drive writes in all of it may be more than the write limit.
const TIME_PARTS: [u64; 5] = [1, 2, 4, 8, 16];

fn plan(header: &Header, elapsed_ns: u64, found: Findings) -> Result<(Rehearsal, Pace), FitError> {
    let trials: Vec<&Trial> = found.candidates.iter().map(|(_, trial)| trial).collect();
    let fastest = trials.iter().map(|t| t.bytes_per_s).fold(0.0, f64::max);
    let room = SizeLimits {
        file_bytes: found.file_bytes,
        beside_bytes: found.append_room_bytes,
        bytes_per_s: fastest,
    };
    let workloads: Vec<Workload> = header.workloads.iter().map(|w| room.sized(w)).collect();
    // Twins are visited and compared with nobody but their original.
    let k = found.candidates.iter().filter(|(c, _)| c.twin_of.is_none()).count();
    let k = u32::try_from(k).unwrap_or(u32::MAX);
    let isolation = match found.stand_side_by_side {
        true => header.protocol.isolation,
        false => Isolation::Visit,
    };
    let protocol = Protocol { k, isolation, ..header.protocol.clone() };
    let setup = Cost { time_ns: elapsed_ns, write_bytes: found.written_bytes };
    let (protocol, fit, pace) = fitting(&protocol, &workloads, &trials, setup)?;
    let visit_ns = mean(trials.iter().map(|t| t.visit)).time_ns;
    let rehearsal = Rehearsal {
        protocol,
        candidates: found.candidates.into_iter().map(|(candidate, _)| candidate).collect(),
        workloads: workloads.into_iter().take(fit.kept).collect(),
        skipped: header.skipped.iter().cloned().chain(found.skipped).collect(),
        dropped_workloads: header.dropped_workloads.iter().cloned().chain(fit.dropped).collect(),
        region: found.region,
        more_regions: found.more_regions,
        file_bytes: found.file_bytes,
        visit_ns,
        block_ns: fit.block.time_ns,
        block_write_bytes: fit.block.write_bytes,
        expected_write_bytes: fit.least.write_bytes,
    };
    Ok((rehearsal, pace))
}

/// The pace with which all workloads fit, or most of them, and what they cost.
fn fitting(
    protocol: &Protocol,
    workloads: &[Workload],
    trials: &[&Trial],
    setup: Cost,
) -> Result<(Protocol, Fit, Pace), FitError> {
    let mut best: Option<(Protocol, Fit, Pace)> = None;
    let mut refused = None;
    for part in TIME_PARTS {
        let (tried, pace, wanted) = wanted(protocol, workloads, trials, (setup, part));
        match plan_fit(&wanted) {
            Ok(fit) if best.as_ref().is_none_or(|(_, best, _)| fit.kept > best.kept) => {
                best = Some((tried, fit, pace));
            }
            Ok(_) => {}
            Err(error) => {
                refused.get_or_insert(error);
            }
        }
        let is_whole = best.as_ref().is_some_and(|(_, fit, _)| fit.kept == workloads.len());
        if is_whole || protocol.isolation != Isolation::Slices {
            break;
        }
    }
    best.ok_or(refused.unwrap_or(FitError::Nothing))
}

/// What is wanted where slices are planned for a `part` of the time.
fn wanted(
    protocol: &Protocol,
    workloads: &[Workload],
    trials: &[&Trial],
    (setup, part): (Cost, u64),
) -> (Protocol, Pace, Wanted) {
    let visited = u32::try_from(trials.len()).unwrap_or(u32::MAX);
    let visit = mean(trials.iter().map(|t| t.visit));
    let mut protocol = protocol.clone();
    let time_ns = protocol.time_ns.map(|time_ns| time_ns / part);
    let demand = demand(workloads, visited, visit.time_ns, time_ns, setup.time_ns / part);
    let pace = pace::pace(&demand, USUAL_SLICE_NS);
    let mut lengths = vec![USUAL_SLICE_NS; workloads.len()];
    if protocol.isolation == Isolation::Slices {
        protocol.rounds = pace.rounds;
        lengths = expected_lengths(workloads, trials, pace);
    }
    let cost = |(at, w): (usize, &Workload)| {
        (w.name.clone(), of_workload((at, w), &protocol, trials, lengths[at]))
    };
    let wanted = Wanted {
        workloads: workloads.iter().enumerate().map(cost).collect(),
        candidates: visited,
        visit,
        first_look: protocol.first_look(),
        is_of_rounds: protocol.mode == Mode::Characterise,
        setup,
        time_ns: protocol.time_ns,
        max_write_bytes: protocol.max_write_bytes,
    };
    (protocol, pace, wanted)
}

/// What a cell of a workload costs on average: as it was tried, else as the model has it.
fn of_workload(
    (at, workload): (usize, &Workload),
    protocol: &Protocol,
    trials: &[&Trial],
    length_ns: u64,
) -> Cost {
    let is_sliced = protocol.isolation == Isolation::Slices && workload.can_be_sliced();
    let (length_ns, rounds) = match is_sliced {
        true => (length_ns, protocol.rounds),
        false => (timed_ns(workload, protocol), 1),
    };
    // Whole cells of a job last as long as they are asked to, however long they were tried.
    let is_known = is_sliced || workload.profile.is_some();
    let tried = |t: &Trial| t.cells.get(at)?.as_ref()?.cell(length_ns, rounds);
    let known: Vec<Cost> = trials.iter().filter(|_| is_known).filter_map(|t| tried(t)).collect();
    // A candidate that it was not tried on is taken for one of the others.
    match is_sliced {
        _ if !known.is_empty() => mean(known.into_iter()),
        true => mean(trials.iter().map(|t| sliced_cost(workload, protocol, t))),
        false => mean(trials.iter().map(|t| cell_cost(workload, protocol, t))),
    }
}

/// How long a part of a profile measures; 0 for one that goes through its files once.
fn timed_ns(workload: &Workload, protocol: &Protocol) -> u64 {
    let spec = workload.profile.and_then(profiles::part_spec).filter(|spec| spec.is_timed);
    let asked_ns = workload.job.runtime_ns.unwrap_or(0).max(protocol.cell_min_ns);
    let measured_ns = spec.map_or(0, |spec| spec.least_ns.max(asked_ns));
    measured_ns.min(protocol.cell_max_ns.unwrap_or(u64::MAX))
}

/// How long the slices of each workload will probably be.
fn expected_lengths(workloads: &[Workload], trials: &[&Trial], pace: Pace) -> Vec<u64> {
    let sliced = workloads.iter().filter(|w| w.can_be_sliced()).count();
    let (mut lengths, mut chosen_ns, mut done) = (Vec::new(), 0, 0);
    for (at, workload) in workloads.iter().enumerate() {
        if !workload.can_be_sliced() {
            lengths.push(0);
            continue;
        }
        let left = u32::try_from(sliced - done).unwrap_or(u32::MAX);
        let tried: Vec<&CellTrial> =
            trials.iter().filter_map(|t| t.cells.get(at)?.as_ref()).collect();
        let length_ns = expected_length_ns(&tried, pace.longest_slice_ns(chosen_ns, left));
        (chosen_ns, done) = (chosen_ns + length_ns, done + 1);
        lengths.push(length_ns);
    }
    lengths
}

fn mean(costs: impl Iterator<Item = Cost>) -> Cost {
    let (mut sum, mut n) = (Cost::default(), 0u64);
    for cost in costs {
        sum.time_ns += cost.time_ns;
        sum.write_bytes += cost.write_bytes;
        n += 1;
    }
    Cost { time_ns: sum.time_ns / n.max(1), write_bytes: sum.write_bytes / n.max(1) }
}

/// Times something that takes steps.
pub fn timed<T>(work: impl FnOnce() -> Result<T, StepError>) -> Result<(T, u64), StepError> {
    let started = Instant::now();
    let value = work()?;
    Ok((value, u64::try_from(started.elapsed().as_nanos()).unwrap_or(u64::MAX)))
}
