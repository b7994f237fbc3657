//! What is told beside the cells, with a value in every field, for the sample record.

use bakeoff_model::candidate::Skipped;
use bakeoff_model::ceiling::{CeilingLayer, Ceilings, LayerRate};
use bakeoff_model::health::{DriveTold, Health};
use bakeoff_model::index::{CandidateIx, WorkloadIx};
use bakeoff_model::log_problem::LogProblem;
use bakeoff_model::pooled::{PooledControl, PooledControls};
use bakeoff_model::telemetry::{
    CpuSeries, DeviceSeries, Gauge, LogLine, MemorySeries, PowerSeries, PressureSeries, Telemetry,
    TelemetryCost, Watching,
};

pub fn telemetry() -> Telemetry {
    Telemetry {
        start_ns: -3_000_000,
        fast_ns: vec![97_000_000, 197_000_000],
        devices: vec![DeviceSeries {
            name: "sda".into(),
            dev: "8:0".into(),
            is_disk: true,
            reads: vec![1, 2],
            read_bytes: vec![4096, 8192],
            read_ms: vec![1, 1],
            writes: vec![3, 4],
            written_bytes: vec![4096, 8192],
            write_ms: vec![5, 6],
            in_flight: vec![1, 0],
            queue_ms: vec![90, 95],
            flushes: vec![1, 1],
            flush_ms: vec![40, 41],
        }],
        cpus: vec![CpuSeries {
            cpu: 0,
            user_ms: vec![10, 0],
            system_ms: vec![20, 30],
            interrupt_ms: vec![0, 10],
            steal_ms: vec![0, 0],
        }],
        slow_start_ns: -3_000_000,
        slow_ns: vec![197_000_000],
        pressure: Some(PressureSeries {
            cpu_some_us: vec![10],
            io_some_us: vec![180_000],
            io_full_us: vec![170_000],
            memory_some_us: vec![0],
        }),
        memory: Some(MemorySeries {
            dirty_bytes: vec![4096],
            writeback_bytes: vec![0],
            limit_bytes: Some(800 << 20),
            background_bytes: Some(400 << 20),
        }),
        frequency_khz: vec![Gauge {
            name: "policy0".into(),
            most: Some(1_500_000),
            values: vec![1_500_000],
        }],
        power: vec![PowerSeries { name: "package-0".into(), energy_uj: vec![800_000] }],
        temperature_mc: vec![Gauge {
            name: "cpu-thermal".into(),
            most: None,
            values: vec![61_000],
        }],
        throttled: vec![0x50000],
        quota_held_ns: Some(0),
        swapped_pages: Some(0),
        log: vec![LogLine { problem: LogProblem::Voltage, text: "Undervoltage detected!".into() }],
        cost: TelemetryCost { cpu_ns: 400_000, samples: 3 },
    }
}

/// A drive that told all there is, and one that told nothing.
pub fn drives() -> Vec<DriveTold> {
    let health = Health {
        passed: Some(true),
        temperature_c: Some(35),
        power_on_hours: Some(1295),
        reallocated_sectors: Some(0),
        pending_sectors: Some(0),
        uncorrectable_sectors: Some(0),
        crc_errors: Some(3),
        media_errors: Some(0),
        critical_warning: Some(0),
        used_percent: Some(2),
        written_bytes: Some(512_000),
        life_time: Some([1, 2]),
        pre_eol: Some(1),
    };
    let told = DriveTold { disk: "sda".into(), health: Some(health), why: None };
    vec![told, DriveTold { disk: "sdb".into(), health: None, why: Some("needs root".into()) }]
}

/// What is watched.
pub fn watching() -> Watching {
    Watching {
        sources: vec!["disks".into()],
        missing: vec![Skipped { name: "clocks".into(), reason: "no cpufreq".into() }],
        fast_ns: 100_000_000,
        slow_ns: 500_000_000,
    }
}

pub fn ceilings() -> Ceilings {
    Ceilings {
        measured: vec![LayerRate {
            layer: CeilingLayer::Raw,
            workload: WorkloadIx::FIRST,
            candidate: Some(CandidateIx::FIRST),
            rate: 91e6,
            bytes_per_s: 91e6,
            elapsed_ns: 500_000_000,
        }],
        skipped: vec![Skipped { name: "the cipher in memory".into(), reason: "no brd".into() }],
    }
}

pub fn pooled() -> PooledControls {
    let of = PooledControl {
        workload: "read-1m".into(),
        blocks: 24,
        mean: 0.003,
        low: -0.002,
        high: 0.008,
    };
    PooledControls { runs: vec!["0123456789abcdee".into()], workloads: vec![of] }
}
