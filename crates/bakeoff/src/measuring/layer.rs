//! One rate of a lower layer: on memory, on the device below, or on the candidate's own file.

use bakeoff_judge::diagnose::context::pace;
use bakeoff_judge::diagnose::layers::{self, At, LayerJob};
use bakeoff_machine::prepare::steps;
use bakeoff_model::candidate::Skipped;
use bakeoff_model::ceiling::LayerRate;
use bakeoff_model::event::Step;
use bakeoff_model::index::{CandidateIx, WorkloadIx};
use bakeoff_model::job::{Job, Rw};
use bakeoff_model::path::{RawPath, sanitize};
use bakeoff_model::undo::ScratchOf;
use bakeoff_tools::native::TargetKind;

use crate::fault::Fault;
use crate::host::Opened;
use crate::load;
use crate::load::scratch::{self, Scratch};
use crate::load::site::Site;
use crate::load::subject::Subject;
use crate::places::target_set::TargetSet;
use crate::steps::making;
use crate::steps::session::Session;
use crate::steps::step_error::StepError;
use crate::steps::unwind;

pub const MEMORY: &str = "/dev/shm";

pub fn memory_scratch(step: u32, run: &str) -> Step {
    steps::make_scratch(step, run, ScratchOf::MEMORY, (&RawPath::new(MEMORY), None))
}

pub struct Place {
    pub workload: WorkloadIx,
    pub candidate: Option<CandidateIx>,
    pub planned: LayerJob,
}

impl Place {
    pub fn site<'t>(&self, target_set: &'t mut TargetSet) -> Result<&'t mut Site, String> {
        let site = self.candidate.and_then(|candidate| target_set.site(candidate));
        site.ok_or_else(|| NOT_PREPARED.to_string())
    }
}

pub const NOT_PREPARED: &str = "it is not prepared";

pub fn unmeasured(name: &str, why: &str) -> Skipped {
    Skipped::new(name, sanitize(why))
}

pub fn measure(
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
pub struct Memory {
    scratch: Scratch,
    step: u32,
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
        let (step, scratch) = making::scratch(session, ScratchOf::MEMORY, &RawPath::new(parent))?;
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

    pub fn remove(self, session: &mut Session) -> Result<(), Fault> {
        let cleaned = self.scratch.remove_small();
        drop(self.data);
        drop(self.scratch);
        // What is left stands in the record, and is put back at the end of the run.
        unwind::undo(&mut session.journal, self.step).or_else(|error| error.why().map(drop))?;
        cleaned.map_err(Fault::environment)
    }
}
