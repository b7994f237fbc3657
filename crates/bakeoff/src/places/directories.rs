//! The target set of `quick`: a scratch directory with a data file in each directory, laid out
//! once.

use bakeoff_judge::decide::size::SizeLimits;
use bakeoff_machine::prepare::space;
use bakeoff_model::candidate::{Candidate, Kind};
use bakeoff_model::host::{Place, PlaceClass};
use bakeoff_model::job::{Job, Rw};
use bakeoff_model::path::{RawPath, printable};
use bakeoff_model::undo::ScratchOf;
use bakeoff_model::workload::Workload;
use bakeoff_stats::units;
use bakeoff_tools::native::TargetKind;

use super::ahead::Trial;
use super::rehearse::{self, Findings, tried_before};
use super::target_set::TargetSet;
use super::{data_file, sentinel, try_cells};
use crate::fault::Fault;
use crate::host::{self, Opened};
use crate::load;
use crate::load::scratch::{self, Scratch};
use crate::load::site::{Site, Subject};
use crate::steps::error::{StepError, io_error};
use crate::steps::session::Session;
use crate::steps::stepper;

const PILOT_BYTES: u64 = 8 << 20;
const LAYOUT_STEP_BYTES: u64 = 1 << 20;
/// Share of the run's time that laying out all data files may take.
const LAYOUT_SHARE: u64 = 10;
const LAYOUT_NS: u64 = 30_000_000_000;

/// Prepares every directory, applies the limits to the plan and returns the target set.
pub fn prepare(session: &mut Session) -> Result<TargetSet, StepError> {
    let candidates = session.journal.run().header.candidates.clone();
    let mut scratches = Vec::new();
    for (index, candidate) in candidates.iter().enumerate() {
        scratches.push(make_scratch(session, index, candidate)?);
    }
    let rates = pilots(session, &candidates, &scratches)?;
    let room = room_bytes(&candidates)?;
    let file_bytes = choose_size(session, &candidates, room, &rates)?;
    let mut sites = Vec::new();
    let mut found: Vec<(Candidate, Trial)> = Vec::new();
    let mut written_bytes = PILOT_BYTES * candidates.len() as u64;
    let scratch_bytes = room.saturating_sub(file_bytes + sentinel::BYTES);
    for ((candidate, scratch), rate) in candidates.iter().zip(scratches).zip(rates) {
        let (site, mut trial) = lay_out(session, candidate, scratch, file_bytes, rate)?;
        let limits = SizeLimits { file_bytes, scratch_bytes, bytes_per_s: trial.bytes_per_s };
        let time_ns = try_cells::time_ns(session, candidates.len());
        let before = tried_before(&found);
        trial.cells = try_cells::try_cells(session, &site, &limits, time_ns, &before)
            .map_err(|error| in_place(candidate, error.into()))?;
        written_bytes += file_bytes;
        sites.push(site);
        found.push((candidate.clone(), trial));
    }
    let sentinel = sentinel_of(session, &candidates, &sites, room.saturating_sub(file_bytes))?;
    rehearse::apply_limits(
        session,
        Findings {
            candidates: found,
            skipped: Vec::new(),
            region: None,
            more_regions: Vec::new(),
            file_bytes,
            append_room_bytes: scratch_bytes,
            written_bytes,
            stand_side_by_side: true,
        },
    )?;
    Ok(TargetSet::Directories { sites, sentinel })
}

/// Prepares the one directory of a `fit` run; gives its site, and the bytes that each new file of
/// so many may have.
pub fn prepare_for_fit(session: &mut Session, new_files: usize) -> Result<(Site, u64), StepError> {
    let candidates = session.journal.run().header.candidates.clone();
    let [candidate] = &candidates[..] else {
        return Err(Fault::bug("fit judges one directory").into());
    };
    let scratch = make_scratch(session, 0, candidate)?;
    let scratches = [scratch];
    let rates = pilots(session, &candidates, &scratches)?;
    let room = room_bytes(&candidates)?;
    let workloads = &session.journal.run().header.workloads;
    let needs_file = workloads.iter().any(Workload::uses_data_file);
    let largest = choose_size(session, &candidates, room, &rates)?;
    let file_bytes = if needs_file { largest } else { space::FILE_MIN_BYTES };
    let [scratch] = scratches;
    let (_, place) = directory(candidate)?;
    session.progress.doing("writing the data file");
    let (_, data) = data_file::lay_out(session, &scratch, scratch::DATA, file_bytes)
        .map_err(|error| in_place(candidate, error))?;
    let each = room.saturating_sub(file_bytes) / new_files.max(1) as u64;
    Ok((Site::new(scratch, Subject::Opened(data), place.class, place, file_bytes), each))
}

/// Lays the directories of a resumed run out again, with the size its plan settled on.
pub fn prepare_again(session: &mut Session, file_bytes: u64) -> Result<TargetSet, StepError> {
    let candidates = session.journal.run().header.candidates.clone();
    let room = room_bytes(&candidates)?;
    let mut sites = Vec::new();
    for (index, candidate) in candidates.iter().enumerate() {
        let scratch = make_scratch(session, index, candidate)?;
        sites.push(lay_out(session, candidate, scratch, file_bytes, 0.0)?.0);
    }
    let sentinel = sentinel_of(session, &candidates, &sites, room.saturating_sub(file_bytes))?;
    Ok(TargetSet::Directories { sites, sentinel })
}

fn directory(candidate: &Candidate) -> Result<(&RawPath, &Place), Fault> {
    match &candidate.kind {
        Kind::Directory { path, place } => Ok((path, place)),
        Kind::Stack(_) => Err(Fault::bug("a stack is not a directory")),
    }
}

