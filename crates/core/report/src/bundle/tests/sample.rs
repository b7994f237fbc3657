//! A record in which every kind of event occurs and every field has a value.
//!
//! Literals name every field, so a field that is added does not compile until it is given a value
//! here.

use crate::bundle::{Head, RUN_SCHEMA};
use bakeoff_model::candidate::{Candidate, Crypt, Kind, Knobs, Skipped, Stack};
use bakeoff_model::event::{
    CacheState, Cell, Event, FlashState, Header, Namespaces, Owner, Position, Region, Rehearsal,
    Step, StepDone, StopReason, Truth, What,
};
use bakeoff_model::finding::{Finding, Scope, Severity};
use bakeoff_model::host::{Layer, LayerKind, Place, PlaceClass, ZoneModel};
use bakeoff_model::index::{BlockIx, CandidateIx, RegionIx, WorkloadIx};
use bakeoff_model::job::{Data, EngineName, Job, Mem, Offsets, Rw, Stamps};
use bakeoff_model::measurement::{
    Clock, ClockSource, Figure, Latency, Measurement, OpStats, SCHEMA, Tool, Window,
};
use bakeoff_model::path::RawPath;
use bakeoff_model::profile::{Part, Profile};
use bakeoff_model::use_state::{Age, UseState};
use bakeoff_model::verb::Verb;
use bakeoff_model::wear::DriveWrites;
use bakeoff_model::workload::{DriverName, Metric, Phase, Workload};
use bakeoff_stats::histogram::Histogram;

mod applications;
mod changes;
mod host;
mod protocol;
mod rounds;

pub const RUN: &str = "0123456789abcdef";

pub fn head() -> Head {
    Head {
        schema: crate::bundle::SCHEMA.into(),
        run: RUN.into(),
        version: "0.1.0".into(),
        label: Some("before the new power supply".into()),
    }
}

/// The events in order.
pub fn events() -> Vec<Event> {
    whats()
        .into_iter()
        .enumerate()
        .map(|(seq, what)| Event {
            seq: seq as u64,
            unix_ns: 1_795_000_000_000_000_000 + seq as i64 * 1_500_000_000,
            elapsed_ns: seq as u64 * 1_500_000_000,
            what,
        })
        .collect()
}

/// The events as the store keeps them.
pub fn lines() -> Vec<String> {
    events().iter().map(|e| serde_json::to_string(e).expect("plain data serialises")).collect()
}

fn whats() -> Vec<What> {
    let view = Some(Namespaces { run_dev: 25, var_lib_dev: 2049, pid_ns: 4_026_531_836 });
    let owner = Owner { pid: 4321, start_ticks: 987_654, boot_id: "6f1c".into(), view };
    let mut all = vec![What::Started(Box::new(header())), What::Owned(owner)];
    all.push(What::Rehearsed(Box::new(rehearsal())));
    all.push(What::Watching(Box::new(super::sample_telemetry::watching())));
    all.push(What::DrivesTold { after: false, drives: super::sample_telemetry::drives() });
    all.push(What::Ceilings(Box::new(super::sample_telemetry::ceilings())));
    all.extend(super::sample_normal::of_earlier_runs());
    all.push(What::Found(finding()));
    all.push(What::Extended { time_ns: Some(600_000_000_000), max_write_bytes: Some(4 << 30) });
    for (number, (action, undo)) in changes::actions().into_iter().enumerate() {
        let step = number as u32;
        let why = format!("step {number} of the sample");
        let destroys = Some("everything on the image".into());
        all.push(What::StepPlanned(Step { step, why, action, undo, destroys }));
        let output = "mke2fs 1.47.2\n".into();
        all.push(What::StepDone(StepDone { step, took_ns: 1_200_000, status: 0, output }));
    }
    let positions = (0..2).map(|i| Position { offset_bytes: i << 30, bytes_per_s: 9e7 }).collect();
    let (region, block) = (RegionIx::FIRST, BlockIx::FIRST);
    all.push(What::Surveyed { region, positions });
    all.push(What::Verified { region, verified_bytes: 1 << 30, device_bytes: 32 << 30 });
    all.push(What::Marked { region, mark: rounds::mark() });
    let order = [1, 0].map(CandidateIx::new).to_vec();
    all.push(What::BlockStarted { block, order, round: None });
    all.push(What::BlockSuperseded { block, reason: "the power went".into() });
    all.push(What::Calibrated(Box::new(rounds::calibration())));
    for block in (1..=5).map(BlockIx::new) {
        // Either is first in some blocks, as a shuffle would have it.
        let order = if block.number() % 2 == 0 { [0, 1] } else { [1, 0] };
        let order = order.map(CandidateIx::new).to_vec();
        all.push(What::BlockStarted { block, order, round: None });
        all.push(What::Sentinel { block, bytes_per_s: 91e6 });
        for candidate in CandidateIx::all(2) {
            all.push(What::VisitStarted { block, candidate, part: None });
            all.push(What::Filled(Box::new(rounds::filled(block, candidate))));
            let reason = "the machine was suspended for 12 s".into();
            all.push(What::CellInvalid { block, candidate, workload: WorkloadIx::new(1), reason });
            for workload in WorkloadIx::all(2) {
                all.push(What::CellDone(Box::new(cell(block, candidate, workload))));
            }
        }
        all.push(What::BlockDone { block });
    }
    all.push(What::FitMeasured(Box::new(applications::measured())));
    all.push(What::Looked { blocks: 5, dropped: vec![CandidateIx::new(1)] });
    all.extend((0..changes::actions().len() as u32).rev().map(|step| What::StepUndone { step }));
    all.push(What::Stopped { reason: StopReason::Decided, note: "all answered".into() });
    all
}

