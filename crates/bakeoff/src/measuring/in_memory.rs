//! The filesystem and the encryption of each stack on memory: what they do with no drive below.
//!
//! An image in memory on a loop device, on which each stack is made once as in a visit. The loop
//! device is part of what is measured, so the rate is a little lower than the filesystem alone.

use std::path::Path;

use bakeoff_judge::decide::schedule;
use bakeoff_judge::diagnose::{layers, variants};
use bakeoff_machine::prepare::{steps, visit};
use bakeoff_model::candidate::{Candidate, Kind};
use bakeoff_model::ceiling::{CeilingLayer, Ceilings, LayerRate};
use bakeoff_model::event::{FlashState, Step};
use bakeoff_model::index::{CandidateIx, RegionIx, WorkloadIx};
use bakeoff_model::path::RawPath;
use bakeoff_model::undo::ScratchOf;
use bakeoff_stats::units;

use super::layer::{self, Memory, Place};
use crate::fault::Fault;
use crate::host::{self, Opened};
use crate::load::scratch;
use crate::places::regions::{Attached, Part, Regions};
use crate::places::target_set::TargetSet;
use crate::steps::making::{self, OnLoop};
use crate::steps::session::Session;
use crate::steps::unwind;
use bakeoff_judge::decide::cost;

const EVERYTHING: &str = "filesystems and ciphers in memory";
const IMAGE_BYTES: u64 = 512 << 20;
const FILE_BYTES: u64 = 32 << 20;
const MEMORY_SHARE: u64 = 4;
const VISIT_NS: u64 = 2_000_000_000;

struct Visit {
    layer: CeilingLayer,
    what: Candidate,
    candidates: Vec<CandidateIx>,
}

/// Measures the layers in memory of a run whose candidates are stacks.
///
/// # Errors
/// When the record cannot be kept, or what was made cannot be taken away. What fails otherwise is
/// left out with its reason.
pub fn measure(
    session: &mut Session,
    target_set: &TargetSet,
    of: &mut Ceilings,
) -> Result<(), Fault> {
    let TargetSet::Regions(on_disk) = target_set else { return Ok(()) };
    let visits = visits(&session.journal.run().header.candidates);
    let workloads = &session.journal.run().header.workloads;
    let has_any = workloads.iter().any(|w| layers::in_memory(w, CeilingLayer::FsRam).is_some());
    if visits.is_empty() || !has_any || session.cancel.is_set() {
        return Ok(());
    }
    if let Some(why) = reason_against(session, visits.len() as u64) {
        of.skipped.push(layer::unmeasured(EVERYTHING, &why));
        return Ok(());
    }
    let memory = match Memory::make(session) {
        Ok(memory) => memory,
        Err(error) => {
            of.skipped.push(layer::unmeasured(EVERYTHING, &error.why()?));
            return Ok(());
        }
    };
    let measured = on_image(session, on_disk, &memory, visits, of);
    memory.remove(session).and(measured)
}

/// Each different stack once: schedulers and the like make none.
fn visits(candidates: &[Candidate]) -> Vec<Visit> {
    let mut all: Vec<Visit> = Vec::new();
    for (index, candidate) in CandidateIx::each(candidates) {
        let of = [
            (CeilingLayer::FsRam, variants::filesystem_alone(candidate)),
            (CeilingLayer::CryptRam, variants::cipher_alone(candidate)),
        ];
        for (layer, what) in of.into_iter().filter_map(|(layer, what)| Some((layer, what?))) {
            let what = Candidate { region: RegionIx::FIRST, ..what };
            match all.iter_mut().find(|v| v.layer == layer && v.what.kind == what.kind) {
                Some(visit) => visit.candidates.push(index),
                None => all.push(Visit { layer, what, candidates: vec![index] }),
            }
        }
    }
    all
}

/// Every change that [`measure`] makes, for a plan; `device` is what the loop device is called.
pub fn announced(
    run: &str,
    candidates: &[Candidate],
    mount_point: &RawPath,
    device: &RawPath,
) -> Vec<Step> {
    let name = ScratchOf::MEMORY.name(run);
    let image = RawPath::new(Path::new(layer::MEMORY).join(name).join(scratch::IMAGE));
    let mut all = vec![steps::fill(0, &image, IMAGE_BYTES), steps::attach_loop(0, &image)];
    let target_set = visit::StackTarget {
        run,
        slot: 0,
        device,
        region_bytes: IMAGE_BYTES,
        flash_state: FlashState::WrittenOnce,
        mount_point,
    };
    for Visit { what, .. } in visits(candidates) {
        if let Kind::Stack(stack) = &what.kind {
            all.extend(visit::made(&what.name, stack, &target_set).steps);
        }
    }
    all
}

