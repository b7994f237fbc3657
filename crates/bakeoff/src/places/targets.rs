//! The target set of `run`: a region on each target, its speed surveyed.

use bakeoff_judge::decide::{self, size};
use bakeoff_judge::evidence::cell::writes;
use bakeoff_machine::prepare::recipe::smallest_region_bytes;
use bakeoff_machine::prepare::region::{self, Span};
use bakeoff_machine::prepare::{capacity, steps, udev_rule};
use bakeoff_model::candidate::Candidate;
use bakeoff_model::event::{FlashState, Region, What};
use bakeoff_model::index::RegionIx;
use bakeoff_model::mark::Mark;
use bakeoff_model::path::RawPath;
use bakeoff_model::protocol::{Isolation, Mode, Protocol};
use bakeoff_model::stands;
use bakeoff_model::workload::Workload;
use bakeoff_report as report;
use bakeoff_stats::units;

use super::in_time;
use super::marks;
use super::regions::{self, Attached, Part, Regions};
use super::rehearse::{self, Findings};
use super::stacks;
use super::survey;
use super::target_set::TargetSet;
use crate::fault::Fault;
use crate::host;
use crate::load::scratch;
use crate::steps::error::{StepError, io_error};
use crate::steps::session::Session;
use crate::steps::stepper;
use crate::steps::target::{self, Target};
use crate::steps::unwind;
use bakeoff_judge::decide::cost;

/// Visits for each candidate that the bytes to write are spread over: blocks and rehearsal; where
/// rounds follow each other on one visit, one for each workload.
pub fn visits(protocol: &Protocol, workloads: &[Workload]) -> u64 {
    let least = match protocol.mode {
        Mode::Characterise => decide::groups(workloads).len() as u64,
        Mode::Quick | Mode::Decide | Mode::Precise => protocol.first_look().into(),
    };
    least + 1
}

#[derive(Clone, Debug)]
pub struct Wanted {
    pub target: Target,
    pub span: Span,
    pub parts: u16,
    pub flash_state: FlashState,
    pub is_chosen: bool,
}

impl Wanted {
    /// The region as a run's header has it before anything was tried.
    pub fn region(&self) -> Region {
        Region {
            target: self.target.path.clone(),
            start_bytes: self.span.start_bytes,
            size_bytes: if self.parts > 1 { self.part(0).size_bytes } else { self.span.size_bytes },
            parts: self.parts.max(1),
            is_image: self.target.is_image,
            place: self.target.place.clone(),
            flash_state: self.flash_state,
            token: Some(self.target.token.clone()),
            held: self.target.held(),
        }
    }

    pub fn part(&self, part: u16) -> Span {
        let count = u64::from(self.parts.max(1));
        let granule_bytes = region::alignment_bytes(self.target.room.granule_bytes);
        let size_bytes = self.span.size_bytes / count / granule_bytes * granule_bytes;
        let start_bytes = self.span.start_bytes + u64::from(part) * size_bytes;
        Span { start_bytes, size_bytes }
    }

    pub fn again(
        region: &Region,
        mark: Option<&Mark>,
        shares_disk_with_root: bool,
    ) -> Result<Wanted, Fault> {
        let token = region.token.as_deref().unwrap_or_default();
        let name = mark.map_or(token, |mark| &mark.name);
        let target = target::find(&region.target, name, shares_disk_with_root)?;
        let size_bytes = region.size_bytes.saturating_mul(region.parts.into());
        let span = Span { start_bytes: region.start_bytes, size_bytes };
        if span.start_bytes.saturating_add(span.size_bytes) > target.room.target_bytes {
            return Err(Fault::refused(format!("{} has shrunk. Start a new run", target.path)));
        }
        let (parts, flash_state) = (region.parts, region.flash_state);
        Ok(Wanted { target, span, parts, flash_state, is_chosen: false })
    }
}

