//! Measures one workload, or the parts of a profile together, on one prepared candidate, with the
//! evidence about each.
//!
//! Order matters here: counters are read outside the engine's life, events are written outside
//! the counters' interval, and what a cell made is removed after its numbers are in hand.

use std::fs::File;
use std::io;

use bakeoff_engine::residency;
use bakeoff_judge::cold_reads;
use bakeoff_judge::evidence;
use bakeoff_model::candidate::{Candidate, Kind};
use bakeoff_model::event::{CacheState, Cell, Header, Truth, What};
use bakeoff_model::host::Place;
use bakeoff_model::index::{BlockIx, CandidateIx, WorkloadIx};
use bakeoff_model::job::Job;
use bakeoff_model::measurement::Measurement;
use bakeoff_model::path::RawPath;
use bakeoff_model::profile::Part;
use bakeoff_model::profiles;
use bakeoff_model::protocol::Isolation;
use bakeoff_model::workload::{DriverName, Phase, Workload};
use bakeoff_model::workloads;
use bakeoff_stats::prng::SplitMix64;
use bakeoff_tools::native::{FailureKind, TargetKind};
use rustix::fs::{Mode, OFlags, open};

use super::block::CurrentBlock;
use super::drive_bytes::{self, SyncedCount};
use crate::exec::ExecError;
use crate::host;
use crate::load::companion::Companion;
use crate::load::foreign::{self, ForeignError};
use crate::load::scratch::{self, Scratch};
use crate::load::site::{Site, Subject};
use crate::load::{self, Load, LoadError};
use crate::signals::Cancel;
use crate::steps::session::Session;

pub fn job(header: &Header, block: BlockIx, workload: WorkloadIx) -> Job {
    let path = [0xce11, block.number().into(), workload.number().into()];
    let seed = SplitMix64::derive(header.seed, &path).next_u64();
    let limited = workloads::with_limits(header.workloads[workload].clone(), &header.protocol);
    Job { seed, ..limited.job }
}

/// Measures workloads of the run that belong together, at least one, on a prepared site: what is
/// to be recorded of each, a cell or why there is none.
///
/// # Errors
/// Where one has no valid number, all of them have to be measured again.
pub fn measure(
    session: &Session,
    site: &mut Site,
    current: CurrentBlock,
    candidate: CandidateIx,
    group: &[WorkloadIx],
) -> Result<Vec<What>, (WorkloadIx, CellError)> {
    let header = &session.journal.run().header;
    let (block, mut began_ns) = (current.number, session.journal.elapsed_ns());
    let measured = measure_group(session, site, block, candidate, group);
    let (measured, truth, mut beside) = measured.map_err(|error| (group[0], error))?;
    let measurements: Vec<Measurement> = measured.iter().map(|(m, _)| m.clone()).collect();
    let is_profile = header.workloads[group[0]].phase == Phase::Whole;
    let idle_ns = |ns| current.idle.over(ns);
    let truths = cold_reads::apportion(truth, is_profile, &measurements, idle_ns);
    let mut cells = Vec::with_capacity(group.len());
    for ((workload, (measurement, raw)), truth) in group.iter().zip(measured).zip(truths) {
        let workload = *workload;
        let elapsed_ns = measurement.elapsed_ns;
        let sampler = session.held.sampler.as_ref();
        let telemetry = sampler.and_then(|sampler| sampler.telemetry(&measurement)).map(Box::new);
        let cell = Cell {
            block,
            candidate,
            workload,
            began_ns,
            measurement,
            truth,
            raw,
            slices: Vec::new(),
            telemetry,
            // One for all parts of a profile.
            beside: beside.take(),
        };
        let cell = judge(header, site, cell);
        let cell = cell.map_err(|reason| (workload, CellError::Untrue(reason)))?;
        cells.push(What::CellDone(Box::new(cell)));
        began_ns += elapsed_ns;
    }
    Ok(cells)
}

