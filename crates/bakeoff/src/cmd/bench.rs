//! `bakeoff bench PATH`: one case, in fio's words.
//!
//! A directory gets a scratch file of ours; a regular file is read, and written only with
//! `--overwrite`; a block device is read, and written only through the guard with its token.

use std::fs::File;
use std::os::fd::AsFd;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use bakeoff_core::model::candidate::{Candidate, Kind};
use bakeoff_core::model::event::{Cell, Header, Truth};
use bakeoff_core::model::host::Place;
use bakeoff_core::model::job::{Job, Rw};
use bakeoff_core::model::measurement::Measurement;
use bakeoff_core::model::path::RawPath;
use bakeoff_core::model::protocol::{Mode, Protocol};
use bakeoff_core::model::workload::{Metric, Phase, Workload};
use bakeoff_core::prepare::space;
use bakeoff_core::tools::native::{Failure, FailureKind, TargetKind};
use bakeoff_core::{evidence, report, truth, units};
use bakeoff_engine::residency;

use super::bench_device::open_device;
use super::bench_kept;
use super::bench_scratch::in_scratch;
use super::stored;
use crate::cli::{Bench, Format, Global};
use crate::fault::{Fault, Outcome};
use crate::host::{self, Opened};
use crate::load::subject::Subject;
use crate::load::{self, Load, LoadError};
use crate::places::target_set::disks_of;
use crate::planning::directories;
use crate::planning::run_plan::RunPlan;
use crate::signals::Cancel;
use crate::steps::locked_target::LockedTarget;
use crate::steps::target;
use crate::ui::out;
use crate::ui::progress::Progress;

/// Largest block.
const BS_MAX: u64 = 1 << 30;
/// Size of the scratch file in a directory unless told otherwise.
const SCRATCH_BYTES: u64 = 256 << 20;
/// Bytes of one set of small files unless told otherwise.
const SMALL_FILES: u64 = 500;

/// Runs the command.
pub fn run(global: &Global, args: &Bench) -> Result<Outcome, Fault> {
    stored::format(global, "bench", &[Format::Text, Format::Json])?;
    if let Some(record) = &args.verify_state_load {
        return bench_kept::look(global, args, record);
    }
    let cancel = Cancel::listen().map_err(Fault::environment)?;
    let shown = RawPath::new(&args.path);
    let metadata = std::fs::metadata(&args.path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Fault::usage(format!("there is no {shown}")),
        _ => Fault::environment(format!("cannot use {shown}: {error}")),
    })?;
    let path = std::fs::canonicalize(&args.path).map_err(Fault::environment)?;
    let measured = if metadata.is_dir() {
        in_directory(global, args, &path, &cancel)?
    } else if metadata.is_file() {
        on_file(global, args, &path, metadata.len(), &cancel)?
    } else if metadata.file_type().is_block_device() {
        on_device(global, args, &path, &cancel)?
    } else {
        return Err(Fault::refused(format!(
            "{shown} is neither a directory, a regular file nor a block device"
        )));
    };
    print(global, &measured)
}

/// The job the flags describe, on `size` bytes.
fn job(global: &Global, args: &Bench, size: u64) -> Result<Job, Fault> {
    let job = Job {
        io_size: args.io_size,
        runtime_ns: args.runtime,
        iodepth: args.iodepth,
        numjobs: args.numjobs,
        direct: args.direct,
        engine: args.engine,
        fsync: args.fsync,
        fdatasync: args.fdatasync,
        end_fsync: args.end_fsync,
        rwmixread: args.rwmixread,
        rate_iops: args.rate_iops,
        rate_process: args.rate_process,
        buffer_compress_percentage: args.buffer_compress_percentage,
        stamps: args.stamps,
        offsets: args.offsets,
        data: args.data,
        verify: args.verify,
        mem: args.mem,
        seed: global.seed.unwrap_or(1),
        ..Job::new(args.rw, args.bs, size)
    };
    check(&job)?;
    Ok(job)
}

