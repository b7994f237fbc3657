//! L16 warm-cache: part of what was read was in memory, or was not transferred by the devices.

use super::reads_drive;
use crate::evidence::observation::{MeasuredCell, Observation};
use crate::evidence::rule::Hit;
use bakeoff_model::event::CacheState;
use bakeoff_stats::units;

pub fn in_cell(of: &Observation) -> Option<Hit> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::cell::testing::found;
    use bakeoff_model::event::{Cell, Header};

    #[test]
    fn l16_warm_is_thrown_away_and_cold_is_not() {
        let warm = |_: &mut Header, c: &mut Cell| c.truth.cache = CacheState::Warm;
        assert_eq!(found("seqread", 50e6, warm), ["L16"]);
        // Small files are read back from memory by design.
        assert!(found("smallfiles", 900.0, warm).is_empty());
    }
}
