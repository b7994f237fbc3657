//! One job on one target, outside a run: what `bench` measures, with the evidence about it.

use std::fs::File;
use std::path::Path;

use bakeoff_engine::residency;
use bakeoff_judge::cold_reads;
use bakeoff_judge::evidence;
use bakeoff_model::candidate::{Candidate, Kind};
use bakeoff_model::design::Design;
use bakeoff_model::event::{Cell, Truth};
use bakeoff_model::finding::Finding;
use bakeoff_model::host::Place;
use bakeoff_model::index::{BlockIx, CandidateIx, WorkloadIx};
use bakeoff_model::job::{EngineName, Job, Rw};
use bakeoff_model::protocol::{Mode, Protocol};
use bakeoff_model::verb::Verb;
use bakeoff_model::workload::{Metric, Phase, Workload};
use bakeoff_report::Benched;
use bakeoff_tools::native::TargetKind;

use crate::fault::Fault;
use crate::host;
use crate::load::site::Subject;
use crate::load::{self, Load};
use crate::signals::Cancel;
use crate::ui::progress::Progress;

pub struct Single {
    pub name: Option<String>,
    pub job: Job,
    pub targets: Vec<Subject>,
    pub kind: TargetKind,
    pub place: Place,
    pub ramp_ns: Option<u64>,
    /// Whether what is read is put out of memory before. Otherwise it is taken as it is, which is
    /// then said.
    pub evict: bool,
}

pub fn measure(single: &Single, progress: &Progress, cancel: &Cancel) -> Result<Benched, Fault> {
    let Single { job, targets, place, .. } = single;
    let Single { kind, ramp_ns, evict, .. } = *single;
    let mut truth = Truth::default();
    if let Some(ns) = ramp_ns {
        ramp(single, ns, progress, cancel)?;
    }
    if kind != TargetKind::Directory && job.rw.reads() {
        let seen = targets.iter().map(|target| resident(target.path(), job.size, evict)).sum();
        let seen: Option<u64> = seen;
        truth.resident_before_bytes = seen.filter(|_| kind == TargetKind::File);
    }
    let drives = place.counted();
    progress.doing(job.rw.name());
    let servers = host::servers(place);
    let before = host::Evidence::take(&drives, &servers);
    let unseen = progress.is_hidden();
    let load = Load { unseen, ..Load::new(job, &[]) };
    let measured = load::run_all(load, targets, kind, cancel, &mut |live| progress.live(live));
    host::Evidence::take(&drives, &servers).since(&before, &mut truth);
    progress.clear();
    let mut measurement = measured.and_then(load::only)?;
    let read_bytes = measurement.read.as_ref().map_or(0, |read| read.io_bytes);
    cold_reads::leave_to_others(&mut truth, &drives, read_bytes);
    truth.cache =
        cold_reads::cache_state(place.class, &truth, read_bytes, job.span_bytes(), job.direct);
    let cell = Cell {
        beside: None,
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
    let is_data = job.rw != Rw::SmallFiles && job.engine != EngineName::Null;
    let resident = cell.truth.resident_before_bytes.filter(|_| !job.direct).unwrap_or(0);
    let cached = resident as f64 / job.span_bytes().max(1) as f64;
    let memory_share = cold_reads::memory_share(place.class, &cell.truth, read_bytes, cached);
    let from_memory = memory_share
        .filter(|_| is_data)
        .map(|share| (share, cold_reads::memory_words(share, place.class, job.direct, evict)));
    Ok(Benched { name: single.name.clone(), measurement, from_memory })
}

fn ramp(single: &Single, ns: u64, progress: &Progress, cancel: &Cancel) -> Result<(), Fault> {
    progress.doing("ramp time");
    let seed = !single.job.seed & (u64::MAX >> 11);
    let (io_size, runtime_ns) = (None, Some(ns));
    let before = Job { io_size, runtime_ns, verify: false, seed, ..single.job.clone() };
    let (load, mut tick) = (Load::new(&before, &[]), |live| progress.live(live));
    let loaded = load::run_all(load, &single.targets, single.kind, cancel, &mut tick);
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
        system: &[],
    };
    evidence::cell(design, cell)
}

/// Bytes of the file in memory, after evicting it where it is ours; `None` = unknown.
fn resident(target: &Path, size: u64, ours: bool) -> Option<u64> {
    let file = File::open(target).ok()?;
    if ours {
        residency::evict(&file).ok()?;
    }
    residency::resident_bytes(&file, size).ok()
}