/// Why nothing is measured: the time is the blocks', the memory the system's.
fn reason_against(session: &Session, visits: u64) -> Option<String> {
    let run = session.journal.run();
    let most_bytes = host::available_bytes() / MEMORY_SHARE;
    if IMAGE_BYTES > most_bytes {
        return Some(format!(
            "they need {} of memory, and bakeoff uses at most {} (a quarter)",
            units::size(IMAGE_BYTES),
            units::size(most_bytes)
        ));
    }
    let protocol = &run.header.protocol;
    let layers_ns =
        run.header.workloads.len() as u64 * (layers::LAYER_NS + layers::LAYER_OVERHEAD_NS);
    let blocks_ns = cost::of_block(run).0.saturating_mul(u64::from(schedule::most_blocks(run)));
    let ends_ns = session.journal.elapsed_ns() + visits * (VISIT_NS + layers_ns) + blocks_ns;
    let is_over = protocol.time_ns.is_some_and(|limit| ends_ns > limit);
    is_over.then(|| "no time left after the blocks. Allow more time with --time".to_string())
}

fn on_image(
    session: &mut Session,
    on_disk: &Regions,
    memory: &Memory,
    visits: Vec<Visit>,
    of: &mut Ceilings,
) -> Result<(), Fault> {
    let image = match memory.make_file(scratch::IMAGE) {
        Ok(image) => image,
        Err(error) => {
            of.skipped.push(layer::unmeasured(EVERYTHING, &error.to_string()));
            return Ok(());
        }
    };
    let on_loop = match making::image(session, &image, IMAGE_BYTES) {
        Ok(attached) => attached,
        Err(error) => {
            of.skipped.push(layer::unmeasured(EVERYTHING, &error.why()?));
            return Ok(());
        }
    };
    let step = on_loop.step;
    let mut target_set = TargetSet::Regions(regions_on(session, on_disk, &image, on_loop));
    let mut done = Ok(());
    for visit in visits {
        if session.cancel.is_set() || done.is_err() {
            break;
        }
        session.progress.doing(&format!("measuring {}", visit.what.name));
        let what = (&visit.what, visit.what.name.as_str());
        done = layer::visit(session, &mut target_set, what, of, |session, target_set, of| {
            layers_of(session, target_set, &visit, of);
            Ok(())
        });
    }
    unwind::undo(&mut session.journal, step).or_else(|error| error.why().map(drop))?;
    done
}

fn regions_on(session: &Session, on_disk: &Regions, image: &Opened, on_loop: OnLoop) -> Regions {
    let place = session.journal.run().header.region.as_ref().map(|r| r.place.clone());
    let (parts, shown) = (vec![Part::of_image(on_loop)], RawPath::new(image.shown()));
    let attached = Attached::images(parts, shown, place.unwrap_or_default(), IMAGE_BYTES);
    let file_bytes = on_disk.file_bytes.min(FILE_BYTES);
    Regions::new(vec![attached], on_disk.mount_point.clone(), file_bytes)
}

fn layers_of(session: &Session, target_set: &mut TargetSet, visit: &Visit, of: &mut Ceilings) {
    let header = &session.journal.run().header;
    for (workload, what) in WorkloadIx::each(&header.workloads) {
        let Some(planned) = layers::in_memory(what, visit.layer) else { continue };
        let place = Place { workload, candidate: visit.candidates.first().copied(), planned };
        match layer::measure(session, target_set, None, &place) {
            Ok(measured) => of.measured.extend(
                visit
                    .candidates
                    .iter()
                    .map(|c| LayerRate { candidate: Some(*c), ..measured.clone() }),
            ),
            Err(why) => {
                let name = format!("{} for {}", visit.what.name, what.name);
                of.skipped.push(layer::unmeasured(&name, &why));
            }
        }
    }
}
