//! Writes rounds to a region until it is steady, each recorded when it is done. When that is, and
//! what a round does, `core::prepare::precondition` says.

use bakeoff_machine::prepare::precondition::{self, Left, SHARE};
use bakeoff_model::event::{Header, Region, What};
use bakeoff_model::index::RegionIx;
use bakeoff_model::path::RawPath;
use bakeoff_model::precondition::{PreconditionEnd, PreconditionRound, RegionRounds};
use bakeoff_model::run::Run;
use bakeoff_report::prepared;
use bakeoff_tools::native::TargetKind;

use super::regions::Attached;
use crate::fault::Fault;
use crate::load;
use crate::steps::action_error::load_error;
use crate::steps::session::Session;
use crate::steps::step_error::StepError;
use crate::steps::stepper;
use bakeoff_judge::decide::cost;

/// Brings region `index` to its steady state, or finds out that it has none; nothing where the plan
/// does not want it. `least_bytes` is what the run will write at least.
pub fn reach_steady_state(
    session: &mut Session,
    index: usize,
    at: &Attached,
    least_bytes: u64,
) -> Result<(), StepError> {
    let (device, region) = (at.device(), &at.region);
    let header = &session.journal.run().header;
    // What is written is the whole place, before it is divided.
    let parts = header.regions().nth(index).map_or(1, |planned| planned.parts);
    let place = Region { parts, ..region.clone() };
    if !precondition::is_wanted(&header.protocol, &header.workloads, &place) {
        return Ok(());
    }
    let number = RegionIx::new(index);
    let mut limit = left(session.journal.run(), session.journal.elapsed_ns(), least_bytes);
    let mut series =
        RegionRounds::new(number, most_bytes(&session.journal.run().header, region, limit));
    if precondition::ended(&series, limit).is_none() {
        let most_bytes = series.most_bytes;
        session.journal.record(What::PreconditionStarted { region: number, most_bytes })?;
    }
    while series.end.is_none() {
        series.end = precondition::ended(&series, limit);
        if series.end.is_none() {
            let round = write(session, &series, device, region, limit)?;
            let spent = |left: &mut u64, by: u64| *left = left.saturating_sub(by);
            limit.time_ns.iter_mut().for_each(|left| spent(left, round.elapsed_ns));
            limit.write_bytes.iter_mut().for_each(|left| spent(left, round.write_bytes));
            session.journal.record(What::PreconditionRound(Box::new(round.clone())))?;
            series.rounds.push(round);
        }
    }
    let end = series.end.unwrap_or(PreconditionEnd::Rounds);
    session.journal.record(What::Preconditioned { region: number, end })?;
    let words = prepared::preconditioned(&series);
    session.progress.note(&format!("Preconditioned {}: {words}.", region.target));
    Ok(())
}

fn most_bytes(header: &Header, region: &Region, limit: Left) -> u64 {
    let job = precondition::job(header, region, 0, limit.write_bytes.unwrap_or(u64::MAX));
    job.io_size.unwrap_or(region.size_bytes)
}

/// A share of what is left of the run's time and bytes once it has written what it has to.
fn left(run: &Run, elapsed_ns: u64, least_bytes: u64) -> Left {
    let protocol = &run.header.protocol;
    let written = cost::written_bytes(run).max(least_bytes);
    Left {
        time_ns: protocol.time_ns.map(|ns| ns.saturating_sub(elapsed_ns) / SHARE),
        write_bytes: protocol.max_write_bytes.map(|most| most.saturating_sub(written) / SHARE),
    }
}

fn write(
    session: &mut Session,
    series: &RegionRounds,
    device: &RawPath,
    region: &Region,
    limit: Left,
) -> Result<PreconditionRound, StepError> {
    stepper::check_targets(session)?;
    let number = u32::try_from(series.rounds.len()).map_err(Fault::bug)?;
    let most = limit.write_bytes.unwrap_or(u64::MAX);
    let job = precondition::job(&session.journal.run().header, region, number, most);
    session.progress.doing(&format!("preconditioning, round {}", number + 1));
    let mut tick = |live| session.progress.live(live);
    let path = device.as_path();
    let measured = load::run(&job, path, TargetKind::Block, &session.cancel, &mut tick);
    let measured = measured.map_err(load_error("preconditioning"))?;
    let write_bytes = measured.write.as_ref().map_or(0, |write| write.io_bytes);
    let elapsed_ns = measured.elapsed_ns.max(1);
    Ok(PreconditionRound {
        region: series.region,
        round: number,
        job: measured.job,
        write_bytes,
        elapsed_ns,
    })
}
