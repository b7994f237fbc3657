//! Measures what lower layers reach on their own, once a run, where there is time and wear for it:
//! on memory, on the device below, or on the candidate's own file.
//!
//! What is not measured is recorded with its reason: no cause can be proved by it.

use bakeoff_judge::decide::{cost, schedule};
use bakeoff_judge::diagnose::context::pace;
use bakeoff_judge::diagnose::layers::{self, At, LAYER_NS, LAYER_OVERHEAD_NS, LayerJob};
use bakeoff_machine::prepare::steps;
use bakeoff_model::candidate::Skipped;
use bakeoff_model::ceiling::{Ceilings, LayerRate};
use bakeoff_model::event::{Step, What};
use bakeoff_model::index::{CandidateIx, WorkloadIx};
use bakeoff_model::job::{Job, Rw};
use bakeoff_model::path::{RawPath, sanitize};
use bakeoff_model::run::Run;
use bakeoff_model::undo::ScratchOf;
use bakeoff_tools::native::TargetKind;

use crate::fault::Fault;
use crate::host::Opened;
use crate::load;
use crate::load::scratch::{self, Scratch};
use crate::load::site::{Site, Subject};
use crate::places::target_set::TargetSet;
use crate::steps::error::StepError;
use crate::steps::session::Session;
use crate::steps::stepper;
use crate::steps::unwind;

/// Measures the ceilings of a run that has none yet.
///
/// # Errors
/// When the record cannot be kept. A layer that fails is left out with its reason.
pub fn measure(session: &mut Session, target_set: &mut TargetSet) -> Result<(), Fault> {
    let run = session.journal.run();
    if run.complete_blocks().next().is_some() || !run.ceilings.measured.is_empty() {
        return Ok(());
    }
    let planned = plan(run, target_set);
    if planned.is_empty() {
        return Ok(());
    }
    let mut of = Ceilings::default();
    if !layers::has_ends(&run.header) {
        let why = "the filesystem chooses where a file is on the drive; a plan on a drive, a \
                   partition or an image reads both ends of its region";
        of.skipped.push(unmeasured("the start and the end of the drive", why));
    }
    match reason_against(run, session.journal.elapsed_ns(), &planned) {
        Some(why) => of.skipped.push(unmeasured("all lower layers", why)),
        None => measure_all(session, target_set, planned, &mut of)?,
    }
    session.journal.record(What::Ceilings(Box::new(of)))
}

fn plan(run: &Run, target_set: &mut TargetSet) -> Vec<Place> {
    let region = target_set.only_region();
    // A device is written by steps only, which look whether it is still the same one.
    let may_write = region.is_some_and(|at| at.region.is_image);
    let has_device = region.is_some();
    let mut all = Vec::new();
    for (workload, of) in WorkloadIx::each(&run.header.workloads) {
        let jobs = layers::jobs(of, has_device);
        let allowed =
            |planned: &LayerJob| planned.at != At::Device || may_write || !planned.job.rw.writes();
        for planned in jobs.into_iter().filter(allowed) {
            // A stack's own file is there during its visit only.
            let candidates = match planned.at {
                At::File => CandidateIx::all(run.header.candidates.len()).map(Some).collect(),
                At::Memory | At::Device => vec![None],
            };
            for candidate in candidates {
                all.push(Place { workload, candidate, planned: planned.clone() });
            }
        }
    }
    all.retain(|place| place.candidate.is_none_or(|c| target_set.site(c).is_some()));
    all
}

/// Why they are not measured: the blocks that an answer needs come first.
fn reason_against(run: &Run, elapsed_ns: u64, planned: &[Place]) -> Option<&'static str> {
    let protocol = &run.header.protocol;
    let (block_ns, block_bytes) = cost::of_block(run);
    let blocks = u64::from(schedule::most_blocks(run));
    let needs_ns = planned.len() as u64 * (LAYER_NS + LAYER_OVERHEAD_NS);
    let blocks_ns = block_ns.saturating_mul(blocks);
    let ends_ns = elapsed_ns.saturating_add(needs_ns).saturating_add(blocks_ns);
    if protocol.time_ns.is_some_and(|limit| ends_ns > limit) {
        return Some("the time limit leaves no time for them. Raise the limit: --time");
    }
    let needs_bytes: u64 = planned.iter().map(|place| place.planned.write_bytes()).sum();
    let bytes = cost::written_bytes(run)
        .saturating_add(block_bytes.saturating_mul(blocks))
        .saturating_add(needs_bytes);
    let is_over = protocol.max_write_bytes.is_some_and(|limit| bytes > limit);
    is_over.then_some("the write limit does not allow them. Raise the limit: --max-write")
}

