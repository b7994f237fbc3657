//! `run --prove`: after the answer, short experiments on what is only suspected.
//!
//! Each candidate is prepared once more as for a visit, an encrypted one also with the null cipher,
//! without encryption, and with its cipher alone. A lowered clock is a step with its undo, so it is
//! put back on every way out, by `clean` after a crash too. What is not done is written down with
//! its reason.

use std::time::{Duration, Instant};

use bakeoff_judge::diagnose::prove::{self, MOST_NS};
use bakeoff_judge::diagnose::{Grade, summary, variants};
use bakeoff_machine::prepare::knobs;
use bakeoff_model::bottleneck::Bottleneck;
use bakeoff_model::candidate::Candidate;
use bakeoff_model::ceiling::{CeilingLayer, Ceilings, LayerRate};
use bakeoff_model::event::What;
use bakeoff_model::index::{CandidateIx, WorkloadIx};
use bakeoff_model::run::Run;

use super::cell;
use super::layer::{self, Place};
use crate::fault::Fault;
use crate::host;
use crate::places::target_set::TargetSet;
use crate::steps::session::Session;
use crate::steps::step_error::StepError;
use crate::steps::stepper;
use crate::steps::unwind;
use bakeoff_judge::decide::cost;

/// Experiments on everything that is not proved yet.
///
/// # Errors
/// When the record cannot be kept, or a setting cannot be put back.
pub fn measure(session: &mut Session, target_set: &mut TargetSet) -> Result<(), Fault> {
    let run = session.journal.run();
    let is_known = run.ceilings.measured.iter().any(|known| known.layer == CeilingLayer::Again);
    if !run.header.protocol.prove || is_known || session.cancel.is_set() {
        return Ok(());
    }
    let mut of = run.ceilings.clone();
    let until = Instant::now() + Duration::from_nanos(MOST_NS);
    for candidate in CandidateIx::all(run.header.candidates.len()) {
        let places =
            suspected(session.journal.run(), candidate, target_set.only_region().is_some());
        if places.is_empty() {
            continue;
        }
        let own = session.journal.run().header.candidates[candidate].clone();
        let others = on_other_ciphers(session.journal.run(), &own, &places);
        let visits = [(own, places)].into_iter().chain(others);
        for (what, places) in visits {
            if !session.cancel.is_set() {
                let name = format!("experiments on {}", what.name);
                let on = (&what, name.as_str());
                layer::visit(session, target_set, on, &mut of, |session, target_set, of| {
                    experiments(session, target_set, (places, until), of)
                })?;
            }
        }
    }
    session.journal.record(What::Ceilings(Box::new(of)))
}

fn suspected(run: &Run, candidate: CandidateIx, has_device: bool) -> Vec<Place> {
    let name = &run.header.candidates[candidate].name;
    let mut places = Vec::new();
    for (workload, of) in WorkloadIx::each(&run.header.workloads) {
        let held = summary::workload(run, workload);
        let open = |h: &&Bottleneck| h.candidate == *name && h.reason.grade != Grade::Proved;
        if held.iter().find(open).is_none() {
            continue;
        }
        let known = run
            .ceilings
            .measured
            .iter()
            .filter(|r| r.workload == workload && r.candidate.is_none_or(|of| of == candidate));
        let known: Vec<CeilingLayer> = known.map(|known| known.layer).collect();
        let all = prove::jobs(of, has_device, &known).into_iter();
        places.extend(all.map(|planned| Place { workload, candidate: Some(candidate), planned }));
    }
    places
}

/// The same workloads on the candidate with the null cipher, without encryption and without its
/// filesystem, where it has any encryption: a visit each.
fn on_other_ciphers(run: &Run, own: &Candidate, places: &[Place]) -> Vec<(Candidate, Vec<Place>)> {
    let mut workloads: Vec<(WorkloadIx, Option<CandidateIx>)> =
        places.iter().map(|place| (place.workload, place.candidate)).collect();
    workloads.dedup();
    let visit = |(layer, changed): (CeilingLayer, Candidate)| {
        let place = |(workload, candidate): &(WorkloadIx, Option<CandidateIx>)| {
            let of = &run.header.workloads[*workload];
            let planned = prove::on_another_cipher(of, layer)?;
            Some(Place { workload: *workload, candidate: *candidate, planned })
        };
        let places: Vec<Place> = workloads.iter().filter_map(place).collect();
        (!places.is_empty()).then_some((changed, places))
    };
    on_ciphers(own).filter_map(visit).collect()
}