fn finding() -> Finding {
    Finding {
        id: "L10".into(),
        severity: Severity::Warn,
        scope: Scope::Place,
        workload: Some("read-1m".into()),
        candidate: Some("/mnt/usb".into()),
        evidence: "/var is on the same drive".into(),
        advice: "measure a drive of its own".into(),
    }
}

fn header() -> Header {
    Header {
        schema: RUN_SCHEMA.into(),
        run: RUN.into(),
        version: "0.1.0".into(),
        verb: Verb::Demo,
        title: "demo: ext4, /mnt/usb".into(),
        command: vec!["bakeoff".into(), "demo".into()],
        seed: 42,
        protocol: protocol::protocol(),
        candidates: vec![
            Candidate::new("ext4", Kind::Stack(stack())),
            Candidate::new(
                "/mnt/usb",
                Kind::Directory { path: RawPath::new("/mnt/usb"), place: Box::new(place()) },
            ),
            // Out since the rehearsal.
            Candidate {
                name: "ext4 again".into(),
                kind: Kind::Stack(stack()),
                twin_of: Some("ext4".into()),
                region: RegionIx::new(1),
                tool: DriverName::Fio,
            },
        ],
        workloads: vec![workload("read-1m", Rw::Read), workload("randwrite-4k", Rw::RandWrite)],
        skipped: vec![Skipped { name: "xfs".into(), reason: "mkfs.xfs is not installed".into() }],
        dropped_workloads: vec![Skipped { name: "small".into(), reason: "no time".into() }],
        host: host::host(),
        region: Some(region("/mnt/usb/image")),
        more_regions: vec![region("/mnt/card/image")],
        plan: Some("title = \"sample\"\n".into()),
        expected_write_bytes: 3 << 30,
        file_bytes: Some(256 << 20),
        applications: applications::applications(),
    }
}

fn stack() -> Stack {
    Stack {
        fs: "ext4".into(),
        mkfs: vec!["-O".into(), "^has_journal".into()],
        mount: vec!["noatime".into()],
        fuse: false,
        crypt: Some(Crypt {
            kind: "luks2".into(),
            cipher: "aes-xts-plain64".into(),
            key_bits: 512,
            sector_size: Some(4096),
            no_read_workqueue: true,
            no_write_workqueue: true,
        }),
        lvm: true,
        knobs: Knobs {
            scheduler: Some("mq-deadline".into()),
            read_ahead_kb: Some(128),
            nr_requests: Some(64),
            governor: Some("performance".into()),
        },
        state: UseState { fill_percent: 80, age: Age::Used },
    }
}

