//! The data file of a candidate: written in full before anything is measured on it.

use bakeoff_model::job::Job;
use bakeoff_tools::native::TargetKind;

use crate::host::Opened;
use crate::load;
use crate::load::scratch::Scratch;
use crate::steps::error::{StepError, io_error};
use crate::steps::session::Session;

/// Writes a new file of incompressible data and flushes it; gives bytes a second, and the file.
pub fn lay_out(
    session: &Session,
    scratch: &Scratch,
    name: &str,
    file_bytes: u64,
) -> Result<(f64, Opened), StepError> {
    let file = scratch.create(name).map_err(io_error(&format!("make {name}")))?;
    let mut tick = |live| session.progress.live(live);
    let job = Job::filling(file_bytes);
    let written = load::run(&job, &file, TargetKind::File, &session.cancel, &mut tick)?.write;
    Ok((written.map_or(0.0, |write| write.bw_bytes_per_s), file))
}