fn on_ciphers(own: &Candidate) -> impl Iterator<Item = (CeilingLayer, Candidate)> {
    let changed = [
        (CeilingLayer::NullCipher, variants::null_cipher(own)),
        (CeilingLayer::NoCipher, variants::without_cipher(own)),
        (CeilingLayer::CryptRaw, variants::cipher_on_the_region(own)),
    ];
    changed.into_iter().filter_map(|(layer, changed)| Some((layer, changed?)))
}

pub fn changed(own: &Candidate) -> Vec<Candidate> {
    on_ciphers(own).map(|(_, changed)| changed).collect()
}

fn experiments(
    session: &mut Session,
    target_set: &mut TargetSet,
    (places, until): (Vec<Place>, Instant),
    of: &mut Ceilings,
) -> Result<(), Fault> {
    for place in places {
        if session.cancel.is_set() {
            return Ok(());
        }
        let workload = &session.journal.run().header.workloads[place.workload];
        let name = format!("{} for {}", place.planned.layer.label(), workload.name);
        if let Some(why) = reason_against(session.journal.run(), of, &place, until) {
            of.skipped.push(layer::unmeasured(&name, why));
            continue;
        }
        session.progress.doing(&format!("testing {name}"));
        let measured = match place.planned.layer {
            CeilingLayer::SlowClock => at_a_lowered_clock(session, target_set, &place)?,
            _ => cold(session, target_set, &place),
        };
        match measured {
            Ok(measured) => of.measured.push(measured),
            Err(why) => of.skipped.push(layer::unmeasured(&name, &why)),
        }
    }
    Ok(())
}

/// Why an experiment is not done: time and bytes are bounded.
fn reason_against(run: &Run, of: &Ceilings, place: &Place, until: Instant) -> Option<&'static str> {
    if Instant::now() >= until {
        return Some("the experiments reached their time limit");
    }
    let most = run.header.protocol.max_write_bytes?;
    let experiments = of.measured.len().saturating_sub(run.ceilings.measured.len()) as u64 + 1;
    let bytes = place.planned.write_bytes().saturating_mul(experiments);
    let is_over = bytes > 0 && cost::written_bytes(run).saturating_add(bytes) > most;
    is_over.then_some("it would exceed the write limit. Raise the limit with --max-write")
}

/// Measures an experiment; what is read comes from the drive, as in the cells.
fn cold(session: &Session, target_set: &mut TargetSet, place: &Place) -> Result<LayerRate, String> {
    if place.planned.job.rw.reads() {
        cell::cool(place.site(target_set)?).map_err(|error| error.to_string())?;
    }
    layer::measure(session, target_set, None, place)
}

fn at_a_lowered_clock(
    session: &mut Session,
    target_set: &mut TargetSet,
    place: &Place,
) -> Result<Result<LayerRate, String>, Fault> {
    let mut taken = Vec::new();
    let measured = match lower(session, &mut taken) {
        Ok(()) if taken.is_empty() => {
            Ok(Err("this machine does not allow setting the CPU clock".to_string()))
        }
        Ok(()) => Ok(cold(session, target_set, place)),
        Err(error) => error.why().map(Err),
    };
    for step in taken.into_iter().rev() {
        // What cannot be put back stays in the record, and is tried again at the end of the run.
        unwind::undo(&mut session.journal, step).or_else(|error| error.why().map(drop))?;
    }
    measured
}

/// Takes a step for each policy; `taken` has them even where one fails.
fn lower(session: &mut Session, taken: &mut Vec<u32>) -> Result<(), StepError> {
    for policy in host::cpufreq_policies() {
        let knob = knobs::highest_clock(&policy);
        let Some(before) = host::setting(knobs::path(&knob).as_path()) else { continue };
        let Ok(khz) = before.parse::<u64>() else { continue };
        let value = ((khz as f64 * prove::CLOCK) as u64).to_string();
        taken.push(stepper::next_number(session)?);
        stepper::take(session, |n| knobs::set(n, &knob, &value, &before))?;
    }
    Ok(())
}