fn region(target: &str) -> Region {
    Region {
        target: RawPath::new(target),
        start_bytes: 0,
        size_bytes: 1 << 30,
        parts: 1,
        is_image: true,
        place: place(),
        flash_state: FlashState::Overwritten,
        token: Some("4C5300".into()),
        held: vec!["ext4".into()],
    }
}

fn rehearsal() -> Rehearsal {
    let planned = header();
    Rehearsal {
        protocol: planned.protocol,
        candidates: planned.candidates[..2].to_vec(),
        workloads: planned.workloads,
        skipped: planned.skipped,
        dropped_workloads: planned.dropped_workloads,
        region: planned.region,
        more_regions: planned.more_regions,
        file_bytes: 64 << 20,
        visit_ns: 4_000_000_000,
        block_ns: 40_000_000_000,
        calibration_ns: 3_000_000_000,
        block_write_bytes: 400 << 20,
        expected_write_bytes: 2 << 30,
    }
}

fn workload(name: &str, rw: Rw) -> Workload {
    let phase = if rw.writes() { Phase::Overwrite } else { Phase::ColdRead };
    let metric = if rw.writes() { Metric::Iops } else { Metric::Bandwidth };
    Workload {
        name: name.into(),
        summary: format!("{name}, flushed"),
        phase,
        metric,
        job: job(rw),
        driver: DriverName::Fio,
        profile: Some(Part { profile: Profile::Sqlite, part: 1 }),
        sized: true,
        fio_job: Some("[a]\nrw=read\n".into()),
        beside: (name != "logs").then(|| Box::new(workload("logs", Rw::Write))),
    }
}

fn job(rw: Rw) -> Job {
    Job {
        rw,
        bs: 4096,
        size: 64 << 20,
        io_size: Some(16 << 20),
        runtime_ns: Some(2_000_000_000),
        min_ios: 50,
        time_limit_ns: Some(20_000_000_000),
        iodepth: 1,
        numjobs: 1,
        direct: true,
        engine: EngineName::IoUring,
        fsync: 1,
        fdatasync: 0,
        end_fsync: true,
        rwmixread: 50,
        rate_reads: None,
        own_files: 0,
        rate_iops: Some(1000),
        offsets: Offsets::Once,
        data: Data::Random,
        verify: false,
        verify_one_of: 4,
        mem: Mem::Auto,
        seed: 7,
        nrfiles: 3,
        invalidate: true,
        stamps: Stamps::Each,
        buffer_compress_percentage: 30,
        settles: true,
    }
}

fn place() -> Place {
    Place {
        mount_point: RawPath::new("/mnt/usb"),
        fs: "ext4".into(),
        class: PlaceClass::Block,
        options: vec!["rw".into()],
        source: "/dev/sda1".into(),
        dev: "8:1".into(),
        size_bytes: 31 << 30,
        free_bytes: 30 << 30,
        chain: vec![layer()],
    }
}

fn layer() -> Layer {
    Layer {
        name: "sda".into(),
        kind: LayerKind::Disk,
        dev: "8:0".into(),
        size_bytes: 32 << 30,
        start_bytes: Some(1 << 20),
        model: Some("Ultra".into()),
        serial: Some("4C5300".into()),
        vendor: Some("SanDisk".into()),
        rotational: Some(false),
        scheduler: Some("mq-deadline".into()),
        zoned: Some(ZoneModel::None),
        write_cache: Some("write through".into()),
        logical_block_bytes: Some(512),
        read_ahead_bytes: Some(128 << 10),
        removable: Some(true),
        bus: Some("usb".into()),
        link: Some("USB 480 Mb/s".into()),
        best_link: Some("USB 5000 Mb/s".into()),
        card_class: Some("class 10, U3, V30, A2".into()),
        backing_file: Some(RawPath::new("/mnt/usb/image")),
        direct_io: Some(true),
        dm_target: Some("crypt".into()),
        by_id: Some("/dev/disk/by-id/usb-SanDisk_Ultra".into()),
    }
}

