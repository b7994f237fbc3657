//! How much of a place can be written in full in the time of a run, by writing the start of it.

use bakeoff_machine::prepare::recipe::smallest_region_bytes;
use bakeoff_machine::prepare::region::{self, Span};
use bakeoff_machine::prepare::steps;
use bakeoff_stats::units;

use super::regions::Attached;
use super::rehearse;
use super::targets::Wanted;
use crate::planning::share::TIME_SHARE;
use crate::steps::session::Session;
use crate::steps::step_error::StepError;
use crate::steps::stepper;

/// Share of a place that is written to see how fast it is, and at most so much: past the caches of
/// most drives, and little wear beside the rest.
const TRIED_SHARE: u64 = 32;
const TRIED_MOST_BYTES: u64 = 1 << 30;
const SMALL_BYTES: u64 = 1 << 30;

/// The place, or as much of it from its start as a fifth of the time is enough for. A size that
/// the plan asks for stays.
pub fn largest(
    session: &mut Session,
    wanted: &Wanted,
    attached: &Attached,
) -> Result<Span, StepError> {
    let span = wanted.span;
    let header = &session.journal.run().header;
    let targets = 1 + header.more_regions.len() as u64;
    let needed_bytes = smallest_region_bytes(&header.candidates) * u64::from(wanted.parts);
    let time_ns = header.protocol.time_ns.filter(|_| wanted.is_chosen && wanted.parts > 1);
    let Some(time_ns) = time_ns.filter(|_| span.size_bytes > SMALL_BYTES) else { return Ok(span) };
    let granule_bytes = region::alignment_bytes(wanted.target.room.granule_bytes);
    let tried_bytes = (span.size_bytes / TRIED_SHARE).min(TRIED_MOST_BYTES);
    let tried_bytes = tried_bytes.next_multiple_of(granule_bytes);
    let device = attached.device().clone();
    session.progress.doing("measuring how fast the region can be written");
    let ((), took_ns) = rehearse::timed(|| {
        stepper::take(session, |n| steps::overwrite(n, &device, tried_bytes, false)).map(drop)
    })?;
    let rate = tried_bytes as f64 * 1e9 / took_ns.max(1) as f64;
    let in_time_bytes = (rate * (time_ns / TIME_SHARE / targets) as f64 / 1e9) as u64;
    let size_bytes = in_time_bytes.max(needed_bytes).next_multiple_of(granule_bytes);
    if size_bytes >= span.size_bytes {
        return Ok(span);
    }
    session.progress.note(&format!(
        "{} writes {}: the region shrinks from {} to {}, which takes a fifth of the time.",
        wanted.target.path,
        units::rate(rate),
        units::size(span.size_bytes),
        units::size(size_bytes)
    ));
    Ok(Span { size_bytes, ..span })
}