fn make_scratch(
    session: &mut Session,
    index: usize,
    candidate: &Candidate,
) -> Result<Scratch, StepError> {
    let (parent, _) = directory(candidate)?;
    let of = ScratchOf::Number(u16::try_from(index).map_err(Fault::bug)?);
    stepper::make_scratch(session, of, parent).map(|(_, scratch)| scratch)
}

/// A short durable write in each directory: is it writable, and how fast about.
fn pilots(
    session: &Session,
    candidates: &[Candidate],
    scratches: &[Scratch],
) -> Result<Vec<f64>, StepError> {
    let mut rates = Vec::new();
    for (candidate, scratch) in candidates.iter().zip(scratches) {
        session.progress.doing(&format!("trying {}", candidate.name));
        let (rate, _) = data_file::lay_out(session, scratch, scratch::PROBE, PILOT_BYTES)
            .map_err(|error| in_place(candidate, error))?;
        scratch.remove_file(scratch::PROBE).map_err(io_error("remove the test file"))?;
        rates.push(rate);
    }
    Ok(rates)
}

fn room_bytes(candidates: &[Candidate]) -> Result<u64, Fault> {
    let available = host::available_bytes();
    let mut tightest = u64::MAX;
    for candidate in candidates {
        let (_, place) = directory(candidate)?;
        let sharing = candidates
            .iter()
            .filter_map(|c| directory(c).ok())
            .filter(|(_, other)| other.dev == place.dev)
            .count() as u64;
        let room = space::room_bytes(place.class, place.size_bytes, place.free_bytes, available);
        tightest = tightest.min(room / sharing.max(1));
    }
    Ok(tightest)
}

fn choose_size(
    session: &Session,
    candidates: &[Candidate],
    room: u64,
    rates: &[f64],
) -> Result<u64, Fault> {
    let header = &session.journal.run().header;
    let protocol = &header.protocol;
    if let Some(asked) = header.file_bytes {
        let largest = units::size(room / 2);
        if asked > room / 2 {
            return Err(Fault::usage(format!(
                "--size {} is too large: bakeoff uses at most half of the free space and leaves 5 \
                 % or 512 MiB free. Use at most {largest}",
                units::size(asked)
            )));
        }
        // Whole blocks of the layout: a tail it did not write would be read as a hole.
        return Ok(asked / LAYOUT_STEP_BYTES * LAYOUT_STEP_BYTES);
    }
    let k = candidates.len() as u64;
    let layout_ns = protocol.time_ns.map_or(LAYOUT_NS, |ns| ns / LAYOUT_SHARE) / k.max(1);
    let slowest = rates.iter().copied().fold(f64::INFINITY, f64::min);
    // A fifth of the bytes to write may go into the layout.
    let wear = protocol.max_write_bytes.map(|bytes| bytes / 5);
    let by_time = space::laid_out_bytes(slowest, layout_ns);
    space::file_bytes(room / 2, wear, k, by_time).ok_or_else(|| {
        let name = printable(
            candidates.iter().map(|c| c.name.as_str()).collect::<Vec<_>>().join(", ").as_bytes(),
        );
        Fault::environment(format!(
            "not enough free space in {name}: bakeoff uses at most half of it and leaves 5 % or \
             512 MiB free. Free some space, or name another directory"
        ))
    })
}

fn lay_out(
    session: &Session,
    candidate: &Candidate,
    scratch: Scratch,
    file_bytes: u64,
    pilot: f64,
) -> Result<(Site, Trial), StepError> {
    let (_, place) = directory(candidate)?;
    session.progress.doing(&format!("laying out {}", candidate.name));
    let (rate, data) = data_file::lay_out(session, &scratch, scratch::DATA, file_bytes)
        .map_err(|error| in_place(candidate, error))?;
    let site = Site::new(scratch, Subject::Opened(data), place.class, place, file_bytes);
    let flushed_write_ns = rehearse::flushed_write_ns(session, &site)
        .map_err(|error| in_place(candidate, error.into()))?;
    let wears = place.class != PlaceClass::Memory;
    let charges = place.charges_turns();
    let trial = Trial {
        bytes_per_s: rate.max(pilot),
        flushed_write_ns,
        wears,
        charges,
        ..Trial::default()
    };
    Ok((site, trial))
}

/// Names the directory that an engine's failure, which knows no path, is about.
fn in_place(candidate: &Candidate, error: StepError) -> StepError {
    let StepError::Fill(said) = error else { return error };
    StepError::Fill(format!("{}: {said}", candidate.name))
}

/// Makes the sentinel's file in the first directory on a block device that reads directly.
fn sentinel_of(
    session: &Session,
    candidates: &[Candidate],
    sites: &[Site],
    room: u64,
) -> Result<Option<Opened>, StepError> {
    let place_of = |i: usize| candidates.get(i).and_then(|c| directory(c).ok());
    let block = (0..sites.len())
        .find(|i| place_of(*i).is_some_and(|(_, place)| place.class == PlaceClass::Block));
    let Some(site) = block.and_then(|i| sites.get(i)) else { return Ok(None) };
    if room < sentinel::BYTES {
        return Ok(None);
    }
    let (_, file) = data_file::lay_out(session, &site.scratch, scratch::SENTINEL, sentinel::BYTES)?;
    let job = Job { direct: true, io_size: Some(1 << 20), ..Job::new(Rw::Read, 1 << 20, 1 << 20) };
    let readable = load::run(&job, &file, TargetKind::File, &session.cancel, &mut |_| {});
    Ok(readable.is_ok().then_some(file))
}
