//! `bakeoff bench PATH`: one case, in fio's words.
//!
//! A directory gets a scratch file of ours; a regular file is read, and written only with
//! `--overwrite`; a block device is read, and written only through the guard with its token.

use std::collections::BTreeSet;
use std::io;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use bakeoff_machine::prepare::space;
use bakeoff_model as model;
use bakeoff_model::extent::Extent;
use bakeoff_model::job::{Job, Rw};
use bakeoff_model::path::RawPath;
use bakeoff_report as report;
use bakeoff_report::Benched;
use bakeoff_stats::units;
use bakeoff_tools::native::TargetKind;

use super::bench_device::{ClaimedDevice, open_device};
use super::bench_job::job;
use super::bench_jobs::Place;
use super::bench_scratch::{Files, with_files};
use super::{answer, bench_jobs, bench_scratch, stored};
use crate::cli::{Bench, Format, Global};
use crate::fault::{Fault, Outcome, is_missing};
use crate::host::{self, Opened};
use crate::load;
use crate::load::scratch;
use crate::load::site::Subject;
use crate::measuring::single::{self, Single};
use crate::planning::directories;
use crate::signals::Cancel;
use crate::steps::locked_target::LockedTarget;
use crate::steps::target;
use crate::ui::out;
use crate::ui::progress::Progress;
use crate::ui::say;

/// Size of the scratch file in a directory unless told otherwise.
const SCRATCH_BYTES: u64 = 256 << 20;
/// Bytes of one set of small files unless told otherwise.
const SMALL_FILES: u64 = 500;

pub fn run(global: &Global, args: &Bench) -> Result<Outcome, Fault> {
    let format = stored::format(global, "bench")?;
    let (jobs, mut notes) = bench_jobs::from_args(args)?;
    if let Some(path) = args.output.as_deref().filter(|path| *path != Path::new("-")) {
        stored::check_output(path)?;
    }
    let jobs: Vec<(Bench, Place)> = jobs
        .into_iter()
        .map(|job| bench_jobs::place(&job).map(|place| (job, place)))
        .collect::<Result<_, _>>()?;
    notes.extend(jobs.iter().filter_map(|(_, place)| place.note.clone()));
    let mut said = BTreeSet::new();
    for note in notes.iter().filter(|note| said.insert(note.as_str())) {
        say::note(global.quiet, format_args!("{note}"));
    }
    let cancel = Cancel::listen().map_err(Fault::environment)?;
    let all = |files: &mut Option<&mut Files<'_, '_>>| {
        let mut done = Vec::new();
        for group in bench_jobs::groups(&jobs) {
            done.extend(together(global, group, files, &cancel)?);
        }
        Ok(done)
    };
    let done: Result<Vec<Benched>, Fault> = match jobs.iter().find(|(_, place)| place.path.is_dir())
    {
        Some((_, place)) => with_files(global, &place.path, |files| all(&mut Some(files))),
        None => all(&mut None),
    };
    print(format, args.output.as_deref(), &done?)
}

/// A job that is ready to be measured, with what is locked for it.
struct ReadyJob {
    single: Single,
    _device: Option<ClaimedDevice>,
    _file: Option<LockedTarget>,
}

impl From<Single> for ReadyJob {
    fn from(single: Single) -> ReadyJob {
        ReadyJob { single, _device: None, _file: None }
    }
}

/// Measures jobs that run at the same time, each in a process of its own, once all of them are
/// prepared.
fn together(
    global: &Global,
    group: &[(Bench, Place)],
    files: &mut Option<&mut Files<'_, '_>>,
    cancel: &Cancel,
) -> Result<Vec<Benched>, Fault> {
    if group.iter().filter(|(job, _)| job.rw == Rw::SmallFiles).count() > 1 {
        return Err(Fault::usage(
            "jobs with --rw=smallfiles cannot run at the same time. Add stonewall to all but one",
        ));
    }
    let ready = group.iter().map(|(job, place)| one(global, job, place, files, cancel));
    let ready: Vec<ReadyJob> = ready.collect::<Result<_, _>>()?;
    let measure = |at: usize, ready: &ReadyJob| {
        // One line can show one of them.
        let progress = Progress::new(global.quiet || at > 0);
        single::measure(&ready.single, &progress, cancel)
    };
    if let [alone] = ready.as_slice() {
        return Ok(vec![measure(0, alone)?]);
    }
    std::thread::scope(|scope| {
        let start = |(at, ready)| scope.spawn(move || measure(at, ready));
        let threads: Vec<_> = ready.iter().enumerate().map(start).collect();
        let end = |panic| std::panic::resume_unwind(panic);
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(end)).collect()
    })
}