fn cell(block: BlockIx, candidate: CandidateIx, workload: WorkloadIx) -> Cell {
    // Candidate 0 is half as fast again, with a little noise, so that an analysis has an answer.
    let (number, reads) = (u64::from(block.number()), workload == WorkloadIx::FIRST);
    let ios = 2000 + number * 7 + if candidate == CandidateIx::FIRST { 1000 } else { 0 };
    let some_beside = block.number() == 1;
    Cell {
        beside: some_beside.then(|| Box::new(measurement(100, Rw::Write, block))),
        block,
        candidate,
        workload,
        began_ns: number * 40_000_000_000,
        slices: if block.number() == 1 { vec![rounds::slice()] } else { Vec::new() },
        measurement: measurement(ios, if reads { Rw::Read } else { Rw::RandWrite }, block),
        truth: Truth {
            resident_before_bytes: Some(0),
            device_read_bytes: Some(ios * 4096),
            device_written_bytes: Some(0),
            dirtied_per_page: Some(0.0),
            foreign_bytes: Some(0),
            foreign_by: vec!["rsync (4711)".into()],
            foreign_cpus: Some(0.05),
            foreign_cpus_by: vec!["cc1 (4712)".into()],
            suspended_ns: 0,
            swapped_pages: Some(0),
            cache: if reads { CacheState::Cold } else { CacheState::NotRead },
        },
        raw: (block.number() == 1).then(|| "verbatim\n".into()),
        telemetry: Some(Box::new(super::sample_telemetry::telemetry())),
    }
}

fn measurement(ios: u64, rw: Rw, block: BlockIx) -> Measurement {
    let some = |wanted: bool| wanted.then(|| ops(ios));
    Measurement {
        schema: SCHEMA.into(),
        job: job(rw),
        engine: EngineName::Psync,
        elapsed_ns: 2_000_000_000,
        monotonic_ns: Some(1_234_567_890),
        data_ns: 1_500_000_000,
        flush_ns: 400_000_000,
        close_ns: 1_000_000,
        read: some(rw.reads()),
        write: some(rw.writes()),
        flush: some(rw.writes() && block.number() == 1),
        create: some(rw.writes() && block.number() == 1),
        stat: some(rw.writes() && block.number() == 1),
        unlink: some(rw.writes() && block.number() == 1),
        commit: some(rw.writes() && block.number() == 1),
        usr_cpu_ns: 10_000_000,
        sys_cpu_ns: 90_000_000,
        waited_ns: Some(5_000_000),
        windows: (0..2).map(|i| window(i, ios / 3)).collect(),
        tool_ns: 1_000_000,
        clock: Some(Clock { source: ClockSource::Counter, error_ppm: 12.5, stamp_error_ns: 400 }),
        pooled_ios: 0,
        mem: "malloc".into(),
        verified_bytes: Some(4096),
        backlog: Some(0),
        figures: vec![Figure { name: "block".into(), value: 1.5, unit: "K/sec".into() }],
        tool: Some(tool()),
        device_read_bytes: Some(4096),
        wrote_bytes: Some(8192),
        laid_out_bytes: Some(4096),
        drive_writes: Some(DriveWrites {
            asked_bytes: 8192,
            reached_bytes: 20480,
            flushes: Some(3),
            is_shared: true,
        }),
        findings: if block.number() == 1 { vec![finding()] } else { Vec::new() },
    }
}

fn tool() -> Tool {
    Tool { driver: DriverName::Fio, version: "fio-3.33".into(), command: vec!["fio".into()] }
}

fn window(index: u64, ios: u64) -> Window {
    let (start_ns, len_ns) = (index * 100_000_000, 100_000_000);
    Window { start_ns, len_ns, read_bytes: ios * 4096, write_bytes: 0, ios }
}

fn ops(ios: u64) -> OpStats {
    OpStats {
        total_ios: ios,
        io_bytes: ios * 4096,
        iops: ios as f64 / 2.0,
        bw_bytes_per_s: ios as f64 * 2048.0,
        lat_ns: Latency {
            min: 90_000,
            mean: 650_000.5,
            max: 12_000_000,
            p50: Some(600_000),
            p90: Some(900_000),
            p95: Some(1_000_000),
            p99: Some(3_000_000),
            p99_9: Some(9_000_000),
            p99_99: None,
        },
        histogram: Histogram { buckets: vec![(600_063, ios - 10), (12_001_279, 10)] },
    }
}
