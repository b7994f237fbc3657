//! loop-not-direct: a loop device reads and writes its file through the page cache.

use crate::evidence::rule::Hit;
use bakeoff_model::design::Design;
use bakeoff_model::host::{LayerKind, Place};

pub fn in_plan(_: Design<'_>, place: &Place) -> Option<Hit> {
    let is_cached =
        |l: &&bakeoff_model::host::Layer| l.kind == LayerKind::Loop && l.direct_io == Some(false);
    place.chain.iter().find(is_cached).map(|layer| {
        let evidence = format!("{} uses the page cache for its file (loop/dio is 0)", layer.name);
        let advice = format!("attach it directly: losetup --direct-io=on /dev/{}", layer.name);
        Hit::new(evidence, advice)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::plan;
    use crate::testing::RunBuilder;
    use bakeoff_model::host::Layer;

    #[test]
    fn a_loop_fires_without_direct_io_only() {
        let with = |direct_io| {
            let layer = Layer {
                name: "loop3".to_string(),
                kind: LayerKind::Loop,
                direct_io,
                ..Layer::default()
            };
            let run = RunBuilder::directories(&["/a", "/b"]);
            let run = run.place(0, |p| p.chain.insert(0, layer)).build();
            plan(&run.header, &[])
        };
        assert!(with(Some(false))[0].advice.contains("losetup --direct-io=on /dev/loop3"));
        assert!(with(Some(true)).is_empty() && with(None).is_empty());
    }
}
