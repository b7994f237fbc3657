//! `bakeoff probe TARGET`: is the capacity real?

use std::path::Path;

use bakeoff_machine::prepare::steps;
use bakeoff_machine::probe::judge::{self, ProbeVerdict};
use bakeoff_machine::probe::{
    FLUSH_AGAIN_BYTES, FLUSH_BYTES, Readback, SMALLEST_BYTES, SampleLayout, card,
};
use bakeoff_model::path::RawPath;
use bakeoff_model::undo::DriveId;
use bakeoff_model::verb::Verb;
use bakeoff_report as report;
use bakeoff_stats::units;

use super::{answer, consent, lifecycle, stored, unkept};
use crate::cli::{Global, ProbeArgs};
use crate::fault::{Fault, Outcome};
use crate::files::{Entry, OtherUser};
use crate::host;
use crate::planning::new_run;
use crate::signals::Cancel;
use crate::steps::locked_target::LockedTarget;
use crate::steps::probing::{self, ProbedDevice};
use crate::steps::session::Session;
use crate::steps::step_error::StepError;
use crate::steps::stepper;
use crate::steps::target::{self, Target};
use crate::store::place;
use crate::ui::say;

pub fn run(global: &Global, args: &ProbeArgs) -> Result<Outcome, Fault> {
    let format = stored::format(global, "probe")?;
    let target = target::look(&args.target, args.shares_disk_with_root)?;
    let store = place::path(global.store.as_deref())?;
    target.refuse_ours(&[("the store", &store)])?;
    let size = target.room.target_bytes;
    if size < SMALLEST_BYTES {
        return Err(Fault::usage(format!(
            "{} has only {}: probe checks drives of at least {}",
            target.path,
            units::size(size),
            units::size(SMALLEST_BYTES)
        )));
    }
    let remains = lifecycle::recover(global)?;
    say::note(
        global.quiet,
        format_args!(
            "{}: about {} are overwritten, read back and then restored from a copy.\n\
             On a fake drive existing data may be lost: its addresses overlap.",
            target.describe(),
            units::size(FLUSH_BYTES)
        ),
    );
    consent::to_erase(&[&target], &args.erase)?;
    let held = target.take(args.shares_disk_with_root)?;
    let cancel = Cancel::listen().map_err(Fault::environment)?;
    let title = format!("probe: {}", target.path);
    let mut found = unkept::run(global, Verb::Probe, title, |session| {
        in_step(session, global, (&target, &held), &cancel)
    })?;
    found.hint = target.sd_card_id().and_then(|id| card::hint(&id));
    answer::print_either(format, || report::probe_json(&found), || report::probe_document(&found))?;
    remains.end(Ok(match found.verdict {
        ProbeVerdict::NoEvidence => Outcome::Done,
        ProbeVerdict::Mismatch | ProbeVerdict::Unstable => Outcome::Open,
    }))
}

/// Probes as a step of a run: what undoes it, restoring the originals, is recorded first.
fn in_step(
    session: &mut Session,
    global: &Global,
    (target, held): (&Target, &LockedTarget),
    cancel: &Cancel,
) -> Result<judge::Report, Fault> {
    let header = &session.journal.run().header;
    let saved = probing::saved_file(&header.run, session.journal.store_path())
        .map_err(|e| Fault::environment(format!("cannot save the original data: {e}")))?;
    make_directory_of(&saved)?;
    let drive = DriveId {
        name: target.token_name.clone(),
        at: target.path.clone(),
        file: target.file,
        size_bytes: target.room.target_bytes,
    };
    let shown = RawPath::new(&saved);
    let mut probed = None;
    let build = |n| steps::save_originals(n, &shown, FLUSH_BYTES, drive);
    let taken = stepper::take_by(session, build, |_, _, _| {
        probed = Some(probe(global, (target, held), &saved, cancel));
        Ok(String::new())
    });
    taken.map_err(StepError::into_fault)?;
    probed.unwrap_or_else(|| Err(Fault::bug("nothing was measured")))
}

fn probe(
    global: &Global,
    (target, held): (&Target, &LockedTarget),
    saved: &Path,
    cancel: &Cancel,
) -> Result<judge::Report, Fault> {
    let failed = |e: std::io::Error| {
        let kept = match saved.exists() {
            true => format!(
                ". The overwritten data is saved in {}. Restore it with `bakeoff clean`",
                RawPath::new(saved)
            ),
            false => String::new(),
        };
        Fault::environment(format!("probing {} failed: {e}{kept}", target.path))
    };
    let mut device = ProbedDevice::held(held)?;
    let size = target.room.target_bytes;
    let seed = global.seed.unwrap_or_else(new_run::fresh_u64);
    let mut pass = |flush_bytes: u64, number: u64| -> Result<Vec<(u64, Readback)>, Fault> {
        let layout = SampleLayout::new(size, seed.wrapping_add(number), flush_bytes);
        check_room(saved, &layout)?;
        // Other samples than any probe before: what an old one wrote is not taken for this one's.
        let seen = probing::pass(&mut device, &layout, new_run::fresh_u64(), saved, cancel);
        seen.map_err(failed)?.ok_or_else(|| {
            Fault::interrupted(
                "interrupted. The previous contents are restored, as far as the drive stores data \
                 correctly",
            )
        })
    };
    let first = pass(FLUSH_BYTES, 0)?;
    let is_bad = first.iter().any(|(_, seen)| *seen != Readback::Good);
    let again = match is_bad {
        true => {
            say::note(
                global.quiet,
                format_args!("Some samples were not read back correctly. Repeating them."),
            );
            Some(pass(FLUSH_AGAIN_BYTES, 1)?)
        }
        false => None,
    };
    Ok(judge::judge(&target.describe(), size, &first, again.as_deref()))
}

fn make_directory_of(saved: &Path) -> Result<(), Fault> {
    let owner = OtherUser::behind_sudo();
    Ok(Entry::making(saved, (0o700, owner.as_ref())).map(drop)?)
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