fn one(
    global: &Global,
    args: &Bench,
    place: &Place,
    files: &mut Option<&mut Files<'_, '_>>,
    cancel: &Cancel,
) -> Result<ReadyJob, Fault> {
    let shown = RawPath::new(&place.path);
    let metadata = std::fs::metadata(&place.path).map_err(|error| {
        if is_missing(&error) {
            Fault::usage(format!(
                "{shown} does not exist. Check the path, or list the drives with \
             `bakeoff devices`"
            ))
        } else {
            Fault::environment(format!("cannot use {shown}: {error}"))
        }
    })?;
    let path = std::fs::canonicalize(&place.path).map_err(Fault::environment)?;
    let is_device = metadata.file_type().is_block_device();
    if let (true, Some(files)) = (metadata.is_dir(), files) {
        in_directory(global, args, (&path, place.file.as_deref()), files, cancel)
    } else if args.rw == Rw::SmallFiles && (metadata.is_file() || is_device) {
        Err(Fault::usage(
            "--rw=smallfiles needs a directory, not a file or a device. Give the path of a \
             directory",
        ))
    } else if metadata.is_file() {
        on_file(global, args, &path, metadata.len(), cancel)
    } else if is_device {
        on_device(global, args, &path)
    } else {
        Err(Fault::refused(format!(
            "{shown} is not a directory, regular file or block device. List the drives with \
             `bakeoff devices`"
        )))
    }
}

/// In a directory: scratch files of ours, laid out, put out of memory, and removed at the end.
fn in_directory(
    global: &Global,
    args: &Bench,
    (dir, file): (&Path, Option<&str>),
    files: &mut Files<'_, '_>,
    cancel: &Cancel,
) -> Result<ReadyJob, Fault> {
    directories::check_writable(dir, &RawPath::new(dir))?;
    let place = host::place(dir).map_err(Fault::environment)?;
    let available = host::available_bytes();
    let room = space::room_bytes(place.class, place.size_bytes, place.free_bytes, available);
    let is_shared = file.is_some() || args.rw == Rw::SmallFiles || args.numjobs == 1;
    let own_files = if is_shared { 0 } else { args.numjobs };
    let size = scratch_bytes(args, room / u64::from(own_files.max(1)))?;
    // Before there is a name for each: so many may not be allowed.
    let job = Job { own_files, ..job(global, args, size)? };
    let names = match args.rw {
        Rw::SmallFiles => Vec::new(),
        _ => names(args, file),
    };
    let fits = |bytes: u64| {
        if bytes > room {
            Err(Fault::environment(format!(
                "{} do not fit in {}: at most {} may be used there (half of the free space, and 5 % of \
             the filesystem stay free). Free some space, or use a smaller --size",
                units::size(bytes),
                RawPath::new(dir),
                units::size(room)
            )))
        } else {
            Ok(())
        }
    };
    let evict = args.invalidate.unwrap_or(true);
    if names.is_empty() {
        fits(job.size)?;
        let targets = vec![(&files.directory(dir)?).into()];
        let kind = TargetKind::Directory;
        return Ok(Single { targets, kind, evict, ..as_it_is(args, job, place) }.into());
    }
    let opened: Vec<Opened> =
        names.iter().map(|name| files.file(dir, name)).collect::<Result<_, _>>()?;
    let missing = |file: &Opened| Ok(job.size.saturating_sub(bench_scratch::bytes(file)?));
    let missing: io::Result<Vec<u64>> = opened.iter().map(missing).collect();
    let missing = missing.map_err(Fault::environment)?;
    fits(missing.iter().sum())?;
    for (file, _) in opened.iter().zip(missing).filter(|(_, missing)| *missing > 0) {
        lay_out(global, args, &job, file, cancel)?;
    }
    let targets = opened.iter().map(Subject::from).collect();
    Ok(Single { targets, evict, ..as_it_is(args, job, place) }.into())
}

/// The scratch files of a job. In fio too those without a name are called after the job, one for
/// each of numjobs, and a named one is for all.
fn names(args: &Bench, file: Option<&str>) -> Vec<String> {
    let name = args.typed.files.as_deref();
    match (file, name) {
        (Some(file), _) => vec![file.to_string()],
        (None, None) if args.numjobs == 1 => vec![scratch::DATA.to_string()],
        _ => {
            let name = name.unwrap_or(scratch::DATA).replace('/', "_");
            (0..args.numjobs).map(|job| format!("{name}.{job}.0")).collect()
        }
    }
}

fn scratch_bytes(args: &Bench, room: u64) -> Result<u64, Fault> {
    let bs = args.bs.for_pattern(args.rw).map_err(Fault::usage)?;
    match args.size {
        Some(Extent::Bytes(bytes)) => Ok(bytes),
        None if args.rw == Rw::SmallFiles => Ok(bs.saturating_mul(SMALL_FILES)),
        None => Ok(SCRATCH_BYTES.min(room).max(bs)),
        Some(Extent::Percent(_)) => Err(Fault::usage(
            "a percentage needs an existing file or device, and a scratch file has no size \
             yet. Give --size in bytes, or specify a file or device",
        )),
    }
}

