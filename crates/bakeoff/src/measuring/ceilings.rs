//! Measures what lower layers reach on their own, once a run, where there is time and wear for it.
//!
//! What is not measured is written down with its reason: it is what a cause cannot be proved by.

use bakeoff_core::decide::schedule;
use bakeoff_core::diagnose::rungs::{self, At, RUNG_NS, RUNG_OVERHEAD_NS, Rung as Planned};
use bakeoff_core::diagnose::seen::pace;
use bakeoff_core::model::candidate::Skipped;
use bakeoff_core::model::ceiling::{Because, Ceilings, LeftOut, Rung};
use bakeoff_core::model::event::{Step, What};
use bakeoff_core::model::job::{Job, Rw};
use bakeoff_core::model::path::{RawPath, printable};
use bakeoff_core::model::run::Run;
use bakeoff_core::model::undo::ScratchOf;
use bakeoff_core::prepare::steps;
use bakeoff_core::tools::native::TargetKind;

use super::in_memory;
use crate::fault::Fault;
use crate::host::Opened;
use crate::load::scratch::{self, Scratch};
use crate::load::subject::Subject;
use crate::load::{self, LoadError};
use crate::places::target_set::TargetSet;
use crate::steps::making;
use crate::steps::session::Session;
use crate::steps::stepper::{self, StepError};
use bakeoff_core::decide::cost;

/// A directory in memory that Linux systems have.
pub const MEMORY: &str = "/dev/shm";
/// Number in the name of our scratch in memory: no run has that many candidates.
pub const MEMORY_SCRATCH: u16 = 9999;

/// Makes our directory in memory.
pub fn memory_scratch(step: u32, run: &str) -> Step {
    let of = ScratchOf::Number(MEMORY_SCRATCH);
    steps::make_scratch(step, run, of, &RawPath::new(MEMORY))
}

/// Measures the ceilings of a run that has none yet.
///
/// # Errors
/// When the record cannot be kept. A rung that fails is left out with its reason.
pub fn measure(session: &mut Session, target_set: &mut TargetSet) -> Result<(), Fault> {
    let run = session.journal.run();
    if run.complete_blocks().next().is_some() || !run.ceilings.rungs.is_empty() {
        return Ok(());
    }
    let planned = plan(run, target_set);
    if planned.is_empty() {
        return Ok(());
    }
    let mut of = Ceilings::default();
    of.skipped.extend(rungs::no_places(&run.header));
    match reason_against(run, session.journal.elapsed_ns(), &planned) {
        Some((because, option)) => {
            let reason = format!("{}. Allow more: {option}", because.label());
            of.skipped.push(Skipped { name: "all ceilings".to_string(), reason });
            of.left_out.push(LeftOut { workload: None, because });
        }
        None => measure_all(session, target_set, planned, &mut of)?,
    }
    in_memory::measure(session, target_set, &mut of)?;
    session.journal.record(What::Ceilings(Box::new(of)))
}

/// One rung of one workload on one candidate, or on what all stand on.
pub struct Place {
    /// Index of the workload.
    pub workload: u16,
    /// Index of the candidate.
    pub candidate: Option<u16>,
    /// What is measured.
    pub rung: Planned,
}

fn plan(run: &Run, target_set: &mut TargetSet) -> Vec<Place> {
    let region = target_set.only_region();
    // A device is written by steps only, which look whether it is still the same one.
    let may_write = region.is_some_and(|at| at.region.is_image);
    let has_device = region.is_some();
    let mut all = Vec::new();
    for (workload, of) in (0u16..).zip(&run.header.workloads) {
        let rungs = rungs::of(of, has_device);
        let allowed = |rung: &Planned| rung.at != At::Device || may_write || !rung.job.rw.writes();
        for rung in rungs.into_iter().filter(allowed) {
            // A stack's own file is there during its visit only.
            let candidates = match rung.at {
                At::File => (0..run.header.candidates.len() as u16).map(Some).collect(),
                At::Memory | At::Device => vec![None],
            };
            for candidate in candidates {
                all.push(Place { workload, candidate, rung: rung.clone() });
            }
        }
    }
    all.retain(|place| place.candidate.is_none_or(|c| target_set.site(c).is_some()));
    all
}

/// Why they are not measured, and the option that would let them be: the blocks an answer needs
/// come
/// first.
fn reason_against(
    run: &Run,
    elapsed_ns: u64,
    planned: &[Place],
) -> Option<(Because, &'static str)> {
    let protocol = &run.header.protocol;
    let (block_ns, block_bytes) = cost::of_block(run);
    let blocks = u64::from(schedule::most_blocks(run));
    let needs_ns = planned.len() as u64 * (RUNG_NS + RUNG_OVERHEAD_NS);
    let blocks_ns = block_ns.saturating_mul(blocks);
    let ends_ns = elapsed_ns.saturating_add(needs_ns).saturating_add(blocks_ns);
    if protocol.time_ns.is_some_and(|limit| ends_ns > limit) {
        return Some((Because::Time, "--time"));
    }
    let needs_bytes: u64 = planned.iter().map(|place| place.rung.write_bytes()).sum();
    let bytes = cost::written_bytes(run)
        .saturating_add(block_bytes.saturating_mul(blocks))
        .saturating_add(needs_bytes);
    let is_over = protocol.max_write_bytes.is_some_and(|limit| bytes > limit);
    is_over.then_some((Because::Bytes, "--max-write"))
}

