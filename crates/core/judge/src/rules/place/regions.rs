//! Rules over where on a drive candidates are.

use super::drive;
use crate::evidence::rule::Hit;
use bakeoff_model::design::Design;
use bakeoff_model::event::Region;
use bakeoff_model::host::Layer;
use bakeoff_model::thresholds;
use bakeoff_stats::units;

/// L01: stacks on regions of one drive that are not the same.
pub fn lba_confound(design: Design<'_>) -> Option<Hit> {
    let regions: Vec<&Region> = design.regions().collect();
    let used = |i: usize| design.candidates.iter().any(|c| usize::from(c.region) == i);
    for (i, a) in regions.iter().enumerate() {
        for (j, b) in regions.iter().enumerate().skip(i + 1) {
            let same =
                matches!((drive(&a.place), drive(&b.place)), (Some(x), Some(y)) if x.dev == y.dev);
            let common = overlap(a, b);
            if same && used(i) && used(j) && common < thresholds::OVERLAP {
                let evidence = format!(
                    "regions at {} and {} of one drive overlap by {:.0} %",
                    units::size(a.start_bytes),
                    units::size(b.start_bytes),
                    common * 100.0
                );
                let advice =
                    "name one --target for all candidates, so that all use the same region";
                return Some(Hit::new(evidence, advice));
            }
        }
    }
    two_partitions(design)
}

fn overlap(a: &Region, b: &Region) -> f64 {
    let end = |r: &Region| r.start_bytes.saturating_add(r.size_bytes);
    let low = a.start_bytes.max(b.start_bytes);
    let high = end(a).min(end(b));
    high.saturating_sub(low) as f64 / a.size_bytes.min(b.size_bytes).max(1) as f64
}

fn two_partitions(design: Design<'_>) -> Option<Hit> {
    let parts = |(name, place)| Some((name, drive(place)?, place.partition()?));
    let on: Vec<(&str, &Layer, &Layer)> = design.directories().filter_map(parts).collect();
    let apart = on.iter().enumerate().find_map(|(i, a)| {
        let b = on[i + 1..].iter().find(|b| a.1.dev == b.1.dev && a.2.dev != b.2.dev)?;
        Some((a, b))
    });
    let (a, b) = apart?;
    let evidence =
        format!("{} is on {} and {} on {} of {}", a.0, a.2.name, b.0, b.2.name, a.1.name);
    let advice = "to compare filesystems, put them on the same region of the drive: bakeoff run";
    Some(Hit::new(evidence, advice))
}