/// What the candidate's driver measured of each workload, the evidence around them, and what their
/// companion did.
fn measure_group(
    session: &Session,
    site: &mut Site,
    block: BlockIx,
    candidate: CandidateIx,
    group: &[WorkloadIx],
) -> Result<(Measured, Truth, Option<Box<Measurement>>), CellError> {
    let (header, first) = (&session.journal.run().header, group[0]);
    let done_by = |w: &WorkloadIx| header.candidates[candidate].done_by(&header.workloads[*w]);
    let workload = done_by(&first);
    check_filesystem(site, &workload)?;
    let takes_turns =
        header.protocol.isolation == Isolation::Slices && header.places().any(Place::charges_turns);
    let settles = takes_turns && profiles::settles(&workload);
    let job = Job { settles, ..job(header, block, first) };
    if let Some(sampler) = &session.held.sampler {
        sampler.begin(&site.devices);
    }
    let mut companion = Companion::start(&workload, site, job.seed, &session.cancel)?;
    if companion.is_some() && job.direct && job.rw.writes() {
        // Its pages would be counted too.
        dirtied_per_page(site)?;
    }
    companion.as_mut().map_or(Ok(()), Companion::go)?;
    let measured = match workload.driver {
        DriverName::Native => {
            let parts: Vec<Part> =
                group.iter().filter_map(|w| header.workloads[*w].profile).collect();
            measure_phase(session, site, workload.phase, (&job, &parts))
        }
        _ => {
            let workload = Workload { job, ..workload };
            measure_foreign(site, &workload, &session.cancel)
        }
    };
    if let Some(sampler) = &session.held.sampler {
        sampler.pause();
    }
    let beside = companion.map(Companion::finish).transpose();
    let cleaned = site.scratch.clear_cell();
    let ((measured, truth), beside) = (measured?, beside?);
    cleaned.map_err(CellError::not_removed)?;
    if measured.len() == group.len() {
        Ok((measured, truth, beside.map(Box::new)))
    } else {
        let (wanted, got) = (group.len(), measured.len());
        Err(LoadError::Child(format!("expected {wanted} results, received {got}")).into())
    }
}

/// Completes the evidence of a cell and asks the rules whether its number is valid. What came from
/// memory comes from there the next time too: it is kept, shown and not ranked.
pub fn judge(header: &Header, site: &Site, mut cell: Cell) -> Result<Cell, String> {
    let (truth, measured) = (&mut cell.truth, &cell.measurement);
    let read_bytes = measured.read.as_ref().map_or(0, |read| read.io_bytes);
    let direct = measured.job.direct;
    cold_reads::leave_to_others(truth, &site.counted, read_bytes);
    truth.cache = cold_reads::cache_state(site.class, truth, read_bytes, site.file_bytes, direct);
    match evidence::invalid_reason(header, &cell) {
        Some(reason) if cell.truth.cache != CacheState::Warm => Err(reason),
        Some(_) | None => Ok(cell),
    }
}

pub fn check_filesystem(site: &Site, workload: &Workload) -> Result<(), CellError> {
    let needs_files = matches!(workload.phase, Phase::Metadata | Phase::Whole)
        || workload.driver != DriverName::Native;
    if site.is_raw && needs_files {
        Err(CellError::NoFilesystem(workload.name.clone()))
    } else {
        Ok(())
    }
}

/// A workload's numbers, with what a foreign tool printed.
type Measured = Vec<(Measurement, Option<String>)>;

fn measure_foreign(
    site: &mut Site,
    workload: &Workload,
    cancel: &Cancel,
) -> Result<(Measured, Truth), CellError> {
    let tool = foreign::find(workload.driver, cancel)?
        .ok_or_else(|| LoadError::Child("a foreign tool without a name".to_string()))?;
    let mut truth = Truth::default();
    if workload.job.direct && workload.job.rw.writes() {
        truth.dirtied_per_page = dirtied_per_page(site)?;
    }
    let is_empty = tool.invocation(workload).map_err(ForeignError::from)?.file.is_none();
    let directory = if is_empty {
        site.scratch.make_dir(scratch::SMALL).map(Scratch::from_opened)
    } else {
        Ok(site.scratch.clone())
    };
    let directory = directory.map_err(|e| CellError::Io("cannot create a directory", e))?;
    if !is_empty && workload.phase == Phase::ColdRead {
        truth.resident_before_bytes = cool(site)?;
    }
    let limit = foreign::limit(workload.job.time_limit_ns);
    let before = host::Evidence::take(&site.counted, &site.servers);
    let (measured, raw) = tool.run(workload, (directory.path(), &site.counted), limit, cancel)?;
    host::Evidence::take(&site.counted, &site.servers).since(&before, &mut truth);
    Ok((vec![(measured, Some(raw))], truth))
}

