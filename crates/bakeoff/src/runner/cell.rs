//! Measures one cell: one workload on one prepared candidate, with the evidence about it.
//!
//! Order matters here: counters are read outside the engine's life, events are written outside
//! the counters' interval, and what a cell made is removed after its numbers are in hand.

use std::fs::File;
use std::io;

use bakeoff_core::driver::native::{FailureKind, TargetKind};
use bakeoff_core::model::candidate::{Candidate, Kind};
use bakeoff_core::model::event::{Cell, Header, Truth};
use bakeoff_core::model::job::Job;
use bakeoff_core::model::measurement::Measurement;
use bakeoff_core::model::path::RawPath;
use bakeoff_core::model::workload::Phase;
use bakeoff_core::prng::SplitMix64;
use bakeoff_core::{lint, truth, workloads};
use bakeoff_engine::residency;

use super::idle;
use super::load::{self, Live, LoadError};
use super::scratch;
use super::site::Site;
use crate::host;
use crate::signals::Cancel;

/// Which cell.
#[derive(Clone, Copy, Debug)]
pub struct Which {
    /// Block.
    pub block: u32,
    /// Index of the candidate.
    pub candidate: u16,
    /// Index of the workload.
    pub workload: u16,
    /// Active time of the run when the cell began.
    pub began_ns: u64,
}

/// How a try went.
pub enum Tried {
    /// The number stands.
    Valid(Box<Cell>),
    /// It does not; why.
    Invalid(String),
    /// There is none, and trying again would not help until somebody mends the place; why.
    Hopeless(String),
    /// Ctrl-C or a signal.
    Interrupted,
}

/// The seed of a cell: the same for all candidates of a block, so that they get the same offsets.
pub fn seed(run_seed: u64, block: u32, workload: u16) -> u64 {
    SplitMix64::derive(run_seed, &[0xce11, block.into(), workload.into()]).next_u64()
}

/// Measures a workload of the run on a prepared site.
pub fn measure(
    site: &mut Site,
    header: &Header,
    which: Which,
    idle: idle::Rate,
    cancel: &Cancel,
    tick: &mut dyn FnMut(Live),
) -> Tried {
    let workload = &header.workloads[usize::from(which.workload)];
    let seed = seed(header.seed, which.block, which.workload);
    let limited = workloads::with_limits(workload.clone(), &header.protocol);
    let job = Job { seed, ..limited.job };
    let measured = measure_phase(site, workload.phase, &job, cancel, tick);
    let cleaned = site.scratch.remove_file(scratch::APPEND).and(site.scratch.remove_small());
    match (measured, cleaned) {
        (Err(Trouble::Load(LoadError::Interrupted)), _) => Tried::Interrupted,
        (Err(trouble), _)
            if trouble.is_lasting(&header.candidates[usize::from(which.candidate)]) =>
        {
            Tried::Hopeless(trouble.explained())
        }
        (Err(trouble), _) => Tried::Invalid(trouble.to_string()),
        (Ok(_), Err(error)) => Tried::Invalid(format!("cannot remove what the cell made: {error}")),
        (Ok((measurement, mut truth)), Ok(())) => {
            truth.foreign_bytes =
                truth.foreign_bytes.map(|bytes| bytes + idle.over(measurement.elapsed_ns));
            judge(site, header, which, measurement, truth)
        }
    }
}

/// Completes the evidence and asks the rules whether the number may stand.
fn judge(
    site: &Site,
    header: &Header,
    which: Which,
    measurement: Measurement,
    mut truth: Truth,
) -> Tried {
    let read_bytes = measurement.read.as_ref().map_or(0, |read| read.io_bytes);
    truth.cache = truth::cache_state(site.class, &truth, read_bytes, site.file_bytes);
    let cell = Cell {
        block: which.block,
        candidate: which.candidate,
        workload: which.workload,
        began_ns: which.began_ns,
        measurement,
        truth,
        raw: None,
    };
    match lint::cell::invalid_reason(header, &cell) {
        Some(reason) => Tried::Invalid(reason),
        None => Tried::Valid(Box::new(cell)),
    }
}

