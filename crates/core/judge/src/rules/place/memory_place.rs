//! memory memory-place: the target is memory (tmpfs, ramfs, zram, brd), not a drive.

use crate::evidence::rule::Hit;
use bakeoff_model::design::Design;
use bakeoff_model::host::{LayerKind, Place, PlaceClass};

pub fn in_plan(_: Design<'_>, place: &Place) -> Option<Hit> {
    let ram = place.chain.iter().find(|l| l.kind == LayerKind::Ram);
    let is_memory = place.class == PlaceClass::Memory || ram.is_some();
    is_memory.then(|| {
        let what = ram.map_or(place.fs.as_str(), |l| l.name.as_str());
        let evidence = format!("{what} is memory, not a drive: its data is lost at a restart");
        Hit::new(evidence, "specify a directory on a drive to compare drives")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::plan;
    use crate::testing::RunBuilder;
    use bakeoff_model::run::Run;

    #[test]
    fn memory_fires_on_tmpfs_and_not_on_a_disk_called_tmpfs() {
        let tmpfs = |p: &mut Place| {
            p.class = PlaceClass::Memory;
            p.fs = "tmpfs".to_string();
            p.chain.clear();
        };
        let run = RunBuilder::directories(&["/home", "/tmp"]).place(1, tmpfs).build();
        assert_eq!(ids(&run), [("memory".to_string(), Some("/tmp".to_string()))]);
        let named = |p: &mut Place| p.source = "tmpfs".to_string();
        let run = RunBuilder::directories(&["/home", "/tmp"]).place(1, named).build();
        assert!(ids(&run).is_empty());
    }

    fn ids(run: &Run) -> Vec<(String, Option<String>)> {
        plan(&run.header, &[]).into_iter().map(|f| (f.id, f.candidate)).collect()
    }
}
