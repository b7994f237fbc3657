//! Whether the capacity is real, and whether a card keeps its marks: samples and a stretch are
//! written, read back, and restored from a copy.

use std::path::Path;
use std::time::Duration;

use bakeoff_machine::prepare::steps;
use bakeoff_machine::probe::exam::{ExamAnswer, PartSeen};
use bakeoff_machine::probe::judge::{self, ProbeVerdict, Report};
use bakeoff_machine::probe::speed::AlikeDrives;
use bakeoff_machine::probe::{
    FLUSH_AGAIN_BYTES, FLUSH_BYTES, Readback, SampleLayout, stretch_bytes,
};
use bakeoff_model::path::RawPath;
use bakeoff_model::undo::DriveId;
use bakeoff_model::verb::Verb;
use bakeoff_stats::units;

use super::super::unkept;
use crate::cli::Global;
use crate::fault::Fault;
use crate::files::{Entry, OtherUser};
use crate::host;
use crate::planning::new_run;
use crate::signals::Cancel;
use crate::steps::error::StepError;
use crate::steps::locked_target::LockedTarget;
use crate::steps::probing::{self, PassSeen, PassSpeed, ProbedDevice};
use crate::steps::session::Session;
use crate::steps::stepper;
use crate::steps::target::Target;
use crate::ui::say;

/// Time for random writes on a card that has a mark for them.
const RANDOM: Duration = Duration::from_secs(2);

/// A drive that is held, and what is known of others of its kind.
pub struct Sampled<'a> {
    pub target: &'a Target,
    pub held: &'a LockedTarget,
    pub alike: &'a AlikeDrives,
    pub moved: &'a dyn Fn() -> Option<u64>,
    pub cancel: &'a Cancel,
}

/// The capacity, and what the marks on a card are worth.
///
/// # Errors
/// When it was interrupted, or something cannot be saved or restored.
pub fn examine(global: &Global, of: &Sampled) -> Result<(Report, Vec<PartSeen>), Fault> {
    let title = format!("probe: {}", of.target.path);
    let found = unkept::run(global, Verb::Probe, title, |session| in_step(session, global, of));
    let (report, pass) = found?;
    // What is slow only because it gives other data is not told to be slow as well.
    let is_real = report.verdict == ProbeVerdict::NoEvidence;
    let marks = marks(of.alike, &pass).into_iter().filter(|_| is_real);
    let parts = marks.chain([report.seen()]).collect();
    Ok((report, parts))
}

fn marks(alike: &AlikeDrives, pass: &PassSeen) -> Vec<PartSeen> {
    let writes = alike.marked_writes(&pass.writes);
    writes.into_iter().chain(alike.marked_random_writes(&pass.random_writes)).collect()
}

/// Probes as a step of a run: what undoes it, restoring the originals, is recorded first.
fn in_step(
    session: &mut Session,
    global: &Global,
    of: &Sampled,
) -> Result<(Report, PassSeen), Fault> {
    let header = &session.journal.run().header;
    let saved = probing::saved_file(&header.run, session.journal.store_path())
        .map_err(|e| Fault::environment(format!("cannot save the original data: {e}")))?;
    let owner = OtherUser::behind_sudo();
    Entry::making(&saved, (0o700, owner.as_ref()))?;
    let drive = DriveId {
        name: of.target.token_name.clone(),
        at: of.target.path.clone(),
        file: of.target.file,
        size_bytes: of.target.room.target_bytes,
    };
    let shown = RawPath::new(&saved);
    let mut probed = None;
    let bytes = stretch_bytes(of.target.room.target_bytes);
    let build = |n| steps::save_originals(n, &shown, bytes, drive);
    let taken = stepper::take_by(session, build, |_, _, _| {
        probed = Some(probe(global, of, &saved));
        Ok(String::new())
    });
    taken.map_err(StepError::into_fault)?;
    probed.unwrap_or_else(|| Err(Fault::bug("nothing was measured")))
}

fn probe(global: &Global, of: &Sampled, saved: &Path) -> Result<(Report, PassSeen), Fault> {
    let failed = |e: std::io::Error| {
        let kept = if saved.exists() {
            format!(
                ". The overwritten data is saved in {}. Restore it with `bakeoff clean`",
                RawPath::new(saved)
            )
        } else {
            String::new()
        };
        Fault::environment(format!("probing {} failed: {e}{kept}", of.target.path))
    };
    let mut device = ProbedDevice::held(of.held)?;
    let size = of.target.room.target_bytes;
    let seed = global.seed.unwrap_or_else(new_run::fresh_u64);
    let mut pass = |flush_bytes: u64, number: u64, random: Duration| -> Result<PassSeen, Fault> {
        let layout = SampleLayout::new(size, seed.wrapping_add(number), flush_bytes);
        check_room(saved, &layout)?;
        let speed = PassSpeed { moved: of.moved, random };
        // Other samples than any probe before: what an old one wrote is not taken for this one's.
        let salt = new_run::fresh_u64();
        let seen = probing::pass(&mut device, (&layout, salt), saved, &speed, of.cancel);
        seen.map_err(failed)?.ok_or_else(|| {
            Fault::interrupted(
                "interrupted. The previous contents are restored, as far as the drive stores data \
                 correctly",
            )
        })
    };
    let random = if of.alike.app_class().is_some() { RANDOM } else { Duration::ZERO };
    let first = pass(FLUSH_BYTES, 0, random)?;
    let is_bad = first.samples.iter().any(|(_, seen)| *seen != Readback::Good);
    let again = if is_bad {
        say::note(
            global.quiet,
            format_args!("Some samples were not read back correctly. Repeating them."),
        );
        Some(pass(FLUSH_AGAIN_BYTES, 1, Duration::ZERO)?.samples)
    } else {
        None
    };
    let name = of.target.describe();
    let report = judge::judge(&name, size, &first.samples, again.as_deref());
    let is_slow = marks(of.alike, &first).iter().any(|seen| seen.answer == ExamAnswer::Slow);
    if is_bad || !is_slow {
        return Ok((report, first));
    }
    say::note(global.quiet, format_args!("It seems slower than its marks. Measuring once more."));
    Ok((report, pass(FLUSH_AGAIN_BYTES, 2, random)?))
}

fn check_room(saved: &Path, layout: &SampleLayout) -> Result<(), Fault> {
    let needed: u64 = layout.overwritten().iter().map(|(_, bytes)| bytes).sum();
    let dir = saved.parent().unwrap_or(Path::new("."));
    let place = host::place(dir).map_err(Fault::environment)?;
    if place.free_bytes / 2 >= needed {
        return Ok(());
    }
    Err(Fault::environment(format!(
        "the data to be overwritten ({}) is saved in {}, which has only {} free. Choose another \
         location with --store",
        units::size(needed),
        RawPath::new(dir),
        units::size(place.free_bytes)
    )))
}
