//! cache-unknown cache-state-unknown: reads may have come from memory.

use super::{place, reads_drive};
use crate::evidence::observation::{MeasuredCell, Observation};
use crate::evidence::rule::Hit;
use bakeoff_model::event::CacheState;
use bakeoff_model::host::PlaceClass;

pub fn in_cell(of: &Observation) -> Option<Hit> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::cell::testing::found;
    use crate::evidence::is_invalid;
    use crate::testing::RunBuilder;
    use bakeoff_model::event::{Cell, Header};

    #[test]
    fn unknown_cache_is_said_and_not_thrown_away() {
        let unknown = |_: &mut Header, c: &mut Cell| c.truth.cache = CacheState::Unknown;
        assert_eq!(found("seqread", 50e6, unknown), ["cache-unknown"]);
        assert!(found("randwrite", 900.0, unknown).is_empty());
        let run = RunBuilder::directories(&["/a", "/b"]).workloads(&["seqread"]);
        let run = run.cells(|c| c.truth.cache = CacheState::Unknown).play(1, |_, _, _| 5e7).build();
        assert!(!is_invalid(&run.header, &run.blocks[0].cells[0]));
    }
}
