//! `bakeoff bench PATH`: one case, in fio's words.
//!
//! A directory gets a scratch file of ours; a regular file is read, and written only with
//! `--overwrite`; a block device is read, and written only through the guard with its token.

use std::fs::File;
use std::os::fd::AsFd;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use bakeoff_core::model::candidate::{Candidate, Kind};
use bakeoff_core::model::design::Design;
use bakeoff_core::model::event::{Cell, Truth};
use bakeoff_core::model::extent::Extent;
use bakeoff_core::model::finding::Finding;
use bakeoff_core::model::host::Place;
use bakeoff_core::model::index::{BlockIx, CandidateIx, WorkloadIx};
use bakeoff_core::model::job::{Job, Rw};
use bakeoff_core::model::path::RawPath;
use bakeoff_core::model::protocol::{Mode, Protocol};
use bakeoff_core::model::verb::Verb;
use bakeoff_core::model::workload::{Metric, Phase, Workload};
use bakeoff_core::prepare::space;
use bakeoff_core::report::Benched;
use bakeoff_core::tools::native::TargetKind;
use bakeoff_core::{evidence, report, truth, units};
use bakeoff_engine::residency;

use super::bench_device::open_device;
use super::bench_job::job;
use super::bench_scratch::in_scratch;
use super::{answer, bench_jobs, bench_kept, stored};
use crate::cli::{Bench, Format, Global, formats};
use crate::fault::{Fault, Outcome, is_missing};
use crate::host::{self, Opened};
use crate::load::subject::Subject;
use crate::load::{self, Load};
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

/// Runs the command.
pub fn run(global: &Global, args: &Bench) -> Result<Outcome, Fault> {
    stored::format(global, "bench", formats::of("bench"))?;
    let (jobs, notes) = bench_jobs::of(args)?;
    for note in &notes {
        say::note(global.quiet, format_args!("{note}"));
    }
    if let Some(record) = &args.verify_state_load {
        return bench_kept::look(global, args, record);
    }
    let cancel = Cancel::listen().map_err(Fault::environment)?;
    let mut done = Vec::new();
    for job in &jobs {
        done.push(one(global, job, &cancel)?);
    }
    print(global, args.output.as_deref(), &done)
}

/// Measures one job.
fn one(global: &Global, args: &Bench, cancel: &Cancel) -> Result<Benched, Fault> {
    let place = bench_jobs::place(args)?;
    if let Some(note) = &place.note {
        say::note(global.quiet, format_args!("{note}"));
    }
    let shown = RawPath::new(&place.path);
    let metadata = std::fs::metadata(&place.path).map_err(|error| match is_missing(&error) {
        true => Fault::usage(format!(
            "{shown} does not exist. Check the path, or list the drives with \
             `bakeoff devices`"
        )),
        false => Fault::environment(format!("cannot use {shown}: {error}")),
    })?;
    let path = std::fs::canonicalize(&place.path).map_err(Fault::environment)?;
    if metadata.is_dir() {
        in_directory(global, args, &path, cancel)
    } else if metadata.is_file() {
        on_file(global, args, &path, metadata.len(), cancel)
    } else if metadata.file_type().is_block_device() {
        on_device(global, args, &path, cancel)
    } else {
        Err(Fault::refused(format!(
            "{shown} is not a directory, regular file or block device. List the drives with \
             `bakeoff devices`"
        )))
    }
}

/// In a directory: a scratch file of ours, laid out for what reads, put out of memory, removed.
fn in_directory(
    global: &Global,
    args: &Bench,
    dir: &Path,
    cancel: &Cancel,
) -> Result<Benched, Fault> {
    if args.verify_state_save.is_some() {
        return Err(Fault::usage(
            "cannot keep a record for a scratch file, because it is removed at the end. Specify a \
             file with --overwrite, or a device",
        ));
    }
    directories::check_writable(dir, &RawPath::new(dir))?;
    let place = host::place(dir).map_err(Fault::environment)?;
    let available = host::available_bytes();
    let room = space::room_bytes(place.class, place.size_bytes, place.free_bytes, available);
    let small = args.rw == Rw::SmallFiles;
    let bs = args.bs.of(args.rw).map_err(Fault::usage)?;
    let default = match small {
        true => bs.saturating_mul(SMALL_FILES),
        false => SCRATCH_BYTES.min(room).max(bs),
    };
    let size = match args.size {
        None => default,
        Some(Extent::Bytes(bytes)) => bytes,
        Some(Extent::Percent(_)) => {
            return Err(Fault::usage(
                "a percentage needs an existing file or device, and a scratch file has no size \
                 yet. Give --size in bytes, or specify a file or device",
            ));
        }
    };
    let job = job(global, args, size)?;
    if job.size > room {
        return Err(Fault::environment(format!(
            "{} would fill {}: at most {} may be used there (half of the free space, leaving 5 % \
             or 512 MiB). Free some space, or use a smaller --size",
            units::size(job.size),
            RawPath::new(dir),
            units::size(room)
        )));
    }
    in_scratch(global, dir, small, |target, kind| {
        if (job.rw.reads() || args.lay_out) && kind == TargetKind::File {
            lay_out(global, target, job.size, cancel)?;
        }
        let on = On { target: target.into(), kind, place: &place, ours: true, acks: None };
        measure(global, (args, &job), &on, cancel)
    })
}

