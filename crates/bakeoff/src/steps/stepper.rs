//! Takes steps, each recorded before it is done.
//!
//! The undo of a step is in the store before the step runs, so whatever kills us leaves the way
//! back in the record. A step that makes something of ours below a directory of others holds it
//! open from then on, and works through the descriptor.

use std::time::Instant;

use bakeoff_machine::prepare::steps;
use bakeoff_model::event::{Action, Step, StepDone, What};
use bakeoff_model::path::RawPath;
use bakeoff_model::step::Inode;
use bakeoff_model::undo::ScratchOf;

use super::action;
use super::error::StepError;
use super::session::Session;
use super::{loops, own_place};
use crate::fault::Fault;
use crate::host::{self, Opened};
use crate::load::scratch::{self, Scratch};
use crate::signals::Cancel;
use crate::ui::progress::LiveProgress;

/// Most of a tool's output that is kept in the record.
const KEEP_BYTES: usize = 64 << 10;

pub fn next_number(session: &Session) -> Result<u32, Fault> {
    u32::try_from(session.journal.run().steps.len()).map_err(Fault::bug)
}

pub fn check_targets(session: &Session) -> Result<(), StepError> {
    session.held.targets.iter().try_for_each(super::locked_target::LockedTarget::check)
}

/// Records a step, takes it, records how it went. Gives its number and what it printed.
pub fn take(
    session: &mut Session,
    build: impl FnOnce(u32) -> Step,
) -> Result<(u32, String), StepError> {
    take_by(session, build, action::perform)
}

/// The same, where the caller knows more about how the action is done than the record says: which
/// open file has the path in it.
pub fn take_by<F>(
    session: &mut Session,
    build: impl FnOnce(u32) -> Step,
    perform: F,
) -> Result<(u32, String), StepError>
where
    F: FnOnce(&Action, &Cancel, &mut dyn FnMut(LiveProgress)) -> Result<String, StepError>,
{
    let number = next_number(session)?;
    let step = build(number);
    session.journal.record(What::StepPlanned(step.clone()))?;
    session.progress.doing(&step.why);
    let started = Instant::now();
    // Now and not before the record: that may have waited for the drive, and for other writers.
    let same = check_targets(session);
    let Session { journal, cancel, progress, held, .. } = session;
    let mut live = |live| progress.live(live);
    let result = same.and_then(|()| perform(&step.action, cancel, &mut live));
    if !held.targets.is_empty() {
        action::settle_udev();
    }
    let (status, mut output) = match &result {
        Ok(printed) => (0, printed.clone()),
        Err(error) => (1, error.to_string()),
    };
    output.truncate(output.floor_char_boundary(KEEP_BYTES));
    let took_ns = u64::try_from(started.elapsed().as_nanos()).unwrap_or(u64::MAX);
    journal.record(What::StepDone(StepDone {
        step: number,
        took_ns,
        status,
        output: output.clone(),
    }))?;
    result.map(|_| (number, output))
}

/// Makes a scratch directory of the run in `parent`; gives the step that did, and the directory.
pub fn make_scratch(
    session: &mut Session,
    of: ScratchOf,
    parent: &RawPath,
) -> Result<(u32, Scratch), StepError> {
    let run = session.journal.run().header.run.clone();
    let on = host::filesystem_of(parent.as_path()).ok();
    let build = |n| steps::make_scratch(n, &run, of, (parent, on));
    directory(session, build, (parent, &of.name(&run)))
}

/// Makes the directory of a run with so many mount points in it, in the place of our own, and gives
/// the path of the first.
pub fn make_mount_points(session: &mut Session, count: usize) -> Result<RawPath, StepError> {
    let parent = own_place::parent()?;
    own_place::make_parent()
        .map_err(|e| Fault::environment(format!("cannot create {parent}: {e}")))?;
    let run = session.journal.run().header.run.clone();
    let build = |n| steps::make_mount_points(n, &run, &parent);
    let (_, ours) = directory(session, build, (&parent, &run))?;
    for slot in 0..count.clamp(1, scratch::MOST_STANDS) {
        ours.make_dir(&scratch::numbered(scratch::MOUNT, slot)).map_err(|e| {
            Fault::environment(format!("cannot create a mount point in {parent}: {e}"))
        })?;
    }
    own_place::mount_point_of(&run, 0).map_err(StepError::Fault)
}