/// What goes wrong around a measurement.
#[derive(Debug, thiserror::Error)]
pub enum CellError {
    #[error(transparent)]
    Load(#[from] LoadError),
    #[error(transparent)]
    Foreign(ForeignError),
    #[error("{0} needs a filesystem, and a raw device has none")]
    NoFilesystem(String),
    #[error("{0}")]
    Untrue(String),
    #[error("{0}: {1}")]
    Io(&'static str, io::Error),
}

impl From<ForeignError> for CellError {
    fn from(error: ForeignError) -> CellError {
        match error {
            ForeignError::Exec(ExecError::Interrupted) => CellError::Load(LoadError::Interrupted),
            _ => CellError::Foreign(error),
        }
    }
}

impl CellError {
    pub fn not_removed(error: io::Error) -> CellError {
        CellError::Io("cannot remove the files of the cell", error)
    }

    /// What happened and what to do; the engine's failures contain both.
    pub fn explained(&self) -> String {
        if let CellError::Io(what, error) = self
            && is_full(error)
        {
            return format!("no space left ({what}). Free some space");
        }
        self.to_string()
    }

    fn is_hung(&self) -> bool {
        matches!(self, CellError::Foreign(ForeignError::Exec(ExecError::TimedOut { .. })))
    }

    pub fn reason(&self) -> String {
        let advice =
            if self.is_hung() { ". Change the limit with cell_max in the plan" } else { "" };
        format!("{self}{advice}")
    }

    /// Whether trying again in this run would meet the same: a tool that hung hangs again, and
    /// memory does not grow.
    pub fn recurs(&self) -> bool {
        self.is_hung()
            || matches!(self, CellError::Load(LoadError::Failed(failure))
                if failure.kind == FailureKind::NoMemory)
    }

    /// Whether it is Ctrl-C, or the next try would meet the same: the place is full, read-only,
    /// closed or gone. A filesystem that we made ourselves is as full as its own overhead makes it,
    /// which says nothing about the other candidates; it goes without that number.
    pub fn ends_block(&self, candidate: &Candidate) -> bool {
        use io::ErrorKind as E;
        let is_ours = matches!(candidate.kind, Kind::Stack(_));
        match self {
            CellError::Load(LoadError::Failed(failure)) => match failure.kind {
                FailureKind::NoSpace => !is_ours,
                FailureKind::ReadOnly | FailureKind::Permission | FailureKind::NotFound => true,
                _ => false,
            },
            CellError::Io(_, error) if is_full(error) => !is_ours,
            CellError::Io(_, error) => {
                matches!(error.kind(), E::ReadOnlyFilesystem | E::PermissionDenied | E::NotFound)
            }
            CellError::Foreign(error) => matches!(
                error,
                ForeignError::Missing { .. }
                    | ForeignError::Stranger(_)
                    | ForeignError::Unsupported(_)
            ),
            CellError::Load(LoadError::Interrupted) => true,
            CellError::Load(_) | CellError::NoFilesystem(_) | CellError::Untrue(_) => false,
        }
    }
}

fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

fn measure_phase(
    session: &Session,
    site: &mut Site,
    phase: Phase,
    (job, parts): (&Job, &[Part]),
) -> Result<(Measured, Truth), CellError> {
    let mut truth = Truth::default();
    if job.direct && job.rw.writes() {
        truth.dirtied_per_page = dirtied_per_page(site)?;
    }
    if phase == Phase::ColdRead {
        truth.resident_before_bytes = cool(site)?;
    }
    let (target, kind) = target(site, phase)?;
    let (disks, worn) = (&site.counted.reads, Some(&site.worn));
    let load = Load { longest: load::CELL, disks, worn, ..Load::new(job, parts) };
    let mut tick = |live| session.progress.live(live);
    // The process that does the parts of a profile counts the writes of each.
    let is_one = parts.is_empty() && job.rw.writes();
    let worn_from = if is_one { SyncedCount::take(site) } else { None };
    let before = host::Evidence::take(&site.counted, &site.servers);
    let mut measured = load::run_all(load, &[target], kind, &session.cancel, &mut tick)?;
    if let (Some(from), [only]) = (worn_from, measured.as_mut_slice()) {
        let to = SyncedCount::take(site);
        only.drive_writes = to.and_then(|to| to.since(from, drive_bytes::asked_bytes(only), site));
    }
    host::Evidence::take(&site.counted, &site.servers).since(&before, &mut truth);
    Ok((measured.into_iter().map(|measured| (measured, None)).collect(), truth))
}

/// What a workload is measured on; new files and directories are made.
pub fn target(site: &Site, phase: Phase) -> Result<(Subject, TargetKind), CellError> {
    let what = match phase {
        Phase::Metadata | Phase::Whole => "cannot create a directory",
        Phase::ColdRead | Phase::Overwrite | Phase::Append => "cannot create a new file",
    };
    site.target(phase).map_err(|error| CellError::Io(what, error))
}

/// Puts the data file out of memory and says how much of it is still there: of itself, and of the
/// files that loop devices below keep there. `None` where one of those cannot be opened.
pub fn cool(site: &Site) -> Result<Option<u64>, CellError> {
    let file =
        File::open(site.data.path()).map_err(|e| CellError::Io("cannot open the data file", e))?;
    let evict = |file: &File| {
        residency::evict(file)
            .map_err(|e| CellError::Io("cannot drop the file from the page cache", e))
    };
    evict(&file)?;
    if let Some(device) = &site.driver_reads {
        let device = File::open(device.as_path());
        evict(&device.map_err(|e| CellError::Io("cannot open the device of the stack", e))?)?;
    }
    let own = residency::resident_bytes(&file, site.file_bytes)
        .map_err(|e| CellError::Io("cannot determine which pages are in memory", e))?;
    // A file of somebody else's, or one that a mount hides: nothing can be said then.
    let below = site.cached_below.iter().map(|image| cool_below(image).ok());
    Ok(below.sum::<Option<u64>>().map(|below| own.saturating_add(below)))
}

fn cool_below(image: &RawPath) -> io::Result<u64> {
    // Somebody else's directory: what has the name may be a pipe that nobody ever writes to.
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = File::from(open(image.as_path(), flags, Mode::empty())?);
    if !file.metadata()?.is_file() {
        return Err(io::ErrorKind::NotFound.into());
    }
    residency::evict(&file)?;
    residency::resident_bytes(&file, file.metadata()?.len())
}

/// Whether direct writes here really are direct: measured once for each visit.
pub fn dirtied_per_page(site: &mut Site) -> Result<Option<f64>, CellError> {
    if site.dirtied_per_page.is_some() {
        return Ok(site.dirtied_per_page);
    }
    let fails = |error| CellError::Io("direct writes fail here", error);
    site.dirtied_per_page = if site.is_raw {
        host::dirtied_per_page(site.data.path()).map_err(fails)?
    } else {
        let file = site.scratch.create(scratch::PROBE);
        let file =
            file.map_err(|e| CellError::Io("cannot create a file to test direct writes", e))?;
        let measured = host::dirtied_per_page(file.path());
        // Removed while it is open, it would stay under another name on NFS and FUSE.
        drop(file);
        let removed = site.scratch.remove_file(scratch::PROBE);
        removed.map_err(|e| CellError::Io("cannot remove the test file", e))?;
        measured.map_err(fails)?
    };
    Ok(site.dirtied_per_page)
}
