//! Marks of targets: taken after each change of a region's start, compared by `resume`.

use bakeoff_machine::prepare::region::Span;
use bakeoff_model::event::{Region, What};
use bakeoff_model::index::RegionIx;
use bakeoff_model::mark::Mark;
use bakeoff_model::path::RawPath;

use crate::host;
use crate::steps::error::StepError;
use crate::steps::session::Session;
use crate::steps::target::Target;

/// The mark of a target nothing of ours is attached to; `start` is what is at its region's start.
fn of(target: &Target, span: Span, start: Option<String>) -> Mark {
    Mark {
        name: target.token_name.clone(),
        boot_id: host::boot_id().ok(),
        diskseq: target.diskseq,
        file: target.file,
        table_id: target.contents.table_id().map(str::to_string),
        outside: target.contents.fingerprint_outside(span),
        start,
    }
}

/// Records the first mark of a region that is attached as `device`.
pub fn first(
    session: &mut Session,
    index: usize,
    target: &Target,
    span: Span,
    device: &RawPath,
) -> Result<(), StepError> {
    let mark = of(target, span, start_of(device, span.size_bytes));
    record(session, index, mark)
}

/// Records what is at the start of a region now. A region without a mark is an image of our own.
pub fn again(
    session: &mut Session,
    index: usize,
    device: &RawPath,
    region: &Region,
) -> Result<(), StepError> {
    let number = RegionIx::new(index);
    let last = session.journal.run().marks.iter().find(|(region, _)| *region == number);
    let Some((_, last)) = last.cloned() else { return Ok(()) };
    record(session, index, Mark { start: start_of(device, region.size_bytes), ..last })
}

/// What cannot be read is not known, and `resume` asks.
fn start_of(device: &RawPath, size_bytes: u64) -> Option<String> {
    host::start_of(device.as_path(), 0, size_bytes).ok()
}

fn record(session: &mut Session, index: usize, mark: Mark) -> Result<(), StepError> {
    let region = RegionIx::new(index);
    let known = session.journal.run().marks.iter().any(|(at, last)| *at == region && *last == mark);
    if !known {
        session.journal.record(What::Marked { region, mark })?;
    }
    Ok(())
}

pub fn compare(last: Option<&Mark>, target: &Target, span: Span) -> Vec<&'static str> {
    let Some(last) = last else { return vec!["the run recorded nothing that identifies it"] };
    let path = target.path.as_path();
    let start = host::start_of(path, span.start_bytes, span.size_bytes).ok();
    last.differences(&of(target, span, start))
}
