//! Rules over where what a cell read came from: the drive, or memory.

use super::{place, reads_drive};
use crate::evidence::observation::{MeasuredCell, Observation};
use crate::evidence::rule::Hit;
use bakeoff_model::boards::link;
use bakeoff_model::event::CacheState;
use bakeoff_model::host::PlaceClass;
use bakeoff_model::job::Rw;
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

const TIMES: u64 = 2;

pub fn file_vs_ram(of: &Observation) -> Option<Hit> {
    let MeasuredCell { design, cell, .. } = of.measured?;
    let job = &cell.measurement.job;
    let memory = design.host.mem_total_bytes;
    let proven = cell.truth.cache != CacheState::Unknown;
    let buffered = job.rw.reads() && job.rw != Rw::SmallFiles && !job.direct;
    (buffered && !proven && job.size < memory.saturating_mul(TIMES)).then(|| {
        let share = (memory as f64 / job.size.max(1) as f64 * 100.0).min(100.0);
        let evidence = format!(
            "reads {} through the page cache of a machine with {}: up to {share:.0} % can come \
             from memory",
            units::size(job.size),
            units::size(memory)
        );
        Hit::new(evidence, "use {direct=true}, or a {size} twice as large as memory")
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::cell::testing::found;
    use crate::evidence::is_invalid;
    use crate::testing::RunBuilder;
    use bakeoff_model::candidate::Kind;
    use bakeoff_model::event::{Cell, Header};
    use bakeoff_model::host::{Layer, LayerKind};

    #[test]
    fn l16_warm_is_thrown_away_and_cold_is_not() {
        let warm = |_: &mut Header, c: &mut Cell| c.truth.cache = CacheState::Warm;
        assert_eq!(found("seqread", 50e6, warm), ["L16"]);
        // Small files are read back from memory by design.
        assert!(found("smallfiles", 900.0, warm).is_empty());
    }

    #[test]
    fn unknown_cache_is_said_and_not_thrown_away() {
        let unknown = |_: &mut Header, c: &mut Cell| c.truth.cache = CacheState::Unknown;
        assert_eq!(found("seqread", 50e6, unknown), ["cache-unknown"]);
        assert!(found("randwrite", 900.0, unknown).is_empty());
        let run = RunBuilder::directories(&["/a", "/b"]).workloads(&["seqread"]);
        let run = run.cells(|c| c.truth.cache = CacheState::Unknown).play(1, |_, _, _| 5e7).build();
        assert!(!is_invalid(&run.header, &run.blocks[0].cells[0]));
    }

    #[test]
    fn l12_buffered_reads_of_a_file_that_fits_in_memory() {
        let buffered = |size: u64| {
            move |header: &mut Header, c: &mut Cell| {
                header.host.mem_total_bytes = 4 << 30;
                c.measurement.job.direct = false;
                c.measurement.job.size = size;
                c.truth.cache = CacheState::Unknown;
            }
        };
        assert!(found("randread", 900.0, buffered((8 << 30) - 1)).contains(&"L12".to_string()));
        assert!(!found("randread", 900.0, buffered(8 << 30)).contains(&"L12".to_string()));
        let proven = |header: &mut Header, c: &mut Cell| {
            buffered(1 << 30)(header, c);
            c.truth.cache = CacheState::Cold;
        };
        assert!(found("randread", 900.0, proven).is_empty());
    }

    fn with_link(header: &mut Header, link: &str) {
        let Kind::Directory { place, .. } = &mut header.candidates[0].kind else { panic!() };
        let drive = place.chain.iter_mut().find(|l: &&mut Layer| l.kind == LayerKind::Disk);
        drive.unwrap().link = Some(link.into());
    }

    #[test]
    fn l15_faster_than_the_wire_and_just_below() {
        let usb2 = |header: &mut Header, _: &mut Cell| with_link(header, "USB 480 Mb/s");
        assert_eq!(found("seqread", 61e6, usb2), ["L15"]);
        assert!(found("seqread", 25e6, usb2).is_empty());
        assert_eq!(found("seqwrite", 61e6, usb2), ["L15"]);
        // A single read below the time its bytes need on the wire: 4 KiB take 68 µs.
        let quick_one = |header: &mut Header, c: &mut Cell| {
            with_link(header, "USB 480 Mb/s, UAS");
            c.measurement.read.as_mut().unwrap().lat_ns.min = 60_000;
        };
        assert_eq!(found("randread", 900.0, quick_one), ["L15"]);
        let slow_enough = |header: &mut Header, c: &mut Cell| {
            with_link(header, "USB 480 Mb/s, UAS");
            c.measurement.read.as_mut().unwrap().lat_ns.min = 70_000;
        };
        assert!(found("randread", 900.0, slow_enough).is_empty());
    }
}