fn measure_all(
    session: &mut Session,
    target_set: &mut TargetSet,
    planned: Vec<Place>,
    of: &mut Ceilings,
) -> Result<(), Fault> {
    let needs_memory = planned.iter().any(|place| place.planned.at == At::Memory);
    let mut memory = match needs_memory.then(|| Memory::make(session)) {
        None => Err(NOT_PREPARED.to_string()),
        Some(Ok(memory)) => Ok(memory),
        Some(Err(error)) => Err(error.why()?),
    };
    for place in planned {
        if session.cancel.is_set() {
            break;
        }
        let of_place = place.planned.layer;
        session.progress.doing(&format!("measuring {}", of_place.label()));
        let measured = match &mut memory {
            Err(why) if place.planned.at == At::Memory => Err(why.clone()),
            memory => rate(session, target_set, memory.as_mut().ok(), &place),
        };
        match measured {
            Ok(measured) => of.measured.push(measured),
            Err(why) => {
                let workload = &session.journal.run().header.workloads[place.workload];
                let name = format!("{} for {}", of_place.label(), workload.name);
                of.skipped.push(unmeasured(&name, &why));
            }
        }
    }
    match memory {
        Ok(memory) => memory.remove(session),
        Err(_) => Ok(()),
    }
}

const MEMORY: &str = "/dev/shm";

pub fn memory_scratch(step: u32, run: &str) -> Step {
    steps::make_scratch(step, run, ScratchOf::MEMORY, (&RawPath::new(MEMORY), None))
}

struct Place {
    workload: WorkloadIx,
    candidate: Option<CandidateIx>,
    planned: LayerJob,
}

impl Place {
    fn site<'t>(&self, target_set: &'t mut TargetSet) -> Result<&'t mut Site, String> {
        let site = self.candidate.and_then(|candidate| target_set.site(candidate));
        site.ok_or_else(|| NOT_PREPARED.to_string())
    }
}

const NOT_PREPARED: &str = "it is not prepared";

fn unmeasured(name: &str, why: &str) -> Skipped {
    Skipped::new(name, sanitize(why))
}

fn rate(
    session: &Session,
    target_set: &mut TargetSet,
    memory: Option<&mut Memory>,
    place: &Place,
) -> Result<LayerRate, String> {
    let header = &session.journal.run().header;
    let workload = &header.workloads[place.workload];
    let mut job = Job { seed: header.seed, ..place.planned.job.clone() };
    let (target, kind) = match place.planned.at {
        At::Memory => memory.ok_or(NOT_PREPARED)?.target(session, &mut job)?,
        At::Device => {
            let at = target_set.only_region().ok_or(NOT_PREPARED)?;
            job.size = job.size.min(at.region.size_bytes);
            (Subject::from(at.device().as_path()), TargetKind::Block)
        }
        At::File => {
            let site = place.site(target_set)?;
            job.size = site.file_bytes;
            (site.data.clone(), site.data_kind())
        }
    };
    let measured = load::run(&job, &target, kind, &session.cancel, &mut |_| {});
    let m = measured.map_err(|error| error.to_string())?;
    let rate = pace(workload.metric, &m);
    if m.total_ios() < layers::FEWEST_IOS {
        return Err(format!("only {} operations fit into the available time", m.total_ios()));
    }
    let moved = [&m.read, &m.write].into_iter().flatten().map(|s| s.bw_bytes_per_s).sum();
    if rate > 0.0 {
        Ok(LayerRate {
            layer: place.planned.layer,
            workload: place.workload,
            candidate: place.candidate,
            rate,
            bytes_per_s: moved,
            elapsed_ns: m.elapsed_ns,
        })
    } else {
        Err("nothing was done".to_string())
    }
}

/// Our directory in memory, made and removed as a step.
struct Memory {
    scratch: Scratch,
    step: u32,
    data: Option<Opened>,
}

impl Memory {
    /// The directory.
    ///
    /// # Errors
    /// Why there is none.
    fn make(session: &mut Session) -> Result<Memory, StepError> {
        // Some systems have a link there, which root made.
        let parent = std::fs::canonicalize(MEMORY).unwrap_or_else(|_| MEMORY.into());
        let (step, scratch) =
            stepper::make_scratch(session, ScratchOf::MEMORY, &RawPath::new(parent))?;
        Ok(Memory { scratch, step, data: None })
    }

    fn target(
        &mut self,
        session: &Session,
        job: &mut Job,
    ) -> Result<(Subject, TargetKind), String> {
        if job.rw == Rw::SmallFiles {
            self.scratch.remove_small().map_err(|error| error.to_string())?;
            let made = self.scratch.make_dir(scratch::SMALL).map_err(|error| error.to_string())?;
            return Ok((Subject::Opened(made), TargetKind::Directory));
        }
        if let Some(data) = &self.data {
            return Ok((data.into(), TargetKind::File));
        }
        let data = self.scratch.create(scratch::DATA).map_err(|error| error.to_string())?;
        let fill = Job::new(Rw::Write, 1 << 20, layers::MEMORY_FILE_BYTES);
        let filled = load::run(&fill, &data, TargetKind::File, &session.cancel, &mut |_| {});
        let subject = Subject::from(&data);
        // One that was not laid out whole is not made again either: its name is taken.
        self.data = Some(data);
        filled.map_err(|error| error.to_string())?;
        Ok((subject, TargetKind::File))
    }

    fn remove(self, session: &mut Session) -> Result<(), Fault> {
        let cleaned = self.scratch.remove_small();
        drop(self.data);
        drop(self.scratch);
        // A step that fails stays in the record, and is undone at the end of the run.
        unwind::undo(&mut session.journal, self.step).or_else(|error| error.why().map(drop))?;
        cleaned.map_err(Fault::environment)
    }
}