fn check(job: &Job) -> Result<(), Fault> {
    let zero = [
        ("--bs", job.bs),
        ("--size", job.size),
        ("--io_size", job.io_size.unwrap_or(1)),
        ("--runtime", job.runtime_ns.unwrap_or(1)),
        ("--iodepth", job.iodepth.into()),
        ("--numjobs", job.numjobs.into()),
        ("--rate_iops", job.rate_iops.unwrap_or(1)),
    ];
    if let Some((name, _)) = zero.iter().find(|(_, value)| *value == 0) {
        return Err(Fault::usage(format!("{name} must be greater than 0")));
    }
    if job.bs > BS_MAX {
        return Err(Fault::usage(format!(
            "--bs {} is larger than the maximum of 1g",
            units::block_size(job.bs)
        )));
    }
    if job.bs > job.size {
        return Err(Fault::usage(format!(
            "--bs {} does not fit into --size {}",
            units::block_size(job.bs),
            units::block_size(job.size)
        )));
    }
    let ram = host::meminfo().total_bytes.unwrap_or(u64::MAX);
    match job.buffer_bytes() {
        Some(bytes) if bytes <= ram / 4 => Ok(()),
        bytes => Err(Fault::usage(format!(
            "bs x iodepth x numjobs is {}; at most a quarter of memory ({}) may be buffers: lower \
             one of the three",
            bytes.map_or("over 16 EiB".to_string(), units::size),
            units::size(ram / 4)
        ))),
    }
}

/// In a directory: a scratch file of ours, laid out for what reads, put out of memory, removed.
fn in_directory(
    global: &Global,
    args: &Bench,
    dir: &Path,
    cancel: &Cancel,
) -> Result<Measurement, Fault> {
    if args.verify_state_save.is_some() {
        return Err(Fault::usage(
            "cannot keep a record of a scratch file, which is removed at the end. Name a file with \
             --overwrite, or a device",
        ));
    }
    directories::check_writable(dir, &RawPath::new(&args.path))?;
    let place = host::place(dir).map_err(Fault::environment)?;
    let available = host::available_bytes();
    let room = space::room_bytes(place.class, place.size_bytes, place.free_bytes, available);
    let small = args.rw == Rw::SmallFiles;
    let default = if small {
        args.bs.saturating_mul(SMALL_FILES)
    } else {
        SCRATCH_BYTES.min(room).max(args.bs)
    };
    let job = job(global, args, args.size.unwrap_or(default))?;
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
        if job.rw.reads() && kind == TargetKind::File {
            lay_out(global, target, job.size, cancel)?;
        }
        let on = On { target: target.into(), kind, place: &place, ours: true, acks: None };
        measure(global, &job, &on, cancel)
    })
}

fn lay_out(global: &Global, target: &Opened, size: u64, cancel: &Cancel) -> Result<(), Fault> {
    let progress = Progress::new(global.quiet);
    progress.doing("laying out the scratch file");
    let job = Job { end_fsync: true, ..Job::new(Rw::Write, (1 << 20).min(size), size) };
    let written =
        load::run(&job, target, TargetKind::File, cancel, &mut |live| progress.live(live));
    progress.clear();
    written.map(|_| ()).map_err(fault_of)
}