fn measure_all(
    session: &mut Session,
    target_set: &mut TargetSet,
    planned: Vec<Place>,
    of: &mut Ceilings,
) -> Result<(), Fault> {
    let needs_memory = planned.iter().any(|place| place.rung.at == At::Memory);
    let mut memory = match needs_memory.then(|| Memory::make(session)) {
        None => Err("not needed".to_string()),
        Some(Ok(memory)) => Ok(memory),
        Some(Err(StepError::Failed(error))) => Err(error.to_string()),
        Some(Err(StepError::Fault(fault))) => return Err(fault),
    };
    for place in planned {
        if session.cancel.is_set() {
            break;
        }
        let layer = place.rung.layer;
        session.progress.doing(&format!("measuring {}", layer.label()));
        let measured = match &mut memory {
            Err(reason) if place.rung.at == At::Memory => Err(reason.clone()),
            memory => one(session, target_set, memory.as_mut().ok(), &place),
        };
        match measured {
            Ok(rung) => of.rungs.push(rung),
            Err(reason) => {
                let workload = &session.journal.run().header.workloads[usize::from(place.workload)];
                let name = format!("{} for {}", layer.label(), workload.name);
                of.skipped.push(Skipped { name, reason: printable(reason.as_bytes()) });
                let workload = Some(place.workload);
                of.left_out.push(LeftOut { workload, because: Because::Failed });
            }
        }
    }
    match memory {
        Ok(memory) => memory.remove(session),
        Err(_) => Ok(()),
    }
}

/// Measures one rung; the error says why there is no number.
pub fn one(
    session: &Session,
    target_set: &mut TargetSet,
    memory: Option<&mut Memory>,
    place: &Place,
) -> Result<Rung, String> {
    let header = &session.journal.run().header;
    let workload = &header.workloads[usize::from(place.workload)];
    let mut job = Job { seed: header.seed, ..place.rung.job.clone() };
    let (target, kind) = match place.rung.at {
        At::Memory => memory.ok_or("no memory")?.target(session, &mut job)?,
        At::Device => {
            let at = target_set.only_region().ok_or("no device")?;
            job.size = job.size.min(at.region.size_bytes);
            (Subject::from(at.device().as_path()), TargetKind::Block)
        }
        At::File => {
            let candidate = place.candidate.ok_or("no candidate")?;
            let site = target_set.site(candidate).ok_or("it is not prepared")?;
            job.size = site.file_bytes;
            (site.data.clone(), site.data_kind())
        }
    };
    let measured = load::run(&job, &target, kind, &session.cancel, &mut |_| {});
    let m = measured.map_err(|error| error.to_string())?;
    let rate = pace(workload.metric, &m);
    if m.total_ios() < rungs::FEWEST_IOS {
        return Err(format!("only {} operations fit into the available time", m.total_ios()));
    }
    let moved = [&m.read, &m.write].into_iter().flatten().map(|s| s.bw_bytes_per_s).sum();
    match rate > 0.0 {
        false => Err("nothing was done".to_string()),
        true => Ok(Rung {
            layer: place.rung.layer,
            workload: place.workload,
            candidate: place.candidate,
            rate,
            bytes_per_s: moved,
            elapsed_ns: m.elapsed_ns,
        }),
    }
}

/// Our directory in memory, made and removed as a step.
pub struct Memory {
    scratch: Scratch,
    step: u32,
    /// The data file, once it was laid out.
    data: Option<Opened>,
}

impl Memory {
    /// The directory.
    ///
    /// # Errors
    /// Why there is none.
    pub fn make(session: &mut Session) -> Result<Memory, StepError> {
        // Some systems have a link there, which root made.
        let parent = std::fs::canonicalize(MEMORY).unwrap_or_else(|_| MEMORY.into());
        let of = ScratchOf::Number(MEMORY_SCRATCH);
        let (step, scratch) = making::scratch(session, of, &RawPath::new(parent))?;
        Ok(Memory { scratch, step, data: None })
    }

    /// A laid-out file or a directory, as the job needs it.
    fn target(
        &mut self,
        session: &Session,
        job: &mut Job,
    ) -> Result<(Subject, TargetKind), String> {
        let said = |error: std::io::Error| error.to_string();
        if job.rw == Rw::SmallFiles {
            self.scratch.remove_small().map_err(said)?;
            let made = self.scratch.make_dir(scratch::SMALL).map_err(said)?;
            return Ok((Subject::Opened(made), TargetKind::Directory));
        }
        if let Some(data) = &self.data {
            return Ok((data.into(), TargetKind::File));
        }
        let data = self.scratch.create(scratch::DATA).map_err(said)?;
        let fill = Job::new(Rw::Write, 1 << 20, rungs::MEMORY_FILE_BYTES);
        let filled = load::run(&fill, &data, TargetKind::File, &session.cancel, &mut |_| {});
        let subject = Subject::from(&data);
        // One that was not laid out whole is not made again either: its name is taken.
        self.data = Some(data);
        filled.map_err(|error: LoadError| error.to_string())?;
        Ok((subject, TargetKind::File))
    }

    /// An empty file of one of the names that go with the directory.
    pub fn make_file(&self, name: &str) -> std::io::Result<Opened> {
        self.scratch.create(name)
    }

    /// Takes it away again.
    pub fn remove(self, session: &mut Session) -> Result<(), Fault> {
        let cleaned = self.scratch.remove_small();
        drop(self.data);
        drop(self.scratch);
        match stepper::undo(&mut session.journal, self.step) {
            Err(StepError::Fault(fault)) => Err(fault),
            // What is left stands in the record, and is put back at the end of the run.
            Ok(()) | Err(StepError::Failed(_)) => cleaned.map_err(Fault::environment),
        }
    }
}
