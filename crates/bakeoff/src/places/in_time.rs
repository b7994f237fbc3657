//! How much of a place can be written in full and read back in the time of a run, by writing the
//! start of it.

use bakeoff_judge::decide::size;
use bakeoff_machine::prepare::recipe::smallest_region_bytes;
use bakeoff_machine::prepare::region::{self, Span};
use bakeoff_machine::prepare::steps;
use bakeoff_model::protocol::Isolation;
use bakeoff_model::stands;
use bakeoff_stats::units;

use super::regions::Attached;
use super::rehearse;
use super::targets::Wanted;
use crate::fault::Fault;
use crate::planning::share::TIME_SHARE;
use crate::steps::error::StepError;
use crate::steps::session::Session;
use crate::steps::stepper;

/// Share of a place that is written to see how fast it is, and at most so much: past the caches of
/// most drives, and little wear beside the rest.
const TRIED_SHARE: u64 = 32;
const TRIED_MOST_BYTES: u64 = 1 << 30;
/// What is written first, to see how long the rest would take, and its share of the time.
const FIRST_BYTES: u64 = 32 << 20;
const TRIED_TIME_SHARE: u64 = 4;
/// Smaller places are written without a look.
const SMALL_BYTES: u64 = 128 << 20;
/// Share of the time limit that is not enough for the blocks of an answer: a region that takes all
/// the rest is refused before it is written.
const MEASURED_SHARE: u64 = 2;

/// The place, or as much of it from its start as a fifth of the time is enough for. A size that
/// the plan asks for stays.
///
/// # Errors
/// When the smallest regions that candidates need take most of the time.
pub fn largest(
    session: &mut Session,
    wanted: &Wanted,
    attached: &Attached,
) -> Result<Span, StepError> {
    let span = wanted.span;
    let header = &session.journal.run().header;
    let targets = 1 + header.more_regions.len() as u64;
    let granule_bytes = region::alignment_bytes(wanted.target.room.granule_bytes);
    let (_, sharing) = stands::compared(&header.candidates);
    let files_bytes = size::least_region_bytes(&header.workloads, sharing, header.file_bytes);
    let each_bytes = smallest_region_bytes(&header.candidates).max(files_bytes);
    let smallest_bytes = each_bytes.next_multiple_of(granule_bytes) * u64::from(wanted.parts);
    let is_beside = header.protocol.isolation == Isolation::Slices;
    let limit_ns = header.protocol.time_ns.filter(|_| wanted.is_chosen && is_beside);
    let Some(limit_ns) = limit_ns.filter(|_| span.size_bytes > SMALL_BYTES) else {
        return Ok(span);
    };
    let own_ns = limit_ns / TIME_SHARE / targets;
    session.progress.doing("measuring how fast the region can be written");
    let first_bytes = FIRST_BYTES.next_multiple_of(granule_bytes);
    let mut rate = written_rate(session, attached, first_bytes)?;
    let in_time = |rate: f64, ns: u64| (rate * ns as f64 / 1e9) as u64;
    let tried_bytes = (span.size_bytes / TRIED_SHARE).min(TRIED_MOST_BYTES);
    let tried_bytes = tried_bytes.min(in_time(rate, own_ns / TRIED_TIME_SHARE));
    let tried_bytes = tried_bytes / granule_bytes * granule_bytes;
    if tried_bytes > first_bytes {
        rate = written_rate(session, attached, tried_bytes)?;
    }
    let needed_ns = region::prepared_bytes(smallest_bytes) as f64 * 1e9 / rate.max(1.0);
    if needed_ns * targets as f64 > (limit_ns / MEASURED_SHARE) as f64 {
        let needed_ns = needed_ns as u64 * targets;
        return Err(Fault::usage(format!(
            "{} writes {}: preparing the smallest regions that the candidates need, {} together, \
             takes {}, more than half of the time limit of {}. Use --time {}s",
            wanted.target.path,
            units::rate(rate),
            units::size(smallest_bytes),
            units::duration(needed_ns),
            units::duration(limit_ns),
            needed_ns.saturating_mul(TIME_SHARE).div_ceil(1_000_000_000)
        ))
        .into());
    }
    let size_bytes = region::of_prepared_bytes(in_time(rate, own_ns)).max(smallest_bytes);
    let size_bytes = size_bytes.next_multiple_of(granule_bytes);
    if size_bytes >= span.size_bytes {
        return Ok(span);
    }
    session.progress.note(&format!(
        "{} writes {}: the region shrinks from {} to {}, so that preparing it takes a fifth of the \
         time.",
        wanted.target.path,
        units::rate(rate),
        units::size(span.size_bytes),
        units::size(size_bytes)
    ));
    Ok(Span { size_bytes, ..span })
}

fn written_rate(session: &mut Session, attached: &Attached, bytes: u64) -> Result<f64, StepError> {
    let device = attached.device().clone();
    let ((), took_ns) = rehearse::timed(|| {
        stepper::take(session, |n| steps::overwrite(n, &device, bytes, false)).map(drop)
    })?;
    Ok(bytes as f64 * 1e9 / took_ns.max(1) as f64)
}
