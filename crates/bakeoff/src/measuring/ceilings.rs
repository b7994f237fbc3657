//! Measures what lower layers reach on their own, once a run, where there is time and wear for it.
//!
//! What is not measured is written down with its reason: it is what a cause cannot be proved by.

use bakeoff_judge::decide::{cost, schedule};
use bakeoff_judge::diagnose::layers::{self, At, LAYER_NS, LAYER_OVERHEAD_NS, LayerJob};
use bakeoff_model::ceiling::Ceilings;
use bakeoff_model::event::What;
use bakeoff_model::index::{CandidateIx, WorkloadIx};
use bakeoff_model::run::Run;

use super::layer::{self, Memory, Place};
use crate::fault::Fault;
use crate::places::target_set::TargetSet;
use crate::steps::session::Session;

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
        of.skipped.push(layer::unmeasured("the start and the end of the drive", why));
    }
    match reason_against(run, session.journal.elapsed_ns(), &planned) {
        Some(why) => of.skipped.push(layer::unmeasured("all lower layers", why)),
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
        None => Err(layer::NOT_PREPARED.to_string()),
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
            memory => layer::measure(session, target_set, memory.as_mut().ok(), &place),
        };
        match measured {
            Ok(measured) => of.measured.push(measured),
            Err(why) => {
                let workload = &session.journal.run().header.workloads[place.workload];
                let name = format!("{} for {}", of_place.label(), workload.name);
                of.skipped.push(layer::unmeasured(&name, &why));
            }
        }
    }
    match memory {
        Ok(memory) => memory.remove(session),
        Err(_) => Ok(()),
    }
}
