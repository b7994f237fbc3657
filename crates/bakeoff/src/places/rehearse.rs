//! Prepares every candidate once and finds out how long things take, before the first block.
//!
//! What cannot be prepared is out; what does not fit in the time or the bytes to write is dropped
//! by `core::decide`, and both are said before the run starts.

use std::time::Instant;

use bakeoff_judge::decide::cell_trial::{CellTrial, Natural};
use bakeoff_judge::decide::limits::{Dropped, Limit, OverLimit, RunCost};
use bakeoff_judge::decide::pace::MeasuredPace;
use bakeoff_judge::decide::setting_groups;
use bakeoff_judge::decide::size::SizeLimits;
use bakeoff_judge::decide::write_limit;
use bakeoff_judge::rules;
use bakeoff_model::candidate::{Candidate, Skipped};
use bakeoff_model::event::{Header, Region, Rehearsal, What};
use bakeoff_model::index::{CandidateIx, WorkloadIx};
use bakeoff_model::job::{Job, Rw};
use bakeoff_model::protocol::{Isolation, Protocol};
use bakeoff_model::workload::Workload;
use bakeoff_report as report;

use super::ahead::{Ahead, Trial};
use super::try_cells::CellTrials;
use crate::fault::Fault;
use crate::host;
use crate::load::site::Site;
use crate::load::{self, LoadError};
use crate::steps::error::StepError;
use crate::steps::session::Session;

/// Operations of the trial that shows what a flushed write costs, and the time it may take.
const TRIAL_IOS: u64 = 8;
const TRIAL_NS: u64 = 3_000_000_000;

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

/// What is put together into the plan.
#[derive(Default)]
pub struct Findings {
    pub candidates: Vec<(Candidate, Trial)>,
    pub skipped: Vec<Skipped>,
    pub region: Option<Region>,
    pub more_regions: Vec<Region>,
    pub file_bytes: u64,
    pub append_room_bytes: u64,
    pub written_bytes: u64,
    pub stand_side_by_side: bool,
}

pub fn tried_before(found: &[(Candidate, Trial)]) -> Vec<CellTrials> {
    found.iter().map(|(_, trial)| trial.cells.clone()).collect()
}

pub fn apply_limits(session: &mut Session, found: Findings) -> Result<(), Fault> {
    let header = session.journal.run().header.clone();
    // What was tried was written too, and the record does not know it.
    let tried = found.candidates.iter().flat_map(|(_, trial)| trial.cells.iter().flatten());
    let tried_bytes: u64 = tried.map(CellTrial::tried_bytes).sum();
    session.spent.add_unrecorded(tried_bytes);
    let written_bytes =
        found.written_bytes.saturating_add(tried_bytes).max(session.spent.own_bytes());
    let found = Findings { written_bytes, ..found };
    let (rehearsal, pace, natural) =
        plan(&header, session.journal.elapsed_ns(), found).map_err(|error| match error {
            // Wear is a question of safety.
            OverLimit::First(Dropped { limit: Limit::Bytes { .. }, .. }) => {
                Fault::refused(report::left_out::unfit(&error))
            }
            OverLimit::First(Dropped { limit: Limit::Time { .. }, .. }) | OverLimit::Nothing => {
                Fault::usage(report::left_out::unfit(&error))
            }
        })?;
    session.pace = pace;
    session.natural = WorkloadIx::all(natural.len()).zip(natural).collect();
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

fn plan(
    header: &Header,
    elapsed_ns: u64,
    found: Findings,
) -> Result<(Rehearsal, MeasuredPace, Vec<Natural>), OverLimit> {
    let trials: Vec<&Trial> = found.candidates.iter().map(|(_, trial)| trial).collect();
    let fastest = trials.iter().map(|t| t.bytes_per_s).fold(0.0, f64::max);
    let room = SizeLimits {
        file_bytes: found.file_bytes,
        scratch_bytes: found.append_room_bytes,
        bytes_per_s: fastest,
    };
    let workloads: Vec<Workload> = header.workloads.iter().map(|w| room.sized(w)).collect();
    // Twins are visited and compared with nobody but their original.
    let k = found.candidates.iter().filter(|(c, _)| c.twin_of.is_none()).count();
    let k = u32::try_from(k).unwrap_or(u32::MAX);
    let isolation =
        if found.stand_side_by_side { header.protocol.isolation } else { Isolation::Visit };
    let protocol = Protocol { k, isolation, ..header.protocol.clone() };
    let setup = RunCost { time_ns: elapsed_ns, write_bytes: found.written_bytes };
    let candidates: Vec<Candidate> = found.candidates.iter().map(|(c, _)| c.clone()).collect();
    let settings = setting_groups::groups(&candidates, CandidateIx::all(candidates.len()));
    let ahead = Ahead::from_trials(protocol, &workloads, &trials, setup);
    let ahead = ahead.with_settings(settings.len());
    let (protocol, fit) =
        write_limit::fitting(&ahead.protocol, ahead.largest_bytes(), |protocol| {
            ahead.wanted(protocol)
        })?;
    let slices = ahead.slices(&protocol, fit.kept);
    let protocol = write_limit::guarded(protocol, &fit, slices);
    let (pace, visit_ns) = (ahead.pace, ahead.visit.time_ns);
    let natural = (0..workloads.len()).map(|at| ahead.natural(at)).collect();
    let dropped = fit.dropped.iter().map(report::left_out::dropped);
    let rehearsal = Rehearsal {
        protocol,
        candidates: found.candidates.into_iter().map(|(candidate, _)| candidate).collect(),
        workloads: workloads.into_iter().take(fit.kept).collect(),
        skipped: header.skipped.iter().cloned().chain(found.skipped).collect(),
        dropped_workloads: header.dropped_workloads.iter().cloned().chain(dropped).collect(),
        region: found.region,
        more_regions: found.more_regions,
        file_bytes: found.file_bytes,
        visit_ns,
        block_ns: fit.block.time_ns,
        calibration_ns: fit.once.time_ns,
        block_write_bytes: fit.block.write_bytes,
        expected_write_bytes: fit.least.write_bytes,
    };
    Ok((rehearsal, pace, natural))
}

pub fn timed<T>(work: impl FnOnce() -> Result<T, StepError>) -> Result<(T, u64), StepError> {
    let started = Instant::now();
    let value = work()?;
    Ok((value, u64::try_from(started.elapsed().as_nanos()).unwrap_or(u64::MAX)))
}
