//! Rules over where what a cell read came from: the drive, or memory.

use super::{place, reads_drive};
use crate::evidence::observation::{MeasuredCell, Observation};
use crate::evidence::rule::Hit;
use bakeoff_model::boards::link;
use bakeoff_model::event::CacheState;
use bakeoff_model::host::PlaceClass;
use bakeoff_model::workload::Phase;
use bakeoff_stats::units;

pub fn warm_cache(of: &Observation) -> Option<Hit> {
    let MeasuredCell { workload, cell, .. } = of.measured?;
    let truth = &cell.truth;
    (reads_drive(workload, cell) && truth.cache == CacheState::Warm).then(|| {
        let bytes = |b: Option<u64>| b.map_or("unknown".to_string(), units::size);
        let read = cell.measurement.read.as_ref().map_or(0, |r| r.io_bytes);
        let evidence = format!(
            "the read came from memory: read {}, the devices transferred {}, {} were in memory \
             before",
            units::size(read),
            bytes(truth.device_read_bytes),
            bytes(truth.resident_before_bytes)
        );
        Hit::new(evidence, "use {direct=true}, or a {size} larger than the memory")
    })
}

pub fn cache_state_unknown(of: &Observation) -> Option<Hit> {
    let MeasuredCell { design, workload, cell } = of.measured?;
    (reads_drive(workload, cell) && cell.truth.cache == CacheState::Unknown).then(|| {
        let class = place(design, cell.candidate).map_or(PlaceClass::Block, |p| p.class);
        let (why, advice) = match class {
            PlaceClass::Memory => ("the target is memory", "measure a directory on a drive"),
            PlaceClass::Network => (
                "the cache of the other machine is not visible",
                "run bakeoff on the machine that contains the drive",
            ),
            PlaceClass::Fuse => (
                "the filesystem uses a user-space driver",
                "use the kernel's driver, or state that reads may have come from memory",
            ),
            PlaceClass::Stacked => (
                "the underlying filesystem is not visible",
                "measure a directory of the underlying filesystem",
            ),
            PlaceClass::Block => (
                "the kernel reports too little",
                "use Linux 6.5 or later, or state that reads may have come from memory",
            ),
        };
        let evidence = format!("cache state unknown: {why}");
        Hit::new(evidence, advice)
    })
}

pub fn impossible_rate(of: &Observation) -> Option<Hit> {
    let MeasuredCell { design, workload, cell } = of.measured?;
    let place = place(design, cell.candidate).filter(|p| p.class == PlaceClass::Block)?;
    let capacity = link::of_place(place)?;
    let m = &cell.measurement;
    let reads_device = workload.phase == Phase::ColdRead || m.job.direct;
    let advice = "the data came from memory: use {direct=true}, or a {size} larger than the memory";
    let over = |what: &str, rate: f64| {
        let evidence = format!(
            "{what} {} over a link that carries at most {}",
            units::rate(rate),
            units::rate(capacity)
        );
        Hit::new(evidence, advice)
    };
    let read = m.read.as_ref().filter(|_| reads_device);
    if let Some(read) = read.filter(|r| r.bw_bytes_per_s > capacity) {
        return Some(over("read", read.bw_bytes_per_s));
    }
    let write = m.write.as_ref().filter(|_| m.job.is_durable());
    if let Some(write) = write.filter(|w| w.bw_bytes_per_s > capacity) {
        return Some(over("wrote", write.bw_bytes_per_s));
    }
    let wire_ns = m.job.bs as f64 / capacity * 1e9;
    let known = read.filter(|r| !r.lat_ns.is_unknown());
    known.filter(|r| (r.lat_ns.min as f64) < wire_ns && r.total_ios > 0).map(|r| {
        let evidence = format!(
            "a read of {} took {}; the link needs {}",
            units::size(m.job.bs),
            units::latency(r.lat_ns.min),
            units::latency(wire_ns as u64)
        );
        Hit::new(evidence, advice)
    })
}
