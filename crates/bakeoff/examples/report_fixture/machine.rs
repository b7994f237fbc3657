//! A run that was watched: two disks on a board that grows hot, with ceilings.

use bakeoff_judge::testing::RunBuilder;
use bakeoff_model::candidate::Skipped;
use bakeoff_model::ceiling::{CeilingLayer, Ceilings, LayerRate};
use bakeoff_model::event::{Cell, Event, What};
use bakeoff_model::index::{CandidateIx, WorkloadIx};
use bakeoff_model::telemetry::{
    CpuSeries, DeviceSeries, Gauge, MemorySeries, PressureSeries, Telemetry, Watching,
};

use super::{noise, rates, shape};

const MS: u64 = 1_000_000;
const CPUS: u32 = 4;

pub fn events() -> Vec<Event> {
    let table: &[&[f64]] = &[&[101e6, 400.0], &[41e6, 620.0]];
    let mut builder = RunBuilder::directories(&["/home", "/mnt/usb stick"])
        .workloads(&["seqread", "randwrite"])
        .cells(|cell| {
            shape(cell, 20);
            cell.telemetry = Some(Box::new(watched(cell)));
        });
    builder.push(watching(vec![Skipped {
        name: "throttling".to_string(),
        reason: "this board's firmware does not tell it".to_string(),
    }]));
    builder.push(What::Ceilings(Box::new(ceilings())));
    builder.play(6, rates(table, 0.02)).events()
}

/// What is not watched.
pub(super) fn watching(missing: Vec<Skipped>) -> What {
    What::Watching(Box::new(Watching { missing }))
}

fn ceilings() -> Ceilings {
    let rate_of = |layer, workload, candidate: Option<usize>, rate| LayerRate {
        layer,
        workload: WorkloadIx::new(workload),
        candidate: candidate.map(CandidateIx::new),
        rate,
        bytes_per_s: rate,
        elapsed_ns: 300 * MS,
    };
    Ceilings {
        measured: vec![
            rate_of(CeilingLayer::Deep, 0, Some(0), 118e6),
            rate_of(CeilingLayer::Deep, 0, Some(1), 43e6),
            rate_of(CeilingLayer::Calls, 0, None, 2.9e9),
            rate_of(CeilingLayer::NoFlush, 1, Some(0), 9100.0),
        ],
        skipped: vec![Skipped {
            name: "the same without flushing for randwrite".to_string(),
            reason: "no space left on device".to_string(),
        }],
    }
}

/// Two seconds of a machine: the disk waits at most, one CPU works, heat rises from block to block.
pub(super) fn watched(cell: &Cell) -> Telemetry {
    let (block, candidate, workload) =
        (cell.block.number(), cell.candidate.number(), cell.workload.number());
    let fast: Vec<u64> = (1..=cell.measurement.elapsed_ns / (100 * MS)).collect();
    let slow: Vec<u64> = (1..=cell.measurement.elapsed_ns / (500 * MS)).collect();
    let near = |i: u64, middle: f64| {
        (middle * (1.0 + 0.25 * noise(block + 50 * i as u32, candidate, workload))) as u64
    };
    let every = |middle: f64| -> Vec<u64> { fast.iter().map(|i| near(*i, middle)).collect() };
    let seldom = |middle: f64| -> Vec<u64> { slow.iter().map(|i| near(*i, middle)).collect() };
    let cpu = |number: u32| {
        let share = if number == 1 { 55.0 } else { 6.0 };
        let ms = |of: f64| every(of).into_iter().map(|v| v as u32).collect();
        CpuSeries {
            cpu: number,
            user_ms: ms(share * 0.3),
            system_ms: ms(share * 0.5),
            interrupt_ms: ms(share * 0.2),
            steal_ms: vec![0; fast.len()],
        }
    };
    let heat = 58_000 + 3_000 * u64::from(block);
    let is_hot = heat > 70_000;
    Telemetry {
        fast_ns: fast.iter().map(|i| i * 100 * MS).collect(),
        slow_ns: slow.iter().map(|i| i * 500 * MS).collect(),
        devices: vec![DeviceSeries {
            name: "sda".to_string(),
            dev: "8:0".to_string(),
            is_disk: true,
            reads: every(96.0),
            read_bytes: every(96.0 * 1_048_576.0),
            read_ms: every(88.0),
            writes: every(30.0),
            written_bytes: every(30.0 * 4096.0),
            write_ms: every(9.0),
            in_flight: vec![1; fast.len()],
            queue_ms: every(97.0),
            flushes: every(4.0),
            flush_ms: every(30.0),
        }],
        cpus: (0..CPUS).map(cpu).collect(),
        pressure: Some(PressureSeries {
            cpu_some_us: seldom(9_000.0),
            io_some_us: seldom(390_000.0),
            io_full_us: seldom(310_000.0),
            memory_some_us: vec![0; slow.len()],
        }),
        memory: Some(MemorySeries {
            dirty_bytes: seldom(12e6),
            writeback_bytes: seldom(3e6),
            limit_bytes: Some(700_000_000),
            background_bytes: Some(350_000_000),
        }),
        frequency_khz: vec![Gauge {
            name: "policy0".to_string(),
            most: Some(1_500_000),
            values: vec![if is_hot { 1_200_000 } else { 1_500_000 }; slow.len()],
        }],
        temperature_mc: vec![Gauge {
            name: "cpu-thermal".to_string(),
            most: Some(85_000),
            values: slow.iter().map(|i| heat + 400 * i).collect(),
        }],
        ..Telemetry::default()
    }
}