#[derive(Debug, thiserror::Error)]
enum Trouble {
    #[error(transparent)]
    Load(#[from] LoadError),
    #[error("{0}: {1}")]
    Io(&'static str, io::Error),
}

impl Trouble {
    /// What happened and what mends it; the engine's failures say both themselves.
    fn explained(&self) -> String {
        match self {
            Trouble::Io(what, error) if is_full(error) => {
                format!("no space left ({what}): free some")
            }
            other => other.to_string(),
        }
    }

    /// Whether the next try would meet the same: the place is full, read-only, closed or gone. A
    /// filesystem that we made ourselves is as full as its own overhead makes it, which says
    /// nothing about the other candidates; it goes without that number.
    fn is_lasting(&self, candidate: &Candidate) -> bool {
        use io::ErrorKind as E;
        let is_ours = matches!(candidate.kind, Kind::Stack(_));
        match self {
            Trouble::Load(LoadError::Failed(failure)) => match failure.kind {
                FailureKind::NoSpace => !is_ours,
                FailureKind::ReadOnly | FailureKind::Permission | FailureKind::NotFound => true,
                _ => false,
            },
            Trouble::Io(_, error) => match error.kind() {
                _ if is_full(error) => !is_ours,
                E::ReadOnlyFilesystem | E::PermissionDenied | E::NotFound => true,
                _ => false,
            },
            Trouble::Load(_) => false,
        }
    }
}

fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

fn measure_phase(
    site: &mut Site,
    phase: Phase,
    job: &Job,
    cancel: &Cancel,
    tick: &mut dyn FnMut(Live),
) -> Result<(Measurement, Truth), Trouble> {
    let mut truth = Truth::default();
    if job.direct && job.rw.writes() {
        truth.dirtied_per_page = dirtied_per_page(site)?;
    }
    let (target, kind) = match phase {
        Phase::ColdRead => {
            truth.resident_before_bytes = cool(site)?;
            (site.data(), TargetKind::File)
        }
        Phase::Overwrite => (site.data(), TargetKind::File),
        Phase::Append => {
            let made = site.scratch.create(scratch::APPEND);
            (made.map_err(|e| Trouble::Io("cannot make a new file", e))?, TargetKind::File)
        }
        Phase::Metadata => {
            let made = site.scratch.make_dir(scratch::SMALL);
            (made.map_err(|e| Trouble::Io("cannot make a directory", e))?, TargetKind::Directory)
        }
    };
    let before = host::Evidence::take(&site.disks);
    let measurement = load::run(job, &target, kind, cancel, tick)?;
    let after = host::Evidence::take(&site.disks);
    after.since(&before, &mut truth);
    Ok((measurement, truth))
}

/// Puts the data file out of memory and says how much of it is still there: of itself, and of the
/// files that loop devices below keep there. `None` where one of those may not be looked at.
fn cool(site: &Site) -> Result<Option<u64>, Trouble> {
    let file = File::open(site.data()).map_err(|e| Trouble::Io("cannot open the data file", e))?;
    residency::evict(&file).map_err(|e| Trouble::Io("cannot put the file out of memory", e))?;
    let own = residency::resident_bytes(&file, site.file_bytes)
        .map_err(|e| Trouble::Io("cannot tell what is in memory", e))?;
    // A file of somebody else's, or one that a mount hides: nothing can be said then.
    let below = site.cached_below.iter().map(|image| cool_below(image).ok());
    Ok(below.sum::<Option<u64>>().map(|below| own.saturating_add(below)))
}

fn cool_below(image: &RawPath) -> io::Result<u64> {
    let file = File::open(image.as_path())?;
    residency::evict(&file)?;
    residency::resident_bytes(&file, file.metadata()?.len())
}

/// Whether direct writes here really are direct: measured once for each visit.
fn dirtied_per_page(site: &mut Site) -> Result<Option<f64>, Trouble> {
    if site.dirtied_per_page.is_none() {
        let path = site.scratch.create(scratch::PROBE);
        let path = path.map_err(|e| Trouble::Io("cannot make a file to try direct writes", e))?;
        let measured = host::dirtied_per_page(&path);
        let removed = site.scratch.remove_file(scratch::PROBE);
        removed.map_err(|e| Trouble::Io("cannot remove the trial file", e))?;
        site.dirtied_per_page = measured.map_err(|e| Trouble::Io("direct writes fail here", e))?;
    }
    Ok(site.dirtied_per_page)
}
