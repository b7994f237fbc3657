//! L01 lba-confound: candidates are on different regions of one drive (less than 90 % overlap).

use super::drive;
use crate::evidence::rule::Hit;
use bakeoff_model::design::Design;
use bakeoff_model::event::Region;
use bakeoff_model::host::Layer;
use bakeoff_stats::units;

/// L01: stacks on regions of one drive that are not the same.
pub fn in_plan(design: Design<'_>) -> Option<Hit> {
    let regions: Vec<&Region> = design.regions().collect();
    let used = |i: usize| design.candidates.iter().any(|c| usize::from(c.region) == i);
    for (i, a) in regions.iter().enumerate() {
        for (j, b) in regions.iter().enumerate().skip(i + 1) {
            let same =
                matches!((drive(&a.place), drive(&b.place)), (Some(x), Some(y)) if x.dev == y.dev);
            let common = overlap(a, b);
            if same && used(i) && used(j) && common < design.protocol.thresholds.overlap {
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

/// Share of the smaller region that lies in the other.
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

#[cfg(test)]
mod tests {
    use crate::rules::plan;
    use crate::rules::tests::before::{fires, with};
    use crate::rules::tests::told;
    use crate::testing::{RunBuilder, disk_place};
    use bakeoff_model::finding::{Scope, Severity};
    use bakeoff_model::host::Place;
    use bakeoff_model::index::RegionIx;

    #[test]
    fn l01_two_regions_of_one_disk_and_one_region() {
        let shifted = |by: u64| {
            with(|h| {
                let mut second = h.region.clone().expect("a region");
                second.start_bytes += by;
                h.more_regions = vec![second];
                h.candidates[1].region = RegionIx::new(1);
            })
        };
        assert!(fires("L01", &shifted(1 << 30)));
        assert!(!fires("L01", &shifted(64 << 20)), "nearly the same place");
        let other_disk = with(|h| {
            let mut second = h.region.clone().expect("a region");
            second.place = disk_place("ext4", "/", "sdb");
            second.start_bytes += 1 << 30;
            h.more_regions = vec![second];
            h.candidates[1].region = RegionIx::new(1);
        });
        assert!(!fires("L01", &other_disk), "two devices are a question of their own");
    }

    #[test]
    fn l01_two_partitions_of_one_disk_are_a_warning_about_places() {
        let second = |name: &'static str, dev: &'static str| {
            let place = move |p: &mut Place| {
                *p = disk_place("ext4", "/b", "sda");
                p.chain[0].name = name.to_string();
                p.chain[0].dev = dev.to_string();
            };
            RunBuilder::directories(&["/a", "/b"]).place(1, place).build()
        };
        let found = told(&plan(&second("sda2", "8:2").header, &[]), "L01").expect("fires");
        assert_eq!((found.severity, found.scope), (Severity::Warn, Scope::Place));
        assert!(!fires("L01", &second("sda1", "8:1")));
    }
}