fn lay_out(global: &Global, target: &Opened, size: u64, cancel: &Cancel) -> Result<(), Fault> {
    let progress = Progress::new(global.quiet);
    progress.doing("creating the scratch file");
    let mut tick = |live| progress.live(live);
    let written = load::run(&Job::filling(size), target, TargetKind::File, cancel, &mut tick);
    progress.clear();
    Ok(written.map(drop)?)
}

fn on_file(
    global: &Global,
    args: &Bench,
    path: &Path,
    len: u64,
    cancel: &Cancel,
) -> Result<Benched, Fault> {
    let shown = RawPath::new(path);
    if args.rw == Rw::SmallFiles {
        return Err(Fault::usage(
            "--rw=smallfiles needs a directory, not a file or a device. Give \
                                 the path of a directory",
        ));
    }
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
    let job = job(global, args, args.size.map_or(len, |size| size.of(len)))?;
    if args.rw.reads() && job.size > len {
        return Err(Fault::usage(format!(
            "{shown} contains {}, less than --size {}",
            units::size(len),
            units::size(job.size)
        )));
    }
    // Kept until the end: another run that wants the file meanwhile is refused.
    let held = match args.rw.writes() {
        true => Some(guarded(global, path)?),
        false => None,
    };
    // What is written is the file that the guard has seen, whatever has its name by now.
    let target = match &held {
        Some(held) => (&held.image_file().map_err(Fault::environment)?).into(),
        None => Subject::from(path),
    };
    let place = host::place(path.parent().unwrap_or(path)).map_err(Fault::environment)?;
    let acks = record(args, path)?;
    let on = On { target, kind: TargetKind::File, place: &place, ours: false, acks };
    measure(global, (args, &job), &on, cancel)
}

/// A file that is to be overwritten, held: the guard of an image, for any file.
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

fn on_device(
    global: &Global,
    args: &Bench,
    path: &Path,
    cancel: &Cancel,
) -> Result<Benched, Fault> {
    if args.rw == Rw::SmallFiles {
        return Err(Fault::usage(
            "--rw=smallfiles needs a directory, not a file or a device. Give \
                                 the path of a directory",
        ));
    }
    let device = open_device(path, args.rw.writes(), args.erase.as_deref())?;
    let size = device.place.size_bytes;
    let job = job(global, args, args.size.map_or(size, |extent| extent.of(size)))?;
    if job.size > size {
        return Err(Fault::usage(format!(
            "{} has {}, less than --size {}",
            RawPath::new(path),
            units::size(size),
            units::size(job.size)
        )));
    }
    let (kind, place, acks) = (TargetKind::Block, &device.place, record(args, path)?);
    let on = On { target: path.into(), kind, place, ours: false, acks };
    measure(global, (args, &job), &on, cancel)
}

/// The record of acknowledged writes, if one was asked for.
fn record(args: &Bench, path: &Path) -> Result<Option<File>, Fault> {
    args.verify_state_save.as_deref().map(|to| bench_kept::open_record(to, path)).transpose()
}

/// What is measured.
struct On<'a> {
    target: Subject,
    kind: TargetKind,
    place: &'a Place,
    /// Whether it is a scratch file of ours.
    ours: bool,
    acks: Option<File>,
}