/// What must be written at least: every region once, and where each visit finds it overwritten or
/// fills it, that for each visit.
pub fn least_write_bytes(wanted: &[Wanted], candidates: &[Candidate], visits: u64) -> u64 {
    let regions: u64 = wanted.iter().map(|w| w.span.size_bytes).sum();
    let restored = wanted.iter().filter(|w| w.flash_state == FlashState::Overwritten);
    let most_restored = restored.map(|w| w.span.size_bytes).max().unwrap_or(0);
    let part = wanted.iter().map(|w| w.region().size_bytes).min().unwrap_or(0);
    let each = most_restored.saturating_mul(candidates.len() as u64);
    let each = each.saturating_add(capacity::filling_bytes(candidates, part));
    regions.saturating_add(each.saturating_mul(visits))
}

/// Takes the targets in hand, prepares their regions, tries every candidate and settles the plan.
pub fn prepare(session: &mut Session, wanted: &[Wanted]) -> Result<TargetSet, StepError> {
    let (mount_point, mut list) = (begin(session, wanted)?, Vec::new());
    let mut slowest = f64::INFINITY;
    for (index, wanted) in wanted.iter().enumerate() {
        let (attached, rate) = region(session, index, wanted)?;
        let (step, attached) = attached;
        let Attached { region, .. } = &attached;
        let span = Span { start_bytes: region.start_bytes, size_bytes: region.size_bytes };
        marks::first(session, index, &wanted.target, span, attached.device())?;
        slowest = slowest.min(rate);
        list.push(divide(session, index, wanted, (step, attached))?);
    }
    let run = session.journal.run();
    let written_bytes = cost::overwritten_bytes(run);
    let header = &session.journal.run().header;
    let smallest = list.iter().map(|at| at.region.size_bytes).min().unwrap_or(0);
    let room = capacity::scratch_bytes(&header.candidates, smallest);
    let (filesystems, sharing) = match header.protocol.isolation {
        Isolation::Slices => stands::compared(&header.candidates),
        Isolation::Visit => (header.protocol.k.into(), 1),
    };
    let file_bytes = match header.file_bytes {
        Some(asked) => asked,
        None => {
            let room = room.min(size::left_bytes(&header.workloads, sharing, smallest));
            size::data_file_bytes(&header.protocol, (filesystems, room), slowest)
                .ok_or_else(|| Fault::usage("no space for a data file. Increase [region] size"))?
        }
    };
    // It did fit before the region shrank.
    check_sizes(&session.journal.run().header.workloads, file_bytes, smallest)?;
    let regions = Regions::new(list, mount_point, file_bytes);
    // What is beside the data file is for all that share it.
    let append_room_bytes = room.min(2 * room / sharing);
    let found = Findings { append_room_bytes, written_bytes, ..Findings::default() };
    stacks::rehearse(session, regions, slowest, found)
}

/// Refuses a data file that leaves a filesystem no room on the region, and what workloads make
/// beside it that does not fit. `file_bytes` is the least it can be while it is not settled.
pub fn check_sizes(
    workloads: &[Workload],
    file_bytes: u64,
    region_bytes: u64,
) -> Result<(), Fault> {
    if file_bytes <= region_bytes / 2 {
        return size::fits_beside(workloads, file_bytes, region_bytes).map_err(Fault::usage);
    }
    Err(Fault::usage(format!(
        "a data file of {} does not fit into a region of {}. Reduce the plan's workload or enlarge \
         the region",
        units::size(file_bytes),
        units::size(region_bytes)
    )))
}

/// Attaches the regions of a resumed run again, as the record says they were.
pub fn prepare_again(
    session: &mut Session,
    wanted: &[Wanted],
    file_bytes: u64,
) -> Result<TargetSet, StepError> {
    let mount_point = begin(session, wanted)?;
    let mut list = Vec::new();
    for (index, wanted) in wanted.iter().enumerate() {
        let (attached, step) = attach(session, (index, 0), wanted, wanted.span)?;
        if wanted.flash_state == FlashState::WrittenOnce {
            let (device, size) = (attached.device().clone(), wanted.span.size_bytes);
            stepper::take(session, |n| steps::overwrite(n, &device, size, false))?;
        }
        marks::first(session, index, &wanted.target, wanted.span, attached.device())?;
        list.push(divide(session, index, wanted, (step, attached))?);
    }
    Ok(TargetSet::Regions(Regions::new(list, mount_point, file_bytes)))
}

