//! L15 impossible-rate: a rate is higher than the link can carry.

use super::place;
use crate::evidence::observation::{MeasuredCell, Observation};
use crate::evidence::rule::Hit;
use bakeoff_model::boards::link;
use bakeoff_model::host::PlaceClass;
use bakeoff_model::workload::Phase;
use bakeoff_stats::units;

pub fn in_cell(of: &Observation) -> Option<Hit> {
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
    use crate::evidence::cell::testing::found;
    use bakeoff_model::candidate::Kind;
    use bakeoff_model::event::{Cell, Header};
    use bakeoff_model::host::{Layer, LayerKind};

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