fn directory(
    session: &mut Session,
    build: impl FnOnce(u32) -> Step,
    (parent, name): (&RawPath, &str),
) -> Result<(u32, Scratch), StepError> {
    let mut made = None;
    let (step, _) = take_by(session, build, |_, _, _| {
        made = Some(action::scratch_in(parent, name)?);
        Ok(String::new())
    })?;
    let made = made.ok_or_else(|| Fault::bug("a directory that was just created is missing"))?;
    session.journal.keep(step, made.clone());
    Ok((step, made))
}

pub struct OnLoop {
    pub device: RawPath,
    pub inode: Inode,
}

pub fn make_image(session: &mut Session, image: &Opened, bytes: u64) -> Result<OnLoop, StepError> {
    let shown = RawPath::new(image.shown());
    let build = |n| steps::fill(n, &shown, bytes);
    take_by(session, build, |_, cancel, tick| {
        action::fill(image, bytes, cancel, tick).map(|()| String::new())
    })?;
    let build = |n| steps::attach_loop(n, &shown);
    let (_, device) = attach_loop(session, image, build)?;
    Ok(OnLoop { device, inode: image.inode() })
}

pub fn attach_loop(
    session: &mut Session,
    file: &Opened,
    build: impl FnOnce(u32) -> Step,
) -> Result<(u32, RawPath), StepError> {
    let mut device = None;
    let mark = steps::loop_mark(&session.journal.run().header.run, next_number(session)?);
    let (step, _) = take_by(session, build, |action, _, _| {
        let attached = loops::attach(action, file, &mark)?;
        let printed = format!("{attached}\n");
        device = Some(attached);
        Ok(printed)
    })?;
    let gone = || StepError::Lost("the loop device disappeared".to_string());
    Ok((step, device.ok_or_else(gone)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::other::{self, Other};
    use crate::skip;
    use bakeoff_engine::residency;
    use std::fs;
    use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt, symlink};
    use std::path::Path;
    use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

    const RACES: u32 = 200;
    const IMAGE_BYTES: u64 = 64 << 10;
    const NAMES: [&str; 5] = ["image", "data", "append", "probe", "sentinel"];

    /// Root's files, which the other user's links lead to.
    fn canaries(victim: &Path) -> Vec<(String, Vec<u8>, u64)> {
        let of = |name: &&str| {
            let path = victim.join(name);
            let metadata = fs::metadata(&path).unwrap();
            (name.to_string(), fs::read(&path).unwrap(), metadata.ino())
        };
        let names = fs::read_dir(victim).unwrap().count();
        assert_eq!(names, NAMES.len(), "something was made or removed");
        NAMES.iter().map(of).collect()
    }

    /// Renames what root made, with a link to the victim's directory, a directory of links to its
    /// files, or one of hard links to files of the attacker's own in its place.
    fn attack(dir: &Path, victim: &Path, moved: &AtomicU32) {
        for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
            let path = entry.path();
            let is_roots = entry.file_name().to_string_lossy().starts_with(".bakeoff-")
                && entry.metadata().is_ok_and(|found| found.is_dir() && found.uid() == 0);
            let number = moved.load(Ordering::Relaxed);
            if !is_roots || fs::rename(&path, dir.join(format!("moved-{number}"))).is_err() {
                continue;
            }
            moved.store(number + 1, Ordering::Relaxed);
            if number.is_multiple_of(3) {
                let _ = symlink(victim, &path);
                continue;
            }
            let _ = fs::create_dir(&path);
            for name in NAMES {
                let _ = match number % 3 {
                    1 => symlink(victim.join(name), path.join(name)),
                    _ => fs::hard_link(dir.join("own"), path.join(name)),
                };
            }
        }
    }

    fn work(dir: &Path, name: &str) -> Result<(), String> {
        let said = |e: &dyn std::fmt::Display| e.to_string();
        let scratch = action::scratch_in(&RawPath::new(dir), name).map_err(|e| said(&e))?;
        for name in [scratch::DATA, scratch::APPEND, scratch::PROBE] {
            let made = scratch.create(name).map_err(|e| said(&e))?;
            // As the measuring process does it.
            let again = fs::File::options().read(true).write(true).open(made.path());
            again.unwrap().write_all_at(&[7; 4096], 0).unwrap();
            residency::evict(fs::File::open(made.path()).unwrap()).unwrap();
        }
        let image = scratch.create(scratch::IMAGE).map_err(|e| said(&e))?;
        fs::write(image.path(), vec![1; IMAGE_BYTES as usize]).unwrap();
        let shown = RawPath::new(image.shown());
        let attach = steps::attach_loop(0, &shown).action;
        let device = loops::attach(&attach, &image, "bakeoff-race").map_err(|e| said(&e))?;
        let opened = fs::File::options().write(true).open(device.as_path()).unwrap();
        opened.write_all_at(&[9; 4096], 0).unwrap();
        opened.sync_all().unwrap();
        drop(opened);
        let same = loops::check(&device, image.inode(), 0).map_err(|e| said(&e));
        let mut detach = std::process::Command::new("losetup");
        assert!(detach.arg("--detach").arg(device.as_path()).status().unwrap().success());
        let written = fs::read(image.path()).unwrap();
        if written[..4096] != [9; 4096] {
            return Err("the image was not written through its device".to_string());
        }
        drop(image);
        scratch.remove().map_err(|e| said(&e))?;
        same
    }

    /// The owner of a directory renamed what root made in it and put links there: what root wrote
    /// then went into files elsewhere.
    #[test]
    fn the_owner_of_a_directory_redirects_nothing_in_two_hundred_races() {
        if other::lacks_other() || skip::lacks_loop_devices() || skip::lacks_command("losetup") {
            return;
        }
        let other = Other::new();
        let base = tempfile::tempdir().unwrap();
        let base = fs::canonicalize(base.path()).unwrap();
        fs::set_permissions(&base, fs::Permissions::from_mode(0o755)).unwrap();
        let (dir, victim) = (base.join("theirs"), base.join("victim"));
        fs::create_dir(&dir).unwrap();
        fs::create_dir(&victim).unwrap();
        fs::write(dir.join("own"), "theirs").unwrap();
        for path in [&dir, &dir.join("own")] {
            other.owns(path);
        }
        NAMES.iter().for_each(|name| fs::write(victim.join(name), "not to be touched").unwrap());
        let before = canaries(&victim);
        let (is_over, moved) = (AtomicBool::new(false), AtomicU32::new(0));
        let mut ends = Vec::new();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                other.take_thread();
                while !is_over.load(Ordering::Relaxed) {
                    attack(&dir, &victim, &moved);
                }
            });
            for race in 0..RACES {
                let name = format!(".bakeoff-{race}");
                // A panic would leave the attacker at work for ever.
                let end = std::panic::catch_unwind(|| work(&dir, &name));
                ends.push(end.unwrap_or_else(|_| Err("a panic".to_string())));
            }
            is_over.store(true, Ordering::Relaxed);
        });
        let moved = moved.into_inner();
        let done = ends.iter().filter(|end| end.is_ok()).count();
        println!("{RACES} races, {moved} times exchanged, {done} times done all the same");
        assert!(moved > 0, "nobody attacked");
        let wrong = |end: &&Result<(), String>| {
            end.as_ref().is_err_and(|why| why.contains("a panic") || why.contains("not written"))
        };
        assert_eq!(ends.iter().filter(wrong).count(), 0, "{ends:?}");
        assert_eq!(canaries(&victim), before);
        // Only where something was in its place before it could be opened one is left, empty.
        let kept = |number: &u32| dir.join(format!("moved-{number}")).exists();
        let kept = (0..moved).filter(kept).count();
        assert!(kept <= ends.len() - done, "{kept} left: {ends:?}");
        assert_eq!(fs::read(dir.join("own")).unwrap(), b"theirs");
    }

    /// Whoever owned the directory exchanged it for a link after its path was resolved.
    #[test]
    fn a_directory_that_became_a_link_gets_no_files() {
        let base = tempfile::tempdir().unwrap();
        let base = fs::canonicalize(base.path()).unwrap();
        fs::create_dir(base.join("elsewhere")).unwrap();
        symlink(base.join("elsewhere"), base.join("dir")).unwrap();
        let refused = action::scratch_in(&RawPath::new(base.join("dir")), ".bakeoff-1");
        let refused = refused.unwrap_err().to_string();
        assert!(refused.contains("contains a symbolic link"), "{refused}");
        assert_eq!(fs::read_dir(base.join("elsewhere")).unwrap().count(), 0);
    }

    #[test]
    fn a_file_that_has_a_second_name_is_not_the_one_that_was_made() {
        let base = tempfile::tempdir().unwrap();
        let base = fs::canonicalize(base.path()).unwrap();
        let scratch = Scratch::make(&base, ".bakeoff-2").unwrap();
        fs::write(base.join("letter"), "dear").unwrap();
        fs::hard_link(base.join("letter"), base.join(".bakeoff-2/image")).unwrap();
        assert!(scratch.create(scratch::IMAGE).is_err());
        assert!(scratch.open_file(scratch::IMAGE).is_err());
        assert_eq!(fs::read(base.join("letter")).unwrap(), b"dear");
    }
}