/// Everything before the regions: our directory, and auto-mounters kept off.
fn begin(session: &mut Session, wanted: &[Wanted]) -> Result<RawPath, StepError> {
    let run = session.journal.run().header.run.clone();
    let stands = wanted.iter().map(|w| usize::from(w.parts)).sum::<usize>();
    let mount_point = stepper::make_mount_points(session, stands)?;
    let names: Vec<String> =
        wanted.iter().flat_map(|w| w.target.kernel_names.iter().cloned()).collect();
    if host::udev_runs() && !names.is_empty() {
        stepper::take(session, |n| udev_rule::add(n, &run, &names))?;
    }
    Ok(mount_point)
}

/// One region: attached, in its state, surveyed and as short as its speed demands. Gives it with
/// the rate at which it was written, bytes a second.
fn region(
    session: &mut Session,
    index: usize,
    wanted: &Wanted,
) -> Result<((u32, Attached), f64), StepError> {
    let (mut attached, mut step) = attach(session, (index, 0), wanted, wanted.span)?;
    marks::first(session, index, &wanted.target, wanted.span, attached.device())?;
    let in_time = in_time::largest(session, wanted, &attached)?;
    let wanted = &Wanted { span: in_time, ..wanted.clone() };
    if attached.region.size_bytes != in_time.size_bytes {
        unwind::undo(&mut session.journal, step)?;
        (attached, step) = attach(session, (index, 0), wanted, in_time)?;
    }
    // What was never written reads as nothing on flash; what spins reads alike either way, and
    // may shrink before anything is written.
    let written_first = !wanted.target.is_rotational();
    let mut rate = None;
    if written_first {
        rate = Some(write_in_full(session, index, wanted, &attached)?);
    }
    let shrunk = survey_region(session, index, wanted, &attached)?;
    if shrunk != wanted.span {
        unwind::undo(&mut session.journal, step)?;
        (attached, step) = attach(session, (index, 0), wanted, shrunk)?;
    }
    let rate = match rate {
        Some(rate) => rate,
        None => write_in_full(session, index, wanted, &attached)?,
    };
    Ok(((step, attached), rate))
}

fn divide(
    session: &mut Session,
    index: usize,
    wanted: &Wanted,
    (step, whole): (u32, Attached),
) -> Result<Attached, StepError> {
    if wanted.parts <= 1 {
        return Ok(whole);
    }
    let Region { start_bytes, size_bytes, .. } = whole.region;
    let shrunk = Wanted { span: Span { start_bytes, size_bytes }, ..wanted.clone() };
    unwind::undo(&mut session.journal, step)?;
    let mut parts = Vec::new();
    for part in 0..wanted.parts {
        let (attached, _) = attach(session, (index, part.into()), wanted, shrunk.part(part))?;
        parts.extend(attached.parts);
    }
    let size_bytes = shrunk.part(0).size_bytes;
    let region = Region { size_bytes, parts: wanted.parts, ..whole.region };
    Ok(Attached { parts, region })
}

/// Makes a block device of a range of a target; gives it and the step that did.
fn attach(
    session: &mut Session,
    (index, part): (usize, usize),
    wanted: &Wanted,
    span: Span,
) -> Result<(Attached, u32), StepError> {
    let run = session.journal.run().header.run.clone();
    let Target { path, is_image, .. } = &wanted.target;
    let by_mapper = !is_image && host::dm_runs();
    let image = match session.held.targets.get(index).filter(|_| *is_image) {
        Some(held) => Some(held.image_file()?),
        None => None,
    };
    let sector = wanted.target.sector_bytes;
    let (device, step) = if let Some(image) = &image {
        let build = |n| steps::attach_region(n, path, span, sector);
        let (step, device) = stepper::attach_loop(session, image, build)?;
        (device.to_string(), step)
    } else if by_mapper {
        // The mapping claims the target for itself, which our own claim would forbid.
        if let Some(held) = session.held.targets.get_mut(index) {
            held.release_claim();
        }
        let number = u16::try_from(index * scratch::MOST_STANDS + part).map_err(Fault::bug)?;
        let build = |n| steps::map_region(n, &run, number, path, span);
        let (step, _) = stepper::take(session, build)?;
        (format!("/dev/mapper/{}", steps::region_mapper(&run, number)), step)
    } else {
        let device = host::open_device(path.as_path()).map_err(io_error("open the target"))?;
        let build = |n| steps::attach_region(n, path, span, sector);
        let (step, device) = stepper::attach_loop(session, &device, build)?;
        (device.to_string(), step)
    };
    let device = RawPath::new(device);
    let knob_disk = if *is_image {
        regions::kernel_name(&device)
    } else {
        regions::kernel_name(&RawPath::new(&wanted.target.disk))
    };
    let region = Wanted { span, parts: 1, ..wanted.clone() }.region();
    let backing = image.map(|image| (image.inode(), span.start_bytes));
    Ok((Attached { parts: vec![Part { device, backing, knob_disk }], region }, step))
}