/// Measures and adds what the page cache and the drives say. A file that we laid out ourselves is
/// put out of memory before it is read, any other where that is asked for; otherwise it is taken as
/// it is, which is then said.
fn measure(
    global: &Global,
    (args, job): (&Bench, &Job),
    on: &On<'_>,
    cancel: &Cancel,
) -> Result<Benched, Fault> {
    let On { ref target, kind, place, ours, ref acks } = *on;
    let mut truth = Truth::default();
    if let Some(ns) = args.ramp_time {
        ramp(global, job, (target, kind), ns, cancel)?;
    }
    if kind != TargetKind::Directory && job.rw.reads() {
        let seen = resident(target.path(), job.size, args.invalidate.unwrap_or(ours));
        truth.resident_before_bytes = seen.filter(|_| kind == TargetKind::File);
    }
    let drives = place.disk_numbers();
    let progress = Progress::new(global.quiet);
    progress.doing(job.rw.name());
    let before = host::Evidence::take(&drives);
    let (acks, unseen) = (acks.as_ref().map(AsFd::as_fd), progress.is_hidden());
    let load = Load { acks, unseen, ..Load::new(job, &[]) };
    let measured = load::run_all(load, target, kind, cancel, &mut |live| progress.live(live));
    host::Evidence::take(&drives).since(&before, &mut truth);
    progress.clear();
    let mut measurement = measured.and_then(load::only)?;
    let read_bytes = measurement.read.as_ref().map_or(0, |read| read.io_bytes);
    truth.cache = truth::cache_state(place.class, &truth, read_bytes, job.size, job.direct);
    let cell = Cell {
        slices: Vec::new(),
        block: BlockIx::FIRST,
        candidate: CandidateIx::FIRST,
        workload: WorkloadIx::FIRST,
        began_ns: 0,
        measurement: measurement.clone(),
        truth,
        raw: None,
        telemetry: None,
    };
    measurement.findings = judged(job, place, &cell);
    let is_data = job.rw != Rw::SmallFiles && !job.engine.is_idle();
    let resident = cell.truth.resident_before_bytes.filter(|_| !job.direct).unwrap_or(0);
    let cached = resident as f64 / job.size.max(1) as f64;
    let memory_share = truth::memory_share(place.class, &cell.truth, read_bytes, cached);
    Ok(Benched {
        name: args.typed.name.clone(),
        measurement,
        memory_share: memory_share.filter(|_| is_data),
    })
}

/// The same load for some time, unmeasured and with other offsets.
fn ramp(
    global: &Global,
    job: &Job,
    (target, kind): (&Subject, TargetKind),
    ns: u64,
    cancel: &Cancel,
) -> Result<(), Fault> {
    let progress = Progress::new(global.quiet);
    progress.doing("ramp time");
    let seed = !job.seed & (u64::MAX >> 11);
    let (io_size, runtime_ns) = (None, Some(ns));
    let before = Job { io_size, runtime_ns, verify: false, seed, ..job.clone() };
    let loaded = load::run(&before, target, kind, cancel, &mut |live| progress.live(live));
    progress.clear();
    Ok(loaded.map(drop)?)
}

/// What the rules over a cell find in it: as if it were the only one of its kind.
fn judged(job: &Job, place: &Place, cell: &Cell) -> Vec<Finding> {
    let path = place.mount_point.clone();
    let kind = Kind::Directory { path, place: Box::new(place.clone()) };
    let (phase, metric) = match job.rw {
        Rw::Read | Rw::RandRead => (Phase::ColdRead, Metric::Iops),
        Rw::SmallFiles => (Phase::Metadata, Metric::FilesPerSecond),
        Rw::Write | Rw::RandWrite | Rw::RandRw | Rw::ReadWrite => (Phase::Overwrite, Metric::Iops),
    };
    let name = job.rw.name();
    let design = Design {
        verb: &Verb::Bench,
        title: name,
        plan: None,
        protocol: &Protocol::for_mode(Mode::Quick, 1),
        candidates: &[Candidate::new("bench", kind)],
        workloads: &[Workload::native(name, name, phase, metric, job.clone())],
        host: &host::fingerprint(),
        region: None,
        more_regions: &[],
        expected_write_bytes: 0,
    };
    evidence::cell(design, cell)
}

/// Bytes of the file in memory, after putting it out where it is ours; `None` = cannot be told.
fn resident(target: &Path, size: u64, ours: bool) -> Option<u64> {
    let file = File::open(target).ok()?;
    if ours {
        residency::evict(&file).ok()?;
    }
    residency::resident_bytes(&file, size).ok()
}

fn print(global: &Global, to: Option<&Path>, done: &[Benched]) -> Result<Outcome, Fault> {
    let text = match global.format {
        Some(Format::Json) => format!("{:#}\n", report::bench_json(done)),
        Some(Format::FioJson) => report::fio_json::of_bench(env!("CARGO_PKG_VERSION"), done),
        _ if to.is_some() => report::bench_document(done).text(80, false),
        _ => answer::laid_out(&report::bench_document(done), Format::Text),
    };
    match to {
        Some(path) => stored::write(Some(path), |out| out.write_all(text.as_bytes()))?,
        None => out::print(global.format, &text)?,
    }
    Ok(Outcome::Done)
}