fn on_file(
    global: &Global,
    args: &Bench,
    path: &Path,
    len: u64,
    cancel: &Cancel,
) -> Result<Measurement, Fault> {
    let shown = RawPath::new(path);
    if args.rw == Rw::SmallFiles {
        return Err(Fault::usage("smallfiles needs a directory"));
    }
    if args.rw.writes() && !args.overwrite {
        return Err(Fault::refused(format!(
            "{} would overwrite {shown}; add --overwrite if its contents may be lost",
            args.rw.name()
        )));
    }
    if len == 0 && (args.size.is_none() || args.rw.reads()) {
        return Err(Fault::usage(format!(
            "{shown} is empty. Name a file with contents, or use --size and a --rw that only writes"
        )));
    }
    let job = job(global, args, args.size.unwrap_or(len))?;
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
    measure(global, &job, &on, cancel)
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
) -> Result<Measurement, Fault> {
    if args.rw == Rw::SmallFiles {
        return Err(Fault::usage("smallfiles needs a directory"));
    }
    let device = open_device(path, args.rw.writes(), args.erase.as_deref())?;
    let size = device.place.size_bytes;
    let job = job(global, args, args.size.unwrap_or(size))?;
    if job.size > size {
        return Err(Fault::usage(format!(
            "{} has {}, less than --size {}",
            RawPath::new(path),
            units::size(size),
            units::size(job.size)
        )));
    }
    let (kind, place, acks) = (TargetKind::Block, &device.place, record(args, path)?);
    measure(global, &job, &On { target: path.into(), kind, place, ours: false, acks }, cancel)
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

/// Measures and adds what the page cache and the disks say. A file that we laid out ourselves is
/// put out of memory before it is read; any other file is taken as it is, which is then said.
fn measure(global: &Global, job: &Job, on: &On<'_>, cancel: &Cancel) -> Result<Measurement, Fault> {
    let On { ref target, kind, place, ours, ref acks } = *on;
    let mut truth = Truth::default();
    if kind == TargetKind::File && job.rw.reads() {
        truth.resident_before_bytes = resident(target.path(), job.size, ours);
    }
    let disks = disks_of(place);
    let progress = Progress::new(global.quiet);
    progress.doing(job.rw.name());
    let before = host::Evidence::take(&disks);
    let (acks, unseen) = (acks.as_ref().map(AsFd::as_fd), progress.is_hidden());
    let load = Load { acks, unseen, ..Load::new(job, &[]) };
    let measured = load::run_all(load, target, kind, cancel, &mut |live| progress.live(live));
    host::Evidence::take(&disks).since(&before, &mut truth);
    progress.clear();
    let mut measurement = measured.and_then(load::only).map_err(fault_of)?;
    let read_bytes = measurement.read.as_ref().map_or(0, |read| read.io_bytes);
    truth.cache = truth::cache_state(place.class, &truth, read_bytes, job.size, job.direct);
    let cell = Cell {
        slices: Vec::new(),
        block: 0,
        candidate: 0,
        workload: 0,
        began_ns: 0,
        measurement: measurement.clone(),
        truth,
        raw: None,
        telemetry: None,
    };
    measurement.findings = evidence::cell(&header_of(global, job, place), &cell);
    Ok(measurement)
}

/// The rules look at a cell of a run: one candidate, one workload.
fn header_of(global: &Global, job: &Job, place: &Place) -> Header {
    let path = place.mount_point.clone();
    let kind = Kind::Directory { path, place: Box::new(place.clone()) };
    let candidate = Candidate::new("bench", kind);
    let (phase, metric) = match job.rw {
        Rw::Read | Rw::RandRead => (Phase::ColdRead, Metric::Iops),
        Rw::SmallFiles => (Phase::Metadata, Metric::FilesPerSecond),
        Rw::Write | Rw::RandWrite | Rw::RandRw => (Phase::Overwrite, Metric::Iops),
    };
    let name = job.rw.name();
    let workload = Workload::native(name, name, phase, metric, job.clone());
    let plan = RunPlan {
        candidates: vec![candidate],
        workloads: vec![workload],
        ..RunPlan::new("bench", String::new(), Protocol::for_mode(Mode::Quick, 1))
    };
    plan.header(global)
}

/// Bytes of the file in memory, after putting it out where it is ours; `None` = cannot be told.
fn resident(target: &Path, size: u64, ours: bool) -> Option<u64> {
    let file = File::open(target).ok()?;
    if ours {
        residency::evict(&file).ok()?;
    }
    residency::resident_bytes(&file, size).ok()
}

/// What a load failed of, as the end of the command.
pub fn fault_of(error: LoadError) -> Fault {
    match error {
        LoadError::Interrupted => Fault::interrupted("interrupted; no result was saved"),
        LoadError::Child(said) => Fault::environment(said),
        LoadError::Failed(Failure { kind, message }) => match kind {
            FailureKind::Invalid | FailureKind::NotFound => Fault::usage(message),
            FailureKind::VerifyFailed => Fault::failed(message),
            FailureKind::Protocol => Fault::bug(message),
            FailureKind::NoSpace
            | FailureKind::ReadOnly
            | FailureKind::Permission
            | FailureKind::Unsupported
            | FailureKind::NoMemory
            | FailureKind::Io => Fault::environment(message),
        },
    }
}

fn print(global: &Global, measurement: &Measurement) -> Result<Outcome, Fault> {
    let text = match global.format {
        Some(Format::Json) => format!("{:#}\n", report::bench_json(measurement)),
        _ => report::bench_text(measurement, out::width()),
    };
    out::print(global.format, &text)?;
    Ok(Outcome::Done)
}