/// As fio does: what is read is written before, and of what is only written the blocks are there.
fn lay_out(
    global: &Global,
    args: &Bench,
    job: &Job,
    file: &Opened,
    cancel: &Cancel,
) -> Result<(), Fault> {
    let is_written = job.rw.reads() || args.lay_out;
    if !is_written && bench_scratch::allocate(file, job.size) {
        return Ok(());
    }
    let progress = Progress::new(global.quiet);
    progress.doing("creating the scratch file");
    let mut tick = |live| progress.live(live);
    let written = load::run(&Job::filling(job.size), file, TargetKind::File, cancel, &mut tick);
    progress.clear();
    Ok(written.map(drop)?)
}

fn on_file(
    global: &Global,
    args: &Bench,
    path: &Path,
    len: u64,
    cancel: &Cancel,
) -> Result<ReadyJob, Fault> {
    let shown = RawPath::new(path);
    if args.rw.writes() && !args.overwrite {
        return Err(Fault::refused(format!(
            "{} would overwrite {shown}; add --overwrite if its contents may be lost",
            args.rw.name()
        )));
    }
    if len == 0 && (args.size.is_none() || args.rw.reads()) {
        return Err(Fault::usage(format!(
            "{shown} is empty. Specify a file with contents, or use --size and a --rw that only \
             writes"
        )));
    }
    let job = job(global, args, args.size.map_or(len, |size| size.in_bytes(len)))?;
    if args.rw.reads() && job.size > len {
        return Err(Fault::usage(format!(
            "{shown} contains {}, less than --size {}. Use a smaller --size",
            units::size(len),
            units::size(job.size)
        )));
    }
    // Kept until the end: another run that wants the file meanwhile is refused.
    let held = if args.rw.writes() { Some(guarded(global, path)?) } else { None };
    // What is written is the file that the guard has seen, whatever has its name by now.
    let target = match &held {
        Some(held) => {
            let file = held.image_file().map_err(Fault::environment)?;
            if job.size > len {
                lay_out(global, args, &job, &file, cancel)?;
            }
            (&file).into()
        }
        None => Subject::from(path),
    };
    let place = host::place(path.parent().unwrap_or(path)).map_err(Fault::environment)?;
    let single = Single { targets: vec![target], ..as_it_is(args, job, place) };
    Ok(ReadyJob { single, _device: None, _file: held })
}

fn guarded(global: &Global, path: &Path) -> Result<LockedTarget, Fault> {
    let store = crate::store::place::path(global.store.as_deref())?;
    let binary = std::env::current_exe().map_err(Fault::environment)?;
    for (what, ours) in [("the store", &store), ("bakeoff itself", &binary)] {
        if host::is_same_file(path, ours) {
            let path = RawPath::new(path);
            return Err(Fault::refused(format!("Refusing to write to {path}: it is {what}")));
        }
    }
    target::hold_file(path)
}

fn on_device(global: &Global, args: &Bench, path: &Path) -> Result<ReadyJob, Fault> {
    let device = open_device(path, args.rw.writes(), args.erase.as_deref())?;
    let size = device.place.size_bytes;
    let job = job(global, args, args.size.map_or(size, |extent| extent.in_bytes(size)))?;
    if job.size > size {
        return Err(Fault::usage(format!(
            "{} has {}, less than --size {}. Use a smaller --size",
            RawPath::new(path),
            units::size(size),
            units::size(job.size)
        )));
    }
    let (targets, kind) = (vec![path.into()], TargetKind::Block);
    let single = Single { targets, kind, ..as_it_is(args, job, device.place.clone()) };
    Ok(ReadyJob { single, _device: Some(device), _file: None })
}

/// What is measured where it is not ours: in memory or not, as it is. The files are still to come.
fn as_it_is(args: &Bench, job: Job, place: model::host::Place) -> Single {
    let (name, ramp_ns) = (args.typed.name.clone(), args.ramp_time);
    let (targets, kind) = (Vec::new(), TargetKind::File);
    let evict = args.invalidate.unwrap_or(false);
    Single { name, job, targets, kind, place, ramp_ns, evict }
}

fn print(format: Format, to: Option<&Path>, done: &[Benched]) -> Result<Outcome, Fault> {
    let text = if format == Format::Json {
        format!("{:#}\n", report::bench_json(done))
    } else if to.is_some() {
        report::bench_document(done).text(80, false)
    } else {
        answer::laid_out(&report::bench_document(done), format)
    };
    match to {
        Some(path) => stored::write_text(path, &text)?,
        None => out::print(Some(format), &text)?,
    }
    Ok(Outcome::Done)
}
