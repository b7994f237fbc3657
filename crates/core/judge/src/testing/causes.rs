//! Each cause made on purpose, for the tests.
//!
//! Series of heat, clocks and throttling are made up after the documentation of the boards (no
//! board was at hand); the shapes of the others are those that the shell's tests see on a machine.

use super::RunBuilder;
use crate::diagnose;
use bakeoff_model::bottleneck::Reason;
use bakeoff_model::cause::{Cause, Grade};
use bakeoff_model::ceiling::{CeilingLayer as BaseLayer, LayerRate};
use bakeoff_model::event::{CacheState, Cell};
use bakeoff_model::index::WorkloadIx;
use bakeoff_model::measurement::Window;
use bakeoff_model::run::Run;
use bakeoff_model::telemetry::{
    CpuSeries, DeviceSeries, Gauge, MemorySeries, PressureSeries, Telemetry,
};

pub const MS: u64 = 1_000_000;
const STRETCH_MS: u64 = 100;

/// A run of one workload on one directory, its first cell with quiet telemetry beside it.
pub struct Case {
    pub run: Run,
    pub cell: Cell,
}

impl Case {
    pub fn measured(workload: &str, rate: f64) -> Case {
        let run = RunBuilder::directories(&["/mnt"])
            .workloads(&[workload])
            .place(0, |place| {
                let disk = place.chain.last_mut().expect("the fixture has one");
                (disk.bus, disk.link) = (Some("ata".into()), Some("SATA 6.0 Gb/s".into()));
            })
            .play(1, |_, _, _| rate)
            .build();
        let mut cell = run.blocks[0].cells[0].clone();
        let m = &mut cell.measurement;
        // A quiet machine: the caller mostly waits, the disk holds its one request.
        (m.usr_cpu_ns, m.sys_cpu_ns) = (m.elapsed_ns / 50, m.elapsed_ns / 10);
        cell.telemetry = Some(Box::new(quiet(m.elapsed_ns / (STRETCH_MS * MS), 0.85)));
        Case { run, cell }
    }

    pub fn t(&mut self) -> &mut Telemetry {
        self.cell.telemetry.as_mut().expect("the fixture has one")
    }

    pub fn with(mut self, change: impl FnOnce(&mut Case)) -> Case {
        change(&mut self);
        self
    }

    pub fn layer(mut self, layer: BaseLayer, rate: f64) -> Case {
        let measured = LayerRate {
            layer,
            workload: WorkloadIx::FIRST,
            candidate: None,
            rate,
            bytes_per_s: rate,
            elapsed_ns: 1,
        };
        self.run.ceilings.measured.push(measured);
        self
    }

    pub fn reason(&self) -> Reason {
        diagnose::cell(&self.run, &self.cell).expect("the fixture has one")
    }

    /// What speaks for its cause, in words.
    pub fn evidence(&self) -> String {
        self.reason().evidence.join("; ")
    }

    pub fn cause(&self) -> (Cause, Grade) {
        let reason = self.reason();
        (reason.cause, reason.grade)
    }
}

/// Two CPUs that do little, one disk with `queue` requests in flight.
pub fn quiet(stretches: u64, queue: f64) -> Telemetry {
    let n = stretches.max(1) as usize;
    let busy_ms = (queue * STRETCH_MS as f64) as u64;
    let slow = n.div_ceil(5);
    let cpu = |cpu| CpuSeries {
        cpu,
        user_ms: vec![5; n],
        system_ms: vec![5; n],
        interrupt_ms: vec![0; n],
        steal_ms: vec![0; n],
    };
    Telemetry {
        fast_ns: (1..=n as u64).map(|i| i * STRETCH_MS * MS).collect(),
        slow_ns: (1..=slow as u64).map(|i| i * 5 * STRETCH_MS * MS).collect(),
        devices: vec![DeviceSeries {
            name: "sda".into(),
            dev: "8:0".into(),
            is_disk: true,
            reads: vec![100; n],
            read_bytes: vec![100 * 4096; n],
            read_ms: vec![busy_ms; n],
            writes: vec![0; n],
            written_bytes: vec![0; n],
            write_ms: vec![0; n],
            in_flight: vec![1; n],
            queue_ms: vec![busy_ms; n],
            flushes: vec![0; n],
            flush_ms: vec![0; n],
        }],
        cpus: vec![cpu(0), cpu(1)],
        pressure: Some(PressureSeries {
            cpu_some_us: vec![1000; slow],
            io_some_us: vec![400_000; slow],
            io_full_us: vec![0; slow],
            memory_some_us: vec![0; slow],
        }),
        memory: Some(MemorySeries {
            dirty_bytes: vec![1 << 20; slow],
            writeback_bytes: vec![0; slow],
            limit_bytes: Some(800 << 20),
            background_bytes: Some(400 << 20),
        }),
        ..Telemetry::default()
    }
}

