//! Rules over where on a drive candidates are, and in which state.

use super::{drive, flash_region, is_hard_disk};
use crate::evidence::rule::Hit;
use crate::plan;
use bakeoff_model::design::Design;
use bakeoff_model::event::{FlashState, Region};
use bakeoff_model::host::{Layer, Place};
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

/// L03: only flash behind a controller of its own erases in units that partitions can miss.
pub fn misaligned(_: Design<'_>, place: &Place) -> Option<Hit> {
    let drive = drive(place)?;
    let is_flash = matches!(drive.bus.as_deref(), Some("mmc" | "usb")) && !is_hard_disk(drive);
    let unit = thresholds::ALLOCATION_UNIT_BYTES;
    let partition = place.partition()?;
    let start = partition.start_bytes?;
    let off = start % unit.max(1);
    (is_flash && off != 0).then(|| {
        let evidence = format!(
            "{} begins at {}, {} past a multiple of {}",
            partition.name,
            units::size(start),
            units::size(off),
            units::size(unit)
        );
        let advice = "align partitions to multiples of 4 MiB (in sfdisk: a start of 4MiB)";
        Hit::new(evidence, advice)
    })
}

pub fn state_carryover(design: Design<'_>) -> Option<Hit> {
    let is_unknown = flash_region(design).is_some() && design.plan.is_none();
    is_unknown.then(|| {
        let evidence = "no plan sets the state of the flash before each visit".to_string();
        let advice = "measure with a plan that has flash_state = \"overwritten\": bakeoff run";
        Hit::new(evidence, advice)
    })
}

pub fn fresh_flash(design: Design<'_>) -> Option<Hit> {
    let region = flash_region(design)?;
    let asked = plan::parse(design.plan?, "plan").ok()?.protocol.flash_state;
    (asked == FlashState::Trimmed).then(|| {
        let size = units::size(region.size_bytes);
        let evidence = format!("the whole region of {size} is trimmed before each visit");
        let advice = "set flash_state = \"overwritten\" to measure the drive as it will be in use";
        Hit::new(evidence, advice)
    })
}

pub fn short_stroke(design: Design<'_>, place: &Place) -> Option<Hit> {
    let drive = drive(place).filter(|d| is_hard_disk(d) && d.size_bytes > 0)?;
    let random = design.workloads.iter().filter(|w| w.job.rw.is_random());
    let span = random.map(|w| w.job.size).max()?;
    let share = span as f64 / drive.size_bytes as f64;
    (share < thresholds::SPAN).then(|| {
        let evidence = format!(
            "random accesses stay within {} of {}: {:.2} % of the drive",
            units::size(span),
            units::size(drive.size_bytes),
            share * 100.0
        );
        Hit::new(evidence, "use a larger {size}; seeks over the whole drive are longer")
    })
}

#[cfg(test)]
mod tests {
    use crate::plan::BUILT_IN;
    use crate::rules::plan;
    use crate::rules::tests::before::{
        TRIMMED, behind_usb, disk_of, fires, on_device, places, stacks, with,
    };
    use crate::rules::tests::told;
    use crate::testing::{RunBuilder, disk_place, expanded};
    use bakeoff_model::candidate::Kind;
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

    #[test]
    fn l03_a_card_partitioned_at_one_mebibyte_and_at_four() {
        let start = |bytes: u64, bus: &'static str| {
            places(|p| {
                disk_of(p).bus = Some(bus.to_string());
                p.chain[0].start_bytes = Some(bytes);
            })
        };
        assert!(fires("L03", &start(1 << 20, "mmc")));
        assert!(!fires("L03", &start(4 << 20, "mmc")) && !fires("L03", &start(1 << 20, "nvme")));
    }

    #[test]
    fn l05_a_state_of_the_flash_that_nobody_set_and_one_of_a_plan() {
        let overwritten = TRIMMED.replace("trimmed", "overwritten");
        assert!(!fires("L05", &on_device(Some(&overwritten))));
        assert!(fires("L05", &on_device(None)), "nothing says what state it was in");
        assert!(!fires("L05", &stacks().build()), "an image is filled by us");
    }

    #[test]
    fn l06_flash_that_is_trimmed_and_flash_that_is_overwritten() {
        assert!(fires("L06", &on_device(Some(TRIMMED))));
        let overwritten = TRIMMED.replace("trimmed", "overwritten");
        assert!(!fires("L06", &on_device(Some(&overwritten))));
    }

    #[test]
    fn l09_no_built_in_plan_on_a_card_stick_or_ssd_of_32_gb() {
        let drives = [("mmc", false, false), ("usb", true, true), ("ata", false, false)];
        for of in BUILT_IN {
            let made = expanded(of.text, &[]);
            for (bus, rotational, removable) in drives {
                let run = with(|h| {
                    (h.protocol, h.candidates) = (made.protocol.clone(), made.candidates.clone());
                    h.workloads = made.workloads.clone();
                    let region = h.region.as_mut().expect("a region");
                    let drive = disk_of(&mut region.place);
                    (drive.size_bytes, drive.bus) = (32_000_000_000, Some(bus.to_string()));
                    (drive.rotational, drive.removable) = (Some(rotational), Some(removable));
                });
                assert!(!fires("L09", &run), "{} on {bus}", of.name);
            }
        }
    }

    #[test]
    fn l09_seeks_over_a_part_of_a_hard_disk_and_over_an_eighth() {
        assert!(fires("L09", &behind_usb(1_000_000_000_000, 1)));
        assert!(!fires("L09", &behind_usb(2 << 30, 1)), "an eighth of the drive");
        // An image on a virtual disk was said to have short seeks.
        let mut virtual_disk = behind_usb(1_000_000_000_000, 1);
        let Kind::Directory { place, .. } = &mut virtual_disk.header.candidates[0].kind else {
            panic!("a directory")
        };
        disk_of(place).bus = Some("virtio".to_string());
        assert!(!fires("L09", &virtual_disk));
    }
}