/// Writes a region in full and reads everything back: the state every stack meets, and the proof
/// that the device keeps what it is given. Gives bytes a second.
fn write_in_full(
    session: &mut Session,
    index: usize,
    wanted: &Wanted,
    attached: &Attached,
) -> Result<f64, StepError> {
    let (device, size) = (attached.device().clone(), attached.region.size_bytes);
    let taken = rehearse::timed(|| {
        Ok(stepper::take(session, |n| steps::overwrite(n, &device, size, true)))
    });
    let (written, took_ns) = taken?;
    match written {
        Ok(_) => {}
        Err(StepError::Lies(why)) => {
            let finding = writes::lies(session.journal.run().header.design(), why.clone());
            session.journal.record(What::Found(finding))?;
            return Err(StepError::Fault(Fault::failed(format!(
                "{} returns different data than was written: {why}\nMeasurements on it would be \
                 meaningless. Find its real capacity with `bakeoff probe`",
                wanted.target.path
            ))));
        }
        Err(other) => return Err(other),
    }
    let device_bytes = wanted.target.room.target_bytes;
    let number = RegionIx::new(index);
    let moved_bytes = region::prepared_bytes(size);
    let verified_bytes = moved_bytes - size;
    session.journal.record(What::Verified { region: number, verified_bytes, device_bytes })?;
    session.progress.note(&format!(
        "Verified {} of {} on {}: the data read back is correct.",
        units::size(verified_bytes),
        units::size(device_bytes),
        wanted.target.path
    ));
    // Reading is taken to be as fast as writing.
    Ok(moved_bytes as f64 * 1e9 / took_ns.max(1) as f64)
}

/// Looks at the speed by position; gives the range that is short enough to be equally fast.
fn survey_region(
    session: &mut Session,
    index: usize,
    wanted: &Wanted,
    attached: &Attached,
) -> Result<Span, StepError> {
    let span = wanted.span;
    session.progress.doing("sampling read speed");
    let positions = survey::survey(attached.device().as_path(), 0, span, &session.cancel)
        .map_err(io_error("read the region"))?;
    if session.cancel.is_set() {
        return Err(StepError::Interrupted);
    }
    let granule_bytes = wanted.target.room.granule_bytes;
    let smallest_bytes = smallest_region_bytes(&session.journal.run().header.candidates);
    let needed_bytes = smallest_bytes.saturating_add(granule_bytes) * u64::from(wanted.parts);
    let (shrunk, steep) = region::equally_fast(span, &positions, granule_bytes, needed_bytes);
    session
        .progress
        .note(&format!("Speed from start to end: {}.", report::prepared::speeds(&positions)));
    let number = RegionIx::new(index);
    session.journal.record(What::Surveyed { region: number, positions })?;
    if !wanted.target.has_positions() {
        return Ok(span);
    }
    let size = units::size(shrunk.size_bytes);
    let becomes = if shrunk == span {
        format!("stays at {size}, the minimum for its candidates or seeks")
    } else {
        format!("shrinks to {size}")
    };
    if steep > region::GRADIENT_MAX {
        let percent = steep * 100.0;
        session.progress.note(&format!(
            "One end is {percent:.0} % faster than the other: the region {becomes}."
        ));
    }
    Ok(shrunk)
}