pub fn queue(case: &mut Case, queue: f64) {
    let n = case.t().fast_ns.len();
    case.t().devices[0].queue_ms = vec![(queue * STRETCH_MS as f64) as u64; n];
}

pub fn windows(case: &mut Case, rates: impl IntoIterator<Item = (u64, u64)>) {
    let mut start_ns = 0;
    let bs = case.cell.measurement.job.bs;
    let window = |(len_ns, ios): (u64, u64)| {
        let window = Window { start_ns, len_ns, read_bytes: 0, write_bytes: ios * bs, ios };
        start_ns += len_ns;
        window
    };
    case.cell.measurement.windows = rates.into_iter().map(window).collect();
}

pub type Made = (&'static str, Cause, Case);

fn made(
    name: &'static str,
    cause: Cause,
    (workload, rate): (&str, f64),
    change: impl FnOnce(&mut Case),
) -> Made {
    (name, cause, Case::measured(workload, rate).with(change))
}

pub fn case(name: &str) -> Case {
    cases().into_iter().find(|made| made.0 == name).expect("a case of that name").2
}

pub fn cases() -> Vec<Made> {
    let mut all = around();
    all.extend(processors());
    all.extend(crowds());
    all.extend(writing());
    all.extend(reading());
    all
}

fn around() -> Vec<Made> {
    let falls = |case: &mut Case, lowest: u64| {
        let slow = case.t().slow_ns.len();
        let mut values = vec![1_400_000; slow];
        values[slow / 2..].fill(lowest);
        let name = "policy0".to_string();
        case.t().frequency_khz = vec![Gauge { name, most: Some(1_400_000), values }];
    };
    let heat = |case: &mut Case, mc: u64| {
        let values = vec![mc; case.t().slow_ns.len()];
        case.t().temperature_mc = vec![Gauge { name: "cpu-thermal".into(), most: None, values }];
    };
    vec![
        made("under-voltage", Cause::HeatOrPower, ("randread", 900.0), |s| {
            s.t().throttled = vec![0, 0x50005, 0x50000, 0x50000]
        }),
        made("the soft limit of a 3 B+", Cause::HeatOrPower, ("seqread", 30e6), |s| {
            s.run.header.host.model = Some("Raspberry Pi 3 Model B Plus Rev 1.3".into());
            falls(s, 1_200_000);
            heat(s, 61_000);
        }),
        made("a hot processor", Cause::HeatOrPower, ("seqread", 30e6), |s| {
            falls(s, 600_000);
            heat(s, 82_000);
        }),
        made("another process on the disk", Cause::Foreign, ("randread", 900.0), |s| {
            let own = s.cell.measurement.read.as_ref().expect("the fixture has one").io_bytes;
            s.cell.truth.device_read_bytes = Some(own + (60 << 20));
            s.cell.truth.foreign_bytes = Some(60 << 20);
        }),
        made(
            "writes that stay in memory while others write",
            Cause::PageCache,
            ("seqwrite", 400e6),
            |s| {
                let m = &mut s.cell.measurement;
                (m.job.fsync, m.job.end_fsync, m.flush_ns) = (0, false, 0);
                m.sys_cpu_ns = m.elapsed_ns * 6 / 10;
                let own = m.write.as_ref().expect("the fixture has one").io_bytes;
                s.cell.truth.device_written_bytes = Some(own);
                s.cell.truth.foreign_bytes = Some(own * 9 / 10);
            },
        ),
        made("a cached file", Cause::PageCache, ("seqread", 400e6), |s| {
            s.cell.measurement.job.direct = false;
            s.cell.truth.device_read_bytes = Some(0);
            s.cell.truth.cache = CacheState::Warm;
            s.cell.measurement.sys_cpu_ns = s.cell.measurement.elapsed_ns * 95 / 100;
            queue(s, 0.0);
        }),
    ]
}

fn processors() -> Vec<Made> {
    vec![
        made("a controller's interrupts", Cause::Cpu, ("seqread", 20e6), |s| {
            let n = s.t().fast_ns.len();
            s.t().cpus[0].interrupt_ms = vec![75; n];
            queue(s, 0.5);
        }),
        made("8-byte writes", Cause::SystemCalls, ("seqwrite", 12e6), |s| {
            let m = &mut s.cell.measurement;
            (m.job.bs, m.job.fsync) = (8, 0);
            (m.flush_ns, m.usr_cpu_ns) = (m.elapsed_ns / 100, m.elapsed_ns * 3 / 10);
            m.sys_cpu_ns = m.elapsed_ns * 65 / 100;
            queue(s, 0.05);
        }),
    ]
}

fn crowds() -> Vec<Made> {
    vec![
        made("a crowded CPU", Cause::Cpu, ("randread", 900.0), |s| {
            s.cell.measurement.waited_ns = Some(s.cell.measurement.elapsed_ns * 7 / 10);
            queue(s, 0.2);
        }),
        made("others take the CPUs", Cause::Cpu, ("randread", 900.0), |s| {
            let n = s.t().fast_ns.len();
            s.t().cpus.iter_mut().for_each(|cpu| cpu.user_ms = vec![94; n]);
            let slow = s.t().slow_ns.len();
            s.t().pressure.as_mut().expect("the fixture has one").cpu_some_us = vec![450_000; slow];
            queue(s, 0.2);
        }),
    ]
}

fn writing() -> Vec<Made> {
    vec![
        made("a flush after every write", Cause::Flush, ("randwrite", 300.0), |s| {
            let m = &mut s.cell.measurement;
            m.flush_ns = m.elapsed_ns * 97 / 100;
        }),
        made(
            "the kernel's limit on dirty pages (unwritten data)",
            Cause::Writeback,
            ("seqwrite", 60e6),
            |s| {
                let m = &mut s.cell.measurement;
                (m.job.fsync, m.flush_ns) = (0, m.elapsed_ns / 10);
                let slow = s.t().slow_ns.len();
                s.t().memory.as_mut().expect("the fixture has one").dirty_bytes =
                    vec![620 << 20; slow];
                queue(s, 30.0);
            },
        ),
    ]
}

fn reading() -> Vec<Made> {
    vec![
        made("a full USB 2 link", Cause::Bus, ("seqread", 38e6), |s| {
            let bakeoff_model::candidate::Kind::Directory { place, .. } =
                &mut s.run.header.candidates[0].kind
            else {
                unreachable!("directories only")
            };
            let disk = place.chain.last_mut().expect("the fixture has one");
            (disk.bus, disk.link) = (Some("usb".into()), Some("USB 480 Mb/s, UAS".into()));
            queue(s, 1.8);
        }),
        (
            "a capped disk",
            Cause::Device,
            Case::measured("seqread", 20e6)
                .layer(BaseLayer::Raw, 20.4e6)
                .layer(BaseLayer::Deep, 20.5e6),
        ),
        made("a disk with a full queue", Cause::Device, ("seqread", 120e6), |s| queue(s, 3.4)),
        made("depth 1 over a slow device", Cause::QueueDepth, ("randread", 90.0), |s| {
            queue(s, 0.98)
        }),
        (
            "depth 1, where more would be faster",
            Cause::QueueDepth,
            Case::measured("randread", 900.0)
                .layer(BaseLayer::Raw, 910.0)
                .layer(BaseLayer::Deep, 9000.0),
        ),
        (
            "a slow end of the disk",
            Cause::Position,
            Case::measured("seqread", 110e6)
                .layer(BaseLayer::Start, 150e6)
                .layer(BaseLayer::End, 80e6),
        ),
    ]
}
